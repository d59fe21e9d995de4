"""Grow classification trees of 0 and 1 on coded features.

All trees of all nodes share one coded matrix, dense or sparse:

- ``codes`` (n_features, n_all) uint8, a column of bins per feature; or
- the CSR arrays ``indptr``, ``indices``, ``stored`` of the rows, with ``zero_codes``
  (n_features,) uint8, the bin of a value that is not stored.

The arrays that are not used have length 0. Bins run from 0 to 254 in the order of the
feature; 255 is a missing value. See ``splits`` for how weights are packed.

A tree is flat arrays, and the two children of a node stand side by side:

- ``feature``   int32, -1 in a leaf
- ``cut``       uint8, rows with code <= cut go left
- ``missing``   uint8, 1 if missing values go left
- ``left``      int32, number of the left child in its tree; the right one is the next,
  and a leaf is its own left child, with a cut that sends every code there
- ``value``     float32, share of class 1 in the node
"""

import numba
import numpy as np

from hilabel._kernels.random_stream import random_below, seed_stream
from hilabel._kernels.split_search import split_dense, split_sparse
from hilabel._kernels.splits import LOW, MISSING, impurity_of

__all__ = ["grow_trees"]


@numba.njit(cache=True, nogil=True)
def _partition(column, rows, packed, start, end, cut, missing_left):
    """Put the rows that go left first; return (middle, packed sum of the left)."""
    i = start
    j = end - 1
    left_sum = np.int64(0)
    while i <= j:
        code = column[rows[i]]
        goes_left = missing_left == 1 if code == MISSING else code <= cut
        if goes_left:
            left_sum += packed[i]
            i += 1
        else:
            row = rows[i]
            weight = packed[i]
            rows[i] = rows[j]
            packed[i] = packed[j]
            rows[j] = row
            packed[j] = weight
            j -= 1
    return i, left_sum


@numba.njit(cache=True, nogil=True)
def _partition_aside(local, rows, packed, start, end, cut, missing_left):
    """Do what ``_partition`` does, the codes of the node's rows given in order."""
    i = 0
    j = end - start - 1
    left_sum = np.int64(0)
    while i <= j:
        code = local[i]
        goes_left = missing_left == 1 if code == MISSING else code <= cut
        if goes_left:
            left_sum += packed[start + i]
            i += 1
        else:
            row = rows[start + i]
            weight = packed[start + i]
            rows[start + i] = rows[start + j]
            packed[start + i] = packed[start + j]
            rows[start + j] = row
            packed[start + j] = weight
            local[i] = local[j]
            local[j] = code
            j -= 1
    return start + i, left_sum


@numba.njit(cache=True, nogil=True)
def _draw_rows(
    rows, weights, positives, bootstrap, n_draws, state, drawn, packed, times
):
    """Choose the rows of one tree; return how many differ.

    ``times`` (n,) is left holding how often each row was drawn.
    """
    n_rows = rows.shape[0]
    if bootstrap:
        times[:] = 0
        for _ in range(n_draws):
            times[random_below(state, n_rows)] += 1
    else:
        times[:] = 1
    found = 0
    for i in range(n_rows):
        weight = weights[i] * times[i]
        if weight > 0:
            drawn[found] = rows[i]
            positive = weight if positives[i] else np.int64(0)
            packed[found] = (weight << 32) | positive
            found += 1
    return found


@numba.njit(cache=True, nogil=True)
def _code_of(codes, indptr, indices, stored, zero_codes, row, feature):
    """Return the code of one value, dense or sparse."""
    if zero_codes.shape[0] == 0:
        return codes[feature, row]
    low = indptr[row]
    high = indptr[row + 1]
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < feature:
            low = middle + 1
        else:
            high = middle
    if low < indptr[row + 1] and indices[low] == feature:
        return stored[low]
    return zero_codes[feature]


@numba.njit(cache=True, nogil=True)
def _enlarged(array, used, capacity):
    larger = np.empty(capacity, dtype=array.dtype)
    larger[:used] = array[:used]
    return larger


