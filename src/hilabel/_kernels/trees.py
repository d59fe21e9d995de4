"""Grow classification trees of 0 and 1 on coded features.

All trees of all nodes share one coded matrix, described in ``split_search``; how
weights are packed is said in ``splits``. A tree is flat arrays, and the two children
of a node stand side by side:

- ``feature``   int32, -1 in a leaf
- ``cut``       uint8, rows with code <= cut go left
- ``missing``   uint8, 1 if missing values go left
- ``left``      int32, number of the left child in its tree; the right one is the next,
  and a leaf is its own left child, with a cut that sends every code there
- ``value``     float32, share of class 1 in the node
"""

from typing import Any, NamedTuple

import numba
import numpy as np

from hilabel._kernels.compiling import lean
from hilabel._kernels.random_stream import random_below, seed_stream
from hilabel._kernels.split_search import Columns, best_split, code_of
from hilabel._kernels.splits import LOW, MISSING, impurity_of, make_bench

__all__ = ["Columns", "Trees", "grow_trees"]


class Trees(NamedTuple):
    """The arrays of some trees; see the head of this file."""

    feature: Any
    cut: Any
    missing: Any
    left: Any
    value: Any


class _How(NamedTuple):
    """What to try, and when to stop."""

    n_candidates: Any
    max_depth: Any
    least: Any
    is_random: Any


class _Space(NamedTuple):
    """What growing a tree needs room for, made once for many trees.

    Attributes
    ----------
    drawn, packed : the rows of the tree and their packed weights
    drawn_aside, packed_aside : for those on the right while they are parted
    features, least_bits : see ``best_split``
    stack, sums : tree nodes that wait, (start, end, depth, number), and packed sums
    """

    drawn: Any
    packed: Any
    drawn_aside: Any
    packed_aside: Any
    features: Any
    least_bits: Any
    stack: Any
    sums: Any


@numba.njit(cache=True, nogil=True)
def _make_space(n, n_features):
    return _Space(
        np.empty(n, dtype=np.int32),
        np.empty(n, dtype=np.int64),
        np.empty(n, dtype=np.int32),
        np.empty(n, dtype=np.int64),
        np.empty(n_features, dtype=np.int32),
        np.empty(n_features, dtype=np.int32),
        # Depth first: at most one sibling waits per level.
        np.empty((n + 2, 4), dtype=np.int64),
        np.empty(n + 2, dtype=np.int64),
    )


@numba.njit(cache=True, nogil=True)
def _room_for(capacity):
    return Trees(
        np.empty(capacity, dtype=np.int32),
        np.empty(capacity, dtype=np.uint8),
        np.empty(capacity, dtype=np.uint8),
        np.empty(capacity, dtype=np.int32),
        np.empty(capacity, dtype=np.float32),
    )


@numba.njit(cache=True, nogil=True)
def _copied(trees, used, capacity):
    """Return the first ``used`` entries in arrays of length ``capacity``."""
    copy = _room_for(capacity)
    copy.feature[:used] = trees.feature[:used]
    copy.cut[:used] = trees.cut[:used]
    copy.missing[:used] = trees.missing[:used]
    copy.left[:used] = trees.left[:used]
    copy.value[:used] = trees.value[:used]
    return copy


@lean
def _partition(
    codes, rows, packed, rows_aside, packed_aside, start, n, cut, missing_left
):
    """Put the rows that go left first; return (how many, packed sum of the left).

    The order is kept on both sides, and no branch depends on the codes.
    """
    # Turned by one in 8 bits, missing values are the lowest.
    turn = np.uint8(1 if missing_left == 1 else 0)
    limit = np.uint8(cut + turn)
    one, begin = np.uint64(1), np.uint64(start)  # a sign would need a look
    left = begin
    n_right = np.uint64(0)
    left_sum = np.int64(0)
    for i in range(n):
        at = np.uint64(i)
        goes_left = np.uint8(codes[at] + turn) <= limit
        row, weight = rows[begin + at], packed[begin + at]
        rows[left] = row
        packed[left] = weight
        rows_aside[n_right] = row
        packed_aside[n_right] = weight
        left_sum += weight if goes_left else np.int64(0)
        left += np.uint64(goes_left)
        n_right += one - np.uint64(goes_left)
    for i in range(n_right):
        at = np.uint64(i)
        rows[left + at] = rows_aside[at]
        packed[left + at] = packed_aside[at]
    return np.int64(left - begin), left_sum


@lean
def _draw_rows(rows, weights, positives, bootstrap, n_draws, state, space, times):
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
            space.drawn[found] = rows[i]
            positive = weight if positives[i] else np.int64(0)
            space.packed[found] = (weight << 32) | positive
            found += 1
    return found


