"""Walk coded rows down trees; the arrays of a tree are described in ``trees``."""

import numba
import numpy as np

__all__ = ["mean_leaf_values"]

_MISSING = 255
# Rows that go down a tree together, so that the processor has several loads to wait
# for at a time instead of one.
_TOGETHER = 8


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
    total = np.zeros(n_rows, dtype=np.float64)
    here = np.empty(_TOGETHER, dtype=np.int64)
    for tree in range(n_trees):
        base = roots[tree]
        for first in range(0, n_rows, _TOGETHER):
            n_here = min(_TOGETHER, n_rows - first)
            here[:] = base
            moving = True
            while moving:
                moving = False
                for i in range(n_here):
                    at = here[i]
                    tested = feature[at]
                    if tested >= 0:
                        code = codes[first + i, tested]
                        goes_right = code > cut[at]
                        if code == _MISSING:
                            goes_right = missing[at] == 0
                        here[i] = base + left[at] + goes_right
                        moving = True
            for i in range(n_here):
                total[first + i] += value[here[i]]
    return (total / n_trees).astype(np.float32)
