"""Compare the splits of a tree node on one feature, for all labels at once.

To try cuts, rows go one by one from the right to the left side: the first ``n_moved``
numbers in ``order`` (n,) int32. Where ``is_cut`` (n,) bool is set, there may be a cut
after the row, and ``gain`` (n,) float64 gets by how much the impurity would fall.
Labels, features and features with gaps each add their part. What the other arrays hold
is said in ``multi_label_nodes``.
"""

import numba
import numpy as np

from hilabel._kernels.multi_label_nodes import (
    CROSS_FEATURE,
    CROSS_LABEL,
    LABELED_WEIGHT,
    OWN_FEATURE,
    OWN_LABEL,
    OWN_SINGLE,
    WEIGHT,
)
from hilabel._kernels.random_stream import random_below

__all__ = [
    "MISSING",
    "add_feature_gains",
    "add_gappy_gains",
    "add_list_gains",
    "add_product_gains",
    "add_table_gains",
    "draw_cut",
    "fill_products",
    "mark_cuts",
    "missing_first",
    "part",
    "sort_by_code",
]

MISSING = 255
# Up to so many rows, sorting by insertion is faster than going through all bins.
_FEW = 24


@numba.njit(cache=True, nogil=True)
def sort_by_code(codes, order, bin_start):
    """Put the numbers of the rows into ``order`` by ascending code, stable.

    Returns how many of them are not missing. O(rows), plus 256 for many.
    """
    n_rows = codes.shape[0]
    if n_rows <= _FEW:
        for i in range(n_rows):
            place = i
            while place > 0 and codes[order[place - 1]] > codes[i]:
                order[place] = order[place - 1]
                place -= 1
            order[place] = i
        n_known = n_rows
        while n_known > 0 and codes[order[n_known - 1]] == MISSING:
            n_known -= 1
        return n_known
    bin_start[:] = 0
    for i in range(n_rows):
        bin_start[codes[i] + 1] += 1
    for code in range(256):
        bin_start[code + 1] += bin_start[code]
    n_known = bin_start[MISSING]
    for i in range(n_rows):
        order[bin_start[codes[i]]] = i
        bin_start[codes[i]] += 1
    return n_known


@numba.njit(cache=True, nogil=True)
def mark_cuts(codes, order, n_moved, least, is_cut):
    """Set ``is_cut`` between bins where both sides keep ``least`` rows.

    ``codes`` (n,) uint8 belong to all n rows of the node; the first ``n_moved`` of
    ``order`` are to be moved.
    """
    n_rows = codes.shape[0]
    for k in range(n_moved):
        is_cut[k] = least <= k + 1 <= n_rows - least and (
            k + 1 == n_rows or codes[order[k]] != codes[order[k + 1]]
        )


@numba.njit(cache=True, nogil=True)
def draw_cut(lowest, highest, has_missing, state):
    """Draw a cut from the lowest bin on, below the highest, as extra-trees do.

    Returns (cut, missing goes left): the side is drawn too, and -1 if none is missing.
    """
    if highest <= lowest:  # one bin and missing values leave no choice
        return lowest, 0
    cut = lowest + random_below(state, highest - lowest)
    return cut, random_below(state, 2) if has_missing else -1


@numba.njit(cache=True, nogil=True)
def part(codes, cut, missing_left, left, right):
    """List the numbers of the rows that go left and right; return how many go left.

    ``left`` and ``right`` have room for a number more than there are rows.
    """
    also = MISSING if missing_left == 1 else -1
    n_left = 0
    n_right = 0
    for i in range(codes.shape[0]):
        code = np.int64(codes[i])
        goes_left = (code <= cut) | (code == also)
        # Both are written, and only one counts: no branch.
        left[n_left] = i
        right[n_right] = i
        n_left += goes_left
        n_right += not goes_left
    return n_left


@numba.njit(cache=True, nogil=True)
def missing_first(order, n_known, n_rows):
    """Turn an order with missing values last into one with missing values first."""
    n_missing = n_rows - n_known
    missing = order[n_known:n_rows].copy()
    for k in range(n_rows - 1, n_missing - 1, -1):
        order[k] = order[k - n_missing]
    order[:n_missing] = missing


@numba.njit(cache=True, nogil=True, inline="always")
def _squares_gained(squares, cross, weight, all_squares, all_weight):
    """Return by how much ``sum of squares / weight`` grows with the split."""
    others = all_squares - 2.0 * cross + squares
    return squares / weight + others / (all_weight - weight) - all_squares / all_weight


@numba.njit(cache=True, nogil=True, inline="always")
def _label_gain(squares, cross, weight, all_squares, all_weight, impurity):
    """Return the fall of impurity in the labels.

    A side without labelled rows is as impure as its parent, so that parting labelled
    from unlabelled rows gains nothing.
    """
    if weight <= 0.0 or weight >= all_weight:
        return -impurity
    return _squares_gained(squares, cross, weight, all_squares, all_weight)


@numba.njit(cache=True, nogil=True)
def add_list_gains(
    order,
    n_moved,
    is_cut,
    gain,
    row_sums,
    ptr,
    slot,
    step,
    sums,
    n_slots,
    all_weight,
    all_squares,
    impurity,
):
    """Add the gains in labels that stand in lists; O(labels of the rows)."""
    sums[:n_slots] = 0.0
    side_weight = 0.0
    squares = 0.0
    cross = 0.0
    for k in range(n_moved):
        i = order[k]
        weight = row_sums[i, WEIGHT]
        total = 0.0
        for entry in range(ptr[i], ptr[i + 1]):
            total += sums[slot[entry]]
            sums[slot[entry]] += weight * step[entry]
        squares += 2.0 * weight * total + row_sums[i, OWN_LABEL]
        cross += row_sums[i, CROSS_LABEL]
        side_weight += row_sums[i, LABELED_WEIGHT]
        if is_cut[k]:
            gain[k] += _label_gain(
                squares, cross, side_weight, all_squares, all_weight, impurity
            )


