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

import numba
import numpy as np

from hilabel._kernels.compiling import inlined, lean, summing
from hilabel._kernels.row_lanes import AT_A_TIME, add_rows

__all__ = [
    "BLOCK",
    "CROSS_FEATURE",
    "CROSS_LABEL",
    "FEW",
    "LABELED_WEIGHT",
    "LISTS",
    "OWN_FEATURE",
    "OWN_LABEL",
    "OWN_SINGLE",
    "STEP",
    "TABLE",
    "WEIGHT",
    "NodeTotals",
    "Scratch",
    "Targets",
    "make_scratch",
    "sum_labels",
]

# Columns of ``Scratch.row_sums``: the weight of a row, and the same if it is labelled;
# what it adds to the squares by itself, the part of that by labels no other row has,
# and its product with the sums of the whole node.
WEIGHT, LABELED_WEIGHT, OWN_LABEL, OWN_SINGLE, CROSS_LABEL = range(5)
OWN_FEATURE, CROSS_FEATURE = 5, 6
# The forms of labels.
LISTS, TABLE, BLOCK = range(3)
# A tree has one table if it has few labels and cells. A node has a table of its own if
# that has few cells, if so many of them cost no more than one step along a list, and
# if sums of 16 bits hold all its rows.
_MOST_LABELS = 256
_MOST_CELLS = 2**22
# One step along a list costs no more than so many cells do, if all cuts are tried.
_LABELS_PER_STEP = 2
_CELLS_PER_STEP = 32
_MOST_WEIGHT = 2**16 - 1
# Lists are walked so many labels at a time.
STEP = 4
# So few rows at most are compared two by two.
FEW = 64


class Targets(NamedTuple):
    """What the rows of a training set aim at; rows below ``n_labeled`` have labels.

    - ``leaf_ptr`` (n + 1,) int64, ``leaf_index`` uint32: the labels of each row
    - ``label_ptr`` (n + 1,) int64, ``label_index`` uint32: the same for the search of
      splits, where a label may be turned into its absence
    - ``label_weight`` (n_labels,) float64
    - ``feature_ptr`` (n + 1,) int64, ``feature_index`` uint32, ``feature_value``
      float64: the values of features that no row lacks, zeros left out or not
    - ``gappy_value``, ``gappy_known`` (n, n_gappy) float64: values of the other
      features, 0 if missing, and 1 where known
    """

    n_labeled: int
    leaf_ptr: np.ndarray
    leaf_index: np.ndarray
    label_ptr: np.ndarray
    label_index: np.ndarray
    label_weight: np.ndarray
    feature_ptr: np.ndarray
    feature_index: np.ndarray
    feature_value: np.ndarray
    gappy_value: np.ndarray
    gappy_known: np.ndarray


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


class Scratch(NamedTuple):
    """Arrays that one tree reuses for all its nodes.

    - ``row_sums`` (n, 7) float64, by the number of a row in the node; see above
    - ``tree_table`` ((n_labeled + 1) * tree_width,) uint16: how often each label counts
      in each row of the tree, last the row itself, 0 for rows without labels; or empty
    - ``node_table`` (cells,) uint16: room for the same of a node
    - ``place`` (n,) int32: where a row of the node stands in the table or block
    - ``node_times`` uint16: sums over the rows of a table
    - ``list_ptr``, ``list_slot``, ``list_weight``: the labels of each row of a node,
      or of the whole tree, and the weights of row and label multiplied; filled up to
      whole steps with a label that does not exist, of weight 0
    - ``has_own_lists``: 1 if the lists are those of the whole tree, by row
    - ``slot_weight`` (n_labels,) float64, by number in the table or lists
    - ``label_sum`` and ``slot_of`` (n_labels,), all 0 and all -1 between nodes
    - ``products``, ``near`` (FEW * FEW,) float64, the same for features, empty without,
      ``block_place`` (n_all,) int32, ``row_norm`` (n_all,) float64: see
      ``multi_label_blocks``
    - ``feature_sum``, ``gappy_sum``, ``gappy_weight``: sums over the node
    - ``side_sum``, ``side_weight``, ``side_times``: sums over one side
    - ``squares``, ``cross``, ``labeled`` (n,) float64: sums over one side at each cut
    - ``order``, ``other``, ``ranked``, ``is_cut``, ``gain``, ``bin_start``: see
      ``multi_label_splits``
    """

    row_sums: np.ndarray
    tree_width: int
    tree_table: np.ndarray
    node_table: np.ndarray
    place: np.ndarray
    node_times: np.ndarray
    list_ptr: np.ndarray
    list_slot: np.ndarray
    list_weight: np.ndarray
    has_own_lists: int
    slot_weight: np.ndarray
    label_sum: np.ndarray
    slot_of: np.ndarray
    products: np.ndarray
    near: np.ndarray
    value_products: np.ndarray
    value_near: np.ndarray
    block_place: np.ndarray
    row_norm: np.ndarray
    feature_sum: np.ndarray
    gappy_sum: np.ndarray
    gappy_weight: np.ndarray
    side_sum: np.ndarray
    side_weight: np.ndarray
    side_times: np.ndarray
    squares: np.ndarray
    cross: np.ndarray
    labeled: np.ndarray
    order: np.ndarray
    other: np.ndarray
    ranked: np.ndarray
    is_cut: np.ndarray
    gain: np.ndarray
    bin_start: np.ndarray


