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
of all rows and labels, and every step runs over a row of it, several labels at a time.
Otherwise each node lists the labels that its rows share: those that all labelled rows
have tell nothing, and a label of a single row only adds to that row's own square, so
both are left out. The lists become a table of the node as soon as that is small enough.
"""

from typing import NamedTuple

import numba
import numpy as np

__all__ = [
    "CROSS_FEATURE",
    "CROSS_LABEL",
    "LABELED_WEIGHT",
    "OWN_FEATURE",
    "OWN_LABEL",
    "OWN_SINGLE",
    "WEIGHT",
    "NodeTotals",
    "Scratch",
    "Targets",
    "make_scratch",
    "sum_up",
]

# Columns of ``Scratch.row_sums``: the weight of a row, and the same if it is labelled;
# what it adds to the squares by itself, the part of that by labels no other row has,
# and its product with the sums of the whole node.
WEIGHT, LABELED_WEIGHT, OWN_LABEL, OWN_SINGLE, CROSS_LABEL = range(5)
OWN_FEATURE, CROSS_FEATURE = 5, 6
# A tree has one table if it has few labels and cells. A node has a table of its own if
# that has few cells, if so many of them cost no more than one step along a list, and
# if sums of 16 bits hold all its rows.
_MOST_LABELS = 256
_MOST_CELLS = 2**22
_CELLS_PER_STEP = 32
_MOST_WEIGHT = 2**16 - 1
# Tables are made so wide that no labels are left over when many are added at a time.
_WIDTH = 64
# So few rows are compared two by two, once for all cuts of the node.
_FEW = 32


class Targets(NamedTuple):
    """What the rows of a training set aim at; rows below ``n_labeled`` have labels.

    - ``label_ptr`` (n + 1,) int64, ``label_index`` uint32: the labels of each row
    - ``label_weight`` (n_labels,) float64
    - ``feature_ptr`` (n + 1,) int64, ``feature_index`` uint32, ``feature_value``
      float64: the values of features that no row lacks, zeros left out or not
    - ``gappy_value``, ``gappy_known`` (n, n_gappy) float64: values of the other
      features, 0 if missing, and 1 where known
    """

    n_labeled: int
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

    ``n_slots`` is the number of labels looked at, renumbered; ``is_table`` says
    whether they stand in a table or in lists.
    """

    n_slots: int
    is_table: bool
    labeled_weight: float
    label_squares: float
    label_impurity: float
    weight: float
    feature_squares: float
    feature_impurity: float
    gappy_impurity: float


class Scratch(NamedTuple):
    """Arrays that one tree reuses for all its nodes.

    - ``row_sums`` (n, 7) float64, by the number of a row in the node; see above
    - ``tree_table`` (n_labeled, n_labels) uint16: how often each label counts in each
      row of the tree, or empty; ``node_table`` (cells,) uint16: room for the same of a
      node; ``place`` (n,) int32: where a row of the node stands in the table
    - ``list_ptr``, ``list_slot``, ``list_step``: the lists of labels and their weights
    - ``slot_weight`` (n_labels,) float64, by number in the table or lists
    - ``label_sum`` and ``slot_of`` (n_labels,), all 0 and all -1 between nodes
    - ``products``: room for the products of few rows' labels, two by two
    - ``feature_sum``, ``gappy_sum``, ``gappy_weight``: sums over the node
    - ``side_sum``, ``side_weight``, ``side_times``: sums over one side
    - ``order``, ``other``, ``is_cut``, ``gain``, ``bin_start``: see
      ``multi_label_splits``
    """

    row_sums: np.ndarray
    tree_table: np.ndarray
    node_table: np.ndarray
    place: np.ndarray
    list_ptr: np.ndarray
    list_slot: np.ndarray
    list_step: np.ndarray
    slot_weight: np.ndarray
    label_sum: np.ndarray
    slot_of: np.ndarray
    products: np.ndarray
    feature_sum: np.ndarray
    gappy_sum: np.ndarray
    gappy_weight: np.ndarray
    side_sum: np.ndarray
    side_weight: np.ndarray
    side_times: np.ndarray
    order: np.ndarray
    other: np.ndarray
    is_cut: np.ndarray
    gain: np.ndarray
    bin_start: np.ndarray


