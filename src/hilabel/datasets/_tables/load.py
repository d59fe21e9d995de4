"""Load a data set from a user's files: features, annotations and a hierarchy."""

import os
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from hilabel._accessions import accession_of
from hilabel._label_matrix import LabelMatrix
from hilabel._table_options import TableOptions
from hilabel._typing import FilePath
from hilabel.datasets._links.over_rows import links_over_rows
from hilabel.datasets._tables.annotations import Annotations, read_annotations
from hilabel.datasets._tables.coverage import Coverage
from hilabel.datasets._tables.edge_list import read_hierarchy
from hilabel.datasets._tables.features import FeatureTable, read_features
from hilabel.datasets._tables.match import Matched, match
from hilabel.datasets._tables.match_report import MatchReport
from hilabel.datasets._tables.paths import paths_of_terms
from hilabel.datasets._tables.table_data import TableData
from hilabel.exceptions import DatasetFormatError, LabelError, LinkError
from hilabel.hierarchy import Hierarchy, Ontology


def load_table(
    features: FilePath | FeatureTable,
    labels: FilePath | Annotations | None = None,
    hierarchy: FilePath | Ontology | Hierarchy | None = None,
    *,
    links: Any = None,
    links_both_ways: bool = True,
    groups: float | None = None,
    **options: Any,
) -> TableData:
    r"""Load features, labels and a hierarchy from files, and join them by id.

    The order of rows does not matter. A row of ``features`` without a usable annotation
    becomes an ``UNLABELED`` row; an annotation whose id has no row is counted and
    ignored. With an OBO file, the labels of a row are unknown (-1) in the aspects in
    which it has no annotation, unless annotations are assumed to be complete. Replaced
    terms are converted to their replacements, and obsolete terms are dropped. All
    ancestors of a label are labels too. All of these cases are counted in the report.

    Parameters
    ----------
    features : path-like or FeatureTable
        See :func:`read_features`. With links, it may be a file of ids, one per line.
    labels : path-like or Annotations, optional
        See :func:`read_annotations`. Each line of a GAF file is matched by accession
        or, if that is not in ``features``, by symbol or synonym. Without labels, all
        rows are unlabelled.
    hierarchy : path-like, Ontology or Hierarchy, optional
        See :func:`read_hierarchy`. Without it, terms that are paths, such as ``Home >
        Kitchen``, define the hierarchy; other terms become nodes without edges, in
        alphabetical order.
    links : LinkTable, path-like, mapping of str to path-like, or (kind, path) pairs
        Links between rows, or files with them; see :func:`read_links`.
    links_both_ways : bool, default=True
        Whether a link also leads from its target to its source.
    groups : float, optional
        Group rows that are linked at least as strongly, so that folds keep them
        together: by a share of identical letters or, for links other than hits, by
        their weight relative to the strongest. 0.95 groups nearly identical sequences.
    **options
        ``id_column``, ``drop``, ``text``, ``evidence``, ``min_count`` and all other
        options of :class:`TableOptions`.

    Raises
    ------
    DatasetFormatError
        If a file cannot be read, a term is unknown, no row has a label, or no link is
        between two rows.
    LabelError
        If neither ``labels`` nor ``hierarchy`` is given.
    LinkError
        If there are groups and no links.

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
    >>> data.hierarchy.names
    ('food', 'tea', 'bread')
    >>> data.labels.to_array()
    array([[ 1,  0,  1],
           [ 1,  1,  0],
           [-1, -1, -1]], dtype=int8)
    >>> print(data.report)
    rows: 3, 2 labelled, 1 unlabelled
    annotations: 2 used, 0 repeated, 0 NOT, 0 dropped by evidence
    terms: 0 replaced, 0 obsolete, 0 unknown
    hierarchy: 3 of 4 nodes kept
    """
    chosen = TableOptions(**options)
    if labels is None and hierarchy is None:
        raise LabelError(
            "Expected labels, a hierarchy or both, got neither; to read only features, "
            "use read_features.",
            parameter=("labels", "hierarchy"),
        )
    if chosen.unknown_terms not in ("raise", "drop"):
        raise LabelError(
            f"Expected 'raise' or 'drop', got {chosen.unknown_terms!r}.",
            parameter="unknown_terms",
        )
    chosen = _without_labels(features, labels, chosen)
    table = features
    if not isinstance(table, FeatureTable):
        # Rows may be known by their links alone.
        how = chosen.reading("features")
        table = read_features(table, ids_alone=links is not None, **how)
    ontology = _as_ontology(hierarchy, chosen)
    annotations = _as_annotations(labels, table, ontology, chosen)
    brought = None
    if ontology is None:
        terms = sorted(set(annotations.terms if annotations else ()))
        brought = paths_of_terms(terms)
        ontology = brought or Ontology(Hierarchy(terms), {}, frozenset())
    matched = _label(table, annotations, ontology, chosen)
    report = replace(
        matched.report,
        empty_columns=tuple(table.frame.columns[table.frame.isna().all(axis=0)]),
        wordy_columns=table.wordy_columns,
        has_hierarchy=hierarchy is not None or brought is not None,
        has_paths=brought is not None,
        n_merged=table.n_merged,
        notes=table.notes,
    )
    linked = None
    if links is not None:
        linked = links_over_rows(
            links,
            table.ids,
            table.source,
            both_ways=links_both_ways,
            strip_version=chosen.strip_version,
            groups=groups,
        )
        report = replace(report, links=linked.report)
    elif groups is not None:
        raise LinkError(
            "Expected links to group rows by, got none; pass links, too.",
            parameter=("groups", "links"),
        )
    id_column = table.frame.index.name
    return TableData(
        table,
        matched.labels,
        matched.ontology,
        report,
        matched.marks,
        matched.coverage,
        chosen.of_training(None if id_column is None else str(id_column)),
        None if linked is None else linked.links,
        None if linked is None else linked.groups,
    )


