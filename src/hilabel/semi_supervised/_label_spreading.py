"""Label spreading on a graph of neighbours."""

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Final

import numpy as np
import scipy.sparse as sp

from hilabel._compat import Interval, StrOptions
from hilabel._matrices import row_blocks, stack_rows
from hilabel._saved_types import Array
from hilabel._typing import FloatArray, IntArray, MatrixLike
from hilabel.classifiers import BaseHierarchicalClassifier, MethodTags, TrainingData
from hilabel.constraints import cap_by_parents
from hilabel.neighbors import BACKENDS
from hilabel.views import COMPARISONS, ComparableRows

# Labels of some nodes are spread at a time, so that memory is bounded.
_CELLS_AT_ONCE: Final = 2**24
# Spreading ends when the remaining error is below this share of the labels.
_LEAST_LEFT: Final = 1e-6
# The weight of label frequencies, relative to the labels that reach a row on average,
# so that a row that no label reaches gets the frequencies.
_SHARE_OF_PRIOR: Final = 0.01


@dataclass(eq=False, repr=False, kw_only=True)
class LabelSpreading(BaseHierarchicalClassifier):
    """Spread labels over the graph of nearest neighbours of all rows.

    In each step, every row passes labels to its neighbours, and every labelled row adds
    its known labels to those it receives. The resulting score of a node is a weighted
    mean over the labelled rows. Nearby rows have the largest weights, and rows that are
    connected through other rows count as nearby. All labels of a row spread together,
    so no node ever scores higher than its parents.

    Let P be the matrix of the shares that rows pass to each other, and L the labels of
    the labelled rows. The result is ``(1 - alpha) * sum((alpha * P)**t @ L)`` over all
    steps ``t``.

    A new row gets the mean of its neighbours' scores. Handles trees and DAGs, with one
    or several paths per row that may end at any depth.

    The source predicts a single label per row. Using means over labelled rows as scores
    and including label frequencies with a small weight are our choices.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges.
    n_neighbors : int, default=10
        Number of rows that each row is linked to; links are symmetric.
    alpha : float, default=0.9
        The share that a row passes on. With larger values, labels spread farther.
    metric : {"euclidean", "correlation", "raw"}, default="euclidean"
        Compare rows by columns scaled to the same spread; by correlation, regardless of
        the level; or without scaling.
    local_scaling : bool, default=False
        Whether distances are considered relative to the density around the neighbour,
        as in :class:`~hilabel.views.NeighborhoodMeans`.
    backend : {"auto", "exact", "cells", "pynndescent"}, default="auto"
        How neighbours are searched; see :func:`hilabel.neighbors.make_search`.
    n_jobs : int, optional
    random_state : int, RandomState or None
        Seed of approximate searches.

    Attributes
    ----------
    scores_ : float32 ndarray of shape (n_rows, n_nodes)
        Scores of the labelled rows, then of the unlabelled rows.
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    References
    ----------
    Zhou, Bousquet, Lal, Weston and Schölkopf, "Learning with local and global
    consistency", Advances in Neural Information Processing Systems 16, 2004.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.semi_supervised import LabelSpreading
    >>> h = Hierarchy.from_edges([("a", "b")], nodes=["a", "b", "c"])
    >>> X, labels = [[0.0], [2.0]], [{"b"}, {"c"}]
    >>> others = [[0.2], [0.45], [0.75], [1.1], [2.3]]  # connect 1.2 to 0, not to 2
    >>> model = LabelSpreading(h, n_neighbors=1).fit(X, labels, others)
    >>> model.predict_proba([[1.2]]).round(2)
    array([[0.99, 0.99, 0.01]], dtype=float32)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        semi_supervised=True,
        partial_labels=True,
        name="Label spreading",
        summary="graph of neighbours",
        use="Rows with the same label are close together or along a curve.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseHierarchicalClassifier._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "alpha": [Interval(Real, 0, 1, closed="neither")],
        "metric": [StrOptions(set(COMPARISONS))],
        "local_scaling": ["boolean"],
        "backend": [StrOptions(set(BACKENDS))],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    n_neighbors: int = 10
    alpha: float = 0.9
    metric: str = "euclidean"
    local_scaling: bool = False
    backend: str = "auto"
    n_jobs: int | None = None
    random_state: Any = None

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "_rows": ComparableRows,
        "scores_": Array("f4", ("n_rows", "n_nodes"), 0, 1),
    }

    def is_sound(self) -> bool:
        """Return whether every stored row has a score for every node."""
        return (
            super().is_sound()
            and self._rows.n_features == self.n_features_in_
            and self.scores_.shape == (self._rows.n_rows, self.classes_.size)
        )

    def _fit(self, data: TrainingData) -> None:
        X = stack_rows(data.X_labeled, data.X_unlabeled)
        self._rows = ComparableRows.of(X, self.metric)
        if self.local_scaling:
            self._rows = self._rows.with_reach(self._search())
        shares = self._shares()
        scores = np.empty((X.shape[0], data.hierarchy.n_nodes), np.float32)
        for nodes in row_blocks((scores.shape[1], scores.shape[0]), _CELLS_AT_ONCE):
            scores[:, nodes] = self._spread_nodes(shares, data, nodes)
        for rows in row_blocks(scores.shape, _CELLS_AT_ONCE):
            scores[rows] = cap_by_parents(scores[rows], data.hierarchy)
        self.scores_ = scores

    def _spread_nodes(
        self, shares: sp.csr_array, data: TrainingData, nodes: slice
    ) -> FloatArray:
        """Return the scores of all rows for some nodes."""
        start = data.Y.positive[:, nodes].toarray().astype(np.float32)
        known = np.ones((len(start), 1), np.float32)
        if data.is_partly_known:
            known = data.Y.of_nodes(nodes).known().astype(np.float32)
        arrived = _spread(shares, np.hstack([start, known]), self.alpha)
        labels, known = arrived[:, : start.shape[1]], arrived[:, start.shape[1] :]
        weight = _SHARE_OF_PRIOR * known.mean(axis=0)
        prior = data.prior[nodes].astype(np.float32)
        scores = (labels + weight * prior) / np.maximum(known + weight, 1e-30)
        return np.asarray(np.minimum(scores, 1))

    def _shares(self) -> sp.csr_array:
        """Return the share that a row receives from each of its neighbours."""
        n_rows = self._rows.values.shape[0]
        k = min(self.n_neighbors, n_rows - 1)
        if k == 0:
            return sp.csr_array((n_rows, n_rows), dtype=np.float32)
        found, _ = self._rows.nearest_others(k, self._search())
        starts = np.arange(0, found.size + 1, k)
        links = (np.ones(found.size, np.float32), found.ravel(), starts)
        one_way = sp.csr_array(links, (n_rows, n_rows))
        both_ways = one_way + one_way.T
        return sp.csr_array(both_ways / both_ways.sum(axis=1)[:, None])

    def _search(self) -> Any:
        return self._rows.search(self.backend, self.n_jobs, self.random_state)

    def neighbors(self, X: MatrixLike) -> tuple[IntArray, FloatArray]:
        """Return the training rows nearest to each row, and their distances.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        neighbors : int array of shape (n_samples, k)
            Row numbers, nearest first. Labelled rows are numbered before unlabelled
            rows.
        distances : ndarray of shape (n_samples, k)
        """
        return self._nearest(self._check_new_rows(X))

    def _nearest(self, X: Any) -> tuple[IntArray, FloatArray]:
        return self._rows.nearest(X, self.n_neighbors, self._search())

    def _predict_scores(self, X: Any) -> FloatArray:
        found, _ = self._nearest(X)
        scores = np.zeros((found.shape[0], self.scores_.shape[1]), np.float32)
        for place in range(found.shape[1]):
            scores += self.scores_[found[:, place]]
        return scores / found.shape[1]

    def _missing_value_advice(self) -> str | None:
        return None


def _spread(shares: sp.csr_array, labels: FloatArray, alpha: float) -> FloatArray:
    """Return the labels of all rows after spreading; labelled rows come first.

    Chebyshev iteration converges in far fewer steps than repeated spreading. It is
    applicable because links are symmetric, so the matrix of shares has real
    eigenvalues.
    """
    start = np.zeros((shares.shape[0], labels.shape[1]), np.float32)
    start[: len(labels)] = (1 - alpha) * labels
    before, arrived, omega = np.zeros_like(start), start, 2.0
    rate = alpha / (1 + np.sqrt(1 - alpha**2))
    for _ in range(int(np.ceil(np.log(_LEAST_LEFT) / np.log(rate)))):
        omega = 1 / (1 - alpha**2 * omega / 4)
        step = np.float32(alpha) * (shares @ arrived) + start - before
        before, arrived = arrived, np.float32(omega) * step + before
    return np.maximum(arrived, 0)  # the limit is not negative
