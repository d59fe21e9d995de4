"""Nearest points among those that are active, from lists computed once.

A point is (distance, index); of two at the same distance the lower index is nearer.
"""

import numba
import numpy as np

__all__ = ["merge_lists", "smallest_per_row"]


@numba.njit(cache=True, nogil=True)
def smallest_per_row(distances, k):
    """Return (indices, values) of the ``k`` least entries of each row, ascending.

    ``distances`` is (n, p) float64 with 1 <= k <= p; ties go to the lower column.
    Insertion into a short sorted list: O(n p) plus O(k) for each of the expected
    k log(p / k) insertions per row.
    """
    n_rows, n_points = distances.shape
    indices = np.empty((n_rows, k), dtype=np.int64)
    values = np.empty((n_rows, k), dtype=np.float64)
    for row in range(n_rows):
        found = 0
        for point in range(n_points):
            value = distances[row, point]
            # Columns come in ascending order, so a tie never displaces anyone.
            if found == k and not value < values[row, k - 1]:
                continue
            place = found if found < k else k - 1
            while place > 0 and values[row, place - 1] > value:
                values[row, place] = values[row, place - 1]
                indices[row, place] = indices[row, place - 1]
                place -= 1
            values[row, place] = value
            indices[row, place] = point
            found = min(found + 1, k)
    return indices, values


@numba.njit(cache=True, nogil=True)
def merge_lists(
    fixed_idx,
    fixed_dist,
    pool_idx,
    pool_dist,
    active,
    own,
    k,
    pool_is_complete,
):
    """Return (indices, distances, is_short): each row's ``k`` nearest active points.

    Row ``i`` has two sorted lists: ``fixed_*[i]`` (n, a), points that are always
    active, and ``pool_*[i]`` (n, w), points of which ``active`` (p,) bool tells.
    Pool points are returned as ``-1 - index``, so that both kinds fit one array.
    ``own[i]`` is a pool point to skip, or -1.

    A row is short when its pool list ends before it is certain that no unlisted point
    is nearer; its entries are then void. With ``pool_is_complete`` the lists hold every
    active point that could matter. O(n (a + w)).
    """
    n_rows = fixed_idx.shape[0]
    n_fixed = fixed_idx.shape[1]
    width = pool_idx.shape[1]
    indices = np.empty((n_rows, k), dtype=np.int64)
    distances = np.empty((n_rows, k), dtype=np.float64)
    is_short = np.zeros(n_rows, dtype=np.bool_)
    for row in range(n_rows):
        fixed = 0
        pool = 0
        for place in range(k):
            while pool < width and (
                not active[pool_idx[row, pool]] or pool_idx[row, pool] == own[row]
            ):
                pool += 1
            # Beyond its list the pool is at least as far as the list's last entry;
            # at equal distance a fixed point comes first.
            listed = pool < width
            if listed:
                bound = pool_dist[row, pool]
            elif pool_is_complete or width == 0:
                bound = np.inf
            else:
                bound = pool_dist[row, width - 1]
            if fixed < n_fixed and fixed_dist[row, fixed] <= bound:
                indices[row, place] = fixed_idx[row, fixed]
                distances[row, place] = fixed_dist[row, fixed]
                fixed += 1
            elif listed:
                indices[row, place] = -1 - pool_idx[row, pool]
                distances[row, place] = bound
                pool += 1
            else:
                is_short[row] = True
                break
    return indices, distances, is_short
