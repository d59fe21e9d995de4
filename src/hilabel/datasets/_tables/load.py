"""A user's own files: features, annotations and a hierarchy become a data set."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from hilabel._typing import UNLABELED, LabelArray
from hilabel.datasets._dataset import HMCDataset
from hilabel.datasets._tables.annotations import (
    Annotations,
    read_matching_annotations,
)
from hilabel.datasets._tables.columns import find_wordy
from hilabel.datasets._tables.edge_list import read_hierarchy
from hilabel.datasets._tables.encoder import TableEncoder
from hilabel.datasets._tables.features import FeatureTable, read_features
from hilabel.datasets._tables.match import MatchReport, match
from hilabel.exceptions import DatasetFormatError, LabelError
from hilabel.hierarchy import Hierarchy, Ontology

__all__ = ["TableData", "load_table"]

FilePath: TypeAlias = str | PathLike[str]


@dataclass(frozen=True, eq=False)
class TableData:
    """What :func:`load_table` returns.

    Attributes
    ----------
    dataset : HMCDataset
        The rows in the order of the feature table.
    report : MatchReport
        What matched and what did not; ``print`` it.
    encoder : TableEncoder
        Made the columns of ``X``, and makes those of further tables alike.
    id_column : str
        The column that ``sample_ids`` are from, by name; "" if it has none.
    """

    dataset: HMCDataset
    report: MatchReport
    encoder: TableEncoder
    id_column: str = ""


def load_table(
    features: FilePath | FeatureTable,
    labels: FilePath | Annotations | None = None,
    hierarchy: FilePath | Ontology | Hierarchy | None = None,
    *,
    id_column: str | None = None,
    categorical: Iterable[str] = (),
    drop: Iterable[str] = (),
    relations: Sequence[str] = ("is_a", "part_of"),
    evidence: Iterable[str] | None = None,
    exclude_evidence: Iterable[str] | None = None,
    unknown_terms: Literal["raise", "drop"] = "raise",
    min_count: int = 1,
    encoder: TableEncoder | None = None,
) -> TableData:
    r"""Load features, labels and a hierarchy from files, joined by identifier.

    The order of rows never matters. A row of ``features`` without a usable annotation
    becomes an ``UNLABELED`` row; an annotation without a row is counted and left out.
    Replaced terms count for their successor, and obsolete ones are dropped. Labels are
    closed over ancestors. All of this is counted in the report.

    Parameters
    ----------
    features : path-like or FeatureTable
        See :func:`read_features`.
    labels : path-like or Annotations, optional
        See :func:`read_annotations`. Each line of a GAF file is matched by accession
        or, if that is not in ``features``, by symbol or synonym; see
        :func:`read_matching_annotations`. Without it all rows are unlabelled.
    hierarchy : path-like, Ontology or Hierarchy, optional
        See :func:`read_hierarchy`. Without it the terms are nodes without edges, in
        alphabetical order.
    id_column, categorical, drop
        For reading ``features``; see :func:`read_features`.
    relations : sequence of str, default=("is_a", "part_of")
        For reading ``hierarchy``; see :func:`read_hierarchy`.
    evidence, exclude_evidence : iterable of str, optional
        For reading ``labels``; see :func:`read_annotations`.
    unknown_terms : {"raise", "drop"}, default="raise"
        What to do with a term that the hierarchy has never heard of.
    min_count : int, default=1
        Keep the nodes with at least so many labelled rows, ancestors' labels
        included; 0 keeps all nodes. A row whose nodes are all dropped stays labelled,
        with 0 everywhere. Without ``labels`` all nodes are kept.
    encoder : TableEncoder, optional
        Fitted on an earlier table, to get the same columns; ``categorical`` and
        ``drop`` are then its affair. By default a new one is fitted.

    Returns
    -------
    TableData

    Raises
    ------
    DatasetFormatError
        If a file cannot be read, a term is unknown, or no row gets a label.
    LabelError
        If neither ``labels`` nor ``hierarchy`` is given.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from hilabel.datasets import load_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     shop = Path(folder)
    ...     _ = (shop / "products.csv").write_text("id,price\np1,2\np2,9\np3,4\n")
    ...     _ = (shop / "labels.csv").write_text("id,label\np2,tea\np1,bread\n")
    ...     _ = (shop / "taxonomy.csv").write_text("food,tea\nfood,bread\nfood,rice\n")
    ...     data = load_table(
    ...         shop / "products.csv", shop / "labels.csv", shop / "taxonomy.csv"
    ...     )
    >>> data.dataset.hierarchy.names
    ('food', 'tea', 'bread')
    >>> data.dataset.Y
    array([[ 1,  0,  1],
           [ 1,  1,  0],
           [-1, -1, -1]], dtype=int8)
    >>> print(data.report)
    rows: 3, 2 labelled, 1 unlabelled
    annotations: 2 used, 0 repeated, 0 NOT, 0 dropped by evidence
    terms: 0 replaced, 0 obsolete, 0 unknown
    hierarchy: 3 of 4 nodes kept
    """
    if labels is None and hierarchy is None:
        raise LabelError(
            "Expected labels, a hierarchy or both, got neither; to read features alone "
            "use read_features."
        )
    if unknown_terms not in ("raise", "drop"):
        raise LabelError(
            f"Expected unknown_terms 'raise' or 'drop', got {unknown_terms!r}."
        )
    table = _as_table(features, id_column, categorical, drop, encoder)
    ontology = _as_ontology(hierarchy, relations)
    # A bar that joins the steps of a path does not join terms.
    separators = ";" if ontology and ontology.separator.strip() == "|" else ";|"
    annotations = _as_annotations(
        labels,
        table.ids,
        evidence=evidence,
        exclude_evidence=exclude_evidence,
        separators=separators,
    )
    if ontology is None:
        terms = sorted(set(annotations.terms if annotations else ()))
        ontology = Ontology(Hierarchy(terms), {}, frozenset())
    if encoder is None:
        encoder = TableEncoder().fit(table)
    X = encoder.transform(table)
    Y, kept, report = _label(
        table, annotations, ontology, unknown_terms == "drop", min_count
    )
    report = replace(
        report,
        empty_columns=tuple(table.frame.columns[table.frame.isna().all(axis=0)]),
        wordy_columns=tuple(find_wordy(table.frame)),
        has_hierarchy=hierarchy is not None,
    )
    dataset = HMCDataset(
        X=X,
        Y=Y,
        hierarchy=kept,
        feature_names=tuple(encoder.get_feature_names_out()),
        sample_ids=table.ids,
        name=Path(table.source).name.split(".")[0],
    )
    return TableData(dataset, report, encoder, str(table.frame.index.name or ""))


def _as_table(
    features: FilePath | FeatureTable,
    id_column: str | None,
    categorical: Iterable[str],
    drop: Iterable[str],
    encoder: TableEncoder | None,
) -> FeatureTable:
    if isinstance(features, FeatureTable):
        return features
    if encoder is None:
        return read_features(
            features, id_column=id_column, categorical=categorical, drop=drop
        )
    return read_features(
        features,
        id_column=id_column,
        categorical=encoder.categories_,
        columns=encoder.feature_names_in_,
    )


def _as_annotations(
    labels: FilePath | Annotations | None,
    ids: tuple[str, ...],
    *,
    evidence: Iterable[str] | None,
    exclude_evidence: Iterable[str] | None,
    separators: str,
) -> Annotations | None:
    if labels is None or isinstance(labels, Annotations):
        if evidence is not None or exclude_evidence is not None:
            raise LabelError(
                "Evidence codes are chosen when a file of labels is read; pass its "
                "path as labels, or the codes to read_annotations."
            )
        annotations = labels
    else:
        annotations = read_matching_annotations(
            labels,
            ids,
            evidence=evidence,
            exclude_evidence=exclude_evidence,
            separators=separators,
        )
    if annotations is not None and not len(annotations):
        raise DatasetFormatError(
            f"{annotations.source}: expected annotations, but none of the "
            f"{annotations.n_rows} rows is left: {annotations.n_not} say NOT, "
            f"{annotations.n_filtered} have other evidence codes, "
            f"{annotations.n_empty} name no term."
        )
    return annotations


def _as_ontology(
    hierarchy: FilePath | Ontology | Hierarchy | None,
    relations: Sequence[str],
) -> Ontology | None:
    if hierarchy is None or isinstance(hierarchy, Ontology):
        return hierarchy
    if isinstance(hierarchy, Hierarchy):
        return Ontology(hierarchy, {}, frozenset())
    return read_hierarchy(hierarchy, relations=relations)


def _label(
    table: FeatureTable,
    annotations: Annotations | None,
    ontology: Ontology,
    drop_unknown: bool,
    min_count: int,
) -> tuple[LabelArray, Hierarchy, MatchReport]:
    if annotations is not None:
        return match(
            table.ids,
            table.source,
            annotations,
            ontology,
            drop_unknown=drop_unknown,
            min_count=min_count,
        )
    n_nodes = ontology.hierarchy.n_nodes
    Y = np.full((len(table), n_nodes), UNLABELED, dtype=np.int8)
    report = MatchReport(len(table), n_nodes=n_nodes, n_nodes_kept=n_nodes)
    return Y, ontology.hierarchy, report