@numba.njit(cache=True, nogil=True)
def grow_trees(
    codes,
    indptr,
    indices,
    stored,
    zero_codes,
    rows,
    weights,
    positives,
    seed,
    node,
    first_tree,
    n_trees,
    bootstrap,
    n_draws,
    is_random,
    n_candidates,
    max_depth,
    least,
    importances,
    votes,
    n_votes,
):
    """Grow the trees ``first_tree`` to ``first_tree + n_trees - 1`` of one node.

    Parameters
    ----------
    codes, indptr, indices, stored, zero_codes
        The coded matrix, dense or sparse; see the head of this file.
    rows : (n,) int32, rows of the matrix
    weights : (n,) int64, at least 0
    positives : (n,) bool
    seed, node, first_tree : integers that together fix each tree's random stream
    bootstrap : draw ``n_draws`` rows with replacement, or take all
    is_random : draw one cut per feature (extra-trees), or look for the best
    n_candidates : features tried per split
    max_depth : splits on the longest path, or -1
    least : fewest differing rows in a leaf
    importances : (n_features,) float64, the decrease of impurity is added, or (0,)
    votes, n_votes : (n,) float64, for out-of-bag rows the leaf shares and their number
        are added, or (0,)

    Returns
    -------
    roots : (n_trees + 1,) int64, where each tree begins in the arrays that follow
    feature, cut, missing, left, value : the trees

    Cost per tree: rows times candidates times depth; for a sparse matrix, stored
    values of the rows times depth.
    """
    n = rows.shape[0]
    is_sparse = zero_codes.shape[0] > 0
    n_features = zero_codes.shape[0] if is_sparse else codes.shape[0]
    capacity = max(64, n_trees * min(2 * n, 4096))
    roots = np.zeros(n_trees + 1, dtype=np.int64)
    feature_ = np.empty(capacity, dtype=np.int32)
    cut_ = np.empty(capacity, dtype=np.uint8)
    missing_ = np.empty(capacity, dtype=np.uint8)
    left_ = np.empty(capacity, dtype=np.int32)
    value_ = np.empty(capacity, dtype=np.float32)
    used = 0

    state = np.zeros(1, dtype=np.uint64)
    drawn = np.empty(n, dtype=np.int32)
    packed = np.empty(n, dtype=np.int64)
    times = np.zeros(n, dtype=np.int64)
    histogram = np.zeros(256, dtype=np.int64)
    tally = np.zeros(256, dtype=np.int64)
    occupied = np.zeros(4, dtype=np.uint64)
    features = np.arange(0 if is_sparse else n_features).astype(np.int32)
    n_scratch = n_features if is_sparse else 0
    feature_times = np.zeros(n_scratch, dtype=np.int64)
    feature_first = np.zeros(n_scratch, dtype=np.uint8)
    feature_varies = np.zeros(n_scratch, dtype=np.bool_)
    touched = np.empty(n_scratch, dtype=np.int32)
    slot = np.full(n_scratch, -1, dtype=np.int32)
    block = np.empty(
        (n_candidates if is_sparse else 0, n if is_sparse else 0), dtype=np.uint8
    )
    positions = np.arange(n if is_sparse else 0).astype(np.int32)
    # Depth first: the stack holds at most one waiting sibling per level.
    stack = np.empty((n + 2, 4), dtype=np.int64)
    stack_sum = np.empty(n + 2, dtype=np.int64)

    for tree in range(n_trees):
        seed_stream(state, seed, node, first_tree + tree)
        for i in range(features.shape[0]):
            features[i] = i
        found = _draw_rows(
            rows, weights, positives, bootstrap, n_draws, state, drawn, packed, times
        )
        if used + 2 * found + 1 > capacity:
            capacity = 2 * capacity + 2 * found + 1
            feature_ = _enlarged(feature_, used, capacity)
            cut_ = _enlarged(cut_, used, capacity)
            missing_ = _enlarged(missing_, used, capacity)
            left_ = _enlarged(left_, used, capacity)
            value_ = _enlarged(value_, used, capacity)
        base = used
        total = np.int64(0)
        for i in range(found):
            total += packed[i]
        tree_weight = max(np.float64(total >> 32), 1.0)
        used += 1
        stack[0, 0] = 0
        stack[0, 1] = found
        stack[0, 2] = 0
        stack[0, 3] = 0
        stack_sum[0] = total
        height = 1
        while height > 0:
            height -= 1
            start = stack[height, 0]
            end = stack[height, 1]
            depth = stack[height, 2]
            here = base + stack[height, 3]
            total = stack_sum[height]
            weight = total >> 32
            positive = total & LOW
            value_[here] = positive / weight if weight > 0 else 0.0
            feature_[here] = -1
            # A leaf is its own left child, where everything goes: a walk may go on.
            cut_[here] = MISSING
            missing_[here] = 1
            left_[here] = here - base
            if (
                positive == 0
                or positive == weight
                or end - start < 2 * least
                or depth == max_depth
            ):
                continue
            if is_sparse:
                impurity, feature, cut, missing_left = split_sparse(
                    indptr,
                    indices,
                    stored,
                    zero_codes,
                    drawn,
                    packed,
                    start,
                    end,
                    total,
                    n_candidates,
                    least,
                    is_random,
                    state,
                    histogram,
                    tally,
                    occupied,
                    feature_times,
                    feature_first,
                    feature_varies,
                    touched,
                    slot,
                    block,
                    positions,
                )
                if feature < 0:
                    continue
                middle, left_sum = _partition_aside(
                    block[feature], drawn, packed, start, end, cut, missing_left
                )
                feature = touched[feature]
            else:
                impurity, feature, cut, missing_left = split_dense(
                    codes,
                    drawn,
                    packed,
                    start,
                    end,
                    total,
                    features,
                    n_candidates,
                    least,
                    is_random,
                    state,
                    histogram,
                    tally,
                    occupied,
                )
                if feature < 0:
                    continue
                middle, left_sum = _partition(
                    codes[feature], drawn, packed, start, end, cut, missing_left
                )
            if missing_left < 0:  # none seen here: later ones follow the majority
                missing_left = 1 if 2 * (left_sum >> 32) >= weight else 0
            if importances.shape[0] > 0:
                before = impurity_of(np.float64(weight), np.float64(positive))
                importances[feature] += 2 * (before - impurity) / tree_weight
            child = used - base
            feature_[here] = feature
            cut_[here] = cut
            missing_[here] = missing_left
            left_[here] = child
            used += 2
            # The right child waits; the left one is next.
            stack[height, 0] = middle
            stack[height, 1] = end
            stack[height, 2] = depth + 1
            stack[height, 3] = child + 1
            stack_sum[height] = total - left_sum
            height += 1
            stack[height, 0] = start
            stack[height, 1] = middle
            stack[height, 2] = depth + 1
            stack[height, 3] = child
            stack_sum[height] = left_sum
            height += 1
        roots[tree + 1] = used
        if votes.shape[0] > 0:
            for i in range(n):
                if times[i] > 0 or weights[i] == 0:
                    continue
                here = base
                while feature_[here] >= 0:
                    code = _code_of(
                        codes,
                        indptr,
                        indices,
                        stored,
                        zero_codes,
                        rows[i],
                        feature_[here],
                    )
                    if code == MISSING:
                        goes_left = missing_[here] == 1
                    else:
                        goes_left = code <= cut_[here]
                    here = base + left_[here] + (0 if goes_left else 1)
                votes[i] += value_[here]
                n_votes[i] += 1
    return (
        roots,
        feature_[:used].copy(),
        cut_[:used].copy(),
        missing_[:used].copy(),
        left_[:used].copy(),
        value_[:used].copy(),
    )
