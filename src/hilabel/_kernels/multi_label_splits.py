"""Compare the splits of a tree node on one feature, for all labels at once.

To try cuts, rows go one by one from the right to the left side: the first ``n_moved``
numbers in ``order`` (n,) int32. Where ``is_cut`` (n,) bool is set, there may be a cut
after the row, and ``gain`` (n,) float64 gets by how much the impurity would fall.
Labels add their part here, feature values in ``multi_label_values``. What the other
arrays hold is said in ``multi_label_scratch``.
"""

import numpy as np

from hilabel._kernels.compiling import inlined, lean, summing
from hilabel._kernels.multi_label_scratch import (
    CROSS_LABEL,
    FEW,
    LABELED_WEIGHT,
    OWN_LABEL,
    OWN_SINGLE,
    STEP,
    WEIGHT,
)
from hilabel._kernels.random_stream import random_below
from hilabel._kernels.row_lanes import add_rows

__all__ = [
    "MISSING",
    "add_gains",
    "draw_cut",
    "mark_cuts",
    "missing_first",
    "side_gain_by_products",
    "side_gain_by_table",
    "sort_by_code",
    "squares_gained",
    "sum_lists",
    "sum_products",
    "sum_table",
]

MISSING = 255
# Up to so many rows, sorting by insertion is faster than going through all bins.
_FEWEST = 24
# Products of rows are added so many at a time.
_AT_A_TIME = 16


@inlined
def sort_by_code(codes, n_rows, order, bin_start):
    """Put the numbers of the rows into ``order`` by ascending code, stable.

    Returns how many of them are not missing. O(rows), plus 256 for many.
    """
    if n_rows <= _FEWEST:
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
    for code in range(257):
        bin_start[code] = 0
    for i in range(n_rows):
        bin_start[np.int64(codes[i]) + 1] += 1
    for code in range(256):
        bin_start[code + 1] += bin_start[code]
    n_known = bin_start[MISSING]
    for i in range(n_rows):
        order[bin_start[codes[i]]] = i
        bin_start[codes[i]] += 1
    return n_known


@inlined
def mark_cuts(codes, n_rows, order, n_moved, least, ranked, is_cut):
    """Set ``is_cut`` between bins where both sides keep ``least`` rows.

    ``codes`` uint8 belong to all ``n_rows`` rows of the node; the first ``n_moved`` of
    ``order``, fewer than all, are to be moved. ``ranked`` uint8 is scratch.
    """
    for k in range(n_moved + 1):
        ranked[k] = codes[order[k]]
    for k in range(n_moved):  # no branch: whether bins differ cannot be foreseen
        is_cut[k] = (
            (ranked[k] != ranked[k + 1]) & (k + 1 >= least) & (k + 1 <= n_rows - least)
        )


@inlined
def draw_cut(lowest, highest, has_missing, state):
    """Draw a cut from the lowest bin on, below the highest, as extra-trees do.

    Returns (cut, missing goes left): the side is drawn too, and -1 if none is missing.
    """
    if highest <= lowest:  # one bin and missing values leave no choice
        return lowest, 0
    cut = lowest + random_below(state, highest - lowest)
    return cut, random_below(state, 2) if has_missing else -1


@lean
def missing_first(order, n_known, n_rows, aside):
    """Turn an order with missing values last into one with missing values first."""
    n_missing = n_rows - n_known
    for k in range(n_missing):
        aside[k] = order[n_known + k]
    for k in range(n_rows - 1, n_missing - 1, -1):
        order[k] = order[k - n_missing]
    for k in range(n_missing):
        order[k] = aside[k]


@inlined
def squares_gained(squares, cross, weight, all_squares, all_weight):
    """Return by how much ``sum of squares / weight`` grows with the split."""
    others = all_squares - 2.0 * cross + squares
    return squares / weight + others / (all_weight - weight) - all_squares / all_weight


