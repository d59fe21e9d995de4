"""Slow, obviously right versions of the neighbour search."""

import numpy as np


def smallest_per_row(distances, k):
    """Sort every row by (distance, index) and cut."""
    n_rows, n_points = distances.shape
    numbers = np.arange(n_points)
    order = np.array(
        [np.lexsort((numbers, row)) for row in distances], dtype=np.int64
    ).reshape(n_rows, n_points)[:, :k]
    return order, np.take_along_axis(distances, order, axis=1)


def nearest_counting(to_fixed, to_pool, active, k, exclude_self):
    """Bar the rows that do not count by an infinite distance, then sort.

    ``to_fixed`` (n_pool, n_fixed) and ``to_pool`` (n_pool, n_pool) hold all distances.
    """
    to_pool = np.where(active, to_pool, np.inf)
    if exclude_self:
        np.fill_diagonal(to_pool, np.inf)
    return smallest_per_row(np.hstack([to_fixed, to_pool]), k)
