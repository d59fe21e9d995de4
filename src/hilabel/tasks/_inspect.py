"""Inspect files: report sizes, the problem type, missing values and mismatches."""

import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import pandas as pd

from hilabel._typing import FilePath
from hilabel.datasets import (
    FeatureTable,
    HMCDataset,
    MatchReport,
    SparseColumns,
    guess_kind,
    load_table,
    read_annotations,
    read_features,
    read_hierarchy,
)
from hilabel.exceptions import ParameterError
from hilabel.hierarchy import Hierarchy
from hilabel.persistence import read_manifest
from hilabel.semi_supervised import PseudoLabelingSummary
from hilabel.tasks._files import TableFiles
from hilabel.tasks._problems import (
    Problem,
    mended,
    problems_of_codes,
    problems_of_match,
    problems_of_table,
)

Kind = Literal["auto", "features", "labels", "hierarchy", "model"]


@dataclass(frozen=True, eq=False)
class Inspection:
    """The contents of a file, and the problems found in it.

    Attributes
    ----------
    title : str
    facts : dict
        Names and plain values.
    tables : dict of DataFrame
    sentences : tuple of str
        For a model, the sentences printed in training.
    lists : dict of tuple
        For a table with labels, all identifiers that did not match; ``facts`` has their
        number and the first ones.
    problems : tuple of Problem
        The problems, most severe first, and how to fix them.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import write_example
    >>> from hilabel.tasks import inspect_file
    >>> with TemporaryDirectory() as folder:
    ...     found = inspect_file(write_example(folder, "shop")["features"])
    >>> found.problems
    ()
    """

    title: str
    facts: dict[str, Any]
    tables: dict[str, pd.DataFrame] = field(default_factory=dict)
    sentences: tuple[str, ...] = ()
    lists: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    @property
    def is_usable(self) -> bool:
        """Whether training is possible, that is, whether there are no errors."""
        return all(problem.severity != "error" for problem in self.problems)

    def problem_table(self, name_of: Callable[[str], str | None] = str) -> pd.DataFrame:
        """Return the problems as a table; see :meth:`Problem.remedy`."""
        rows = [
            {
                "severity": problem.severity,
                "problem": problem.what,
                "file": Path(problem.where).name,
                "fix": problem.remedy(name_of),
            }
            for problem in self.problems
        ]
        return pd.DataFrame(rows)

    @classmethod
    def of(
        cls, title: str, problems: Iterable[Problem], facts: dict[str, Any], **more: Any
    ) -> "Inspection":
        """Return an inspection that lists each problem once, most severe first."""
        found = {(problem.what, problem.where): problem for problem in problems}
        order = ("error", "warning", "note")
        ranked = sorted(found.values(), key=lambda one: order.index(one.severity))
        return cls(title, facts, problems=tuple(ranked), **more)


def inspect_file(path: FilePath, kind: Kind = "auto", **options: Any) -> Inspection:
    """Describe a single file, and list all problems found in it.

    Parameters
    ----------
    path : path-like
    kind : {"auto", "features", "labels", "hierarchy", "model"}, default="auto"
        The kind of file; ``"auto"`` detects it by name and first line.
    **options
        Options for reading, as in :class:`TableFiles`: ``id_column``, ``categorical``,
        ``text`` and ``drop`` of features, ``evidence`` and ``exclude_evidence`` of
        labels, ``relations`` of a hierarchy, and so on.

    Raises
    ------
    ValueError
        If an option does not apply to the kind of file.

    Examples
    --------
    >>> import tempfile
    >>> from hilabel.datasets import write_example
    >>> from hilabel.tasks import inspect_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     inspect_file(write_example(folder, "shop")["hierarchy"]).facts["nodes"]
    18
    """
    found: str = kind
    if kind == "auto":
        found = "model" if _is_model(path) else guess_kind(path)
    inspect, known = _INSPECTORS[found]
    for name in options:
        if name not in known:
            raise ParameterError(
                f"{path}: this option does not apply to a file of kind {found!r}; "
                "remove it, pass labels too, or specify the kind of file.",
                parameter=name,
            )
    return inspect(path, **options)


