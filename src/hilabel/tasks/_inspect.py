"""What is in a file: sizes, problem type, gaps, and what does not match."""

import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import pandas as pd

from hilabel._typing import FilePath
from hilabel.datasets import (
    FeatureTable,
    HMCDataset,
    MatchReport,
    guess_kind,
    read_annotations,
    read_features,
    read_hierarchy,
)
from hilabel.exceptions import ParameterError
from hilabel.hierarchy import Hierarchy
from hilabel.persistence import read_manifest
from hilabel.tasks._files import TableFiles

Kind = Literal["auto", "features", "labels", "hierarchy", "model"]


@dataclass(frozen=True, eq=False)
class Inspection:
    """What was found in a file.

    Attributes
    ----------
    title : str
    facts : dict
        Names and plain values.
    tables : dict of DataFrame
    sentences : tuple of str
        Of a model, what its training stated.
    lists : dict of tuple
        Of a table with labels, all identifiers that did not match; ``facts`` count
        them and name the first.
    """

    title: str
    facts: dict[str, Any]
    tables: dict[str, pd.DataFrame] = field(default_factory=dict)
    sentences: tuple[str, ...] = ()
    lists: dict[str, tuple[Any, ...]] = field(default_factory=dict)


def inspect_file(path: FilePath, kind: Kind = "auto", **options: Any) -> Inspection:
    """Say what is in a single file.

    Parameters
    ----------
    path : path-like
    kind : {"auto", "features", "labels", "hierarchy", "model"}, default="auto"
        What the file is; ``"auto"`` tells by name and first line.
    **options
        How to read it, as in :class:`TableFiles`: ``id_column``, ``categorical``,
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
        is_model = Path(path).suffix == ".hilabel" or zipfile.is_zipfile(path)
        found = "model" if is_model else guess_kind(path)
    inspect, known = _INSPECTORS[found]
    for name in options:
        if name not in known:
            raise ParameterError(
                f"{path}: this says nothing about a file of kind {found!r} alone; "
                "leave it out, or give labels too, or say what the file is.",
                parameter=name,
            )
    return inspect(path, **options)


# Models -------------------------------------------------------------------------------


def _inspect_model(path: FilePath) -> Inspection:
    """Say what a model file holds, without loading the model."""
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
            for name, value in summary.get("parameters", {}).items()
        ]
    )
    statements = tuple(summary.get("statements", ()))
    return Inspection(f"Model {path}", facts, {"parameters": parameters}, statements)


# Hierarchies and labels ---------------------------------------------------------------


def _inspect_hierarchy(path: FilePath, **options: Any) -> Inspection:
    ontology = read_hierarchy(path, **options)
    hierarchy = ontology.hierarchy
    facts = {
        **_hierarchy_facts(hierarchy),
        "replaced identifiers": len(ontology.replaced),
        "obsolete identifiers": len(ontology.obsolete),
    }
    tables = {"nodes per depth": _depth_table(hierarchy)}
    return Inspection(f"Hierarchy {path}", facts, tables)


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
    annotations = read_annotations(path, **options)
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
    return Inspection(f"Labels {path}", facts, {"most frequent terms": frequent})


# Tables -------------------------------------------------------------------------------


def inspect_table(files: TableFiles) -> Inspection:
    """Say what is in a table of features, and how it joins its labels.

    Parameters
    ----------
    files : TableFiles
    """
    data = files.load()
    facts, tables = _column_facts(data.table)
    facts |= _label_facts(data.dataset, data.report, files.min_count)
    known = data.dataset.Y[data.dataset.labeled] > 0
    counts = known.sum(axis=0)
    tables["terms per depth"] = _depth_table(data.dataset.hierarchy, counts)
    lists = {
        "unmatched ids": data.report.unmatched_ids,
        "replaced": data.report.replaced_terms,
        "obsolete": data.report.obsolete_terms,
        "unknown": data.report.unknown_terms,
    }
    return Inspection(f"Features {files.features}", facts, tables, (), lists)


def _inspect_features(path: FilePath, **options: Any) -> Inspection:
    facts, tables = _column_facts(read_features(path, **options))
    return Inspection(f"Features {path}", facts, tables)


def _column_facts(
    table: FeatureTable,
) -> tuple[dict[str, Any], dict[str, pd.DataFrame]]:
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
        "columns of names": _named(names),
        "columns like identifiers": _named(table.wordy_columns),
        "columns of text": _named(table.text),
        "missing values": f"{int(missing.sum())} in {int((missing > 0).sum())} columns",
        "constant columns": _named(list(frame.columns[varied <= 1])),
        "repeated rows": f"{int(frame.duplicated().sum())} (same values, another id)",
    }
    gaps = missing[missing > 0].sort_values(ascending=False).head(10)
    tables = {}
    if len(gaps):
        tables["columns with missing values"] = pd.DataFrame(
            {"column": gaps.index, "missing": gaps.to_numpy()}
        )
    return facts, tables


def _label_facts(
    dataset: HMCDataset, report: MatchReport, min_count: int
) -> dict[str, Any]:
    counts = [f"{count} {name}" for name, count in report.matched_by.items() if count]
    matched = {"annotations matched by": ", ".join(counts)}
    told = {"hierarchy": "none given: the terms are taken as unrelated"}
    if report.has_paths:
        told = {"hierarchy": "none given: the labels are paths, which bring it along"}
    return {
        "labelled rows": report.n_labeled,
        "unlabelled rows": report.n_unlabeled,
        "annotations used": report.n_annotations,
        **(matched if report.matched_by else {}),
        "repeated annotations": report.n_duplicates,
        "NOT annotations": (
            f"{report.n_not}; {report.n_denied} used, of terms that rows lack with all "
            f"below them, {report.n_contradicted} contradicted"
        ),
        **{
            f"unknown in {aspect or 'some terms'}": f"{count} labelled rows"
            for aspect, count in report.unknown_rows.items()
        },
        "lines without data (ND)": report.n_no_data,
        "rows with nothing else": report.n_rows_no_data,
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


# How each kind of file is read, and what may be said about it.
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
        ),
    ),
    "labels": (
        _inspect_labels,
        ("evidence", "exclude_evidence", "separators", "strip_version"),
    ),
    "hierarchy": (_inspect_hierarchy, ("relations",)),
    "model": (_inspect_model, ()),
}
