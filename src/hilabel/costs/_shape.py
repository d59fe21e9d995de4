"""The numbers of a data set on which costs depend."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from hilabel.classifiers import TrainingData

# A row that has a node is an example for about this many of its children, if their
# number is not known.
_USUAL_CHILDREN = 3.0
# With this many values, a row shares half of them with another row, if it is not known.
_VALUES_SHARED_BY_HALF = 500.0


@dataclass(frozen=True)
class DataShape:
    """The size of training data, from which costs are predicted.

    Attributes
    ----------
    n_rows : int
        Number of labelled rows.
    n_unlabeled : int
        Number of unlabelled rows.
    n_columns : int
    n_values : float
        Mean number of stored values of a row; for dense rows, the number of columns.
    n_nodes : int
    n_labels : float
        Mean number of nodes of a labelled row, including ancestors.
    is_sparse : bool
    n_children : float, optional
        Mean number of nodes without parents or with a parent that the row has: the
        nodes for which the row is an example among siblings. By default, a usual number
        for these labels.
    n_common : float, optional
        Mean number of columns in which two rows both have a stored value. By default, a
        usual number for these values.
    n_links : float, default=0
        Mean number of links of a row.

    Examples
    --------
    >>> from hilabel.costs import DataShape
    >>> shape = DataShape(2_000, 500, 80, 80.0, 160, 12.5, False)
    >>> shape.with_rows(1_000).n_unlabeled
    500
    """

    n_rows: int
    n_unlabeled: int
    n_columns: int
    n_values: float
    n_nodes: int
    n_labels: float
    is_sparse: bool
    n_children: float | None = None
    n_common: float | None = None
    n_links: float = 0.0

    @classmethod
    def of(cls, data: TrainingData) -> Self:
        """Measure training data.

        Examples
        --------
        >>> from hilabel.classifiers import PriorClassifier
        >>> from hilabel.costs import DataShape
        >>> class Measuring(PriorClassifier):
        ...     def _fit(self, data):
        ...         print(DataShape.of(data).n_labels)
        ...         super()._fit(data)
        >>> _ = Measuring().fit([[0.0], [1.0]], [[1, 0], [1, 1]])
        1.5
        """
        X, hierarchy, links = data.X_labeled, data.hierarchy, data.links
        is_sparse = sp.issparse(X)
        n_rows, n_columns = max(data.n_labeled, 1), int(np.prod(X.shape[1:]))
        in_rows: Any = np.full(n_columns, data.n_rows)
        if is_sparse:
            stored = np.concatenate([X.indices, data.X_unlabeled.indices])
            in_rows = np.bincount(stored, minlength=n_columns)
        shares = in_rows / max(data.n_rows, 1)
        n_positive = data.Y.n_positive
        of_roots = n_rows * hierarchy.roots.size
        # A child of several parents counts only in part for each of them.
        parent, child = hierarchy.edges.T
        n_parents = np.diff(hierarchy.parents_ptr)
        below = (n_positive[parent] / n_parents[child]).sum()
        return cls(
            n_rows=data.n_labeled,
            n_unlabeled=data.unlabeled_rows.size,
            n_columns=n_columns,
            n_values=float(shares.sum()),
            n_nodes=hierarchy.n_nodes,
            n_labels=float(n_positive.sum() / n_rows),
            is_sparse=is_sparse,
            n_children=float((of_roots + below) / n_rows),
            n_common=float(shares @ shares),
            n_links=0.0 if links is None else links.n_links / max(data.n_rows, 1),
        )

    @property
    def n_all_rows(self) -> int:
        """Number of rows, labelled or not."""
        return self.n_rows + self.n_unlabeled

    @property
    def n_all_links(self) -> float:
        """Number of links between all rows."""
        return self.n_all_rows * self.n_links

    @property
    def n_examples(self) -> float:
        """Number of pairs of a node and a labelled row that has its parents."""
        per_row = self.n_children
        if per_row is None:
            per_row = _USUAL_CHILDREN * (self.n_labels + 1)
        return self.n_rows * min(per_row, self.n_nodes)

    @property
    def n_shared(self) -> float:
        """Number of columns in which two rows both have a stored value."""
        if not self.is_sparse:
            return self.n_values
        if self.n_common is not None:
            return self.n_common
        return self.n_values**2 / (self.n_values + _VALUES_SHARED_BY_HALF)

    def with_rows(self, n_rows: int, n_unlabeled: int | None = None) -> Self:
        """Return the shape of another number of rows of the same kind.

        Parameters
        ----------
        n_rows : int
            Number of labelled rows.
        n_unlabeled : int, optional
            Number of unlabelled rows; by default, it stays the same.
        """
        if n_unlabeled is None:
            n_unlabeled = self.n_unlabeled
        return replace(self, n_rows=n_rows, n_unlabeled=n_unlabeled)