def _is_model(path: FilePath) -> bool:
    if Path(path).suffix == ".hilabel":
        return True
    if not zipfile.is_zipfile(path):
        return False
    # Excel files and NumPy archives are zip files too.
    try:
        with zipfile.ZipFile(path) as archive:
            return "manifest.json" in archive.namelist()
    except (zipfile.BadZipFile, NotImplementedError):
        return False


# Models -------------------------------------------------------------------------------


def _inspect_model(path: FilePath) -> Inspection:
    """Describe a model file without loading the model."""
    manifest = read_manifest(path)
    summary = manifest.summary
    facts: dict[str, Any] = {
        "kind": manifest.kind,
        "size": f"{Path(path).stat().st_size / 1e6:.2f} MB",
        "versions": ", ".join(f"{k} {v}" for k, v in manifest.versions.items()),
    }
    for name in ("method", "problem_type", "seed", "preset", "min_count"):
        if summary.get(name) is not None:
            facts[name.replace("_", " ")] = summary[name]
    matching = summary.get("matching")
    if matching:
        facts["training rows"] = matching["n_rows"]
        facts["labelled rows"] = matching["n_labeled"]
        facts["terms"] = matching["n_nodes_kept"]
    for name, value in (summary.get("out_of_fold") or {}).items():
        facts[f"out of fold, {name.replace('_', ' ')}"] = value
    parameters = pd.DataFrame(
        [
            {"parameter": name, "value": str(value)}
            for name, value in (summary.get("parameters") or {}).items()
        ]
    )
    tables = {"parameters": parameters}
    if summary.get("pseudo_labeling"):
        learned = PseudoLabelingSummary.from_plain(summary["pseudo_labeling"])
        facts["rows with pseudo-labels"] = learned.n_received
        facts["pseudo-labels"] = learned.n_labels
        tables[learned.steps] = learned.frame()
    statements = tuple(summary.get("statements") or ())
    return Inspection(f"Model {path}", facts, tables, statements)


# Hierarchies and labels ---------------------------------------------------------------


def _inspect_hierarchy(path: FilePath, **options: Any) -> Inspection:
    problems: list[Problem] = []
    title = f"Hierarchy {path}"
    ontology, _ = mended(partial(read_hierarchy, path), options, problems, str(path))
    if ontology is None:
        return Inspection.of(title, problems, {})
    hierarchy = ontology.hierarchy
    facts = {
        **_hierarchy_facts(hierarchy),
        "replaced identifiers": len(ontology.replaced),
        "obsolete identifiers": len(ontology.obsolete),
    }
    tables = {"nodes per depth": _depth_table(hierarchy)}
    return Inspection.of(title, problems, facts, tables=tables)


def _hierarchy_facts(hierarchy: Hierarchy) -> dict[str, Any]:
    n_parents = np.diff(hierarchy.parents_ptr)
    return {
        "nodes": hierarchy.n_nodes,
        "edges": hierarchy.n_edges,
        "structure": "tree" if hierarchy.is_tree else "directed acyclic graph",
        "roots": hierarchy.roots.size,
        "leaves": hierarchy.leaves.size,
        "depth": hierarchy.max_depth,
        "nodes with several parents": int((n_parents > 1).sum()),
    }


def _depth_table(hierarchy: Hierarchy, counts: Any = None) -> pd.DataFrame:
    depths = np.arange(1, hierarchy.max_depth + 1)
    is_leaf = np.zeros(hierarchy.n_nodes, dtype=bool)
    is_leaf[hierarchy.leaves] = True
    table = {
        "depth": depths,
        "nodes": [int((hierarchy.depth == d).sum()) for d in depths],
        "leaves": [int((is_leaf & (hierarchy.depth == d)).sum()) for d in depths],
    }
    if counts is not None:
        table["median labelled rows"] = [
            int(np.median(counts[hierarchy.depth == d])) for d in depths
        ]
    return pd.DataFrame(table)