@numba.njit(cache=True, nogil=True)
def _padded(n_labels):
    return (n_labels + _WIDTH - 1) // _WIDTH * _WIDTH


@numba.njit(cache=True, nogil=True)
def _make_tree_table(rows, weights, targets):
    """Return the table of a whole tree, empty if it would be too large."""
    n_labels = targets.label_weight.shape[0]
    labeled_weight = weights[rows < targets.n_labeled].sum()
    if (
        n_labels > _MOST_LABELS
        or n_labels * targets.n_labeled > _MOST_CELLS
        or labeled_weight > _MOST_WEIGHT
    ):
        return np.empty((0, 0), dtype=np.uint16)
    table = np.zeros((targets.n_labeled, _padded(n_labels)), dtype=np.uint16)
    for i in range(rows.shape[0]):
        row = rows[i]
        if row < targets.n_labeled:
            for entry in range(targets.label_ptr[row], targets.label_ptr[row + 1]):
                table[row, targets.label_index[entry]] = np.uint16(weights[i])
    return table


@numba.njit(cache=True, nogil=True)
def make_scratch(rows, weights, targets, n_features):
    """Return scratch for a tree of the rows given."""
    n_rows = rows.shape[0]
    n_labels = targets.label_weight.shape[0]
    n_gappy = targets.gappy_value.shape[1]
    tree_table = _make_tree_table(rows, weights, targets)
    has_lists = tree_table.shape[0] == 0
    n_entries = targets.label_index.shape[0] if has_lists else 0
    n_cells = min(n_rows * _padded(n_labels), _MOST_CELLS) if has_lists else 0
    slot_weight = np.zeros(_padded(n_labels))
    slot_weight[:n_labels] = targets.label_weight
    return Scratch(
        np.zeros((n_rows, 7)),
        tree_table,
        np.empty(n_cells, dtype=np.uint16),
        np.empty(n_rows, dtype=np.int32),
        np.zeros(n_rows + 1, dtype=np.int64),
        np.empty(n_entries, dtype=np.uint32),
        np.empty(n_entries),
        slot_weight,
        np.zeros(n_labels),
        np.full(n_labels, -1, dtype=np.int32),
        np.empty((_FEW, _FEW)),
        np.zeros(n_features),
        np.zeros(n_gappy),
        np.zeros(n_gappy),
        np.zeros(max(_padded(n_labels), n_features, n_gappy)),
        np.zeros(n_gappy),
        np.zeros(_padded(n_labels), dtype=np.uint16),
        np.empty(n_rows + 1, dtype=np.int32),
        np.empty(n_rows + 1, dtype=np.int32),
        np.empty(n_rows, dtype=np.bool_),
        np.empty(n_rows),
        np.empty(257, dtype=np.int64),
    )


# Sums in any order, so that several labels are added at a time.
@numba.njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _sum_table(rows, weights, n_labeled, table, slot_weight, times, sums, row_sums):
    """Sum the rows of the tree's table; return (weight, squares, spread)."""
    n_labels = table.shape[1]
    weight = 0.0
    times[:] = 0
    for i in range(rows.shape[0]):
        row_sums[i, WEIGHT] = weights[i]
        row_sums[i, LABELED_WEIGHT] = 0.0
        if rows[i] < n_labeled:
            row_sums[i, LABELED_WEIGHT] = weights[i]
            weight += weights[i]
            row = np.uint64(rows[i])  # without a sign, which would need a look
            for label in range(n_labels):
                times[label] += table[row, label]
    for label in range(n_labels):
        sums[label] = slot_weight[label] * times[label]
    squares = 0.0
    spread = 0.0
    for i in range(rows.shape[0]):
        norm = 0.0
        product = 0.0
        if rows[i] < n_labeled:
            row = np.uint64(rows[i])
            for label in range(n_labels):
                count = np.float64(table[row, label])
                norm += count * slot_weight[label]
                product += count * sums[label]
        row_sums[i, OWN_LABEL] = weights[i] * norm
        row_sums[i, OWN_SINGLE] = 0.0
        row_sums[i, CROSS_LABEL] = product
        squares += product
        spread += norm
    return weight, squares, spread


