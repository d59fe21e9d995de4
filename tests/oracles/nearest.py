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


def distances_by_column(queries, points, by_angle):
    """Add up the columns of all pairs one after the other; rows have length 1 or 0."""
    squares = np.zeros((len(queries), len(points)))
    products = np.zeros_like(squares)
    for one, other in zip(queries.T, points.T):
        squares += (one[:, None] - other) ** 2
        products += one[:, None] * other
    if by_angle:
        return np.where(products == 0, 1.0, squares / 2)
    return np.sqrt(squares)
