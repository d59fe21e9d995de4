"""Walk coded rows down trees; the arrays of a tree are described in ``trees``.

Before rows go down a tree, each of its nodes is packed in 64 bits, so that a step
loads two things only, the node and a code. All is unsigned, since a sign would need a
look before each load. From the lowest bit on:

- 1 bit, set if missing values go left. Codes are then turned by one, so that 255
  becomes 0, and one comparison serves for missing and other values.
- 9 bits, the cut, turned likewise; in a leaf it is above all codes
- 22 bits, the feature
- 31 bits, the number of the left child; a leaf is its own
"""

import numba
import numpy as np

from hilabel._kernels.compiling import inlined, lean

__all__ = ["MAX_FEATURES", "mean_leaf_values"]

# Rows that go down a tree together, so that the processor has several loads to wait
# for at a time instead of one; and levels between two looks whether all have arrived.
_TOGETHER = 8
_LEVELS = 3
_FEATURE_BITS = 22
MAX_FEATURES = 1 << _FEATURE_BITS
_FEATURE_MASK = np.uint64(MAX_FEATURES - 1)
_ONE_BIT, _CUT_MASK, _CODE_MASK = np.uint64(1), np.uint64(511), np.uint64(255)
_CUT_SHIFT, _FEATURE_SHIFT = np.uint64(1), np.uint64(10)
_LEFT_SHIFT = np.uint64(10 + _FEATURE_BITS)


@lean
def _pack_tree(feature, cut, missing, left, start, end, packed):
    """Fill ``packed`` with the nodes from ``start`` to ``end``."""
    begin = np.uint64(start)
    for i in range(end - start):
        at = begin + np.uint64(i)
        turned = np.uint64(missing[at])
        packed[i] = (
            turned
            | (np.uint64(cut[at]) + turned) << _CUT_SHIFT
            | np.uint64(max(feature[at], 0)) << _FEATURE_SHIFT
            | np.uint64(left[at]) << _LEFT_SHIFT
        )


@inlined
def _step(codes, row, node):
    """Return the number of the child that a row goes to, without a branch."""
    code = np.uint64(codes[row, (node >> _FEATURE_SHIFT) & _FEATURE_MASK])
    turned = (code + (node & _ONE_BIT)) & _CODE_MASK
    right = turned > ((node >> _CUT_SHIFT) & _CUT_MASK)
    return (node >> _LEFT_SHIFT) + np.uint64(right)


@lean
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
                    row = np.uint64(first) + np.uint64(i)
                    here[i] = _step(codes, row, packed[here[i]])
            on_the_way = False
            for i in range(_TOGETHER):
                on_the_way |= packed[here[i]] >> _LEFT_SHIFT != here[i]
        for i in range(_TOGETHER):
            total[first + i] += value[np.uint64(start) + here[i]]
    for row in range(n_blocked, n_rows):
        at = np.uint64(0)
        while packed[at] >> _LEFT_SHIFT != at:
            at = _step(codes, np.uint64(row), packed[at])
        total[row] += value[np.uint64(start) + at]


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
    here = np.empty(_TOGETHER, dtype=np.uint64)
    packed = np.empty(max(np.diff(roots).max(), 1), dtype=np.uint64)
    for tree in range(n_trees):
        start = roots[tree]
        _pack_tree(feature, cut, missing, left, start, roots[tree + 1], packed)
        _add_leaf_values(codes, packed, value, start, here, total)
    return (total / n_trees).astype(np.float32)