@numba.njit(cache=True, nogil=True)
def _weigh_labels(rows, weights, n_labeled, ptr, index, label_sum):
    """Add the weights of the rows to their labels; return that of labelled rows."""
    total = 0.0
    for i in range(rows.shape[0]):
        if rows[i] < n_labeled:
            total += weights[i]
            for entry in range(ptr[rows[i]], ptr[rows[i] + 1]):
                label_sum[index[entry]] += weights[i]
    return total


@numba.njit(cache=True, nogil=True)
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
    row_sums,
    list_ptr,
    list_slot,
    list_step,
):
    """List the labels that rows share; return (slots, squares, spread)."""
    n_slots = np.int32(0)
    found = 0
    squares = 0.0
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
                    n_slots += 1
                list_slot[found] = slot_of[label]
                list_step[found] = step
                found += 1
        row_sums[i, WEIGHT] = weight
        row_sums[i, LABELED_WEIGHT] = weight if row < n_labeled else 0.0
        row_sums[i, OWN_LABEL] = weight * weight * (shared + single)
        row_sums[i, OWN_SINGLE] = weight * weight * single
        row_sums[i, CROSS_LABEL] = weight * product
        squares += weight * product
        spread += weight * (shared + single)
    list_ptr[rows.shape[0]] = found
    return n_slots, squares, spread


@numba.njit(cache=True, nogil=True)
def _forget_labels(rows, n_labeled, ptr, index, label_sum, slot_of):
    """Set the sums and slots of the labels of the rows back."""
    for row in rows:
        if row < n_labeled:
            for entry in range(ptr[row], ptr[row + 1]):
                label_sum[index[entry]] = 0.0
                slot_of[index[entry]] = -1


@numba.njit(cache=True, nogil=True)
def _make_node_table(n_slots, all_weight, weights, ptr, slot, table):
    """Fill the table of a node from its lists if that pays; say whether it was."""
    n_rows = weights.shape[0]
    width = _padded(n_slots)
    n_cells = n_rows * width
    if (
        n_cells > min(table.shape[0], _CELLS_PER_STEP * ptr[n_rows])
        or all_weight > _MOST_WEIGHT
    ):
        return False
    table[:n_cells] = 0
    for i in range(n_rows):
        times = np.uint16(weights[i])
        for entry in range(ptr[i], ptr[i + 1]):
            table[i * width + slot[entry]] = times
    return True


@numba.njit(cache=True, nogil=True)
def _sum_labels(rows, weights, targets, scratch):
    """Fill the label part of ``scratch``.

    Returns (slots, whether in a table, labelled weight, squares, spread).
    """
    width = scratch.tree_table.shape[1]
    place = scratch.place
    if width > 0:
        for i in range(rows.shape[0]):
            # Any row without labels may stand for one that is not in the table.
            place[i] = min(rows[i], targets.n_labeled - 1)
        weight, squares, spread = _sum_table(
            rows,
            weights,
            targets.n_labeled,
            scratch.tree_table,
            scratch.slot_weight,
            scratch.side_times,
            scratch.side_sum,
            scratch.row_sums,
        )
        return width, True, weight, squares, spread
    labels = targets.n_labeled, targets.label_ptr, targets.label_index
    weight = _weigh_labels(rows, weights, *labels, scratch.label_sum)
    n_slots, squares, spread = _list_labels(
        rows,
        weights,
        *labels,
        targets.label_weight,
        scratch.label_sum,
        scratch.slot_of,
        scratch.slot_weight,
        weight,
        scratch.row_sums,
        scratch.list_ptr,
        scratch.list_slot,
        scratch.list_step,
    )
    _forget_labels(rows, *labels, scratch.label_sum, scratch.slot_of)
    scratch.slot_weight[n_slots : _padded(n_slots)] = 0.0
    is_table = _make_node_table(
        n_slots,
        weight,
        weights,
        scratch.list_ptr,
        scratch.list_slot,
        scratch.node_table,
    )
    for i in range(rows.shape[0]):
        place[i] = i
    width = _padded(n_slots) if is_table else n_slots
    return width, is_table, weight, squares, spread


