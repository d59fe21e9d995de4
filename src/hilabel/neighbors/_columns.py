"""Exact nearest neighbours of sparse rows, found through the rows in each column.

A row shares columns with few others, so their products are computed from lists of the
rows that have a value in a column, without a table of distances. Products only choose
candidates: their distances are computed from differences, and the candidates of a row
include all points that may be among its nearest, given the rounding of products.
"""

from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from hilabel import _engine
from hilabel._matrices import laid_out
from hilabel._typing import FloatArray, IntArray
from hilabel.neighbors._blocks import for_each_block
from hilabel.neighbors._metric import Metric

_ROWS_PER_BLOCK: Final = 256
# Reading this many products takes about as long as adding to one.
_PAIRS_PER_STEP: Final = 4
# The most by which a number is rounded, relative to it, and with a margin.
_ROUNDING: Final = 4 * 2.0**-53
_SPARE_ADDITIONS: Final = 8
# Squares of larger values might not be finite.
_LARGEST_VALUE: Final = 1e140


def are_found_by_columns(metric: Metric, queries: Any, points: Any) -> bool:
    """Return whether the products of columns tell which points are near."""
    return (
        sp.issparse(points)
        and (metric.is_euclidean or metric.name == "cosine")
        and all(
            np.abs(rows.data).max(initial=0.0) < _LARGEST_VALUE
            for rows in (queries, points)
        )
    )


def n_steps(queries: Any, points: Any) -> float:
    """Return the number of steps of a search, each of about a nanosecond.

    Parameters
    ----------
    queries, points : csr_array of shape (n_queries, n_features), (n_points, n_features)
    """
    of_queries, of_points = (
        np.bincount(rows.indices, minlength=rows.shape[1]).astype(np.float64)
        for rows in (queries, points)
    )
    n_pairs = float(queries.shape[0]) * points.shape[0]
    return float(of_queries @ of_points) + n_pairs / _PAIRS_PER_STEP


@dataclass(frozen=True, eq=False)
class ColumnLists:
    """Points to search, with lists of the points in each column.

    Attributes
    ----------
    points : csr_array of float64 of shape (n_points, n_features)
        Of length 1 or 0, if compared by angle.
    lists : csr_array of float64 of shape (n_features, n_points)
    by_angle : bool
        Whether the distance is the cosine distance, or else the Euclidean distance.
    """

    points: Any
    lists: Any
    by_angle: bool

    @classmethod
    def of(cls, points: Any, by_angle: bool) -> Self:
        """Sort the entries of rows by column."""
        points = _prepared(points, by_angle)
        return cls(points, sp.csr_array(points.T), by_angle)

    def prepared(self, queries: Any) -> Any:
        """Return queries as they are compared with the points."""
        return _prepared(queries, self.by_angle)

    def nearest(self, queries: Any, k: int) -> tuple[IntArray, FloatArray]:
        """Return the ``k`` points nearest to each prepared query."""
        n_points = self.points.shape[0]
        n_added = _most_entries(queries) + _most_entries(self.points)
        error = _ROUNDING * (n_added + _SPARE_ADDITIONS)
        if self.by_angle:
            offset = slack = np.zeros(n_points)
            query_slack = np.full(queries.shape[0], 4 * error)
        else:  # half the squared length of a query, less half the squared distance
            lengths = _squared_lengths(self.points)
            offset, slack = (error - 0.5) * lengths, 2 * error * lengths
            query_slack = 2 * error * _squared_lengths(queries)
        found: tuple[IntArray, FloatArray] = _engine.nearest_by_columns(
            *_parts(queries),
            query_slack,
            *_parts(self.lists),
            *_parts(self.points),
            offset,
            slack,
            k,
            self.by_angle,
        )
        return found


@dataclass(frozen=True)
class ColumnSearch:
    """Search sparse rows exactly, by the Euclidean or the cosine distance.

    Parameters
    ----------
    metric : Metric
    n_jobs : int, default=None
        Number of threads that search blocks of queries; None means 1 unless in a joblib
        context, and -1 means all cores. The result does not depend on it.
    prepared : ColumnLists, optional
        Lists of the points that will be searched, for several calls with few queries.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from hilabel.neighbors import ColumnSearch, Metric
    >>> points = sp.csr_array(np.array([[1.0, 0, 0], [0, 1, 0], [2, 2, 0]]))
    >>> query = sp.csr_array(np.array([[5.0, 0, 0]]))
    >>> indices, distances = ColumnSearch(Metric("cosine")).nearest(query, points, 3)
    >>> indices
    array([[0, 2, 1]])
    >>> distances.round(2)
    array([[0.  , 0.29, 1.  ]])
    """

    metric: Metric
    n_jobs: int | None = None
    prepared: ColumnLists | None = None

    def prepare(self, points: Any) -> ColumnLists:
        """Return the lists of points that will be searched several times."""
        return ColumnLists.of(points, self.metric.name == "cosine")

    def nearest(self, queries: Any, points: Any, k: int) -> tuple[IntArray, FloatArray]:
        """Return the ``k`` points nearest to each query.

        Arguments and return values are those of :class:`NeighborSearch`.
        """
        k = min(k, points.shape[0])
        indices = np.empty((queries.shape[0], k), dtype=np.int64)
        distances = np.empty((queries.shape[0], k))
        if k == 0 or queries.shape[0] == 0:
            return indices, distances
        lists = self.prepared or self.prepare(points)
        rows = lists.points if queries is points else lists.prepared(queries)

        def fill(part: slice) -> None:
            indices[part], distances[part] = lists.nearest(rows[part], k)

        for_each_block(fill, rows.shape[0], _ROWS_PER_BLOCK, self.n_jobs)
        return indices, distances


def _prepared(rows: Any, by_angle: bool) -> Any:
    rows = sp.csr_array(laid_out(rows), dtype=np.float64)
    return sp.csr_array(normalize(rows)) if by_angle else rows


def _parts(rows: Any) -> tuple[Any, Any, Any]:
    """Return pointers, indices and values in the types of the engine."""
    index = np.ascontiguousarray(rows.indices, dtype=np.int32)
    return np.ascontiguousarray(rows.indptr, dtype=np.int64), index, rows.data


def _most_entries(rows: Any) -> int:
    return int(np.diff(rows.indptr).max(initial=0))


def _squared_lengths(rows: Any) -> FloatArray:
    return np.asarray((rows * rows).sum(axis=1), dtype=np.float64)
