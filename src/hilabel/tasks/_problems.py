"""Collect all problems in a user's files, and ways to fix them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar

import numpy as np

from hilabel.datasets import FeatureTable, MatchReport
from hilabel.exceptions import HilabelError

Severity = Literal["error", "warning", "note"]
_T = TypeVar("_T")

# Maximum number of names and options to list.
_SHOWN: Final = 3
# A file is read again after each error, at most this often.
_MOST_READS: Final = 10


@dataclass(frozen=True)
class Problem:
    """An error, or a finding that users may not expect.

    Attributes
    ----------
    severity : {"error", "warning", "note"}
        An error prevents training, a warning reports lost data, and a note is
        information.
    what : str
    where : str
        The file.
    mend : str
        What to do, in words; "" if ``options`` are sufficient.
    options : tuple of (str, str)
        Parameters and values, each of which fixes the problem; "" if it takes no value.
    names : tuple of str
        All names concerned; ``what`` shows the first ones.

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
        """Return a description of how to fix the problem, including suitable options.

        ``name_of`` maps a parameter to its displayed name, such as ``--drop``, or to
        None if it is not available.
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
    """Return the result of ``read``, or None if it fails, and the options used.

    Each error is added to ``problems`` and then worked around: repeated ids are merged,
    invalid columns are dropped, and so on. In this way, later problems are found too.
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
    """Yield the problems reported by an error, one per column or one in total."""
    culprits = getattr(error, "culprits", {})
    named = getattr(error, "parameter", ())
    if culprits and "drop" in named:
        for column, why in culprits.items():
            remedies = [
                name for name in ("drop", "categorical", "text") if name in named
            ]
            options = tuple((name, column) for name in remedies)
            what = f"column {column!r} has {why}"
            yield Problem("error", what, where, "fix them", options, (column,))
    elif culprits and "merge_duplicates" in named:
        what = _counted("id", "with several rows", _pairs(culprits))
        options = (("merge_duplicates", "mean"), ("merge_duplicates", "first"))
        yield Problem("error", what, where, "", options, tuple(culprits))
    elif culprits:
        what = _counted("row", "that could not be read", _pairs(culprits))
        options = tuple((name, "NAME") for name in named)
        yield Problem("error", what, where, "fix them", options, tuple(culprits))
    else:
        message = str(getattr(error, "message", error)).removeprefix(f"{where}: ")
        values = {"min_count": "N", "ids": "FILE", "strip_version": ""}
        options = tuple((name, values.get(name, "NAME")) for name in named)
        yield Problem("error", message, where, "", options)


def problems_of_table(table: FeatureTable) -> Iterator[Problem]:
    """Yield possible problems in features that were read without errors."""
    where, frame = table.source, table.frame
    columns: list[tuple[str, Iterable[str], tuple[str, ...]]] = [
        (
            "with mostly distinct values, like identifiers and dates",
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
        mend = "fill in values or remove the rows"
    else:
        empty = np.flatnonzero(np.diff(table.sparse.values.indptr) == 0)
        mend = "nothing distinguishes these rows; remove them"
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
        yield Problem(
            "note", what, where, "if that is not intended", options, table.text
        )
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
    """Yield mismatches between rows, annotations and terms."""
    if names := report.unknown_terms:
        what = _counted("term", "not in the hierarchy", names)
        mend = "correct them" if not drops_unknown else "dropped"
        options = () if drops_unknown else (("unknown_terms", "drop"),)
        severity: Severity = "warning" if drops_unknown else "error"
        yield Problem(severity, what, labels, mend, options, names)
    if names := report.obsolete_terms:
        what = _counted("term", "obsolete, without a replacement", names)
        yield Problem("warning", what, labels, "dropped; use other terms", (), names)
    if names := tuple(f"{old} -> {new}" for old, new in report.replaced_terms):
        what = _counted("term", "obsolete, counted for the replacement", names)
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
        what = f"duplicate annotations: {report.n_duplicates}"
        yield Problem("note", what, labels)
    if lacks_hierarchy:
        what = "no hierarchy: terms are treated as unrelated"
        yield Problem("note", what, labels, "pass one", (("hierarchy", "FILE"),))


def problems_of_codes(codes: tuple[str, ...], labels: str) -> Iterator[Problem]:
    """Yield a problem for evidence codes that the Gene Ontology does not define."""
    if codes:
        what = _counted(
            "evidence code", "that the Gene Ontology does not define", codes
        )
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
        mend = f"{versioned} differ only by a version"
        return Problem("warning", what, labels, mend, (("strip_version", ""),), names)
    folded = {row_id.casefold() for row_id in ids}
    n_cases = sum(name.casefold() in folded for name in names)
    middle = {row_id.split("|")[1] for row_id in ids if row_id.count("|") == 2}
    mend = "dropped; are they rows of another file?"
    if n_cases:
        mend = f"{n_cases} differ only in upper and lower case: use the same spelling"
    elif middle & set(names):
        mend = "the feature ids look like sp|P12345|NAME: keep only the middle part"
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
