"""Draw features at random and find the best split of a tree node among them.

The coded matrix, dense or sparse, is described in ``multi_label_trees``.
"""

from typing import NamedTuple

import numba
import numpy as np

from hilabel._kernels.multi_label_splits import (
    MISSING,
    add_feature_gains,
    add_gappy_gains,
    add_list_gains,
    add_product_gains,
    add_table_gains,
    draw_cut,
    fill_products,
    mark_cuts,
    missing_first,
    part,
    sort_by_code,
)
from hilabel._kernels.random_stream import random_below

__all__ = ["Columns", "find_split", "make_columns"]


class Columns(NamedTuple):
    """Codes of the node's rows, feature by feature, and what it takes to get them.

    - ``features`` (n_features,) int32: all, in an order that changes
    - ``current``, ``chosen`` (n,) uint8: codes of the feature tried, and of the best
    - ``numbers`` (n,) int32: 0, 1, 2 and so on
    - the rest for sparse matrices: ``block`` (n_candidates, n) uint8 holds codes of
      the features ``drawn``; between nodes ``times`` is all 0, ``varies`` all False and
      ``slot`` all -1
    """

    features: np.ndarray
    current: np.ndarray
    chosen: np.ndarray
    numbers: np.ndarray
    block: np.ndarray
    drawn: np.ndarray
    times: np.ndarray
    first: np.ndarray
    varies: np.ndarray
    touched: np.ndarray
    slot: np.ndarray


@numba.njit(cache=True, nogil=True)
def make_columns(codes, zero_codes, n_rows, n_candidates):
    """Return scratch for trees of at most ``n_rows`` different rows."""
    n_dense = codes.shape[0]
    n_sparse = zero_codes.shape[0]
    return Columns(
        np.arange(max(n_dense, n_sparse)).astype(np.int32),
        np.empty(n_rows, dtype=np.uint8),
        np.empty(n_rows, dtype=np.uint8),
        np.arange(n_rows).astype(np.int32),
        np.empty((n_candidates, n_rows if n_sparse > 0 else 0), dtype=np.uint8),
        np.empty(n_candidates, dtype=np.int32),
        np.zeros(n_sparse, dtype=np.int64),
        np.zeros(n_sparse, dtype=np.uint8),
        np.zeros(n_sparse, dtype=np.bool_),
        np.empty(n_sparse, dtype=np.int32),
        np.full(n_sparse, -1, dtype=np.int32),
    )


@numba.njit(cache=True, nogil=True, inline="always")
def draw_feature(features, remaining, state):
    """Draw one of the first ``remaining + 1`` features and put it behind them."""
    drawn = random_below(state, remaining + 1)
    feature = features[drawn]
    features[drawn] = features[remaining]
    features[remaining] = feature
    return feature


@numba.njit(cache=True, nogil=True)
def _gather(codes, feature, rows, current):
    """Copy the codes of the rows to ``current``.

    Returns (lowest, highest, whether some are missing), the latter two left out of
    the former; without any known code the lowest is above the highest.
    """
    lowest = np.int64(MISSING)
    highest = np.int64(-1)
    n_missing = 0
    for i in range(rows.shape[0]):
        code = np.int64(codes[feature, np.uint32(rows[i])])
        current[i] = code
        lowest = min(lowest, code)
        n_missing += code == MISSING
        highest = max(highest, -1 if code == MISSING else code)
    return lowest, highest, n_missing > 0


@numba.njit(cache=True, nogil=True)
def _mark_varying(indptr, indices, stored, zero_codes, columns, rows):
    """Set ``varies`` for the features that vary among the rows; return how many seen.

    Walks the stored values of the rows once; the features seen are in ``touched``.
    """
    times, first, varies = columns.times, columns.first, columns.varies
    touched = columns.touched
    n_touched = 0
    for row in rows:
        for entry in range(indptr[row], indptr[row + 1]):
            feature = indices[entry]
            if times[feature] == 0:
                touched[n_touched] = feature
                n_touched += 1
                first[feature] = stored[entry]
            elif stored[entry] != first[feature]:
                varies[feature] = True
            times[feature] += 1
    for i in range(n_touched):
        feature = touched[i]
        has_zero = times[feature] < rows.shape[0]
        varies[feature] |= has_zero and first[feature] != zero_codes[feature]
        times[feature] = 0
    return n_touched


@numba.njit(cache=True, nogil=True)
def _draw_and_lay_out(
    indptr, indices, stored, zero_codes, columns, rows, n_candidates, state
):
    """Draw features as for a dense matrix, and fill ``block`` with their codes.

    Returns how many were found; they are in ``drawn``.
    """
    n_rows = rows.shape[0]
    features, drawn = columns.features, columns.drawn
    slot, block, varies = columns.slot, columns.block, columns.varies
    n_touched = _mark_varying(indptr, indices, stored, zero_codes, columns, rows)
    remaining = features.shape[0]
    n_drawn = 0
    while n_drawn < n_candidates and remaining > 0:
        remaining -= 1
        feature = draw_feature(features, remaining, state)
        if varies[feature]:
            drawn[n_drawn] = feature
            slot[feature] = n_drawn
            block[n_drawn, :n_rows] = zero_codes[feature]
            n_drawn += 1
    for i in range(n_rows):
        for entry in range(indptr[rows[i]], indptr[rows[i] + 1]):
            place = slot[indices[entry]]
            if place >= 0:
                block[place, i] = stored[entry]
    for i in range(n_drawn):
        slot[drawn[i]] = -1
    for i in range(n_touched):
        varies[columns.touched[i]] = False
    return n_drawn


