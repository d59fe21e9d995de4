"""Exact nearest neighbours, with distances computed in blocks."""

from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np
import scipy.sparse as sp

from hilabel import _engine
from hilabel._matrices import laid_out
from hilabel._typing import FloatArray, IntArray
from hilabel.neighbors._blocks import for_each_block
from hilabel.neighbors._columns import ColumnSearch, are_found_by_columns
from hilabel.neighbors._expansion import (
    SPARE_CANDIDATES,
    Frame,
    as_rows,
    prove,
    squared_lengths,
)
from hilabel.neighbors._lists import empty_lists, smallest_per_row
from hilabel.neighbors._metric import Metric

# Number of (query, point) pairs that one core compares in about half a minute.
AFFORDABLE_PAIRS = 2**32

# Maximum number of distances per job at a time: 2**22 doubles need 32 MiB.
_CELLS_PER_BLOCK = 2**22


@dataclass(frozen=True)
class ExactSearch:
    """Compare each query with every point; ties go to the lower index.

    For the Euclidean distance between dense rows, candidates are proposed by a matrix
    product, and their distances are recomputed from differences. For the Euclidean and
    the cosine distance between sparse rows, products are added up by column. The result
    is the same as with differences alone, but it is computed faster.

    Parameters
    ----------
    metric : Metric
    n_jobs : int, default=None
        Number of threads that search blocks of queries; None means 1 unless in a joblib
        context, and -1 means all cores. The result does not depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.neighbors import ExactSearch, Metric
    >>> points = np.array([[0.0], [3.0], [1.0], [1.0]])
    >>> indices, distances = ExactSearch(Metric("euclidean")).nearest(
    ...     np.array([[0.9]]), points, 3
    ... )
    >>> indices
    array([[2, 3, 0]])
    >>> distances.round(2)
    array([[0.1, 0.1, 0.9]])
    """

    metric: Metric
    n_jobs: int | None = None

    def nearest(self, queries: Any, points: Any, k: int) -> tuple[IntArray, FloatArray]:
        """Return the ``k`` points nearest to each query.

        Arguments and return values are those of :class:`NeighborSearch`. Queries and
        points may be memory maps; they are read in blocks.
        """
        n_queries, n_points = queries.shape[0], points.shape[0]
        k = min(k, n_points)
        indices = np.empty((n_queries, k), dtype=np.int64)
        distances = np.empty((n_queries, k))
        if k == 0:
            return indices, distances
        if are_found_by_columns(self.metric, queries, points):
            return ColumnSearch(self.metric, self.n_jobs).nearest(queries, points, k)
        if self.metric.is_euclidean and not sp.issparse(queries):
            search: Any = _ExpandedSearch(queries, points, k)
        else:
            search = _TableSearch(self.metric, queries, points, k)

        def fill(rows: slice) -> None:
            indices[rows], distances[rows] = search.block(rows)

        for_each_block(fill, n_queries, search.step, self.n_jobs)
        return indices, distances


class _ExpandedSearch:
    """Search with double-precision matrix products, verified with differences."""

    def __init__(self, queries: Any, points: Any, k: int) -> None:
        is_same = queries is points
        self._points = as_rows(points)
        self._queries = self._points if is_same else as_rows(queries)
        self._k = k
        self._frame = Frame.around(self._queries, self._points, np.float64)
        # Narrow blocks, so that the output of a product is still in the cache when
        # read.
        self.step = isqrt(_CELLS_PER_BLOCK)
        self._width = max(1, self.step // 4)

    def block(self, rows: slice) -> tuple[IntArray, FloatArray]:
        queries = self._queries[rows]
        candidates, farthest = self._candidates(queries)
        return prove(
            self._frame,
            queries,
            self._points,
            candidates,
            farthest,
            self._k,
            self._width,
        )

    def _candidates(self, queries: Any) -> tuple[IntArray, FloatArray]:
        n_points = self._points.shape[0]
        wanted = min(self._k + SPARE_CANDIDATES, n_points)
        indices, values = empty_lists(queries.shape[0], wanted)
        lists = np.arange(queries.shape[0])
        with np.errstate(over="ignore", invalid="ignore"):
            prepared = self._frame.prepare(queries)
            query_lengths = squared_lengths(prepared)
            prepared *= -2
            for start in range(0, n_points, self._width):
                numbers = np.arange(start, min(start + self._width, n_points))
                block = self._frame.prepare(self._points[numbers[0] : numbers[-1] + 1])
                _engine.keep_nearest(
                    prepared @ block.T,
                    self._frame.point_lengths[numbers],
                    numbers,
                    lists,
                    indices,
                    values,
                )
            return indices, values[:, -1] + query_lengths


class _TableSearch:
    """Search with full distance matrices, for any metric of dense or sparse rows."""

    def __init__(self, metric: Metric, queries: Any, points: Any, k: int) -> None:
        self._metric = metric
        self._queries = queries
        self._points = laid_out(points)  # once, not for every block
        self._k = k
        self.step = max(1, _CELLS_PER_BLOCK // points.shape[0])

    def block(self, rows: slice) -> tuple[IntArray, FloatArray]:
        queries, points = self._queries[rows], self._points
        table = np.ascontiguousarray(self._metric.between(queries, points))
        if not sp.issparse(queries):
            return smallest_per_row(table, self._k)
        # Sparse distances are rounded differently for equal rows.
        wanted = min(self._k + SPARE_CANDIDATES, points.shape[0])
        candidates, _ = smallest_per_row(table, wanted)
        candidates.sort(axis=1)  # so that ties still go to the lower index
        refined = np.column_stack(
            [self._metric.paired(queries, points[column]) for column in candidates.T]
        )
        place, exact = smallest_per_row(refined, self._k)
        return np.take_along_axis(candidates, place, axis=1), exact
