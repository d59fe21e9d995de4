"""Inspect a table of features together with its labels and its hierarchy."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from hilabel.datasets import (
    TableData,
    TableFiles,
    TablePreparation,
    load_table,
    read_hierarchy,
)
from hilabel.hierarchy import Ontology
from hilabel.tasks._inspect.features import (
    column_facts,
    inspect_features,
    problems_of_table,
)
from hilabel.tasks._inspect.hierarchy import depth_table
from hilabel.tasks._inspect.inspection import Inspection
from hilabel.tasks._inspect.labels import inspect_labels
from hilabel.tasks._inspect.match import (
    label_facts,
    problems_of_links,
    problems_of_match,
)
from hilabel.tasks._inspect.mending import mended
from hilabel.tasks._inspect.problem import Problem


def inspect_table(files: TableFiles) -> Inspection:
    r"""Describe a table of features and its labels, and list all problems found.

    Errors that prevent training do not stop the inspection: repeated ids, cells that
    are not numbers, unknown terms and so on are all listed in ``problems``, each with a
    way to fix it.

    Parameters
    ----------
    files : TableFiles

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from hilabel.tasks import TableFiles, inspect_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     shop = Path(folder)
    ...     _ = (shop / "x.csv").write_text("id,x\na,1\na,2\nb,3\n")
    ...     _ = (shop / "y.csv").write_text("id,term\na,tea\nb,tee\n")
    ...     _ = (shop / "h.csv").write_text("food,tea\n")
    ...     paths = [shop / name for name in ("x.csv", "y.csv", "h.csv")]
    ...     found = inspect_table(TableFiles(*paths, min_count=1))
    >>> for problem in found.problems:
    ...     print(problem.severity, problem.what, problem.options[0])
    error 1 id with several rows: a (line 2 and line 3) ('merge_duplicates', 'mean')
    error 1 term not in the hierarchy: tee ('unknown_terms', 'drop')
    """
    problems: list[Problem] = []
    title = f"Features {files.features}"
    ontology = _read_ontology(files, problems)
    load = partial(_prepared, files, ontology)
    options = {**files.options(), "unknown_terms": "drop"}
    data, used = mended(load, options, problems, str(files.features))
    if data is None:
        return Inspection.of(title, [*problems, *_problems_of_each(files)], {})
    problems += problems_of_table(data.table)
    problems += problems_of_match(
        data.table.ids,
        data.report,
        str(files.labels),
        min_count=used["min_count"],
        drops_unknown=files.unknown_terms == "drop",
        lacks_hierarchy=files.hierarchy is None and not data.report.has_hierarchy,
    )
    sources = ", ".join(str(path) for _, path in files.links)
    problems += problems_of_links(data.report.links, sources)
    facts, tables = column_facts(data.table)
    facts |= label_facts(data, used["min_count"])
    tables["terms per depth"] = depth_table(data.hierarchy, data.labels.n_positive)
    lists = {
        "unmatched ids": data.report.unmatched_ids,
        "replaced": data.report.replaced_terms,
        "obsolete": data.report.obsolete_terms,
        "unknown": data.report.unknown_terms,
    }
    return Inspection.of(title, problems, facts, tables=tables, lists=lists)


def _read_ontology(files: TableFiles, problems: list[Problem]) -> Ontology | None:
    if files.hierarchy is None:
        return None
    read = partial(read_hierarchy, files.hierarchy)
    how = files.reading("hierarchy")
    return mended(read, how, problems, str(files.hierarchy))[0]


def _prepared(
    files: TableFiles, ontology: Ontology | None, **options: Any
) -> TableData:
    """Join the files, and raise an error if the columns cannot be prepared."""
    data = load_table(
        files.features,
        files.labels,
        ontology,
        links=files.links or None,
        links_both_ways=files.links_both_ways,
        **options,
    )
    TablePreparation().fit(data.table)
    return data


def _problems_of_each(files: TableFiles) -> Iterator[Problem]:
    """Yield the problems of the features alone, and of the labels alone."""
    yield from inspect_features(files.features, **files.reading("features")).problems
    yield from inspect_labels(files.labels, **files.reading("labels")).problems