def _without_labels(
    features: FilePath | FeatureTable,
    labels: FilePath | Annotations | None,
    chosen: TableOptions,
) -> TableOptions:
    """Return options that drop the label columns found in the feature file."""
    columns = tuple(chosen.label_columns)
    if (
        not columns
        or isinstance(features, FeatureTable)
        or labels is None
        or isinstance(labels, Annotations)
        or not os.path.exists(labels)
        or not os.path.samefile(features, labels)
    ):
        return chosen
    return replace(chosen, drop=tuple(dict.fromkeys((*chosen.drop, *columns))))


def _as_annotations(
    labels: FilePath | Annotations | None,
    table: FeatureTable,
    ontology: Ontology | None,
    chosen: TableOptions,
) -> Annotations | None:
    if labels is None or isinstance(labels, Annotations):
        if chosen.evidence or chosen.exclude_evidence:
            raise LabelError(
                "Evidence codes are selected when labels are read; pass the path of "
                "the file as labels, or the codes to read_annotations.",
                parameter=("evidence", "exclude_evidence"),
            )
        annotations = labels
    else:
        how = chosen.reading("labels")
        if ontology is not None and ontology.separator.strip() == "|":
            # A bar that separates the steps of a path does not separate terms.
            how.setdefault("separators", ";")
        id_name = table.frame.index.name
        ids = {*table.ids, *map(accession_of, table.ids)}
        annotations = read_annotations(labels, ids, id_name=id_name, **how)
    if annotations is not None and not len(annotations):
        raise DatasetFormatError(
            f"expected annotations, but none of the {annotations.n_rows} rows is "
            f"left: {annotations.n_not} say NOT, {annotations.n_filtered} have other "
            f"evidence codes, {len(annotations.no_data)} have no data (ND), "
            f"{annotations.n_empty} name no term.",
            source=annotations.source,
        )
    return annotations


def _as_ontology(
    hierarchy: FilePath | Ontology | Hierarchy | None, chosen: TableOptions
) -> Ontology | None:
    if hierarchy is None or isinstance(hierarchy, Ontology):
        return hierarchy
    if isinstance(hierarchy, Hierarchy):
        return Ontology(hierarchy, {}, frozenset())
    return read_hierarchy(hierarchy, **chosen.reading("hierarchy"))


def _label(
    table: FeatureTable,
    annotations: Annotations | None,
    ontology: Ontology,
    chosen: TableOptions,
) -> Matched:
    if annotations is not None:
        return match(
            table.ids,
            table.source,
            annotations,
            ontology,
            drop_unknown=chosen.unknown_terms == "drop",
            min_count=1 if chosen.min_count is None else chosen.min_count,
            assume_complete=chosen.assume_complete,
        )
    shape = len(table), ontology.hierarchy.n_nodes
    report = MatchReport(len(table), n_nodes=shape[1], n_nodes_kept=shape[1])
    nothing = sp.csr_array(shape, dtype=np.int8)
    labels = LabelMatrix.of_rows(nothing, np.zeros(len(table), dtype=bool))
    return Matched(labels, ontology, report, nothing, Coverage.of(nothing, ontology))