@numba.njit(cache=True, nogil=True)
def find_split(
    codes,
    indptr,
    indices,
    stored,
    zero_codes,
    columns,
    rows,
    weights,
    targets,
    totals,
    scratch,
    n_candidates,
    least,
    is_random,
    state,
    cut_state,
):
    """Return (gain, feature, cut, missing goes left); the feature is -1 without any.

    Features are drawn until ``n_candidates`` that vary among the rows were tried.
    Cuts have a random stream of their own, so that a sparse matrix, for which all
    features are drawn at once, gives the tree of the same dense one.
    ``columns.chosen`` is left holding the rows' codes of the best. Cost: the candidates
    times the labels of the rows; half of them, and in sums of 16 bits, if cuts are
    drawn.
    """
    n_rows = rows.shape[0]
    is_sparse = zero_codes.shape[0] > 0
    current = columns.current[:n_rows]
    numbers = columns.numbers[:n_rows]
    chosen = columns.chosen
    features = columns.features
    if is_sparse:
        remaining = _draw_and_lay_out(
            indptr, indices, stored, zero_codes, columns, rows, n_candidates, state
        )
    else:
        remaining = features.shape[0]
    # Out of their tuples once, since that costs more than a cut of a small node.
    order, other = scratch.order, scratch.other
    is_cut, gains = scratch.is_cut, scratch.gain
    row_sums, place, sums = scratch.row_sums, scratch.place, scratch.side_sum
    slot_weight, times = scratch.slot_weight, scratch.side_times
    bin_start = scratch.bin_start
    n_slots, is_table = totals.n_slots, totals.is_table
    label_totals = totals.labeled_weight, totals.label_squares, totals.label_impurity
    if is_table and scratch.tree_table.shape[0] == 0:
        table = scratch.node_table[: n_rows * n_slots].reshape((n_rows, n_slots))
    else:
        table = scratch.tree_table
    products = scratch.products
    has_products = is_table and n_rows <= products.shape[0]
    if has_products:
        fill_products(n_rows, row_sums, place, table, slot_weight, sums, products)
    n_features, n_gappy = scratch.feature_sum.shape[0], scratch.gappy_sum.shape[0]

    best = -np.inf
    best_feature = -1
    cut = 0
    missing_left = -1
    tried = 0
    while tried < n_candidates and remaining > 0:
        remaining -= 1
        if is_sparse:
            feature = columns.drawn[tried]
            lowest, highest, has_missing = _gather(
                columns.block, np.uint32(tried), numbers, current
            )
        else:
            feature = draw_feature(features, remaining, state)
            lowest, highest, has_missing = _gather(
                codes, np.uint32(feature), rows, current
            )
            if highest < lowest + (0 if has_missing else 1):
                continue  # alike in all rows: does not count as a try
        tried += 1
        if is_random:
            drawn_cut, drawn_missing = draw_cut(lowest, highest, has_missing, cut_state)
            n_left = part(current, drawn_cut, drawn_missing, order, other)
            if n_left < least or n_rows - n_left < least:
                continue
            moved = order if 2 * n_left <= n_rows else other
            n_moved = min(n_left, n_rows - n_left)
            n_known = n_rows
            for k in range(n_moved):  # a slice would cost more, for few rows
                is_cut[k] = k == n_moved - 1
        else:
            n_known = sort_by_code(current, order, bin_start)
            moved = order
        for side in range(1 if n_known == n_rows else 2):
            if not is_random:
                # With missing values on the right, they may stand there alone.
                n_moved = n_known if side == 0 and n_known < n_rows else n_rows - 1
                if side == 1:
                    missing_first(order, n_known, n_rows)
                mark_cuts(current, order, n_moved, least, is_cut)
                if side == 1:  # known values alone on a side were there before
                    is_cut[n_rows - n_known - 1] = False
            for k in range(n_moved):
                gains[k] = 0.0
            if has_products:
                add_product_gains(
                    moved, n_moved, is_cut, gains, row_sums, products, *label_totals
                )
            elif is_table:
                add_table_gains(
                    moved,
                    n_moved,
                    is_cut,
                    gains,
                    row_sums,
                    place,
                    table,
                    slot_weight,
                    times,
                    *label_totals,
                )
            else:
                add_list_gains(
                    moved,
                    n_moved,
                    is_cut,
                    gains,
                    row_sums,
                    scratch.list_ptr,
                    scratch.list_slot,
                    scratch.list_step,
                    sums,
                    n_slots,
                    *label_totals,
                )
            if n_features > 0:
                add_feature_gains(
                    moved,
                    n_moved,
                    is_cut,
                    gains,
                    row_sums,
                    rows,
                    targets.feature_ptr,
                    targets.feature_index,
                    targets.feature_value,
                    sums,
                    n_features,
                    totals.weight,
                    totals.feature_squares,
                )
            if n_gappy > 0:
                add_gappy_gains(
                    moved,
                    n_moved,
                    is_cut,
                    gains,
                    row_sums,
                    rows,
                    targets.gappy_value,
                    targets.gappy_known,
                    sums,
                    scratch.side_weight,
                    scratch.gappy_sum,
                    scratch.gappy_weight,
                )
            for k in range(n_moved):
                if not is_cut[k] or gains[k] <= best:
                    continue
                best = gains[k]
                best_feature = feature
                chosen[:n_rows] = current
                if is_random:
                    cut = drawn_cut
                    missing_left = drawn_missing
                else:
                    code = np.int64(current[order[k]])
                    following = np.int64(current[order[k + 1]])
                    # Half-way to the next bin that occurs; all bins if none does.
                    cut = (code + following) // 2
                    if following == MISSING:
                        cut = MISSING - 1
                    missing_left = side if n_known < n_rows else -1
    return best, best_feature, cut, missing_left
