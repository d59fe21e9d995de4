"""Distances between the neighbours of each row, without copies of the rows."""

import numba
import numpy as np

__all__ = ["euclidean_within"]


@numba.njit(cache=True, nogil=True)
def euclidean_within(points, neighbors):
    """Return the Euclidean distances between the neighbours of each row.

    Parameters
    ----------
    points : (n, d) float64
    neighbors : (m, k) integers, rows of ``points``

    Returns
    -------
    (m, k, k) float64, symmetric, zero on the diagonal. O(m k k d).
    """
    n_rows, k = neighbors.shape
    n_features = points.shape[1]
    result = np.zeros((n_rows, k, k))
    for row in range(n_rows):
        for i in range(k):
            for j in range(i + 1, k):
                a = neighbors[row, i]
                b = neighbors[row, j]
                total = 0.0
                for feature in range(n_features):
                    gap = points[a, feature] - points[b, feature]
                    total += gap * gap
                result[row, i, j] = result[row, j, i] = np.sqrt(total)
    return result
