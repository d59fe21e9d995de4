"""What the rows of a tree aim at, and the arrays that its nodes are summed up in.

Which of them are used, and how, is said in ``multi_label_nodes``.
"""

from typing import NamedTuple

import numba
import numpy as np

from hilabel._kernels.compiling import inlined, lean
from hilabel._kernels.row_lanes import AT_A_TIME

__all__ = [
    "BLOCK",
    "CROSS_FEATURE",
    "CROSS_LABEL",
    "FEW",
    "LABELED_WEIGHT",
    "LISTS",
    "MOST_WEIGHT",
    "N_ROW_SUMS",
    "OWN_FEATURE",
    "OWN_LABEL",
    "OWN_SINGLE",
    "STEP",
    "TABLE",
    "WEIGHT",
    "Scratch",
    "Targets",
    "fill_up",
    "make_scratch",
    "width_of",
]

# Columns of ``Scratch.row_sums``: the weight of a row, and the same if it is labelled;
# what it adds to the squares by itself, the part of that by labels no other row has,
# and its product with the sums of the whole node.
WEIGHT, LABELED_WEIGHT, OWN_LABEL, OWN_SINGLE, CROSS_LABEL = range(5)
OWN_FEATURE, CROSS_FEATURE = 5, 6
N_ROW_SUMS = 7
# The forms of labels.
LISTS, TABLE, BLOCK = range(3)
# A tree has one table if it has few labels and cells, and if sums of 16 bits hold all
# its rows; lists instead if one step along them costs no more than so many cells do.
_MOST_LABELS = 256
_MOST_CELLS = 2**22
MOST_WEIGHT = 2**16 - 1
_LABELS_PER_STEP = 2
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


class Scratch(NamedTuple):
    """Arrays that one tree reuses for all its nodes.

    - ``row_sums`` (n, 7) float64, by the number of a row in the node; see above
    - ``tree_table`` ((n_labeled + 1) * tree_width,) uint16: how often each label counts
      in each row of the tree, last the row itself, 0 for rows without labels; or empty
    - ``node_table`` (cells,) uint16: room for the same of a node
    - ``place`` (n,) int32: where a row of the node stands in the table or block
    - ``node_times`` uint16: sums over the rows of a table
    - ``list_ptr`` int64, ``list_slot`` uint32: the labels of each row of a node, or of
      the whole tree, filled up to whole steps with a label that does not exist
    - ``has_own_lists``: 1 if the lists are those of the whole tree, by row
    - ``slot_weight`` (more than n_labels,) float64, by number in the table or lists; 0
      for the label that does not exist
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
def width_of(n_labels):
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
    return (0, 1) if weight > MOST_WEIGHT else (width_of(n_labels), 0)


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
def fill_up(found, nothing, list_slot):
    """End a list after a whole number of steps; return where the next one begins."""
    while found % STEP != 0:
        list_slot[found] = nothing
        found += 1
    return found


@lean
def _list_tree(rows, targets, list_ptr, list_slot):
    """List the labels of all rows of a tree."""
    nothing = targets.label_weight.shape[0]
    ptr, index = targets.label_ptr, targets.label_index
    found = 0
    following = 0
    for i in range(rows.shape[0]):  # ascending
        while following <= rows[i]:
            list_ptr[following] = found
            following += 1
        for entry in range(ptr[rows[i]], ptr[rows[i] + 1]):
            list_slot[found] = index[entry]
            found += 1
        found = fill_up(found, nothing, list_slot)
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
    if has_own_lists:
        _list_tree(rows, targets, list_ptr, list_slot)
    n_cells = min(n_rows * width_of(n_labels), _MOST_CELLS) if has_node_lists else 0
    n_value_pairs = FEW * FEW if n_features > 0 else 0
    slot_weight = np.zeros(width_of(n_labels))
    slot_weight[:n_labels] = targets.label_weight
    norm = np.zeros(n_all)
    _weigh_rows(targets, norm)
    return Scratch(
        np.zeros((n_rows, N_ROW_SUMS)),
        width,
        tree_table,
        np.empty(n_cells, dtype=np.uint16),
        np.empty(n_rows, dtype=np.int32),
        np.zeros(width_of(n_labels), dtype=np.uint16),
        list_ptr,
        list_slot,
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
        np.zeros(max(width_of(n_labels), n_features, n_gappy, FEW)),
        np.zeros(n_gappy),
        np.zeros(width_of(n_labels), dtype=np.uint16),
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
