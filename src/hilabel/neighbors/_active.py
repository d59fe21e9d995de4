"""Compute neighbour lists once, and reuse them while the set of active rows changes."""

from math import ceil
from typing import Any

import numpy as np
import scipy.sparse as sp

from hilabel import _engine
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.neighbors._approximate import ApproximateSearch
from hilabel.neighbors._exact import AFFORDABLE_PAIRS, ExactSearch
from hilabel.neighbors._search import NeighborSearch

# Pool neighbours listed per row, unless more are requested. A row that needs more
# searches all rows.
_LIST_WIDTH = 32
# Shorter lists are sufficient if most rows are active. A list has this many times the
# length that contains k active rows on average, and is recomputed when k becomes too
# large for it.
_LISTED, _OUTGROWN = 4, 1.5
# Number of rows that search all rows at a time.
_ROWS_PER_CHUNK = 2**18


class ActiveNeighbors:
    """Nearest neighbours of every pool row among the eligible rows.

    Some rows are always eligible (the labelled rows, called *fixed*). Of the other
    rows, called the *pool*, only the currently active ones are eligible. The rows never
    change, so the neighbour list of each pool row is computed once and then reused.

    Parameters
    ----------
    fixed : array or csr_array of shape (n_fixed, n_features)
    pool : array or csr_array of shape (n_pool, n_features)
    search : NeighborSearch
        Finds the nearest pool rows of every pool row, exactly or approximately.
        Searches of up to 2**32 comparisons are always exact: searches among few fixed
        rows, and searches for rows whose list is exhausted.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.neighbors import ActiveNeighbors, ExactSearch, Metric
    >>> fixed, pool = np.array([[0.0]]), np.array([[1.0], [1.5]])
    >>> neighbors = ActiveNeighbors(fixed, pool, ExactSearch(Metric("euclidean")))
    >>> active = np.array([False, True])  # pool rows are numbered after fixed rows
    >>> rows, distances = neighbors.nearest(active, 1, exclude_self=True)
    >>> rows.tolist()
    [[2], [0]]
    """

    def __init__(self, fixed: Any, pool: Any, search: NeighborSearch) -> None:
        self._fixed = fixed
        self._pool = pool
        self._search = search
        self._fixed_lists: tuple[IntArray, FloatArray] | None = None
        self._pool_lists: tuple[IntArray, FloatArray] | None = None

    def nearest(
        self, active: BoolArray, k: int, *, exclude_self: bool
    ) -> tuple[IntArray, FloatArray]:
        """Return the ``k`` eligible rows nearest to each pool row.

        Parameters
        ----------
        active : bool array of shape (n_pool,)
        k : int
            At most the number of eligible rows.
        exclude_self : bool
            Whether to exclude an active row from its own neighbours.

        Returns
        -------
        indices : int array of shape (n_pool, k)
            Fixed rows are numbered from 0, pool rows from ``n_fixed``. Ties in distance
            are resolved in favour of the lower number.
        distances : ndarray of shape (n_pool, k)
        """
        k = int(k)  # the engine does not accept NumPy scalars
        n_pool, n_fixed = self._pool.shape[0], self._fixed.shape[0]
        own = np.arange(n_pool) if exclude_self else np.full(n_pool, -1)
        fixed_lists = self._fixed_up_to(k)
        pool_lists = self._pool_up_to(k, active)
        indices, distances, is_short = _engine.merge_lists(
            *fixed_lists, *pool_lists, active, own, k, pool_lists[0].shape[1] == n_pool
        )
        if is_short.any():
            rows = np.flatnonzero(is_short)
            indices[rows], distances[rows] = self._among_all(rows, active, own, k)
        return np.where(indices < 0, n_fixed - 1 - indices, indices), distances

    def _fixed_up_to(self, k: int) -> tuple[IntArray, FloatArray]:
        lists = self._fixed_lists
        if lists is None or lists[0].shape[1] < min(k, self._fixed.shape[0]):
            n_pairs = self._pool.shape[0] * self._fixed.shape[0]
            is_growing = lists is not None and self._may_choose_width(n_pairs)
            width = 2 * k if is_growing else k
            lists = self._search_for(n_pairs).nearest(self._pool, self._fixed, width)
            self._fixed_lists = lists
        return lists

    def _pool_up_to(self, k: int, active: BoolArray) -> tuple[IntArray, FloatArray]:
        n_pool, n_active = active.size, np.count_nonzero(active)
        if n_active == 0:  # the first pass needs no lists of pool rows
            empty = np.empty((n_pool, 0))
            return empty.astype(np.int32), empty
        longest = min(max(_LIST_WIDTH, 2 * k), n_pool)
        may_choose = self._may_choose_width(n_pool * n_pool)
        expected = k * n_pool / n_active if may_choose else longest
        lists = self._pool_lists
        if lists is None or lists[0].shape[1] < min(_OUTGROWN * expected, longest):
            self._pool_lists = None  # free it before computing another
            width = min(ceil(_LISTED * expected), longest)
            indices, distances = self._search.nearest(self._pool, self._pool, width)
            lists = indices.astype(np.int32), distances
            self._pool_lists = lists
        return lists

    def _may_choose_width(self, n_pairs: int) -> bool:
        """Return whether longer neighbour lists extend shorter ones exactly."""
        is_exact = not isinstance(self._search, ApproximateSearch)
        is_exact &= n_pairs <= AFFORDABLE_PAIRS
        # Sparse distances are rounded, and only recomputed within the lists.
        return is_exact and not sp.issparse(self._pool)

    def _search_for(self, n_pairs: int) -> NeighborSearch:
        if n_pairs <= AFFORDABLE_PAIRS:
            return ExactSearch(self._search.metric, self._search.n_jobs)
        return self._search

    def _among_all(
        self, rows: IntArray, active: BoolArray, own: IntArray, k: int
    ) -> tuple[IntArray, FloatArray]:
        """Search all active pool rows for neighbours of rows with exhausted lists."""
        numbers = np.flatnonzero(active)
        points = self._pool[numbers]
        search = self._search_for(rows.size * numbers.size)
        fixed_idx, fixed_dist = self._fixed_up_to(k)
        indices = np.empty((rows.size, k), dtype=np.int64)
        distances = np.empty((rows.size, k))
        for start in range(0, rows.size, _ROWS_PER_CHUNK):
            part = slice(start, start + _ROWS_PER_CHUNK)
            chunk = rows[part]
            # One more than requested, because a row may have to skip itself.
            found, gaps = search.nearest(self._pool[chunk], points, k + 1)
            indices[part], distances[part], _ = _engine.merge_lists(
                fixed_idx[chunk],
                fixed_dist[chunk],
                numbers[found].astype(np.int32),
                gaps,
                active,
                own[chunk],
                k,
                True,
            )
        return indices, distances