@inlined
def _label_gain(squares, cross, weight, all_squares, all_weight, impurity):
    """Return the fall of impurity in the labels.

    A side without labelled rows is as impure as its parent, so that parting labelled
    from unlabelled rows gains nothing.
    """
    if weight <= 0.0 or weight >= all_weight:
        return -impurity
    return squares_gained(squares, cross, weight, all_squares, all_weight)


@summing
def add_gains(
    squares, cross, labeled, n_moved, gain, all_weight, all_squares, impurity
):
    """Add the gains after each row, from the sums over one side.

    They are computed whether there is a cut or not, many at a time. ``impurity`` is
    that of the node, which a side without weight has too.
    """
    before = all_squares / all_weight if all_weight > 0.0 else 0.0
    for k in range(n_moved):
        weight = labeled[k]
        is_split = (weight > 0.0) & (weight < all_weight)
        here = weight if is_split else 1.0
        there = all_weight - weight if is_split else 1.0
        others = all_squares - 2.0 * cross[k] + squares[k]
        gained = squares[k] / here + others / there - before
        gain[k] += gained if is_split else -impurity


@summing
def _pass_list(first, last, list_slot, weight, slot_weight, times):
    """Count a row's labels; return the sum of their counts before, times weights."""
    entry, end = np.uint64(first), np.uint64(last)  # a sign would need a look
    one = 0.0
    two = 0.0
    three = 0.0
    four = 0.0
    # A row has no label twice, so that a whole step can be on its way at a time; only
    # the label that does not exist is there more often, and its weight is 0.
    while entry < end:
        second, third = entry + np.uint64(1), entry + np.uint64(2)
        fourth = entry + np.uint64(3)
        a, b = list_slot[entry], list_slot[second]
        c, d = list_slot[third], list_slot[fourth]
        times_a, times_b, times_c, times_d = times[a], times[b], times[c], times[d]
        times[a] = times_a + weight
        times[b] = times_b + weight
        times[c] = times_c + weight
        times[d] = times_d + weight
        one += slot_weight[a] * times_a
        two += slot_weight[b] * times_b
        three += slot_weight[c] * times_c
        four += slot_weight[d] * times_d
        entry += np.uint64(STEP)
    return (one + two) + (three + four)


@lean
def sum_lists(
    order,
    n_moved,
    row_sums,
    place,
    list_ptr,
    list_slot,
    slot_weight,
    times,
    n_slots,
    squares,
    cross,
    labeled,
):
    """Sum up labels that stand in lists; O(labels of the rows)."""
    for slot in range(n_slots):
        times[slot] = 0.0
    side_weight = 0.0
    side_squares = 0.0
    side_cross = 0.0
    for k in range(n_moved):
        i = np.uint64(order[k])
        here = np.uint64(place[i])  # a sign would need a look
        first, last = list_ptr[here], list_ptr[here + np.uint64(1)]
        weight = row_sums[i, WEIGHT]
        total = _pass_list(first, last, list_slot, weight, slot_weight, times)
        side_squares += 2.0 * weight * total + row_sums[i, OWN_LABEL]
        side_cross += row_sums[i, CROSS_LABEL]
        side_weight += row_sums[i, LABELED_WEIGHT]
        squares[k] = side_squares
        cross[k] = side_cross
        labeled[k] = side_weight


