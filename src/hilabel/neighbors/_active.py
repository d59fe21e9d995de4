"""Walk lists computed once while the set of active points changes."""

from typing import Any

import numpy as np

from hilabel import _kernels
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.neighbors._exact import ExactSearch

__all__ = ["ActiveNeighbors"]

# Pool neighbours listed per row at first. A row that needs more looks among all.
_LIST_WIDTH = 32


class ActiveNeighbors:
    """Nearest neighbours of every pool row among the rows that count.

    Some rows always count (the labelled ones, here *fixed*); of the others, the
    *pool*, only those that are active at the moment do. The rows never move, so each
    pool row's list of neighbours is computed once and then walked.

    Parameters
    ----------
    fixed : array or csr_array of shape (n_fixed, n_features)
    pool : array or csr_array of shape (n_pool, n_features)
    search : ExactSearch
        Finds the nearest of many points.
    """

    def __init__(self, fixed: Any, pool: Any, search: ExactSearch) -> None:
        self._fixed = fixed
        self._pool = pool
        self._search = search
        self._fixed_lists: tuple[IntArray, FloatArray] | None = None
        self._pool_lists: tuple[IntArray, FloatArray] | None = None

    def nearest(
        self, active: BoolArray, k: int, *, exclude_self: bool
    ) -> tuple[IntArray, FloatArray]:
        """Return the ``k`` nearest counting rows of every pool row.

        Parameters
        ----------
        active : bool array of shape (n_pool,)
        k : int
            At most the number of rows that count.
        exclude_self : bool
            Whether an active row is barred from being its own neighbour.

        Returns
        -------
        indices : int array of shape (n_pool, k)
            Fixed rows are numbered from 0, pool rows from ``n_fixed``. At equal
            distance the lower number is nearer.
        distances : ndarray of shape (n_pool, k)
        """
        n_pool, n_fixed = self._pool.shape[0], self._fixed.shape[0]
        own = np.arange(n_pool) if exclude_self else np.full(n_pool, -1)
        fixed_lists = self._fixed_up_to(k)
        pool_lists = self._pool_up_to(k, active)
        indices, distances, is_short = _kernels.nearest.merge_lists(
            *fixed_lists, *pool_lists, active, own, k, pool_lists[0].shape[1] == n_pool
        )
        if is_short.any():
            rows = np.flatnonzero(is_short)
            indices[rows], distances[rows] = self._among_all(rows, active, own, k)
        return np.where(indices < 0, n_fixed - 1 - indices, indices), distances

    def _fixed_up_to(self, k: int) -> tuple[IntArray, FloatArray]:
        lists = self._fixed_lists
        if lists is None or lists[0].shape[1] < min(k, self._fixed.shape[0]):
            lists = self._search.nearest(self._pool, self._fixed, k)
            self._fixed_lists = lists
        return lists

    def _pool_up_to(self, k: int, active: BoolArray) -> tuple[IntArray, FloatArray]:
        if not active.any():  # the first pass needs no list of pool rows at all
            empty = np.empty((self._pool.shape[0], 0))
            return empty.astype(np.int64), empty
        width = min(max(_LIST_WIDTH, 2 * k), self._pool.shape[0])
        lists = self._pool_lists
        if lists is None or lists[0].shape[1] < width:
            lists = self._search.nearest(self._pool, self._pool, width)
            self._pool_lists = lists
        return lists

    def _among_all(
        self, rows: IntArray, active: BoolArray, own: IntArray, k: int
    ) -> tuple[IntArray, FloatArray]:
        """Search all active pool rows for the rows whose list ran out."""
        numbers = np.flatnonzero(active)
        # One more than asked for, since a row may have to be skipped for itself.
        found, gaps = self._search.nearest(self._pool[rows], self._pool[numbers], k + 1)
        fixed_idx, fixed_dist = self._fixed_up_to(k)
        indices, distances, _ = _kernels.nearest.merge_lists(
            fixed_idx[rows],
            fixed_dist[rows],
            numbers[found],
            gaps,
            active,
            own[rows],
            k,
            True,
        )
        return indices, distances