def _inspect_labels(path: FilePath, **options: Any) -> Inspection:
    problems: list[Problem] = []
    title = f"Labels {path}"
    read = partial(read_annotations, path)
    annotations, _ = mended(read, options, problems, str(path))
    if annotations is None:
        return Inspection.of(title, problems, {})
    problems += problems_of_codes(annotations.unknown_codes, str(path))
    per_id = pd.Series(annotations.ids, dtype=object).value_counts()
    per_term = pd.Series(annotations.terms, dtype=object).value_counts()
    pairs = list(zip(annotations.ids, annotations.terms, strict=True))
    facts = {
        "rows": annotations.n_rows,
        "ids": per_id.size,
        "terms": per_term.size,
        "repeated pairs": len(pairs) - len(set(pairs)),
        "NOT rows": annotations.n_not,
        "rows without data (ND)": len(annotations.no_data),
        "rows dropped by evidence": annotations.n_filtered,
        "rows without a term": annotations.n_empty,
        "terms per id, median": float(per_id.median()) if per_id.size else 0.0,
    }
    frequent = per_term.head(10).rename_axis("term").reset_index(name="rows")
    tables = {"most frequent terms": frequent}
    return Inspection.of(title, problems, facts, tables=tables)


# Tables -------------------------------------------------------------------------------


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
    features, labels = str(files.features), str(files.labels)
    options = files.options()
    ontology = None
    if files.hierarchy is not None:
        ontology, _ = mended(
            partial(read_hierarchy, files.hierarchy),
            _of_kind(options, "hierarchy"),
            problems,
            str(files.hierarchy),
        )
    load = partial(load_table, files.features, files.labels, ontology)
    data, used = mended(load, {**options, "unknown_terms": "drop"}, problems, "")
    if data is None:
        # The other file may have problems of its own.
        read_both: dict[str, tuple[Callable[..., Any], FilePath]] = {
            "features": (read_features, files.features),
            "labels": (read_annotations, files.labels),
        }
        for kind, (read, path) in read_both.items():
            how = _of_kind(options, kind)
            found, _ = mended(partial(read, path), how, problems, str(path))
            if kind == "features" and found is not None:
                problems += problems_of_table(found)
        return Inspection.of(title, _placed(problems, features, labels), {})
    problems = _placed(problems, features, labels)
    problems += problems_of_table(data.table)
    problems += problems_of_match(
        data.table.ids,
        data.report,
        labels,
        min_count=used["min_count"],
        drops_unknown=files.unknown_terms == "drop",
        lacks_hierarchy=files.hierarchy is None and not data.report.has_hierarchy,
    )
    facts, tables = _column_facts(data.table)
    facts |= _label_facts(data.dataset, data.report, used["min_count"])
    known = data.dataset.Y[data.dataset.labeled] > 0
    counts = known.sum(axis=0)
    tables["terms per depth"] = _depth_table(data.dataset.hierarchy, counts)
    lists = {
        "unmatched ids": data.report.unmatched_ids,
        "replaced": data.report.replaced_terms,
        "obsolete": data.report.obsolete_terms,
        "unknown": data.report.unknown_terms,
    }
    return Inspection.of(title, problems, facts, tables=tables, lists=lists)


def _placed(problems: Iterable[Problem], features: str, labels: str) -> list[Problem]:
    """Add the name of the affected file to each problem found when joining files."""
    placed = []
    for problem in problems:
        where = problem.where
        if not where:
            where = labels if problem.what.startswith(labels) else features
        what = problem.what.removeprefix(f"{where}: ").removeprefix(f"{where}, ")
        placed.append(replace(problem, where=where, what=what))
    return placed


def _of_kind(options: dict[str, Any], kind: str) -> dict[str, Any]:
    """Return the options that apply to one kind of file."""
    known = _INSPECTORS[kind][1]
    chosen = {name: value for name, value in options.items() if name in known}
    if chosen.get("separators", "") is None:
        chosen.pop("separators")
    return chosen