@inlined
def _width_of(n_labels):
    """Return the width of a table of so many labels; its last column is for weights."""
    return (n_labels + AT_A_TIME) // AT_A_TIME * AT_A_TIME


@lean
def _choose_form(weights, targets, is_random):
    """Return (width of the table of the tree or 0, whether its lists are enough)."""
    n_labels = targets.label_weight.shape[0]
    n_cells = n_labels * targets.n_labeled
    if n_labels > _MOST_LABELS or n_cells > _MOST_CELLS:
        return 0, 0
    if not is_random and _LABELS_PER_STEP * targets.label_index.shape[0] <= n_cells:
        return 0, 1
    weight = 0.0
    for i in range(weights.shape[0]):
        weight += weights[i]
    return (0, 1) if weight > _MOST_WEIGHT else (_width_of(n_labels), 0)


@lean
def _fill_tree_table(rows, weights, targets, width, table):
    for i in range(rows.shape[0]):
        row = rows[i]
        if row < targets.n_labeled:
            times = np.uint16(weights[i])
            for entry in range(targets.label_ptr[row], targets.label_ptr[row + 1]):
                label = np.int64(targets.label_index[entry])
                table[row * width + label] = times
            table[(row + 1) * width - 1] = times


@lean
def _weigh_rows(targets, norm):
    """Set ``norm`` to the weights of each row's labels, summed up."""
    for row in range(targets.n_labeled):
        total = 0.0
        for entry in range(targets.label_ptr[row], targets.label_ptr[row + 1]):
            total += targets.label_weight[targets.label_index[entry]]
        norm[row] = total


@inlined
def _fill_up(found, nothing, list_slot, list_weight):
    """End a list after a whole number of steps; return where the next one begins."""
    while found % STEP != 0:
        list_slot[found] = nothing
        list_weight[found] = 0.0
        found += 1
    return found


@lean
def _list_tree(rows, weights, targets, list_ptr, list_slot, list_weight):
    """List the labels of all rows of a tree."""
    label_weight = targets.label_weight
    ptr, index = targets.label_ptr, targets.label_index
    found = 0
    following = 0
    for i in range(rows.shape[0]):  # ascending
        while following <= rows[i]:
            list_ptr[following] = found
            following += 1
        for entry in range(ptr[rows[i]], ptr[rows[i] + 1]):
            list_slot[found] = index[entry]
            list_weight[found] = weights[i] * label_weight[index[entry]]
            found += 1
        found = _fill_up(found, label_weight.shape[0], list_slot, list_weight)
    list_ptr[following:] = found


