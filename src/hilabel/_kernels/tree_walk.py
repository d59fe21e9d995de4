"""Walk coded rows down trees; the arrays of a tree are described in ``trees``.

Before rows go down a tree, each of its nodes is packed in 64 bits, so that a step
loads two things only, the node and a code. From the lowest bit on:

- 1 bit, set if missing values go left. Codes are then turned by one, so that 255
  becomes 0, and one comparison serves for missing and other values.
- 9 bits, the cut, turned likewise; in a leaf it is above all codes
- 22 bits, the feature
- 31 bits, the number of the left child; a leaf is its own
"""

import numba
import numpy as np

__all__ = ["MAX_FEATURES", "mean_leaf_values"]

# Rows that go down a tree together, so that the processor has several loads to wait
# for at a time instead of one; and levels between two looks whether all have arrived.
_TOGETHER = 8
_LEVELS = 3
_FEATURE_BITS = 22
MAX_FEATURES = 1 << _FEATURE_BITS
_FEATURE_MASK = MAX_FEATURES - 1
_LEFT_SHIFT = 10 + _FEATURE_BITS

_compiled = numba.njit(cache=True, nogil=True, _nrt=False)
_inlined = numba.njit(cache=True, nogil=True, _nrt=False, forceinline=True)


@_compiled
def _pack_tree(feature, cut, missing, left, start, end, packed):
    """Fill ``packed`` with the nodes from ``start`` to ``end``."""
    for i in range(end - start):
        at = start + i
        turned = np.int64(missing[at])
        packed[i] = (
            turned
            | (np.int64(cut[at]) + turned) << 1
            | np.int64(max(feature[at], 0)) << 10
            | np.int64(left[at]) << _LEFT_SHIFT
        )


@_inlined
def _step(codes, row, node):
    """Return the number of the child that a row goes to, without a branch."""
    code = np.int64(codes[row, (node >> 10) & _FEATURE_MASK])
    right = ((code + (node & 1)) & 255) > ((node >> 1) & 511)
    return (node >> _LEFT_SHIFT) + right


@_compiled
def _add_leaf_values(codes, packed, value, start, here, total):
    """Add, to each row's total, the value of its leaf in the tree that is packed."""
    n_rows = codes.shape[0]
    n_blocked = n_rows - n_rows % _TOGETHER
    for first in range(0, n_blocked, _TOGETHER):
        for i in range(_TOGETHER):
            here[i] = 0
        on_the_way = True
        while on_the_way:
            for _ in range(_LEVELS):
                for i in range(_TOGETHER):
                    here[i] = _step(codes, first + i, packed[here[i]])
            on_the_way = False
            for i in range(_TOGETHER):
                on_the_way |= packed[here[i]] >> _LEFT_SHIFT != here[i]
        for i in range(_TOGETHER):
            total[first + i] += value[start + here[i]]
    for row in range(n_blocked, n_rows):
        at = np.int64(0)
        while packed[at] >> _LEFT_SHIFT != at:
            at = _step(codes, row, packed[at])
        total[row] += value[start + at]


@numba.njit(cache=True, nogil=True)
def mean_leaf_values(codes, roots, feature, cut, missing, left, value):
    """Return, per row, the mean over trees of the value of the leaf it falls in.

    Parameters
    ----------
    codes : (n, n_features) uint8, a row of codes per row; at most MAX_FEATURES
    roots : (n_trees + 1,) int64, where each tree begins
    feature, cut, missing, left, value : the trees

    Returns
    -------
    (n,) float32

    The sum over trees is taken in their order, so the result depends neither on how
    rows are divided nor on threads. Cost: rows times trees times depth.
    """
    n_trees = roots.shape[0] - 1
    total = np.zeros(codes.shape[0], dtype=np.float64)
    here = np.empty(_TOGETHER, dtype=np.int64)
    packed = np.empty(max(np.diff(roots).max(), 1), dtype=np.int64)
    for tree in range(n_trees):
        start = roots[tree]
        _pack_tree(feature, cut, missing, left, start, roots[tree + 1], packed)
        _add_leaf_values(codes, packed, value, start, here, total)
    return (total / n_trees).astype(np.float32)
