"""Validated training data, with labelled and unlabelled rows separated."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any

import numpy as np

from hilabel._label_matrix import LabelMatrix
from hilabel._matrices import stack_rows
from hilabel._saved_types import Array, Declaration, Sparse, saved_type
from hilabel._typing import UNLABELED, BoolArray, FloatArray, IntArray, LabelArray
from hilabel.hierarchy import Hierarchy, informative_nodes
from hilabel.links import LinkedRows, Links
from hilabel.metrics import frequencies_without_folds, label_frequencies


def _rows_of_numbers(n_rows: str) -> Declaration:
    axes = (n_rows, "n_features")
    return Array("f8", axes, gaps=True) | Sparse("f8", axes, gaps=True)


@saved_type
@dataclass(frozen=True)
class TrainingData:
    """Validated training data, with labelled and unlabelled rows separated.

    Attributes
    ----------
    X_labeled : array or csr matrix of shape (n_labeled, n_features)
    Y : LabelMatrix of shape (n_labeled, n_nodes)
        Closed over ancestors. ``Y_labeled`` and ``known`` are dense masks of the
        positive and of the known cells; methods for many rows and nodes use ``Y``.
    X_unlabeled : array or csr matrix of shape (n_unlabeled, n_features)
    labeled_rows, unlabeled_rows : int arrays
        Positions of these rows in the data passed to ``fit``; the rows of
        ``X_unlabeled=`` come after those of ``X``.
    hierarchy : Hierarchy
    weights : float array of shape (n_labeled,) or None
        Weights of the labelled rows, all above 0; None means equal weights.
    fold : int array of shape (n_labeled,) or None
        The fold of each labelled row, for methods that score rows out of fold; None
        lets the method divide them. If some rows have -1, the others are set aside: a
        single model is trained without them and scores them all, and their folds only
        divide what is chosen on these scores.
    links : Links of shape (n_rows, n_rows) or None
        Links between rows, the labelled rows first. Methods that cannot learn from
        links ignore them.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> class Counting(PriorClassifier):
    ...     def _fit(self, data):
    ...         print(len(data.X_labeled), len(data.X_unlabeled), data.labeled_rows)
    ...         super()._fit(data)
    >>> _ = Counting().fit([[0.0], [1.0], [2.0]], [[-1, -1], [1, 0], [0, 1]])
    2 1 [1 2]
    """

    X_labeled: Annotated[Any, _rows_of_numbers("n_labeled")]
    Y: LabelMatrix
    X_unlabeled: Annotated[Any, _rows_of_numbers("n_unlabeled")]
    labeled_rows: Annotated[IntArray, Array("i8", ("n_labeled",), 0)]
    unlabeled_rows: Annotated[IntArray, Array("i8", ("n_unlabeled",), 0)]
    hierarchy: Hierarchy
    weights: Annotated[FloatArray, Array("f8", ("n_labeled",), 0)] | None = None
    fold: Annotated[IntArray, Array("i8", ("n_labeled",), -1)] | None = None
    links: Links | None = None

    def is_sound(self) -> bool:
        """Return whether the rows are numbered correctly; used to check model files."""
        numbers = np.concatenate([self.labeled_rows, self.unlabeled_rows])
        shape = self.labeled_rows.size, self.hierarchy.n_nodes
        links = self.links
        return (
            self.Y.shape == shape
            and bool(np.array_equal(np.sort(numbers), np.arange(self.n_rows)))
            and (links is None or links.shape == (self.n_rows, self.n_rows))
        )

    @property
    def n_rows(self) -> int:
        """Number of rows passed to ``fit``."""
        return self.labeled_rows.size + self.unlabeled_rows.size

    @property
    def n_labeled(self) -> int:
        """Number of labelled rows."""
        return self.labeled_rows.size

    @property
    def sets_rows_aside(self) -> bool:
        """Whether a single model is trained without all rows that are in folds."""
        return self.fold is not None and bool((self.fold < 0).any())

    @property
    def X(self) -> Any:
        """All rows passed to ``fit``, in their order."""
        rows = np.concatenate([self.labeled_rows, self.unlabeled_rows])
        return stack_rows(self.X_labeled, self.X_unlabeled)[np.argsort(rows)]

    # Dense labels -------------------------------------------------------------------

    @cached_property
    def Y_labeled(self) -> BoolArray:
        """Which labelled row has which node, as a dense mask."""
        return self.Y.present()

    @cached_property
    def known(self) -> BoolArray | None:
        """Which cells are known, as a dense mask; None if all are."""
        return self.Y.known() if self.is_partly_known else None

    @property
    def is_partly_known(self) -> bool:
        """Whether any labelled row is known only in part."""
        return not self.Y.all_known

    @property
    def transduction(self) -> LabelArray:
        """Labels of all rows passed to ``fit``; ``UNLABELED`` for unlabelled rows."""
        labels = np.full((self.n_rows, self.hierarchy.n_nodes), UNLABELED, np.int8)
        labels[self.labeled_rows] = self.labels
        return labels

    @property
    def labels(self) -> LabelArray:
        """The labels of the labelled rows: 1, 0, or ``UNLABELED`` where unknown."""
        return self.Y.to_array()

    @cached_property
    def informative(self) -> BoolArray:
        """Mask of the nodes that are not roots that nearly all rows have."""
        return informative_nodes(self.hierarchy, self.Y.n_positive, self.Y.n_known)

    # Label frequencies --------------------------------------------------------------

    @property
    def prior(self) -> FloatArray:
        """Weighted fraction of rows with each label, among rows where it is known."""
        if self.weights is None:
            return self._shares(self.Y.n_positive, self.Y.n_known)
        n_positive: Any = self.weights @ self.Y.positive
        if not self.is_partly_known:
            return np.asarray(n_positive / self.weights.sum())
        in_group = np.bincount(self.Y.row_group, self.weights, len(self.Y.knows))
        return self._shares(n_positive, (in_group @ self.Y.knows)[self.Y.node_group])

    def priors_without(self, fold: IntArray, n_folds: int) -> FloatArray:
        """Return, for each fold, the prior of the labelled rows outside it.

        ``fold`` contains the fold of each labelled row.
        """
        if self.weights is not None:
            parts = [self.without_rows(fold == number) for number in range(n_folds)]
            return np.array([one.prior for one in parts])
        return frequencies_without_folds(self.Y, fold, n_folds, self.hierarchy)

    def _shares(self, n_positive: Any, total: Any) -> FloatArray:
        return label_frequencies(n_positive, total, self.hierarchy)

    # Other rows ---------------------------------------------------------------------

    def with_rows(
        self, rows: BoolArray, labels: BoolArray, known: BoolArray | None = None
    ) -> "TrainingData":
        """Move some unlabelled rows to the labelled rows and give them labels.

        ``rows`` is a mask over the unlabelled rows. ``labels`` has one row for each
        selected row, as does ``known`` if some labels are unknown. The moved rows come
        after the labelled rows. If rows have weights, the moved rows get weight 1. They
        are in no fold, so there are none afterwards.
        """
        weights = self.weights
        if weights is not None:
            weights = np.concatenate([weights, np.ones(labels.shape[0])])
        if known is None:
            more = LabelMatrix.of_rows(labels, np.ones(labels.shape[0], dtype=bool))
        else:
            more = LabelMatrix.of_cells(labels, known)
        of_rows = np.arange(self.n_labeled)
        of_others = self.n_labeled + np.arange(rows.size)
        order = np.concatenate([of_rows, of_others[rows], of_others[~rows]])
        return TrainingData(
            X_labeled=stack_rows(self.X_labeled, self.X_unlabeled[rows]),
            Y=self.Y.stacked_on(more),
            X_unlabeled=self.X_unlabeled[~rows],
            labeled_rows=np.concatenate([self.labeled_rows, self.unlabeled_rows[rows]]),
            unlabeled_rows=self.unlabeled_rows[~rows],
            hierarchy=self.hierarchy,
            weights=weights,
            links=self._links_of(order),
        )

    def without_rows(self, rows: BoolArray) -> "TrainingData":
        """Drop some of the labelled rows and renumber the others.

        ``rows`` is a mask over the labelled rows. In the new numbering, labelled rows
        come first.
        """
        kept = ~rows
        n_kept = int(kept.sum())
        return replace(
            self,
            X_labeled=self.X_labeled[kept],
            Y=self.Y[kept],
            labeled_rows=np.arange(n_kept),
            unlabeled_rows=n_kept + np.arange(self.unlabeled_rows.size),
            weights=None if self.weights is None else self.weights[kept],
            fold=None if self.fold is None else self.fold[kept],
            links=self._links_of(self._order_without(rows)),
        )

    def hiding_rows(self, rows: BoolArray) -> "TrainingData":
        """Hide the labels of some of the labelled rows, and renumber all rows.

        ``rows`` is a mask over the labelled rows. In the new numbering, the other
        labelled rows come first and the rows whose labels are hidden come last.
        """
        hidden = self.X_labeled[rows]
        kept = self.without_rows(rows)
        n_unlabeled = self.unlabeled_rows.size + hidden.shape[0]
        return replace(
            kept,
            X_unlabeled=stack_rows(self.X_unlabeled, hidden),
            unlabeled_rows=kept.n_labeled + np.arange(n_unlabeled),
            links=self._links_of(self._order_without(rows, hide=True)),
        )

    def without_unlabeled(self) -> "TrainingData":
        """Drop the unlabelled rows and renumber the others."""
        return replace(
            self,
            X_unlabeled=self.X_unlabeled[:0],
            labeled_rows=np.arange(self.labeled_rows.size),
            unlabeled_rows=self.unlabeled_rows[:0],
            links=self._links_of(np.arange(self.n_labeled)),
        )

    def with_weights(self, weights: FloatArray) -> "TrainingData":
        """Set the weights of the rows in ``X``; drop labelled rows with weight 0."""
        kept = weights[self.labeled_rows] > 0
        if not kept.any():
            raise ValueError(
                "Expected a labelled row with a sample_weight above 0, got only zeros."
            )
        rows = self.labeled_rows[kept]
        return replace(
            self,
            X_labeled=rows_of(self.X_labeled, kept),
            Y=rows_of(self.Y, kept),
            labeled_rows=rows,
            weights=weights[rows],
            fold=None if self.fold is None else self.fold[kept],
            links=self._links_of(self._order_without(~kept)),
        )

    # Links --------------------------------------------------------------------------

    def with_links(self, links: Links | None) -> "TrainingData":
        """Add links between the rows in the order in which they were passed to ``fit``.

        Examples
        --------
        >>> from hilabel.classifiers import PriorClassifier
        >>> from hilabel.links import Links
        >>> class Linked(PriorClassifier):
        ...     def _fit(self, data):
        ...         links = Links.of([[0, 2, 0], [0, 0, 4], [6, 0, 0]], data.n_rows)
        ...         print(data.with_links(links).links.kinds["links"].toarray())
        ...         super()._fit(data)
        >>> _ = Linked().fit([[0], [1], [2]], [[-1], [0], [1]])  # labelled rows first
        [[0. 4. 0.]
         [0. 0. 6.]
         [2. 0. 0.]]
        """
        if links is None:
            return replace(self, links=None)
        order = np.concatenate([self.labeled_rows, self.unlabeled_rows])
        return replace(self, links=links[order].to(order))

    def labeled_without(self, rows: IntArray, without: BoolArray, *, hide: bool) -> Any:
        """Return labelled rows as a model sees them that was trained without some rows.

        Parameters
        ----------
        rows : int array
            The labelled rows to return.
        without : bool array of shape (n_labeled,)
            The labelled rows that the model was not trained on.
        hide : bool
            Whether they were unlabelled rows in training; see :meth:`hiding_rows`.

        Returns
        -------
        array, csr matrix or LinkedRows
        """
        if self.links is None:
            return self.X_labeled[rows]
        order = self._order_without(without, hide=hide)
        return LinkedRows(self.X_labeled[rows], self.links[rows].to(order))

    def _order_without(self, rows: BoolArray, *, hide: bool = False) -> IntArray:
        """Return which rows remain without some labelled ones, in their new order."""
        unlabeled = self.n_labeled + np.arange(self.unlabeled_rows.size)
        hidden = np.flatnonzero(rows) if hide else unlabeled[:0]
        return np.concatenate([np.flatnonzero(~rows), unlabeled, hidden])

    def _links_of(self, order: IntArray) -> Links | None:
        return None if self.links is None else self.links[order].to(order)


def rows_of(X: Any, mask: BoolArray) -> Any:
    """Return the rows selected by a mask, without copying if all rows are selected."""
    return X if mask.all() else X[mask]