def _inspect_features(path: FilePath, **options: Any) -> Inspection:
    problems: list[Problem] = []
    title = f"Features {path}"
    table, _ = mended(partial(read_features, path), options, problems, str(path))
    if table is None:
        return Inspection.of(title, problems, {})
    facts, tables = _column_facts(table)
    problems += problems_of_table(table)
    return Inspection.of(title, problems, facts, tables=tables)


def _column_facts(
    table: FeatureTable,
) -> tuple[dict[str, Any], dict[str, pd.DataFrame]]:
    if table.sparse is not None:
        return _sparse_facts(table, table.sparse)
    frame = table.frame
    words = frame.select_dtypes(exclude="number").columns
    names = [name for name in words if name not in table.text]
    missing = frame.isna().sum()
    varied = frame.nunique(dropna=True)
    facts = {
        "rows": len(table),
        "id column": str(frame.index.name),
        **({"merged rows": table.n_merged} if table.n_merged else {}),
        "columns": frame.shape[1],
        "categorical columns": _named(names),
        "columns like identifiers": _named(table.wordy_columns),
        "text columns": _named(table.text),
        "missing values": f"{int(missing.sum())} in {int((missing > 0).sum())} columns",
        "constant columns": _named(list(frame.columns[varied <= 1])),
        "repeated rows": f"{int(frame.duplicated().sum())} (equal values, other ids)",
    }
    gaps = missing[missing > 0].sort_values(ascending=False).head(10)
    tables = {}
    if len(gaps):
        tables["columns with missing values"] = pd.DataFrame(
            {"column": gaps.index, "missing": gaps.to_numpy()}
        )
    return facts, tables


def _sparse_facts(
    table: FeatureTable, columns: SparseColumns
) -> tuple[dict[str, Any], dict[str, pd.DataFrame]]:
    values = columns.values
    n_cells = values.shape[0] * values.shape[1]
    per_column = np.bincount(values.indices, minlength=values.shape[1])
    facts = {
        "rows": len(table),
        "id column": str(table.frame.index.name),
        **({"merged rows": table.n_merged} if table.n_merged else {}),
        "columns": f"{values.shape[1]}, sparse",
        "cells that are not 0": f"{values.nnz} ({100 * values.nnz / n_cells:.2g} %)",
        "rows without features": int((np.diff(values.indptr) == 0).sum()),
        "columns with a single row": int((per_column == 1).sum()),
    }
    most = np.argsort(-per_column, kind="stable")[:10]
    frequent = {"column": [columns.names[at] for at in most], "rows": per_column[most]}
    return facts, {"most frequent columns": pd.DataFrame(frequent)}


def _label_facts(
    dataset: HMCDataset, report: MatchReport, min_count: int
) -> dict[str, Any]:
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
        "annotated ids without features": _named(report.unmatched_ids),
        "replaced terms": _named([f"{a} -> {b}" for a, b in report.replaced_terms]),
        "obsolete terms": _named(report.obsolete_terms),
        "unknown terms": _named(report.unknown_terms),
        "problem type": str(dataset.problem_type),
        f"terms with {min_count} labelled rows": (
            f"{report.n_nodes_kept} of {report.n_nodes}; the others are not learned"
        ),
        **({} if report.has_hierarchy and not report.has_paths else told),
        **_hierarchy_facts(dataset.hierarchy),
    }


def _named(names: Any, shown: int = 5) -> str:
    names = list(names)
    if not names:
        return "0"
    more = ", ..." if len(names) > shown else ""
    return f"{len(names)} ({', '.join(map(str, names[:shown]))}{more})"


# The function and the options for each kind of file.
_INSPECTORS: Final[dict[str, tuple[Callable[..., Inspection], tuple[str, ...]]]] = {
    "features": (
        _inspect_features,
        (
            "id_column",
            "categorical",
            "text",
            "drop",
            "strip_version",
            "merge_duplicates",
            "ids",
        ),
    ),
    "labels": (
        _inspect_labels,
        (
            "evidence",
            "exclude_evidence",
            "label_columns",
            "separators",
            "strip_version",
        ),
    ),
    "hierarchy": (_inspect_hierarchy, ("relations", "lenient")),
    "model": (_inspect_model, ()),
}
