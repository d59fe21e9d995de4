"""Grow predictive clustering trees: one tree for all labels, on coded features.

The coded matrix is dense or sparse:

- ``codes`` (n_features, n) uint8, a column of bins per feature, and ``by_row``
  (n, n_features) uint8, the same by row, if cuts are to be drawn; or
- the CSR arrays ``indptr``, ``indices``, ``stored`` of the rows, with ``zero_codes``
  (n_features,) uint8, the bin of a value that is not stored.

The arrays that are not used have length 0. Bins run from 0 to 254 in the order of the
feature; 255 is a missing value.

A tree is flat arrays, and the two children of a node stand side by side:

- ``feature``   int32, -1 in a leaf
- ``cut``       uint8, rows with code <= cut go left
- ``missing``   uint8, 1 if missing values go left
- ``left``      int32, number of the left child; the right one is the next
- ``impurity``, ``gain`` float64, of the node, and by how much its split lowers it
- ``weight``    float64, of the node's labelled rows
- ``leaf``      int32, number of the leaf, -1 elsewhere
- ``leaf_ptr`` int64, ``leaf_index`` int32, ``leaf_share`` float32: the labels found in
  each leaf and the shares of its labelled rows that have them
"""

from typing import NamedTuple

import numba
import numpy as np

from hilabel._kernels.compiling import lean
from hilabel._kernels.multi_label_blocks import fill_block, sum_up
from hilabel._kernels.multi_label_bounds import make_bounds
from hilabel._kernels.multi_label_candidates import find_split
from hilabel._kernels.multi_label_columns import CodedMatrix, make_columns
from hilabel._kernels.multi_label_drawn import make_drawn_cuts
from hilabel._kernels.multi_label_scratch import FEW, make_scratch
from hilabel._kernels.multi_label_splits import MISSING
from hilabel._kernels.random_stream import random_below, seed_stream

__all__ = ["LEAST_GAIN", "grow_tree"]

# Clus splits no node for less.
LEAST_GAIN = 1e-9
# So many candidates pay for the products of many rows.
_MANY_CANDIDATES = 24


class _Tree(NamedTuple):
    """The arrays of a tree by node; ``speak_start`` and ``speak_end`` by leaf."""

    feature: np.ndarray
    cut: np.ndarray
    missing: np.ndarray
    left: np.ndarray
    impurity: np.ndarray
    gain: np.ndarray
    weight: np.ndarray
    leaf: np.ndarray
    speak_start: np.ndarray
    speak_end: np.ndarray


@numba.njit(cache=True, nogil=True)
def _draw(first, last, bootstrap, n_draws, state, times):
    """Count how often each of the rows first to last - 1 is drawn."""
    if not bootstrap:
        times[first:last] = 1.0
        return
    for _ in range(n_draws):
        times[first + random_below(state, last - first)] += 1.0


@numba.njit(cache=True, nogil=True)
def _drawn_rows(n_labeled, n_rows, bootstrap, n_draws, state):
    """Return the different rows of one tree and how often each was drawn.

    Labelled and unlabelled rows are drawn apart, the latter to their own number.
    """
    times = np.zeros(n_rows)
    _draw(0, n_labeled, bootstrap, n_draws, state, times)
    _draw(n_labeled, n_rows, bootstrap, n_rows - n_labeled, state, times)
    rows = np.flatnonzero(times).astype(np.int32)
    return rows, times[rows]


@lean
def _partition(codes, rows, weights, cut, missing_left):
    """Put the rows that go left first; return (how many, their weight, all weight)."""
    i = 0
    j = rows.shape[0] - 1
    left_weight = 0.0
    weight = 0.0
    while i <= j:
        goes_left = missing_left == 1 if codes[i] == MISSING else codes[i] <= cut
        if goes_left:
            left_weight += weights[i]
            weight += weights[i]
            i += 1
        else:
            weight += weights[i]
            code, row, its_weight = codes[i], rows[i], weights[i]
            codes[i], rows[i], weights[i] = codes[j], rows[j], weights[j]
            codes[j], rows[j], weights[j] = code, row, its_weight
            j -= 1
    return i, left_weight, weight


@lean
def _list_shares(rows, weights, n_labeled, ptr, index, label_sum, found, share):
    """List the labels of the labelled rows and their shares; return how many.

    ``label_sum`` (n_labels,) is all 0 before and after; ``found`` and ``share`` have
    room for all labels and one more.
    """
    weight = 0.0
    n_found = np.uint64(0)
    for i in range(rows.shape[0]):
        row, its_weight = rows[i], weights[i]
        if row >= n_labeled:
            continue
        weight += its_weight
        entry, end = np.uint64(ptr[row]), np.uint64(ptr[row + 1])
        while entry < end:
            label = index[entry]
            # Always written, whether it is new or not: no branch.
            found[n_found] = label
            n_found += np.uint64(label_sum[label] == 0.0)
            label_sum[label] += its_weight
            entry += np.uint64(1)
    for at in range(n_found):
        k = np.uint64(at)
        label = np.uint32(found[k])
        share[k] = label_sum[label] / weight
        label_sum[label] = 0.0
    return np.int64(n_found)