@numba.njit(cache=True, nogil=True)
def make_scratch(rows, weights, targets, n_features, is_random):
    """Return scratch for a tree of the rows given, with random cuts or the best."""
    n_rows = rows.shape[0]
    n_all = targets.label_ptr.shape[0] - 1
    n_labels = targets.label_weight.shape[0]
    n_gappy = targets.gappy_value.shape[1]
    width, has_own_lists = _choose_form(weights, targets, is_random)
    has_node_lists = width == 0 and has_own_lists == 0
    n_tree_cells = (targets.n_labeled + 1) * width
    tree_table = np.zeros(n_tree_cells, dtype=np.uint16)
    if width > 0:
        _fill_tree_table(rows, weights, targets, width, tree_table)
    has_lists = has_node_lists or has_own_lists
    n_entries = targets.label_index.shape[0] + STEP * n_rows if has_lists else 0
    list_ptr = np.zeros((n_all if has_own_lists else n_rows) + 1, dtype=np.int64)
    list_slot = np.empty(n_entries, dtype=np.uint32)
    list_weight = np.empty(n_entries)
    if has_own_lists:
        _list_tree(rows, weights, targets, list_ptr, list_slot, list_weight)
    n_cells = min(n_rows * _width_of(n_labels), _MOST_CELLS) if has_node_lists else 0
    n_value_pairs = FEW * FEW if n_features > 0 else 0
    slot_weight = np.zeros(_width_of(n_labels))
    slot_weight[:n_labels] = targets.label_weight
    norm = np.zeros(n_all)
    _weigh_rows(targets, norm)
    return Scratch(
        np.zeros((n_rows, 7)),
        width,
        tree_table,
        np.empty(n_cells, dtype=np.uint16),
        np.empty(n_rows, dtype=np.int32),
        np.zeros(_width_of(n_labels), dtype=np.uint16),
        list_ptr,
        list_slot,
        list_weight,
        has_own_lists,
        slot_weight,
        np.zeros(n_labels),
        np.full(n_labels, -1, dtype=np.int32),
        np.zeros(FEW * FEW),
        np.zeros(FEW * FEW),
        np.zeros(n_value_pairs),
        np.zeros(n_value_pairs),
        np.empty(n_all, dtype=np.int32),
        norm,
        np.zeros(n_features),
        np.zeros(n_gappy),
        np.zeros(n_gappy),
        np.zeros(max(_width_of(n_labels), n_features, n_gappy, FEW)),
        np.zeros(n_gappy),
        np.zeros(_width_of(n_labels), dtype=np.uint16),
        np.empty(n_rows),
        np.empty(n_rows),
        np.empty(n_rows),
        np.empty(n_rows + 1, dtype=np.int32),
        np.empty(n_rows + 1, dtype=np.int32),
        np.empty(n_rows, dtype=np.uint8),
        np.empty(n_rows, dtype=np.bool_),
        np.empty(n_rows),
        np.empty(257, dtype=np.int64),
    )


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
        if rows[i] < n_labeled:
            total += weights[i]
            for entry in range(ptr[rows[i]], ptr[rows[i] + 1]):
                label_sum[index[entry]] += weights[i]
    return total


@lean
def _cross_with_sums(rows, weights, targets, sums, row_sums):
    """Set the products of the rows' labels with the sums of the node."""
    ptr, index = targets.label_ptr, targets.label_index
    for i in range(rows.shape[0]):
        product = 0.0
        for entry in range(ptr[rows[i]], ptr[rows[i] + 1]):
            product += sums[index[entry]]
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
    list_weight,
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
                list_weight[found] = weight * step
                found += 1
            found = _fill_up(found, label_weight.shape[0], list_slot, list_weight)
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
def _make_node_table(
    n_slots, all_weight, row_sums, n_rows, ptr, list_slot, list_weight, table
):
    """Fill the table of a node from its lists if that pays; say whether it was."""
    width = _width_of(n_slots)
    n_cells = n_rows * width
    if (
        n_cells > min(table.shape[0], _CELLS_PER_STEP * ptr[n_rows])
        or all_weight > _MOST_WEIGHT
    ):
        return False
    for cell in range(n_cells):
        table[cell] = 0
    for i in range(n_rows):
        times = np.uint16(row_sums[i, LABELED_WEIGHT])
        for entry in range(ptr[i], ptr[i + 1]):
            if list_weight[entry] > 0.0:
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
        scratch.list_weight,
    )
    _forget_labels(rows, *labels, scratch.label_sum, scratch.slot_of)
    width = _width_of(n_slots)
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
        scratch.list_weight,
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