@summing
def sum_table(
    order,
    n_moved,
    is_cut,
    row_sums,
    place,
    table,
    n_slots,
    slot_weight,
    times,
    squares,
    cross,
    labeled,
):
    """Sum up labels that stand in a table; squares are left out where no cut is.

    O(rows times labels) in sums of 16 bits, plus O(cuts times labels).
    """
    for at in range(n_slots):
        times[at] = 0
    side_weight = 0.0
    single = 0.0
    side_cross = 0.0
    for k in range(n_moved):
        i = np.uint64(order[k])
        here = np.uint64(place[i] * n_slots)  # without a sign, which would need a look
        for at in range(n_slots):
            slot = np.uint64(at)
            times[slot] += table[here + slot]
        single += row_sums[i, OWN_SINGLE]
        side_cross += row_sums[i, CROSS_LABEL]
        side_weight += row_sums[i, LABELED_WEIGHT]
        total = single
        if is_cut[k]:
            for at in range(n_slots):
                slot = np.uint64(at)
                count = np.float64(times[slot])
                total += slot_weight[slot] * count * count
        squares[k] = total
        cross[k] = side_cross
        labeled[k] = side_weight


@summing
def side_gain_by_table(
    order,
    n_moved,
    row_sums,
    place,
    table,
    n_slots,
    slot_weight,
    times,
    all_times,
    all_weight,
    all_squares,
    all_single,
    impurity,
):
    """Return the gain of a single cut after ``n_moved`` rows; labels are in a table.

    O(rows times labels) in sums of 16 bits.
    """
    add_rows(table, n_slots, place, order, n_moved, times)
    side_weight = np.float64(times[n_slots - 1])
    single = 0.0
    if all_single > 0.0:
        for k in range(n_moved):
            single += row_sums[order[k], OWN_SINGLE]
    if side_weight <= 0.0 or side_weight >= all_weight:
        return -impurity
    here = 0.0
    there = 0.0
    for at in range(n_slots):
        slot = np.uint64(at)
        count = np.float64(times[slot])
        other = np.float64(all_times[slot]) - count
        here += slot_weight[slot] * count * count
        there += slot_weight[slot] * other * other
    return (
        (here + single) / side_weight
        + (there + all_single - single) / (all_weight - side_weight)
        - all_squares / all_weight
    )


@inlined
def _start_sums(n_rows, sums):
    """Set the sums of a block to 0; return how many there are, some to spare."""
    n_sums = (n_rows + _AT_A_TIME - 1) // _AT_A_TIME * _AT_A_TIME
    for j in range(n_sums):
        sums[j] = 0.0
    return n_sums


@inlined
def _pass_products(i, n_sums, near, sums):
    """Add a row's products to the sums; return its own sum before."""
    before = sums[i]
    first = np.uint64(i) * np.uint64(FEW)
    for j in range(n_sums):
        sums[j] += near[first + np.uint64(j)]
    return before


@inlined
def side_gain_by_products(
    order,
    n_moved,
    row_sums,
    near,
    all_weight,
    all_squares,
    impurity,
):
    """Return the same from the products of rows; O(rows moved squared)."""
    side_weight = 0.0
    squares = 0.0
    cross = 0.0
    for k in range(n_moved):
        i = np.uint64(order[k])
        side_weight += row_sums[i, LABELED_WEIGHT]
        cross += row_sums[i, CROSS_LABEL]
        first = i * np.uint64(FEW)
        total = 0.0
        for j in range(k):
            total += near[first + np.uint64(order[j])]
        squares += row_sums[i, OWN_LABEL] + 2.0 * total
    return _label_gain(squares, cross, side_weight, all_squares, all_weight, impurity)


@inlined
def sum_products(
    order,
    n_moved,
    n_rows,
    row_sums,
    own_column,
    cross_column,
    weight_column,
    near,
    sums,
    squares,
    cross,
    weight,
):
    """Sum up the products of rows, of labels or of values; O(rows squared)."""
    n_sums = _start_sums(n_rows, sums)
    side_weight = 0.0
    side_squares = 0.0
    side_cross = 0.0
    for k in range(n_moved):
        i = np.uint64(order[k])
        total = _pass_products(i, n_sums, near, sums)
        side_squares += 2.0 * total + row_sums[i, own_column]
        side_cross += row_sums[i, cross_column]
        side_weight += row_sums[i, weight_column]
        squares[k] = side_squares
        cross[k] = side_cross
        weight[k] = side_weight
