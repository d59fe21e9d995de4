"""Everything that is wrong with a user's files at once, and what would mend it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar

import numpy as np

from hilabel.datasets import FeatureTable, MatchReport
from hilabel.exceptions import HilabelError

Severity = Literal["error", "warning", "note"]
_T = TypeVar("_T")

# Of names that are listed, and of options that are proposed.
_SHOWN: Final = 3
# A file that is read again after each error has no more of them than this.
_MOST_READS: Final = 10


@dataclass(frozen=True)
class Problem:
    """Something that is wrong, or that one may not expect.

    Attributes
    ----------
    severity : {"error", "warning", "note"}
        Training fails; something is lost; something is to be known.
    what : str
    where : str
        The file.
    mend : str
        What to do, in words; "" if options say it.
    options : tuple of (str, str)
        Parameters with values that mend it, any of them; "" for one without a value.
    names : tuple of str
        All that are concerned; ``what`` shows the first.

    Examples
    --------
    >>> from hilabel.tasks import Problem
    >>> ways = (("drop", "price"), ("categorical", "price"))
    >>> problem = Problem("error", "column 'price' has words", "x.csv", "", ways)
    >>> problem.remedy(lambda parameter: f"--{parameter}")
    '--drop price or --categorical price'
    """

    severity: Severity
    what: str
    where: str
    mend: str = ""
    options: tuple[tuple[str, str], ...] = ()
    names: tuple[str, ...] = ()

    def remedy(self, name_of: Callable[[str], str | None] = str) -> str:
        """Return what to do, in words and options.

        ``name_of`` returns what a parameter is called, such as ``--drop``; None if it
        cannot be given.
        """
        ways = [
            f"{name} {value}".strip()
            for parameter, value in self.options
            if (name := name_of(parameter)) is not None
        ]
        parts = [self.mend, " or ".join(ways[:_SHOWN])]
        return ": ".join(part for part in parts if part)


def mended(
    read: Callable[..., _T],
    options: dict[str, Any],
    problems: list[Problem],
    where: str,
) -> tuple[_T | None, dict[str, Any]]:
    """Return what ``read`` returns, and with which options; None if it cannot.

    Each error is put into ``problems`` and then mended as it says: repeated ids are
    merged, columns left out and so on, so that what comes after is seen too.
    """
    for _ in range(_MOST_READS):
        try:
            return read(**options), options
        except (HilabelError, OSError, ImportError) as error:
            problems += _problems_of(error, where)
            changed = _with_remedy(error, options)
            if changed is None or changed == options:
                break
            options = changed
    return None, options


def _with_remedy(error: Exception, options: dict[str, Any]) -> dict[str, Any] | None:
    remedies: dict[str, Any] = {
        "merge_duplicates": "first",
        "unknown_terms": "drop",
        "min_count": 1,
        "lenient": True,
    }
    remedies |= {"evidence": (), "exclude_evidence": (), "strip_version": True}
    named = getattr(error, "parameter", ())
    if "drop" in named and getattr(error, "culprits", None):
        wrong = set(getattr(error, "culprits", ()))
        changed = {
            name: tuple(
                column for column in options.get(name, ()) if column not in wrong
            )
            for name in ("categorical", "text")
        }
        return {
            **options,
            **changed,
            "drop": (*options.get("drop", ()), *sorted(wrong)),
        }
    found = {name: value for name, value in remedies.items() if name in named}
    return {**options, **found} if found else None


def _problems_of(error: Exception, where: str) -> Iterator[Problem]:
    """Yield what an error says: of columns one by one, of ids and lines together."""
    culprits = getattr(error, "culprits", {})
    named = getattr(error, "parameter", ())
    if culprits and "drop" in named:
        for column, why in culprits.items():
            remedies = [
                name for name in ("drop", "categorical", "text") if name in named
            ]
            options = tuple((name, column) for name in remedies)
            what = f"column {column!r} has {why}"
            yield Problem("error", what, where, "mend them", options, (column,))
    elif culprits and "merge_duplicates" in named:
        what = _counted("id", "with several rows", _pairs(culprits))
        options = (("merge_duplicates", "mean"), ("merge_duplicates", "first"))
        yield Problem("error", what, where, "", options, tuple(culprits))
    elif culprits:
        what = _counted("row", "that cannot be read", _pairs(culprits))
        options = tuple((name, "NAME") for name in named)
        yield Problem("error", what, where, "mend them", options, tuple(culprits))
    else:
        message = str(getattr(error, "message", error)).removeprefix(f"{where}: ")
        values = {"min_count": "N", "ids": "FILE", "strip_version": ""}
        options = tuple((name, values.get(name, "NAME")) for name in named)
        yield Problem("error", message, where, "", options)


def problems_of_table(table: FeatureTable) -> Iterator[Problem]:
    """Yield what may be wrong with features that could be read."""
    where, frame = table.source, table.frame
    columns: list[tuple[str, Iterable[str], tuple[str, ...]]] = [
        (
            "in which most rows differ, as in identifiers and dates",
            table.wordy_columns,
            ("drop", "text"),
        ),
    ]
    if table.sparse is None:
        n_values = frame.nunique(dropna=True)
        n_missing = frame.isna().sum()
        is_constant = ((n_values == 1) & (n_missing == 0)) & (len(frame) > 1)
        columns.append(("without values", frame.columns[n_values == 0], ("drop",)))
        columns.append(("with one value", frame.columns[is_constant], ("drop",)))
        empty = np.flatnonzero(frame.isna().all(axis=1))
        mend = "fill them in, or leave the rows out"
    else:
        empty = np.flatnonzero(np.diff(table.sparse.values.indptr) == 0)
        mend = "nothing tells these rows apart; leave them out"
    for which, found, ways in columns:
        if names := tuple(map(str, found)):
            what = _counted("column", which, names)
            options = tuple((way, name) for way in ways for name in names)
            yield Problem("warning", what, where, "", options, names)
    if empty.size:
        names = tuple(table.ids[row] for row in empty)
        what = _counted("row", "without features", names)
        yield Problem("warning", what, where, mend, (), names)
    if table.text:
        options = tuple((way, n) for way in ("categorical", "drop") for n in table.text)
        what = _counted("column", "of text, whose words become columns", table.text)
        yield Problem("note", what, where, "if that is not meant", options, table.text)
    yield from (Problem("note", note, where) for note in table.notes)


def problems_of_match(
    ids: Iterable[str],
    report: MatchReport,
    labels: str,
    *,
    min_count: int,
    drops_unknown: bool,
    lacks_hierarchy: bool,
) -> Iterator[Problem]:
    """Yield what did not match between rows, annotations and terms."""
    if names := report.unknown_terms:
        what = _counted("term", "not in the hierarchy", names)
        mend = "correct them" if not drops_unknown else "left out"
        options = () if drops_unknown else (("unknown_terms", "drop"),)
        severity: Severity = "warning" if drops_unknown else "error"
        yield Problem(severity, what, labels, mend, options, names)
    if names := report.obsolete_terms:
        what = _counted("term", "retired without a successor", names)
        yield Problem("warning", what, labels, "left out; name others", (), names)
    if names := tuple(f"{old} -> {new}" for old, new in report.replaced_terms):
        what = _counted("term", "retired, counted for its successor", names)
        yield Problem("note", what, labels, "", (), names)
    if names := report.unmatched_ids:
        yield _unmatched(set(ids), names, labels)
    yield from problems_of_codes(report.unknown_codes, labels)
    n_rare = report.n_nodes - report.n_nodes_kept
    if n_rare and min_count:
        what = f"{n_rare} of {report.n_nodes} terms have fewer than {min_count} rows"
        options = (("min_count", "N"),)
        yield Problem("warning", what, labels, "not learned", options)
    if report.n_duplicates:
        what = f"annotations that repeat another: {report.n_duplicates}"
        yield Problem("note", what, labels)
    if lacks_hierarchy:
        what = "no hierarchy: the terms are taken as unrelated"
        yield Problem("note", what, labels, "give one", (("hierarchy", "FILE"),))


def problems_of_codes(codes: tuple[str, ...], labels: str) -> Iterator[Problem]:
    """Yield the evidence codes that the Gene Ontology does not have."""
    if codes:
        what = _counted("evidence code", "that the Gene Ontology lacks", codes)
        options = (("exclude_evidence", ",".join(codes)),)
        yield Problem("warning", what, labels, "", options, codes)


def _unmatched(ids: set[str], names: tuple[str, ...], labels: str) -> Problem:
    what = _counted("annotated id", "without features", names)
    cut = {row_id.rpartition(".")[0] for row_id in ids if _has_version(row_id)}
    versioned = sum(
        name in cut or (_has_version(name) and name.rpartition(".")[0] in ids | cut)
        for name in names
    )
    if versioned:
        mend = f"{versioned} differ by a version"
        return Problem("warning", what, labels, mend, (("strip_version", ""),), names)
    folded = {row_id.casefold() for row_id in ids}
    n_cases = sum(name.casefold() in folded for name in names)
    middle = {row_id.split("|")[1] for row_id in ids if row_id.count("|") == 2}
    mend = "left out; are they rows of another file?"
    if n_cases:
        mend = f"{n_cases} differ by upper and lower case: spell them alike"
    elif middle & set(names):
        mend = "the ids of the features are such as sp|P12345|NAME: keep the middle"
    return Problem("warning", what, labels, mend, (), names)


def _has_version(name: str) -> bool:
    return name.rpartition(".")[2].isdigit() and "." in name.strip(".")


def _counted(noun: str, which: str, names: Iterable[str]) -> str:
    listed = [*names]
    nouns = noun if len(listed) == 1 else f"{noun}s"
    more = ", ..." if len(listed) > _SHOWN else ""
    return f"{len(listed)} {nouns} {which}: {', '.join(listed[:_SHOWN])}{more}"


def _pairs(culprits: dict[str, str]) -> list[str]:
    return [f"{name} ({why})" for name, why in culprits.items()]
