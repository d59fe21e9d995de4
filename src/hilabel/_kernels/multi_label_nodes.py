"""What the rows of a tree node aim at, summed up once before splits are compared.

A row's aims are its labels, each of a fixed weight, and for semi-supervised trees its
feature values too. A set of rows has the impurity

    sum over labels c of weight_c (s_c - s_c^2 / n)

with s_c of its n labelled rows having c, and the same for feature values with sums of
squares. Only the parts ``sum_c weight_c s_c^2`` change with a split. They are kept up
to date while rows go from one side to the other: a row r of weight m adds ``2 m sum_{c
in r} weight_c s_c + m^2 sum_{c in r} weight_c``. The other side follows without a
second walk: over all rows of a node, ``sum_c weight_c (S_c - s_c)^2`` differs by sums
that are fixed for each row.

Labels come in one of three forms. If the whole problem is small, each tree has a table
of all rows and labels, and every step runs over a row of it, several labels at a time;
or, where rows have few of the labels and many cuts are looked at, a step runs over the
row's own list. Otherwise each node lists the labels that its rows share: those that all
labelled rows have tell nothing, and a label of a single row only adds to that row's own
square, so both are left out. The lists become a table of the node as soon as that is
small enough.
Nodes of few rows do without labels: see ``multi_label_blocks``.
"""

from typing import NamedTuple

import numpy as np

from hilabel._kernels.compiling import inlined, lean, summing
from hilabel._kernels.multi_label_scratch import (
    CROSS_LABEL,
    LABELED_WEIGHT,
    LISTS,
    MOST_WEIGHT,
    OWN_LABEL,
    OWN_SINGLE,
    TABLE,
    WEIGHT,
    fill_up,
    width_of,
)
from hilabel._kernels.row_lanes import add_rows

__all__ = ["NodeTotals", "sum_labels", "sum_of_list"]

# A node has a table of its own if there is room, if so many of its cells cost no more
# than one step along a list, and if sums of 16 bits hold all its rows.
_CELLS_PER_STEP = 32


class NodeTotals(NamedTuple):
    """Sums over the rows of a node: weights, squares of sums, and impurities.

    ``form`` says in which form labels are, and ``n_slots`` is the number of those
    looked at, renumbered, or that of rows in a block; ``single_squares`` is the part of
    ``label_squares`` by labels of one row, where they are left out.
    """

    form: int
    n_slots: int
    labeled_weight: float
    label_squares: float
    single_squares: float
    label_impurity: float
    weight: float
    feature_squares: float
    feature_impurity: float
    gappy_impurity: float


@inlined
def sum_of_list(first, last, index, sums):
    """Return the sum over a row's labels, four on their way at a time."""
    entry, end = np.uint64(first), np.uint64(last)  # a sign would need a look
    whole = entry + ((end - entry) & ~np.uint64(3))
    one = 0.0
    two = 0.0
    three = 0.0
    four = 0.0
    while entry < whole:
        one += sums[index[entry]]
        two += sums[index[entry + np.uint64(1)]]
        three += sums[index[entry + np.uint64(2)]]
        four += sums[index[entry + np.uint64(3)]]
        entry += np.uint64(4)
    while entry < end:
        one += sums[index[entry]]
        entry += np.uint64(1)
    return (one + two) + (three + four)


@summing
def _squares_and_spread(slot_weight, times, width):
    squares = 0.0
    spread = 0.0
    for slot in range(width):
        count = np.float64(times[slot])
        squares += slot_weight[slot] * count * count
        spread += slot_weight[slot] * count
    return squares, spread


@lean
def _weigh_labels(rows, weights, n_labeled, ptr, index, label_sum):
    """Add the weights of the rows to their labels; return that of labelled rows."""
    total = 0.0
    for i in range(rows.shape[0]):
        row, weight = rows[i], weights[i]
        if row < n_labeled:
            total += weight
            entry, end = np.uint64(ptr[row]), np.uint64(ptr[row + 1])
            while entry < end:
                label_sum[index[entry]] += weight
                entry += np.uint64(1)
    return total