@lean
def _count_entries(tree, n_leaves, rows, ptr, n_labels):
    """Return for how many labels of all leaves there must be room at most."""
    total = 0
    for number in range(n_leaves):
        n_entries = 0
        for i in range(tree.speak_start[number], tree.speak_end[number]):
            n_entries += ptr[rows[i] + 1] - ptr[rows[i]]
        total += min(n_entries, n_labels)
    return total


@lean
def _fill_leaves(
    tree, n_leaves, rows, weights, targets, label_sum, leaf_ptr, leaf_index, leaf_share
):
    """List the labels of every leaf; return how many there are.

    Nodes below others only change the order of their rows, so that what a leaf holds
    still stands in the same places when the whole tree is grown.
    """
    n_entries = 0
    for number in range(n_leaves):
        start, end = tree.speak_start[number], tree.speak_end[number]
        n_entries += _list_shares(
            rows[start:end],
            weights[start:end],
            targets.n_labeled,
            targets.leaf_ptr,
            targets.leaf_index,
            label_sum,
            leaf_index[n_entries:],
            leaf_share[n_entries:],
        )
        leaf_ptr[number + 1] = n_entries
    return n_entries


@numba.njit(cache=True, nogil=True)
def _room_for(capacity):
    return _Tree(
        np.full(capacity, -1, dtype=np.int32),
        np.zeros(capacity, dtype=np.uint8),
        np.zeros(capacity, dtype=np.uint8),
        np.zeros(capacity, dtype=np.int32),
        np.zeros(capacity),
        np.zeros(capacity),
        np.zeros(capacity),
        np.full(capacity, -1, dtype=np.int32),
        np.empty(capacity, dtype=np.int64),
        np.empty(capacity, dtype=np.int64),
    )


@lean
def _is_significant(totals, gain, least_f):
    """Say whether the split passes the F-test; ``least_f`` is empty without one."""
    if least_f.shape[0] == 0:
        return True
    before = totals.label_impurity + totals.feature_impurity + totals.gappy_impurity
    # F = (N - 2) (SST - SSR) / SSR, multiplied by SSR, which may be 0.
    return (totals.weight - 2.0) * gain > least_f[int(totals.weight)] * (before - gain)


@lean
def _rows_of_blocks(n_candidates, is_random, has_values):
    """Return the size from which on nodes become blocks, found by measuring."""
    if has_values:  # as many as features, or more of them
        return FEW
    few = FEW if n_candidates >= _MANY_CANDIDATES else FEW // 2
    return few // 2 if is_random else few


@lean
def _grow(
    matrix,
    rows,
    weights,
    targets,
    scratch,
    bounds,
    drawn,
    columns,
    is_random,
    n_candidates,
    max_depth,
    least,
    least_f,
    state,
    cut_state,
    stack,
    tree,
):
    """Grow a tree on the rows; return (nodes, leaves)."""
    used = 1
    n_leaves = 0
    has_values = scratch.feature_sum.shape[0] > 0
    few = _rows_of_blocks(n_candidates, is_random, has_values)
    # start, end, depth, number, the rows that speak for a node without labels, and
    # whether it is part of a block.
    stack[0, :] = 0
    stack[0, 1] = rows.shape[0]
    stack[0, 5] = rows.shape[0]
    height = 1
    while height > 0:
        height -= 1
        start, end, depth, here = (
            stack[height, 0],
            stack[height, 1],
            stack[height, 2],
            stack[height, 3],
        )
        is_in_block = stack[height, 6] == 1
        node_rows = rows[start:end]
        node_weights = weights[start:end]
        may_split = end - start >= 2 * least and depth != max_depth
        if not is_in_block and end - start <= few and may_split:
            fill_block(node_rows, node_weights, targets, scratch)
            is_in_block = True
        totals = sum_up(
            node_rows, node_weights, targets, scratch, is_in_block, not is_random
        )
        impurity = (
            totals.label_impurity + totals.feature_impurity + totals.gappy_impurity
        )
        tree.impurity[here] = impurity
        tree.weight[here] = totals.labeled_weight
        if totals.labeled_weight > 0:
            stack[height, 4] = start
            stack[height, 5] = end
        speak_start, speak_end = stack[height, 4], stack[height, 5]
        feature = np.int32(-1)
        gain = 0.0
        cut = 0
        missing_left = -1
        if may_split and impurity > LEAST_GAIN:
            gain, feature, cut, missing_left = find_split(
                matrix,
                columns,
                node_rows,
                node_weights,
                targets,
                totals,
                scratch,
                bounds,
                drawn,
                n_candidates,
                least,
                is_random,
                state,
                cut_state,
            )
            if gain <= LEAST_GAIN or not _is_significant(totals, gain, least_f):
                feature = np.int32(-1)
        tree.feature[here] = feature
        if feature < 0:
            tree.leaf[here] = n_leaves
            tree.left[here] = here
            tree.speak_start[n_leaves] = speak_start
            tree.speak_end[n_leaves] = speak_end
            n_leaves += 1
            continue
        n_left, left_weight, weight = _partition(
            columns.chosen, node_rows, node_weights, cut, missing_left
        )
        if missing_left < 0:  # none seen here: later ones follow the majority
            missing_left = 1 if 2.0 * left_weight >= weight else 0
        tree.cut[here] = cut
        tree.missing[here] = missing_left
        tree.left[here] = used
        tree.gain[here] = gain
        # The right child waits; the left one is next.
        for child in range(2):
            place = height + 1 - child
            stack[place, 0] = start if child == 0 else start + n_left
            stack[place, 1] = start + n_left if child == 0 else end
            stack[place, 2] = depth + 1
            stack[place, 3] = used + child
            stack[place, 4] = speak_start
            stack[place, 5] = speak_end
            stack[place, 6] = is_in_block
        used += 2
        height += 2
    return used, n_leaves


