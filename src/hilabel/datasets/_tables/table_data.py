"""Rows, labels and hierarchy that were read from a user's files and joined."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import scipy.sparse as sp
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from hilabel._label_matrix import LabelMatrix
from hilabel._table_options import TableOptions
from hilabel._typing import FilePath, IntArray
from hilabel.datasets._dataset import HMCDataset
from hilabel.datasets._tables.coverage import Coverage
from hilabel.datasets._tables.features import FeatureTable, read_features
from hilabel.datasets._tables.labels_over import labels_over
from hilabel.datasets._tables.match_report import MatchReport
from hilabel.datasets._tables.preparation import TablePreparation
from hilabel.hierarchy import Hierarchy, Ontology, ProblemType
from hilabel.links import Links

# Matrices that are kept for other methods: a few kinds of imputation and scaling.
_MOST_KEPT: Final = 4


@dataclass(frozen=True, eq=False)
class TableData:
    """The result of :func:`load_table`.

    Columns are converted to numbers when ``features``, ``dataset`` or ``preparation``
    is used for the first time.

    Attributes
    ----------
    table : FeatureTable
        The features before encoding.
    labels : LabelMatrix of shape (n_rows, n_nodes)
        The labels of the rows, without a cell for each row and node.
    ontology : Ontology
        The hierarchy of the labels, its obsolete identifiers and its aspects.
    report : MatchReport
        What matched and what did not; ``print`` it.
    marks : csr_array of shape (n_rows, n_nodes)
        2 where the row is annotated with the node, 1 where an annotation implies it.
    coverage : Coverage
        The aspects of the hierarchy in which each row is annotated; in other aspects,
        its labels are unknown.
    reading : TableOptions
        How the files were read, with the id column that was found.
    links : Links or None
        Links between the rows, in the order of the table.
    groups : int array of shape (n_rows,) or None
        The group of each row, if strong links group rows; folds keep groups together.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import load_table, write_example
    >>> with TemporaryDirectory() as folder:
    ...     files = write_example(folder, "shop")
    ...     shop = load_table(files["features"], files["labels"], files["hierarchy"])
    >>> shop.dataset.X.shape, shop.report.n_labeled
    ((240, 8), 120)
    >>> shop.reading.id_column
    'product'
    """

    table: FeatureTable
    labels: LabelMatrix
    ontology: Ontology
    report: MatchReport
    marks: sp.csr_array
    coverage: Coverage
    reading: TableOptions
    links: Links | None = None
    groups: IntArray | None = None
    _prepared: dict[Any, tuple[TablePreparation, Any]] = field(
        init=False, repr=False, default_factory=dict
    )

    @property
    def name(self) -> str:
        """The name of the feature file, without its ending."""
        return Path(self.table.source).name.split(".")[0]

    @property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy of the labels."""
        return self.ontology.hierarchy

    @cached_property
    def problem_type(self) -> ProblemType:
        """Problem type of the labels: structure, paths and depth."""
        return self.hierarchy.problem_type(self.labels)

    @property
    def is_sparse(self) -> bool:
        """Whether the columns become a sparse matrix: words, or sparse themselves."""
        return self.table.sparse is not None or bool(self.table.text)

    @property
    def n_missing(self) -> int:
        """Number of missing numbers; missing categories are values of their own."""
        if self.table.sparse is not None:
            return int(np.isnan(self.table.sparse.values.data).sum())
        lacks = self.table.frame.isna()
        numbers = [
            (is_numeric_dtype(column) and not is_bool_dtype(column))
            or lacks[name].all()
            for name, column in self.table.frame.items()
        ]
        return int(lacks.loc[:, numbers].to_numpy().sum())

    def features(
        self, impute: str | None = None, scale: str | None = None
    ) -> tuple[TablePreparation, Any]:
        """Return a preparation fitted to the table, and the rows as numbers.

        The last few results are kept, so methods with the same preprocessing share one
        matrix.

        Parameters
        ----------
        impute, scale : str or None
            See :class:`TablePreparation`.

        Returns
        -------
        preparation : TablePreparation
        X : array or csr_array of shape (n_rows, n_features)
        """
        key = impute, scale
        if key in self._prepared:
            self._prepared[key] = self._prepared.pop(key)  # now it is the newest
        else:
            preparation = TablePreparation(impute, scale).fit(self.table)
            self._prepared[key] = preparation, preparation.transform(self.table)
            if len(self._prepared) > _MOST_KEPT:
                del self._prepared[next(iter(self._prepared))]
        return self._prepared[key]

    @property
    def preparation(self) -> TablePreparation:
        """The preparation that creates the columns of ``dataset.X``.

        It can create the same columns for other tables; see :meth:`read_alike`.
        """
        return self.features()[0]

    @cached_property
    def dataset(self) -> HMCDataset:
        """The rows as a data set, with a cell for each row and node.

        Values are neither imputed nor scaled.
        """
        prepares, X = self.features()
        return HMCDataset(
            X=X,
            Y=self.labels.to_array(),
            hierarchy=self.hierarchy,
            feature_names=tuple(prepares.get_feature_names_out()),
            sample_ids=self.table.ids,
            name=self.name,
        )

    def read_alike(
        self,
        path: FilePath,
        *,
        id_column: str | None = None,
        ids: FilePath | None = None,
    ) -> FeatureTable:
        """Read the same columns of another table in the same way.

        Parameters
        ----------
        path : path-like
        id_column : str, optional
            The column that identifies a row; by default, that of this table if the
            other one has it, or else the first.
        ids : path-like, optional
            For arrays, a file with the id of each row.
        """
        return read_features(
            path,
            id_column=id_column,
            usual_id_column=self.reading.id_column,
            categorical=self.table.categorical,
            text=self.table.text,
            columns=self.table.columns,
            strip_version=self.reading.strip_version,
            merge_duplicates=self.reading.merge_duplicates,
            ids=ids,
            ids_alone=self.table.has_ids_alone,
        )

    def labels_over(self, ontology: Ontology) -> LabelMatrix:
        """Return the labels in another hierarchy, whose nodes are matched by name.

        A node that is not in the hierarchy of this data set is absent from rows that
        are known in its aspect, and unknown in other rows.
        """
        return labels_over(self.labels, self.hierarchy, self.coverage, ontology)
