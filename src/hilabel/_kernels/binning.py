"""Code feature values as the numbers of their bins."""

import numba
import numpy as np

__all__ = ["bin_codes", "bin_columns"]

_MISSING = 255


@numba.njit(cache=True, nogil=True)
def _bin_of(value, edges, low, high):
    """Return how many of ``edges[low:high]``, ascending, are below ``value``."""
    start = low
    while low < high:
        middle = (low + high) // 2
        if edges[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low - start


@numba.njit(cache=True, nogil=True)
def bin_columns(X, edges_ptr, edges, by_feature):
    """Return the codes of a dense matrix.

    Parameters
    ----------
    X : (n, d) float64
    edges_ptr : (d + 1,) int64, edges : float64
        Feature f has the ascending edges ``edges[edges_ptr[f]:edges_ptr[f + 1]]``, at
        most 254; a value equal to an edge is in the lower bin.
    by_feature : whether the result is (d, n) instead of (n, d)

    Returns
    -------
    uint8 array; 255 stands for NaN. O(n d log 255).
    """
    n_rows, n_features = X.shape
    shape = (n_features, n_rows) if by_feature else (n_rows, n_features)
    codes = np.empty(shape, dtype=np.uint8)
    for row in range(n_rows):
        for feature in range(n_features):
            value = X[row, feature]
            if np.isnan(value):
                code = _MISSING
            else:
                low, high = edges_ptr[feature], edges_ptr[feature + 1]
                code = _bin_of(value, edges, low, high)
            if by_feature:
                codes[feature, row] = code
            else:
                codes[row, feature] = code
    return codes


@numba.njit(cache=True, nogil=True)
def bin_codes(values, features, edges_ptr, edges):
    """Return the codes of single values (k,) of the features (k,) given."""
    codes = np.empty(values.shape[0], dtype=np.uint8)
    for i in range(values.shape[0]):
        if np.isnan(values[i]):
            codes[i] = _MISSING
        else:
            low, high = edges_ptr[features[i]], edges_ptr[features[i] + 1]
            codes[i] = _bin_of(values[i], edges, low, high)
    return codes
