"""What matches between features, labels and a hierarchy, and what does not."""

from collections.abc import Iterable, Iterator
from typing import Any

from hilabel.datasets import MatchReport, TableData
from hilabel.links import LinkReport
from hilabel.tasks._inspect.hierarchy import hierarchy_facts
from hilabel.tasks._inspect.inspection import named
from hilabel.tasks._inspect.labels import problems_of_codes
from hilabel.tasks._inspect.problem import Problem, Severity, counted


def label_facts(tables: TableData, min_count: int) -> dict[str, Any]:
    """Return how many rows, annotations and terms match."""
    report = tables.report
    counts = [f"{count} {name}" for name, count in report.matched_by.items() if count]
    matched = {"annotations matched by": ", ".join(counts)}
    told = {"hierarchy": "none: the terms are treated as unrelated"}
    if report.has_paths:
        told = {"hierarchy": "none: defined by the labels, which are paths"}
    return {
        "labelled rows": report.n_labeled,
        "unlabelled rows": report.n_unlabeled,
        "annotations used": report.n_annotations,
        **(matched if report.matched_by else {}),
        "repeated annotations": report.n_duplicates,
        "NOT annotations": (
            f"{report.n_not}; {report.n_denied} used (the term and its descendants are "
            f"absent), {report.n_contradicted} contradicted"
        ),
        **{
            f"unknown in {aspect or 'some terms'}": f"{count} labelled rows"
            for aspect, count in report.unknown_rows.items()
        },
        "lines without data (ND)": report.n_no_data,
        "rows with no other lines": report.n_rows_no_data,
        "dropped by evidence": report.n_filtered,
        "annotated ids without features": named(report.unmatched_ids),
        "replaced terms": named([f"{a} -> {b}" for a, b in report.replaced_terms]),
        "obsolete terms": named(report.obsolete_terms),
        "unknown terms": named(report.unknown_terms),
        "problem type": str(tables.problem_type),
        f"terms with {min_count} labelled rows": (
            f"{report.n_nodes_kept} of {report.n_nodes}; the others are not learned"
        ),
        **({} if report.has_hierarchy and not report.has_paths else told),
        **hierarchy_facts(tables.hierarchy),
        **link_facts(report.links),
    }


def link_facts(links: LinkReport | None) -> dict[str, Any]:
    """Return what became of links between rows, if there are any."""
    if links is None:
        return {}
    unknown = f"{links.n_unknown} to {links.n_unknown_ids} unknown ids"
    return {
        "links used": links.n_used,
        "rows without links": f"{links.n_rows_without} of {links.n_rows}",
        "links not used": (
            f"{unknown}, {links.n_self} from a row to itself, "
            f"{links.n_duplicates} repeated, {links.n_zero} with weight 0"
        ),
    }


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
        what = counted("term", "not in the hierarchy", names)
        mend = "correct them" if not drops_unknown else "dropped"
        options = () if drops_unknown else (("unknown_terms", "drop"),)
        severity: Severity = "warning" if drops_unknown else "error"
        yield Problem(severity, what, labels, mend, options, names)
    if names := report.obsolete_terms:
        what = counted("term", "obsolete, without a replacement", names)
        yield Problem("warning", what, labels, "dropped; use other terms", (), names)
    if names := tuple(f"{old} -> {new}" for old, new in report.replaced_terms):
        what = counted("term", "obsolete, counted for the replacement", names)
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


def problems_of_links(links: LinkReport | None, source: str) -> Iterator[Problem]:
    """Yield what may be wrong with links between rows."""
    if links is None:
        return
    if links.n_unknown:
        what = f"{links.n_unknown} links lead to {links.n_unknown_ids} unknown ids"
        more = "are they rows of another file?"
        yield Problem("note", what, source, more, (), links.unknown_ids)
    if 2 * links.n_rows_without > links.n_rows:
        what = f"{links.n_rows_without} of {links.n_rows} rows have no links"
        yield Problem("warning", what, source, "predicted like without links")


def _unmatched(ids: set[str], names: tuple[str, ...], labels: str) -> Problem:
    what = counted("annotated id", "without features", names)
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
        mend = "the feature ids look like DB|P12345|NAME: keep only the middle part"
    return Problem("warning", what, labels, mend, (), names)


def _has_version(name: str) -> bool:
    return name.rpartition(".")[2].isdigit() and "." in name.strip(".")