# Sums in any order, so that several labels are added at a time.
@numba.njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def add_table_gains(
    order,
    n_moved,
    is_cut,
    gain,
    row_sums,
    place,
    table,
    slot_weight,
    times,
    all_weight,
    all_squares,
    impurity,
):
    """Add the gains in labels that stand in a table.

    O(rows times labels) in sums of 16 bits, plus O(cuts times labels).
    """
    n_slots = table.shape[1]
    times[:n_slots] = 0
    side_weight = 0.0
    single = 0.0
    cross = 0.0
    for k in range(n_moved):
        i = order[k]
        if row_sums[i, LABELED_WEIGHT] > 0.0:
            here = np.uint64(place[i])  # without a sign, which would need a look
            for slot in range(n_slots):
                times[slot] += table[here, slot]
            single += row_sums[i, OWN_SINGLE]
            cross += row_sums[i, CROSS_LABEL]
            side_weight += row_sums[i, LABELED_WEIGHT]
        if is_cut[k]:
            squares = single
            for slot in range(n_slots):
                count = np.float64(times[slot])
                squares += slot_weight[slot] * count * count
            gain[k] += _label_gain(
                squares, cross, side_weight, all_squares, all_weight, impurity
            )


@numba.njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def fill_products(n_rows, row_sums, place, table, slot_weight, weighted, products):
    """Fill ``products`` (n, n) float64 with those of the rows' labels, two by two.

    ``weighted`` (slots,) float64 is scratch. O(rows squared times labels).
    """
    n_slots = table.shape[1]
    for i in range(n_rows):
        products[i, i] = row_sums[i, OWN_LABEL]
        if row_sums[i, LABELED_WEIGHT] == 0.0:
            products[i, :n_rows] = 0.0
            products[:n_rows, i] = 0.0
            continue
        here = np.uint64(place[i])
        for slot in range(n_slots):
            weighted[slot] = slot_weight[slot] * table[here, slot]
        for j in range(i):
            if row_sums[j, LABELED_WEIGHT] == 0.0:
                continue
            there = np.uint64(place[j])
            total = 0.0
            for slot in range(n_slots):
                total += weighted[slot] * table[there, slot]
            products[i, j] = total
            products[j, i] = total


@numba.njit(cache=True, nogil=True)
def add_product_gains(
    order,
    n_moved,
    is_cut,
    gain,
    row_sums,
    products,
    all_weight,
    all_squares,
    impurity,
):
    """Add the gains in labels from the products of rows; O(rows squared)."""
    side_weight = 0.0
    squares = 0.0
    cross = 0.0
    for k in range(n_moved):
        i = np.uint64(order[k])
        total = 0.0
        for j in range(k):
            total += products[i, np.uint64(order[j])]
        squares += 2.0 * total + row_sums[i, OWN_LABEL]
        cross += row_sums[i, CROSS_LABEL]
        side_weight += row_sums[i, LABELED_WEIGHT]
        if is_cut[k]:
            gain[k] += _label_gain(
                squares, cross, side_weight, all_squares, all_weight, impurity
            )


@numba.njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def add_feature_gains(
    order,
    n_moved,
    is_cut,
    gain,
    row_sums,
    rows,
    ptr,
    index,
    value,
    sums,
    n_features,
    all_weight,
    all_squares,
):
    """Add the gains in features without gaps; O(values of the rows)."""
    sums[:n_features] = 0.0
    side_weight = 0.0
    squares = 0.0
    cross = 0.0
    for k in range(n_moved):
        i = order[k]
        weight = row_sums[i, WEIGHT]
        total = 0.0
        first = ptr[rows[i]]
        if ptr[rows[i] + 1] - first == n_features:
            # No zeros left out: several values at a time.
            start = np.uint64(first)
            for feature in range(n_features):
                one = value[start + np.uint64(feature)]
                total += one * sums[feature]
                sums[feature] += weight * one
        else:
            for entry in range(first, ptr[rows[i] + 1]):
                total += value[entry] * sums[index[entry]]
                sums[index[entry]] += weight * value[entry]
        squares += 2.0 * weight * total + row_sums[i, OWN_FEATURE]
        cross += row_sums[i, CROSS_FEATURE]
        side_weight += weight
        if is_cut[k]:
            gain[k] += _squares_gained(
                squares, cross, side_weight, all_squares, all_weight
            )


@numba.njit(cache=True, nogil=True)
def add_gappy_gains(
    order,
    n_moved,
    is_cut,
    gain,
    row_sums,
    rows,
    value,
    known,
    sums,
    sum_weights,
    all_sums,
    all_weights,
):
    """Add the gains in features with gaps; O(rows times features)."""
    n_features = all_sums.shape[0]
    sums[:n_features] = 0.0
    sum_weights[:] = 0.0
    for k in range(n_moved):
        row = rows[order[k]]
        weight = row_sums[order[k], WEIGHT]
        for feature in range(n_features):
            sums[feature] += weight * value[row, feature]
            sum_weights[feature] += weight * known[row, feature]
        if not is_cut[k]:
            continue
        for feature in range(n_features):
            # A side that knows no value of the feature has no spread of it.
            if 0.0 < sum_weights[feature] < all_weights[feature]:
                here = sums[feature]
                total = all_sums[feature]
                gain[k] += _squares_gained(
                    here * here,
                    here * total,
                    sum_weights[feature],
                    total * total,
                    all_weights[feature],
                )