@lean
def _cross_with_sums(rows, weights, targets, sums, row_sums):
    """Set the products of the rows' labels with the sums of the node."""
    ptr, index = targets.label_ptr, targets.label_index
    for i in range(rows.shape[0]):
        product = sum_of_list(ptr[rows[i]], ptr[rows[i] + 1], index, sums)
        row_sums[i, CROSS_LABEL] = weights[i] * product


@lean
def _sum_own_lists(rows, weights, targets, scratch):
    """Sum the labels of the rows; return (weight, squares, spread)."""
    sums, row_sums = scratch.side_sum, scratch.row_sums
    label_weight = targets.label_weight
    for label in range(label_weight.shape[0]):
        sums[label] = 0.0
    weight = _weigh_labels(
        rows, weights, targets.n_labeled, targets.label_ptr, targets.label_index, sums
    )
    squares = 0.0
    spread = 0.0
    for label in range(label_weight.shape[0]):
        count = sums[label]
        squares += label_weight[label] * count * count
        spread += label_weight[label] * count
        sums[label] = label_weight[label] * count
    _cross_with_sums(rows, weights, targets, sums, row_sums)
    for i in range(rows.shape[0]):
        scratch.place[i] = rows[i]
        row_sums[i, WEIGHT] = weights[i]
        row_sums[i, LABELED_WEIGHT] = weights[i] if rows[i] < targets.n_labeled else 0.0
        row_sums[i, OWN_LABEL] = weights[i] * weights[i] * scratch.row_norm[rows[i]]
    return weight, squares, spread


@lean
def _sum_table(rows, weights, targets, scratch, wants_cross):
    """Sum the rows of the tree's table; return (weight, squares, spread)."""
    width, row_sums = scratch.tree_width, scratch.row_sums
    place, order, times = scratch.place, scratch.order, scratch.node_times
    n_labeled = targets.n_labeled
    weight = 0.0
    for i in range(rows.shape[0]):
        place[i] = min(rows[i], n_labeled)
        order[i] = i
        labeled_weight = weights[i] if rows[i] < n_labeled else 0.0
        row_sums[i, WEIGHT] = weights[i]
        row_sums[i, LABELED_WEIGHT] = labeled_weight
        row_sums[i, OWN_SINGLE] = 0.0
        weight += labeled_weight
    add_rows(scratch.tree_table, width, place, order, rows.shape[0], times)
    if wants_cross:
        sums = scratch.side_sum
        for slot in range(width):
            sums[slot] = scratch.slot_weight[slot] * times[slot]
        _cross_with_sums(rows, weights, targets, sums, row_sums)
    squares, spread = _squares_and_spread(scratch.slot_weight, times, width)
    return weight, squares, spread


@lean
def _list_labels(
    rows,
    weights,
    n_labeled,
    ptr,
    index,
    label_weight,
    label_sum,
    slot_of,
    slot_weight,
    all_weight,
    node_times,
    row_sums,
    list_ptr,
    list_slot,
):
    """List the labels that rows share; return (slots, squares, singles, spread)."""
    n_slots = np.int32(0)
    found = 0
    squares = 0.0
    singles = 0.0
    spread = 0.0
    for i in range(rows.shape[0]):
        row = rows[i]
        weight = weights[i]
        list_ptr[i] = found
        shared = 0.0
        single = 0.0
        product = 0.0
        if row < n_labeled:
            for entry in range(ptr[row], ptr[row + 1]):
                label = index[entry]
                label_total = label_sum[label]
                if label_total == all_weight:
                    continue
                step = label_weight[label]
                product += step * label_total
                if label_total == weight:
                    single += step
                    continue
                shared += step
                if slot_of[label] < 0:
                    slot_of[label] = n_slots
                    slot_weight[n_slots] = step
                    node_times[n_slots] = np.uint16(label_total)
                    n_slots += 1
                list_slot[found] = slot_of[label]
                found += 1
            found = fill_up(found, label_weight.shape[0], list_slot)
        row_sums[i, WEIGHT] = weight
        row_sums[i, LABELED_WEIGHT] = weight if row < n_labeled else 0.0
        row_sums[i, OWN_LABEL] = weight * weight * (shared + single)
        row_sums[i, OWN_SINGLE] = weight * weight * single
        row_sums[i, CROSS_LABEL] = weight * product
        squares += weight * product
        singles += weight * weight * single
        spread += weight * (shared + single)
    list_ptr[rows.shape[0]] = found
    return n_slots, squares, singles, spread


