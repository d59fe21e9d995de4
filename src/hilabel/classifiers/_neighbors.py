"""Prediction from the nearest labelled rows, weighted by distance."""

from dataclasses import dataclass
from numbers import Integral
from typing import Annotated, Any, ClassVar, Final

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from hilabel._compat import Interval, StrOptions
from hilabel._label_matrix import LabelMatrix
from hilabel._saved_types import Array, Count, saved_type
from hilabel._score_matrix import ScoreMatrix
from hilabel._typing import FloatArray, IntArray, MatrixLike
from hilabel.classifiers._base import BaseHierarchicalClassifier
from hilabel.classifiers._tags import MethodTags
from hilabel.classifiers._training_data import TrainingData
from hilabel.constraints import cap_by_parents
from hilabel.metrics import average_precision
from hilabel.neighbors import BACKENDS, NeighborSearch
from hilabel.views import ANGLES, ComparableRows, RowsByAngle

NUMBERS: Final = (3, 5, 10, 20, 40)
"""Numbers of neighbours to try."""
_ROWS_AT_ONCE: Final = 1000
# A neighbour at distance 0 counts as much as this many at the largest distance.
_MOST_WEIGHT: Final = 1e6
# A neighbour by angle counts at most as much as this many at the largest angle, which
# may share no column.
_MOST_WEIGHT_ANGLES: Final = 100
# Rows are compared in the way that is best for labelled rows, or for evenly spaced ones
# if more scores than this would have to be judged each time.
_SCORES_TO_JUDGE: Final = 2**24


@saved_type
@dataclass(frozen=True, eq=False)
class Voters:
    """Labelled rows that vote on the labels of other rows.

    Attributes
    ----------
    labels : LabelMatrix of shape (n_labeled, n_nodes)
    prior : float32 array of shape (n_nodes,)
        Label frequencies, which count as one vote.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel._label_matrix import LabelMatrix
    >>> from hilabel.classifiers import Voters
    >>> labels = np.array([[1, 0], [1, 1]])
    >>> voters = Voters(LabelMatrix.of(labels), labels.mean(axis=0, dtype=np.float32))
    >>> voters.mean(np.array([[0, 1]]), np.ones((1, 2)))  # the frequencies also vote
    array([[1. , 0.5]], dtype=float32)
    """

    labels: LabelMatrix
    prior: Annotated[FloatArray, Array("f4", ("n_nodes",), 0, 1)]

    @classmethod
    def of(cls, data: TrainingData) -> "Voters":
        """Create voters from the labelled rows."""
        return cls(data.Y, data.prior.astype(np.float32))

    def is_sound(self) -> bool:
        """Return whether every node has a frequency; used to check model files."""
        return self.prior.size == self.labels.shape[1]

    def mean(self, voters: IntArray, weights: FloatArray) -> FloatArray:
        """Return the weighted mean of the label frequencies and the voters' labels.

        Parameters
        ----------
        voters : int array of shape (n_rows, k)
        weights : ndarray of shape (n_rows, k)
            The weight of the frequencies is 1.
        """
        n_rows, k = voters.shape
        positive = self.labels.positive.astype(np.float32)
        # The groups of nodes that each row knows; one, if rows are known as a whole.
        knows = self.labels.knows[self.labels.row_group].astype(np.float32)
        scores = np.empty((n_rows, self.labels.shape[1]), np.float32)
        for rows in gen_batches(n_rows, _ROWS_AT_ONCE):
            votes = voters[rows]
            starts = np.arange(0, votes.size + 1, k) if k else np.zeros(len(votes) + 1)
            entries = (weights[rows].astype(np.float32).ravel(), votes.ravel(), starts)
            votes = sp.csr_array(entries, (len(votes), len(self.labels)))
            known = votes.sum(axis=1)[:, None]
            if not self.labels.all_known:
                known = (votes @ knows)[:, self.labels.node_group]
            scores[rows] = ((votes @ positive).toarray() + self.prior) / (known + 1)
        return np.minimum(scores, 1)