@numba.njit(cache=True, nogil=True)
def _place_rows(drawn, found, places):
    """Note where each row stands; return nothing if one stands in several places."""
    if places.shape[0] == 0:
        return places
    places[:] = -1
    for i in range(found):
        if places[drawn[i]] >= 0:
            return places[:0]
        places[drawn[i]] = i
    return places


@lean
def _leaf_value(columns, trees, base, row):
    """Return the value of the leaf that a row of the matrix falls in."""
    here = base
    while trees.feature[here] >= 0:
        code = code_of(columns, trees.feature[here], row)
        if code == MISSING:
            goes_left = trees.missing[here] == 1
        else:
            goes_left = code <= trees.cut[here]
        here = base + trees.left[here] + (0 if goes_left else 1)
    return trees.value[here]


@lean
def _grow_tree(
    columns, found, place, how, state, base, trees, importances, space, bench
):
    """Grow one tree on the first ``found`` rows drawn, in the arrays from ``base`` on.

    Returns where it ends.
    """
    drawn, packed, drawn_aside, packed_aside = space[:4]
    features, least_bits, stack, stack_sum = space[4:]
    feature_, cut_, missing_, left_, value_ = trees
    used = base
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
            or end - start < 2 * how.least
            or depth == how.max_depth
        ):
            continue
        impurity, feature, cut, missing_left = best_split(
            columns,
            drawn,
            place,
            packed,
            start,
            end,
            total,
            features,
            least_bits,
            how.n_candidates,
            how.least,
            how.is_random,
            state,
            bench,
        )
        if feature < 0:
            continue
        n_left, left_sum = _partition(
            bench.codes,
            drawn,
            packed,
            drawn_aside,
            packed_aside,
            start,
            end - start,
            cut,
            missing_left,
        )
        middle = start + n_left
        if place.shape[0] > 0:
            for i in range(start, end):
                place[drawn[i]] = i
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
    return used


@numba.njit(cache=True, nogil=True)
def grow_trees(
    columns,
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
    columns : Columns, the coded matrix
    rows : (n,) int32, rows of the matrix
    weights : (n,) int64, at least 0
    positives : (n,) bool
    seed, node, first_tree : integers that together fix each tree's random stream
    bootstrap : draw ``n_draws`` rows with replacement, or take all
    is_random : draw one cut per feature (extra-trees), or look for the best
    n_candidates : features drawn per split
    max_depth : splits on the longest path, or -1
    least : fewest differing rows in a leaf
    importances : (n_features,) float64, the decrease of impurity is added, or (0,)
    votes, n_votes : (n,) float64, for out-of-bag rows the leaf shares and their number
        are added, or (0,)

    Returns
    -------
    roots : (n_trees + 1,) int64, where each tree begins in the arrays that follow
    feature, cut, missing, left, value : the trees

    Cost per tree: rows times candidates times depth; for a sparse matrix, at most
    stored values of the candidates times tree nodes.
    """
    n = rows.shape[0]
    is_sparse = columns.zero_codes.shape[0] > 0
    n_features = columns.zero_codes.shape[0] if is_sparse else columns.codes.shape[0]
    capacity = max(64, n_trees * min(2 * n, 4096))
    roots = np.zeros(n_trees + 1, dtype=np.int64)
    trees = _room_for(capacity)
    used = 0

    how = _How(n_candidates, max_depth, least, is_random)
    bench = make_bench(n)
    space = _make_space(n, n_features)
    state = np.zeros(1, dtype=np.uint64)
    times = np.zeros(n, dtype=np.int64)
    n_placed = rows.max() + 1 if is_sparse and n > 0 else 0
    if is_sparse and columns.indices.shape[0] > 0:
        n_placed = max(n_placed, np.int64(columns.indices.max()) + 1)
    places = np.full(n_placed, -1, dtype=np.int32)

    for tree in range(n_trees):
        seed_stream(state, seed, node, first_tree + tree)
        for i in range(n_features):
            space.features[i] = i
        found = _draw_rows(
            rows, weights, positives, bootstrap, n_draws, state, space, times
        )
        place = _place_rows(space.drawn, found, places)
        if used + 2 * found + 1 > capacity:
            capacity = 2 * capacity + 2 * found + 1
            trees = _copied(trees, used, capacity)
        base = used
        used = _grow_tree(
            columns, found, place, how, state, base, trees, importances, space, bench
        )
        roots[tree + 1] = used
        if votes.shape[0] > 0:
            for i in range(n):
                if times[i] == 0 and weights[i] > 0:
                    votes[i] += _leaf_value(columns, trees, base, rows[i])
                    n_votes[i] += 1
    return roots, _copied(trees, used, used)
