"""Load a data set from a user's files: features, annotations and a hierarchy."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from hilabel._table_options import TableOptions
from hilabel._typing import UNLABELED, FilePath, LabelArray
from hilabel.datasets._dataset import HMCDataset
from hilabel.datasets._tables.annotations import Annotations, read_annotations
from hilabel.datasets._tables.coverage import Coverage
from hilabel.datasets._tables.edge_list import read_hierarchy
from hilabel.datasets._tables.features import FeatureTable, read_features
from hilabel.datasets._tables.match import Matched, MatchReport, match
from hilabel.datasets._tables.paths import paths_of_terms
from hilabel.datasets._tables.preparation import TablePreparation
from hilabel.exceptions import DatasetFormatError, LabelError
from hilabel.hierarchy import Hierarchy, Ontology


@dataclass(frozen=True, eq=False)
class TableData:
    """The result of :func:`load_table`.

    Attributes
    ----------
    dataset : HMCDataset
        The rows in the order of the feature table.
    report : MatchReport
        What matched and what did not; ``print`` it.
    table : FeatureTable
        The features before encoding.
    preparation : TablePreparation
        The preparation that created the columns of ``X``, and can create the same
        columns for other tables.
    ontology : Ontology
        The hierarchy of ``dataset``, its obsolete identifiers and its aspects.
    marks : csr_array of shape (n_rows, n_nodes)
        2 where the row is annotated with the node, 1 where an annotation implies it.
    coverage : Coverage
        The aspects of the hierarchy in which each row is annotated; in other aspects,
        its labels are unknown.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import load_table, write_example
    >>> with TemporaryDirectory() as folder:
    ...     files = write_example(folder, "shop")
    ...     shop = load_table(files["features"], files["labels"], files["hierarchy"])
    >>> shop.dataset.X.shape, shop.report.n_labeled
    ((240, 8), 120)
    """

    dataset: HMCDataset
    report: MatchReport
    table: FeatureTable
    preparation: TablePreparation
    ontology: Ontology
    marks: sp.csr_array
    coverage: Coverage

    def labels_over(self, ontology: Ontology) -> LabelArray:
        """Return the labels in another hierarchy, whose nodes are matched by name.

        A node that is not in the hierarchy of this data set is absent from rows that
        are known in its aspect, and unknown in other rows.
        """
        hierarchy = ontology.hierarchy
        Y = np.zeros((self.dataset.n_samples, hierarchy.n_nodes), dtype=np.int8)
        self.coverage.forget(Y, hierarchy, ontology)
        for node, name in enumerate(hierarchy.names):
            if name in self.dataset.hierarchy:
                own = self.dataset.hierarchy.node(name)
                Y[:, node] = self.dataset.Y[:, own]
        return Y


def load_table(
    features: FilePath | FeatureTable,
    labels: FilePath | Annotations | None = None,
    hierarchy: FilePath | Ontology | Hierarchy | None = None,
    *,
    preparation: TablePreparation | None = None,
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
        See :func:`read_features`.
    labels : path-like or Annotations, optional
        See :func:`read_annotations`. Each line of a GAF file is matched by accession
        or, if that is not in ``features``, by symbol or synonym. Without labels, all
        rows are unlabelled.
    hierarchy : path-like, Ontology or Hierarchy, optional
        See :func:`read_hierarchy`. Without it, terms that are paths, such as ``Home >
        Kitchen``, define the hierarchy; other terms become nodes without edges, in
        alphabetical order.
    preparation : TablePreparation, optional
        Fitted on an earlier table, to get the same columns; it then determines
        ``categorical``, ``text`` and ``drop``. By default, a new one is fitted.
    **options
        ``id_column``, ``drop``, ``text``, ``evidence``, ``min_count`` and all other
        options of :class:`TableOptions`.

    Raises
    ------
    DatasetFormatError
        If a file cannot be read, a term is unknown, or no row has a label.
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
    table = _as_table(features, chosen, preparation)
    ontology = _as_ontology(hierarchy, chosen)
    annotations = _as_annotations(labels, table, ontology, chosen)
    brought = None
    if ontology is None:
        terms = sorted(set(annotations.terms if annotations else ()))
        brought = paths_of_terms(terms)
        ontology = brought or Ontology(Hierarchy(terms), {}, frozenset())
    if preparation is None:
        preparation = TablePreparation().fit(table)
    X = preparation.transform(table)
    matched = _label(table, annotations, ontology, chosen)
    kept = matched.hierarchy
    report = replace(
        matched.report,
        empty_columns=tuple(table.frame.columns[table.frame.isna().all(axis=0)]),
        wordy_columns=table.wordy_columns,
        has_hierarchy=hierarchy is not None or brought is not None,
        has_paths=brought is not None,
        n_merged=table.n_merged,
        notes=table.notes,
    )
    dataset = HMCDataset(
        X=X,
        Y=matched.Y,
        hierarchy=kept,
        feature_names=tuple(preparation.get_feature_names_out()),
        sample_ids=table.ids,
        name=Path(table.source).name.split(".")[0],
    )
    return TableData(
        dataset,
        report,
        table,
        preparation,
        ontology.of(kept),
        matched.marks,
        matched.coverage,
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


def _as_table(
    features: FilePath | FeatureTable,
    chosen: TableOptions,
    preparation: TablePreparation | None,
) -> FeatureTable:
    if isinstance(features, FeatureTable):
        return features
    if preparation is None:
        how: dict[str, Any] = {
            "categorical": chosen.categorical,
            "text": chosen.text,
            "drop": chosen.drop,
        }
    else:
        how = {
            "categorical": preparation.categories_,
            "text": preparation.text_,
            "columns": preparation.feature_names_in_,
        }
    return read_features(
        features,
        id_column=chosen.id_column,
        strip_version=chosen.strip_version,
        merge_duplicates=chosen.merge_duplicates,
        ids=chosen.ids,
        **how,
    )


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
        # A bar that separates the steps of a path does not separate terms.
        has_bars = ontology is not None and ontology.separator.strip() == "|"
        annotations = read_annotations(
            labels,
            table.ids,
            evidence=chosen.evidence,
            exclude_evidence=chosen.exclude_evidence,
            label_columns=chosen.label_columns,
            id_name=table.frame.index.name,
            separators=(";" if has_bars else ";|")
            if chosen.separators is None
            else chosen.separators,
            strip_version=chosen.strip_version,
        )
    if annotations is not None and not len(annotations):
        raise DatasetFormatError(
            f"{annotations.source}: expected annotations, but none of the "
            f"{annotations.n_rows} rows is left: {annotations.n_not} say NOT, "
            f"{annotations.n_filtered} have other evidence codes, "
            f"{len(annotations.no_data)} have no data (ND), "
            f"{annotations.n_empty} name no term."
        )
    return annotations


def _as_ontology(
    hierarchy: FilePath | Ontology | Hierarchy | None, chosen: TableOptions
) -> Ontology | None:
    if hierarchy is None or isinstance(hierarchy, Ontology):
        return hierarchy
    if isinstance(hierarchy, Hierarchy):
        return Ontology(hierarchy, {}, frozenset())
    return read_hierarchy(
        hierarchy, relations=tuple(chosen.relations), lenient=chosen.lenient
    )


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
    n_nodes = ontology.hierarchy.n_nodes
    Y = np.full((len(table), n_nodes), UNLABELED, dtype=np.int8)
    report = MatchReport(len(table), n_nodes=n_nodes, n_nodes_kept=n_nodes)
    nothing = sp.csr_array(Y.shape, dtype=np.int8)
    coverage = Coverage.of(nothing, ontology)
    return Matched(Y, ontology.hierarchy, report, nothing, coverage)
