"""Predict with trees for all labels at once; see ``multi_label_trees`` for the form."""

import numba
import numpy as np

from hilabel._kernels.compiling import inlined, lean

__all__ = ["find_leaves", "mean_label_shares"]

_MISSING = 255


@inlined
def _leaf_of(codes, row, root, feature, cut, missing, left):
    """Return the place in the arrays of the leaf that a row of codes falls in."""
    here = np.uint64(root)
    while feature[here] >= 0:
        code = codes[row, np.uint32(feature[here])]
        goes_left = (code <= cut[here]) | ((code == _MISSING) & (missing[here] == 1))
        here = np.uint64(root) + np.uint64(left[here]) + np.uint64(not goes_left)
    return here


@lean
def _add_leaves(codes, row, roots, trees, leaves, total):
    """Add the shares of the leaves that a row falls in."""
    feature, cut, missing, left = trees
    leaf, leaf_ptr, leaf_index, leaf_share = leaves
    for tree in range(roots.shape[0] - 1):
        place = _leaf_of(codes, row, roots[tree], feature, cut, missing, left)
        number = leaf[place]
        entry, end = np.uint64(leaf_ptr[number]), np.uint64(leaf_ptr[number + 1])
        while entry < end:
            total[np.uint32(leaf_index[entry])] += leaf_share[entry]
            entry += np.uint64(1)


@numba.njit(cache=True, nogil=True)
def find_leaves(codes, roots, feature, cut, missing, left):
    """Return (n, n_trees) int64, the place of each row's leaf in every tree.

    ``codes`` is (n, n_features) uint8, a row of codes per row; ``roots`` (n_trees + 1,)
    int64 says where each tree begins. O(rows, times trees, times depth).
    """
    n_trees = roots.shape[0] - 1
    leaves = np.empty((codes.shape[0], n_trees), dtype=np.int64)
    for row in range(codes.shape[0]):
        for tree in range(n_trees):
            leaves[row, tree] = _leaf_of(
                codes, row, roots[tree], feature, cut, missing, left
            )
    return leaves


@numba.njit(cache=True, nogil=True)
def mean_label_shares(
    codes,
    roots,
    feature,
    cut,
    missing,
    left,
    leaf,
    leaf_ptr,
    leaf_index,
    leaf_share,
    target_of,
    scores,
):
    """Write into ``scores`` (n, n_nodes) float32 the mean over trees of leaf shares.

    ``target_of`` (n_nodes,) int32 is the label of the trees that stands for each node
    of the hierarchy, -1 for none. Sums are taken in the order of the trees, so that
    they do not depend on threads; and since sums and quotients keep the order of
    shares, no node ever comes above a parent. O(rows, times trees, times labels of a
    leaf).
    """
    n_trees = roots.shape[0] - 1
    n_labels = 0
    for node in range(target_of.shape[0]):
        n_labels = max(n_labels, target_of[node] + 1)
    total = np.zeros(n_labels)
    trees = feature, cut, missing, left
    leaves = leaf, leaf_ptr, leaf_index, leaf_share
    for row in range(codes.shape[0]):
        total[:] = 0.0
        _add_leaves(codes, row, roots, trees, leaves, total)
        for node in range(target_of.shape[0]):
            target = target_of[node]
            scores[row, node] = 0.0 if target < 0 else total[target] / n_trees