@dataclass(eq=False, repr=False, kw_only=True)
class NeighborsClassifier(BaseHierarchicalClassifier):
    """Predict from the labels of the nearest labelled rows, weighted by distance.

    The weight of a neighbour is the inverse of its distance, or the squared cosine of
    its angle. The label frequencies count as one additional vote, with the weight of
    the farthest neighbour; this also ranks labels that no neighbour has. All labels of
    a row have the same weight, so no node ever scores higher than its parents.

    In training, labelled rows are scored based on the other labelled rows. These scores
    determine the number of neighbours and how rows are compared: with or without
    scaling, and sparse rows also by the angle between them.

    Handles trees and DAGs, with one or several paths per row that may end at any depth.
    Unlabelled rows are ignored. Missing values are replaced with the mean of their
    column.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges.
    n_neighbors : int or "auto", default="auto"
        By default, the best of 3, 5, 10, 20 and 40.
    scale : bool or "auto", default="auto"
        Whether to scale columns to the same spread before comparing rows; by default,
        whichever is better. By default, sparse rows are also compared by angle, with
        and without weighting columns by how few rows have them, as for words.
    backend : {"auto", "exact", "cells", "pynndescent"}, default="auto"
        How neighbours are searched; see :func:`hilabel.neighbors.make_search`.
    n_jobs : int, optional
    random_state : int, RandomState or None
        Seed of approximate searches.

    Attributes
    ----------
    n_neighbors_ : int
        The number used: at most the number of labelled rows minus one, and at least
        one.
    scale_ : bool
    compared_by_ : {"raw", "euclidean", "angle", "rarity"}
        Without and with scaling; by angle without and with weighting columns.
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.classifiers import NeighborsClassifier
    >>> h = Hierarchy.from_edges([("a", "b")])
    >>> X, y = [[0.0], [1.0], [4.0]], [[1, 0], [1, 1], [0, 0]]
    >>> model = NeighborsClassifier(h, n_neighbors=2, scale=False).fit(X, y)
    >>> model.predict_proba([[0.25]]).round(3)  # weights 3, 1, and 1 for frequencies
    array([[0.933, 0.267]], dtype=float32)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        partial_labels=True,
        name="Nearest neighbours",
        summary="nearest rows vote",
        use="Similar rows have similar labels, as for images or embeddings.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseHierarchicalClassifier._parameter_constraints,
        "n_neighbors": [
            Interval(Integral, 1, None, closed="left"),
            StrOptions({"auto"}),
        ],
        "scale": ["boolean", StrOptions({"auto"})],
        "backend": [StrOptions(set(BACKENDS))],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    n_neighbors: int | str = "auto"
    scale: bool | str = "auto"
    backend: str = "auto"
    n_jobs: int | None = None
    random_state: Any = None

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "_rows": ComparableRows | RowsByAngle,
        "_voters": Voters,
        "n_neighbors_": Count(1),
    }

    def is_sound(self) -> bool:
        """Return whether the voters match the stored rows and the nodes."""
        return (
            super().is_sound()
            and self._rows.n_features == self.n_features_in_
            and self._voters.labels.shape == (self._rows.n_rows, self.classes_.size)
        )

    def _fit(self, data: TrainingData) -> None:
        self._voters = Voters.of(data)
        most = min(max(self._numbers()), max(data.n_labeled - 1, 1))
        judged = _rows_to_judge(data.Y.shape)
        labels = data.Y if judged is None else data.Y[judged]
        best = -np.inf
        for by in self._comparisons(sp.issparse(data.X_labeled)):
            kind = RowsByAngle if by in ANGLES else ComparableRows
            rows = kind.of(data.X_labeled, by)
            nearest, distances = rows.nearest_others(most, self._search(rows), judged)
            for number in sorted({min(number, most) for number in self._numbers()}):
                quality = self._quality(
                    labels, nearest[:, :number], distances[:, :number], by
                )
                if not quality <= best:
                    self._rows, self.n_neighbors_ = rows, number
                    best = quality

    def _quality(
        self, labels: LabelMatrix, nearest: IntArray, distances: FloatArray, by: str
    ) -> float:
        """Return the average precision of labelled rows, scored by the others."""
        if not labels.positive.nnz:
            return np.nan
        scores = ScoreMatrix(labels.shape)
        for rows in scores.row_blocks():
            scores.write(rows, self._scores(nearest[rows], distances[rows], by))
        return float(average_precision(labels, scores))

    @property
    def compared_by_(self) -> str:
        """How rows are compared."""
        return self._rows.by

    @property
    def scale_(self) -> bool:
        """Whether columns are scaled."""
        return self.compared_by_ == "euclidean"

    def _comparisons(self, is_sparse: bool) -> tuple[str, ...]:
        if self.scale == "auto":
            return (*ANGLES, "euclidean", "raw") if is_sparse else ("euclidean", "raw")
        return ("euclidean",) if self.scale else ("raw",)

    def _numbers(self) -> tuple[int, ...]:
        return NUMBERS if self.n_neighbors == "auto" else (int(self.n_neighbors),)

    def _search(self, rows: ComparableRows | RowsByAngle) -> NeighborSearch:
        return rows.search(self.backend, self.n_jobs, self.random_state)

    def neighbors(self, X: MatrixLike) -> tuple[IntArray, FloatArray]:
        """Return the labelled rows nearest to each row, and their distances.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        neighbors : int array of shape (n_samples, k)
            Numbers of labelled rows, nearest first.
        distances : ndarray of shape (n_samples, k)
        """
        return self._nearest(self._check_new_rows(X))

    def _nearest(self, X: Any) -> tuple[IntArray, FloatArray]:
        return self._rows.nearest(X, self.n_neighbors_, self._search(self._rows))

    def _predict_scores(self, X: Any) -> FloatArray:
        return self._scores(*self._nearest(X), self.compared_by_)

    def _scores(
        self, neighbors: IntArray, distances: FloatArray, by: str
    ) -> FloatArray:
        weigh = _weights_by_angle if by in ANGLES else _weights
        scores = self._voters.mean(neighbors, weigh(distances))
        if self._voters.labels.all_known:
            return scores
        return cap_by_parents(scores, self.hierarchy_)

    def _missing_value_advice(self) -> str | None:
        return None


def _rows_to_judge(shape: tuple[int, int]) -> IntArray | None:
    """Return the labelled rows on which comparisons are judged; None means all."""
    n_rows, n_nodes = shape
    n_judged = max(1, _SCORES_TO_JUDGE // max(n_nodes, 1))
    if n_judged >= n_rows:
        return None
    return np.arange(n_judged) * n_rows // n_judged


def _weights_by_angle(distances: FloatArray) -> FloatArray:
    """Return squared cosines, scaled so that the farthest neighbour has weight 1."""
    if distances.shape[1] == 0:
        return distances
    squares = np.maximum(1 - distances, 0) ** 2
    unit = np.maximum(squares[:, -1:], squares[:, :1] / _MOST_WEIGHT_ANGLES)
    return np.divide(squares, unit, out=np.zeros_like(squares), where=unit > 0)


def _weights(distances: FloatArray) -> FloatArray:
    """Return inverse distances, scaled so that the farthest neighbour has weight 1."""
    if distances.shape[1] == 0:
        return distances
    farthest = distances[:, -1:]
    nearest = np.maximum(distances, farthest / _MOST_WEIGHT)
    return np.divide(farthest, nearest, out=np.ones_like(distances), where=nearest > 0)