@numba.njit(cache=True, nogil=True)
def _sum_features(rows, weights, ptr, index, value, sums, row_sums):
    """Sum features without gaps; return (squares, impurity)."""
    sums[:] = 0.0
    weight = 0.0
    for i in range(rows.shape[0]):
        weight += weights[i]
        for entry in range(ptr[rows[i]], ptr[rows[i] + 1]):
            sums[index[entry]] += weights[i] * value[entry]
    squares = 0.0
    spread = 0.0
    for i in range(rows.shape[0]):
        norm = 0.0
        product = 0.0
        for entry in range(ptr[rows[i]], ptr[rows[i] + 1]):
            norm += value[entry] * value[entry]
            product += value[entry] * sums[index[entry]]
        row_sums[i, OWN_FEATURE] = weights[i] * weights[i] * norm
        row_sums[i, CROSS_FEATURE] = weights[i] * product
        squares += weights[i] * product
        spread += weights[i] * norm
    return squares, spread - squares / weight


@numba.njit(cache=True, nogil=True)
def _sum_gappy(rows, weights, values, known, sums, sum_weights):
    """Sum features with gaps; return their impurity."""
    sums[:] = 0.0
    sum_weights[:] = 0.0
    impurity = 0.0
    for i in range(rows.shape[0]):
        for feature in range(sums.shape[0]):
            value = values[rows[i], feature]
            impurity += weights[i] * value * value
            sums[feature] += weights[i] * value
            sum_weights[feature] += weights[i] * known[rows[i], feature]
    for feature in range(sums.shape[0]):
        if sum_weights[feature] > 0:
            impurity -= sums[feature] * sums[feature] / sum_weights[feature]
    return impurity


@numba.njit(cache=True, nogil=True)
def sum_up(rows, weights, targets, scratch):
    """Prepare ``scratch`` for the splits of a node and return its ``NodeTotals``.

    ``rows`` (n,) int32 are the node's rows and ``weights`` (n,) float64 how often each
    counts. O(labels and feature values of the rows), or O(cells) of a table.
    """
    n_slots, is_table, labeled_weight, squares, spread = _sum_labels(
        rows, weights, targets, scratch
    )
    impurity = spread - squares / labeled_weight if labeled_weight > 0 else 0.0
    feature_squares = 0.0
    feature_impurity = 0.0
    if scratch.feature_sum.shape[0] > 0:
        feature_squares, feature_impurity = _sum_features(
            rows,
            weights,
            targets.feature_ptr,
            targets.feature_index,
            targets.feature_value,
            scratch.feature_sum,
            scratch.row_sums,
        )
    gappy_impurity = 0.0
    if scratch.gappy_sum.shape[0] > 0:
        gappy_impurity = _sum_gappy(
            rows,
            weights,
            targets.gappy_value,
            targets.gappy_known,
            scratch.gappy_sum,
            scratch.gappy_weight,
        )
    return NodeTotals(
        n_slots,
        is_table,
        labeled_weight,
        squares,
        impurity,
        weights.sum(),
        feature_squares,
        feature_impurity,
        gappy_impurity,
    )
