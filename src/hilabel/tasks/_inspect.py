"""What is in a file: sizes, problem type, gaps, and what does not match."""

import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import pandas as pd

from hilabel.datasets import (
    FeatureTable,
    HMCDataset,
    MatchReport,
    TableEncoder,
    read_annotations,
    read_features,
    read_hierarchy,
)
from hilabel.datasets._tables.annotations import is_heading
from hilabel.datasets._tables.columns import find_wordy
from hilabel.datasets._tables.delimited import find_delimiter, iter_rows
from hilabel.datasets._tables.edge_list import is_hierarchy
from hilabel.datasets._tables.features import is_parquet
from hilabel.datasets._tables.gaf import is_gaf
from hilabel.datasets._tables.match import WORDY_ADVICE, counted
from hilabel.hierarchy import Hierarchy
from hilabel.hierarchy._text_file import read_text
from hilabel.persistence import read_manifest
from hilabel.tasks._files import TableFiles

__all__ = [
    "Inspection",
    "inspect_file",
    "inspect_hierarchy",
    "inspect_model",
    "inspect_table",
]

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


def inspect_file(
    path: str | PathLike[str], kind: Kind = "auto", **options: Any
) -> Inspection:
    """Say what is in a single file.

    Parameters
    ----------
    path : path-like
    kind : {"auto", "features", "labels", "hierarchy", "model"}, default="auto"
        What the file is; ``"auto"`` tells by name and first line.
    **options
        How to read it, as in :class:`TableFiles`: ``id_column``, ``categorical`` and
        ``drop`` of features, ``evidence`` and ``exclude_evidence`` of labels, and
        ``relations`` of a hierarchy.

    Returns
    -------
    Inspection

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
    inspectors: dict[str, Callable[..., Inspection]] = {
        "features": _inspect_features,
        "labels": _inspect_labels,
        "hierarchy": inspect_hierarchy,
        "model": inspect_model,
    }
    found = _kind_of(path) if kind == "auto" else kind
    for name in options:
        if name not in _OPTIONS_OF[found]:
            option = "--relation" if name == "relations" else f"--{name}"
            raise ValueError(
                f"{path}: {option.replace('_', '-')} says nothing about a file of "
                f"kind {found!r} alone; leave it out, or give --labels too, or say "
                "what the file is with --as."
            )
    return inspectors[found](path, **options)


_OPTIONS_OF: Final[dict[str, tuple[str, ...]]] = {
    "features": ("id_column", "categorical", "drop"),
    "labels": ("evidence", "exclude_evidence"),
    "hierarchy": ("relations",),
    "model": (),
}


def _kind_of(path: str | PathLike[str]) -> str:
    if Path(path).suffix == ".hilabel" or zipfile.is_zipfile(path):
        return "model"
    if is_parquet(path):
        return "features"
    text = read_text(path)
    if is_hierarchy(path, text):
        return "hierarchy"
    if is_gaf(path, text):
        return "labels"
    _, cells = next(iter_rows(path, text, find_delimiter(path, text)))
    is_pair = len(cells) == 2 and is_heading(cells[1].strip())
    return "labels" if is_pair else "features"


# Models -------------------------------------------------------------------------------


def inspect_model(path: str | PathLike[str]) -> Inspection:
    """Say what a model file holds, without loading the model.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    Inspection
    """
    manifest = read_manifest(path)
    summary = manifest.summary
    facts: dict[str, Any] = {
        "kind": manifest.kind,
        "size": f"{Path(path).stat().st_size / 1e6:.2f} MB",
        "versions": ", ".join(f"{k} {v}" for k, v in manifest.versions.items()),
    }
    for name in ("method", "problem_type", "seed", "preset", "min_rows"):
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


def inspect_hierarchy(
    path: str | PathLike[str], relations: tuple[str, ...] = ("is_a", "part_of")
) -> Inspection:
    """Say how large and how deep a hierarchy is.

    Parameters
    ----------
    path : path-like
    relations : tuple of str
        Of an OBO file, the relations that make edges.

    Returns
    -------
    Inspection
    """
    ontology = read_hierarchy(path, relations=relations)
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


def _inspect_labels(path: str | PathLike[str], **options: Any) -> Inspection:
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
        "rows dropped by evidence": annotations.n_filtered,
        "rows without a term": annotations.n_empty,
        "terms per id, median": float(per_id.median()) if per_id.size else 0.0,
    }
    frequent = per_term.head(10).rename_axis("term").reset_index(name="rows")
    return Inspection(f"Labels {path}", facts, {"most frequent terms": frequent})


# Tables -------------------------------------------------------------------------------


def inspect_table(files: TableFiles | str | PathLike[str]) -> Inspection:
    """Say what is in a table of features, and how it joins its labels.

    Parameters
    ----------
    files : TableFiles or path-like
        A table alone, or with labels and hierarchy.

    Returns
    -------
    Inspection
    """
    if not isinstance(files, TableFiles):
        return _inspect_features(files)
    table = read_features(
        files.features,
        id_column=files.id_column,
        categorical=files.categorical,
        drop=files.drop,
    )
    facts, tables = _column_facts(table)
    data = files.load()
    facts |= _label_facts(data.dataset, data.report, files.min_rows)
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


def _inspect_features(path: str | PathLike[str], **options: Any) -> Inspection:
    facts, tables = _column_facts(read_features(path, **options))
    return Inspection(f"Features {path}", facts, tables)


def _column_facts(
    table: FeatureTable,
) -> tuple[dict[str, Any], dict[str, pd.DataFrame]]:
    frame = table.frame
    encoder = TableEncoder(max_categories=len(table) + 1).fit(table)
    missing = frame.isna().sum()
    varied = frame.nunique(dropna=True)
    facts = {
        "rows": len(table),
        "id column": str(frame.index.name),
        "columns": frame.shape[1],
        "columns of words": _named(list(encoder.categories_)),
        **_wordy_fact(frame),
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


def _wordy_fact(frame: pd.DataFrame) -> dict[str, str]:
    wordy = find_wordy(frame)
    if not wordy:
        return {}
    return {"words that differ in most rows": f"{_named(wordy)}; {WORDY_ADVICE}"}


def _label_facts(
    dataset: HMCDataset, report: MatchReport, min_rows: int
) -> dict[str, Any]:
    matched = {"annotations matched by": counted(report.matched_by)}
    flat = {"hierarchy": "none given: the terms are taken as unrelated"}
    return {
        "labelled rows": report.n_labeled,
        "unlabelled rows": report.n_unlabeled,
        "annotations used": report.n_annotations,
        **(matched if report.matched_by else {}),
        "repeated annotations": report.n_duplicates,
        "NOT annotations dropped": report.n_not,
        "dropped by evidence": report.n_filtered,
        "annotated ids without features": _named(report.unmatched_ids),
        "replaced terms": _named([f"{a} -> {b}" for a, b in report.replaced_terms]),
        "obsolete terms": _named(report.obsolete_terms),
        "unknown terms": _named(report.unknown_terms),
        "problem type": str(dataset.problem_type),
        f"terms with {min_rows} labelled rows": (
            f"{report.n_nodes_kept} of {report.n_nodes}; the others are not learned"
        ),
        **({} if report.has_hierarchy else flat),
        **_hierarchy_facts(dataset.hierarchy),
    }


def _named(names: Any, shown: int = 5) -> str:
    names = list(names)
    if not names:
        return "0"
    more = ", ..." if len(names) > shown else ""
    return f"{len(names)} ({', '.join(map(str, names[:shown]))}{more})"