@numba.njit(cache=True, nogil=True)
def grow_tree(
    codes,
    by_row,
    indptr,
    indices,
    stored,
    zero_codes,
    targets,
    n_feature_targets,
    seed,
    tree,
    bootstrap,
    n_draws,
    is_random,
    n_candidates,
    max_depth,
    least,
    least_f,
):
    """Grow one tree.

    Parameters
    ----------
    codes, by_row, indptr, indices, stored, zero_codes
        The coded matrix, dense or sparse; see the head of this file.
    targets : Targets, what the rows aim at
    n_feature_targets : features without gaps that are part of the aim, or 0
    seed, tree : integers that together fix the tree's random stream
    bootstrap : draw rows with replacement, labelled and unlabelled apart, or take all
    n_draws : labelled rows drawn
    is_random : draw one cut per feature (extra-trees), or look for the best
    n_candidates : features tried per split
    max_depth : splits on the longest path, or -1
    least : fewest differing rows in a leaf
    least_f : (weight of all rows + 1,) float64, by the weight of a node the F that its
        split must exceed, or (0,)

    Returns
    -------
    feature, cut, missing, left, impurity, gain, weight, leaf, leaf_ptr, leaf_index,
    leaf_share : the tree

    Cost: labels of the rows times candidates times depth.
    """
    n_all = targets.label_ptr.shape[0] - 1
    state = np.zeros(1, dtype=np.uint64)
    seed_stream(state, seed, 0, tree)
    cut_state = np.zeros(1, dtype=np.uint64)
    seed_stream(cut_state, seed, 1, tree)
    rows, weights = _drawn_rows(targets.n_labeled, n_all, bootstrap, n_draws, state)
    n_rows = rows.shape[0]
    matrix = CodedMatrix(codes, by_row, indptr, indices, stored, zero_codes)
    scratch = make_scratch(rows, weights, targets, n_feature_targets, is_random)
    bounds = make_bounds(rows, weights, targets, scratch, n_candidates)
    columns = make_columns(matrix, n_rows, n_candidates)
    most_leaves = max(n_rows // least, 1)
    grown = _room_for(2 * most_leaves)
    used, n_leaves = _grow(
        matrix,
        rows,
        weights,
        targets,
        scratch,
        bounds,
        make_drawn_cuts(n_candidates, is_random),
        columns,
        is_random,
        n_candidates,
        max_depth,
        least,
        least_f,
        state,
        cut_state,
        np.zeros((n_rows + 2, 7), dtype=np.int64),
        grown,
    )
    n_labels = targets.label_weight.shape[0]
    room = _count_entries(grown, n_leaves, rows, targets.leaf_ptr, n_labels)
    leaf_ptr = np.zeros(n_leaves + 1, dtype=np.int64)
    leaf_index = np.empty(room + 1, dtype=np.int32)
    leaf_share = np.empty(room + 1, dtype=np.float32)
    n_entries = _fill_leaves(
        grown,
        n_leaves,
        rows,
        weights,
        targets,
        scratch.label_sum,
        leaf_ptr,
        leaf_index,
        leaf_share,
    )
    return (
        grown.feature[:used].copy(),
        grown.cut[:used].copy(),
        grown.missing[:used].copy(),
        grown.left[:used].copy(),
        grown.impurity[:used].copy(),
        grown.gain[:used].copy(),
        grown.weight[:used].copy(),
        grown.leaf[:used].copy(),
        leaf_ptr,
        leaf_index[:n_entries].copy(),
        leaf_share[:n_entries].copy(),
    )