@lean
def _forget_labels(rows, n_labeled, ptr, index, label_sum, slot_of):
    """Set the sums and slots of the labels of the rows back."""
    for i in range(rows.shape[0]):
        row = rows[i]
        if row < n_labeled:
            for entry in range(ptr[row], ptr[row + 1]):
                label_sum[index[entry]] = 0.0
                slot_of[index[entry]] = -1


@lean
def _make_node_table(n_slots, all_weight, row_sums, n_rows, ptr, list_slot, table):
    """Fill the table of a node from its lists if that pays; say whether it was."""
    width = width_of(n_slots)
    n_cells = n_rows * width
    if (
        n_cells > min(table.shape[0], _CELLS_PER_STEP * ptr[n_rows])
        or all_weight > MOST_WEIGHT
    ):
        return False
    for cell in range(n_cells):
        table[cell] = 0
    for i in range(n_rows):
        times = np.uint16(row_sums[i, LABELED_WEIGHT])
        for entry in range(ptr[i], ptr[i + 1]):
            if list_slot[entry] < n_slots:  # a label that exists
                table[i * width + list_slot[entry]] = times
        table[(i + 1) * width - 1] = times
    return True


@lean
def _sum_lists(rows, weights, targets, scratch):
    """List the labels of a node, as a table if that pays.

    Returns (form, slots, labelled weight, squares, squares of single labels, spread).
    """
    labels = targets.n_labeled, targets.label_ptr, targets.label_index
    weight = _weigh_labels(rows, weights, *labels, scratch.label_sum)
    n_slots, squares, singles, spread = _list_labels(
        rows,
        weights,
        *labels,
        targets.label_weight,
        scratch.label_sum,
        scratch.slot_of,
        scratch.slot_weight,
        weight,
        scratch.node_times,
        scratch.row_sums,
        scratch.list_ptr,
        scratch.list_slot,
    )
    _forget_labels(rows, *labels, scratch.label_sum, scratch.slot_of)
    width = width_of(n_slots)
    for slot in range(n_slots, width):
        scratch.slot_weight[slot] = 0.0
        scratch.node_times[slot] = 0
    is_table = _make_node_table(
        n_slots,
        weight,
        scratch.row_sums,
        rows.shape[0],
        scratch.list_ptr,
        scratch.list_slot,
        scratch.node_table,
    )
    for i in range(rows.shape[0]):
        scratch.place[i] = i
    if is_table:
        return TABLE, width, weight, squares, singles, spread
    return LISTS, np.int64(n_slots), weight, squares, singles, spread


@lean
def sum_labels(rows, weights, targets, scratch, wants_cross):
    """Fill the label part of ``scratch``.

    Without ``wants_cross`` the products of rows with the sums of the node may be left
    out. Returns (form, slots, labelled weight, squares, squares of single labels,
    spread).
    """
    if scratch.has_own_lists:
        weight, squares, spread = _sum_own_lists(rows, weights, targets, scratch)
        n_slots = targets.label_weight.shape[0]
        return LISTS, n_slots, weight, squares, 0.0, spread
    if scratch.tree_width == 0:
        return _sum_lists(rows, weights, targets, scratch)
    weight, squares, spread = _sum_table(rows, weights, targets, scratch, wants_cross)
    return TABLE, scratch.tree_width, weight, squares, 0.0, spread
