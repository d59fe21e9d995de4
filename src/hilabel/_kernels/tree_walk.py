"""Walk coded rows down trees; the arrays of a tree are described in ``trees``."""

import numba
import numpy as np

__all__ = ["mean_leaf_values"]

_MISSING = 255
# Rows that go down a tree together, so that the processor has several loads to wait
# for at a time instead of one; and levels between two looks whether all have arrived.
_TOGETHER = 8
_LEVELS = 3


@numba.njit(cache=True, nogil=True, inline="always")
def _next(at, base, code, cut, missing, left):
    """Return the child that a row with ``code`` goes to, without a branch.

    A leaf is its own left child, and every code goes left there.
    """
    right = (code > cut[at]) & ((code != _MISSING) | (missing[at] == 0))
    return base + left[at] + right


@numba.njit(cache=True, nogil=True)
def mean_leaf_values(codes, roots, feature, cut, missing, left, value):
    """Return, per row, the mean over trees of the value of the leaf it falls in.

    Parameters
    ----------
    codes : (n, n_features) uint8, a row of codes per row
    roots : (n_trees + 1,) int64, where each tree begins
    feature, cut, missing, left, value : the trees

    Returns
    -------
    (n,) float32

    The sum over trees is taken in their order, so the result depends neither on how
    rows are divided nor on threads. Cost: rows times trees times depth.
    """
    n_rows = codes.shape[0]
    n_trees = roots.shape[0] - 1
    n_blocked = n_rows - n_rows % _TOGETHER
    total = np.zeros(n_rows, dtype=np.float64)
    here = np.empty(_TOGETHER, dtype=np.int64)
    for tree in range(n_trees):
        base = roots[tree]
        for first in range(0, n_blocked, _TOGETHER):
            for i in range(_TOGETHER):
                here[i] = base
            on_the_way = feature[base] >= 0
            while on_the_way:
                for _ in range(_LEVELS):
                    for i in range(_TOGETHER):
                        at = here[i]
                        code = codes[first + i, max(feature[at], 0)]
                        here[i] = _next(at, base, code, cut, missing, left)
                on_the_way = False
                for i in range(_TOGETHER):
                    on_the_way |= feature[here[i]] >= 0
            for i in range(_TOGETHER):
                total[first + i] += value[here[i]]
        for row in range(n_blocked, n_rows):
            at = base
            while feature[at] >= 0:
                code = codes[row, feature[at]]
                at = _next(at, base, code, cut, missing, left)
            total[row] += value[at]
    return (total / n_trees).astype(np.float32)
