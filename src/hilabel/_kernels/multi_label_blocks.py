"""Compare the few rows of a small tree node two by two.

The squares that splits change (see ``multi_label_nodes``) are sums over pairs of rows:
``sum_c weight_c s_c^2`` is the sum, over all pairs of rows, of their weights times the
weights of the labels that both have. As soon as a node has few rows, these products are
computed once for a whole block, the node and all nodes below it. From then on labels
need not be looked at any more. Features without gaps have products of their own.

``products`` (FEW * FEW,) float64 holds them; ``block_place`` (n_all,) int32 says which
of its rows stands for a row of the matrix. Both stay as they are until the last node of
the block is done, since trees are grown depth first. ``near`` (FEW * FEW,) float64
holds the products of the rows of one node, side by side. ``value_products`` and
``value_near`` are the same for features.
"""

import numpy as np

from hilabel._kernels.compiling import lean
from hilabel._kernels.multi_label_nodes import NodeTotals, sum_labels, sum_of_list
from hilabel._kernels.multi_label_scratch import (
    BLOCK,
    CROSS_FEATURE,
    CROSS_LABEL,
    FEW,
    LABELED_WEIGHT,
    OWN_FEATURE,
    OWN_LABEL,
    WEIGHT,
)
from hilabel._kernels.multi_label_values import (
    fill_value_products,
    sum_complete,
    sum_gappy,
)

__all__ = ["fill_block", "sum_up"]


@lean
def _fill_label_products(rows, weights, targets, scratch):
    """Fill ``products`` and ``block_place``."""
    products, sums = scratch.products, scratch.label_sum
    ptr, index, label_weight = (
        targets.label_ptr,
        targets.label_index,
        targets.label_weight,
    )
    n_labeled = targets.n_labeled
    for i in range(rows.shape[0]):
        row = rows[i]
        scratch.block_place[row] = i
        weight = weights[i]
        first, last = np.uint64(ptr[row]), np.uint64(ptr[row + 1])
        entry = first
        while entry < last:
            label = index[entry]
            sums[label] = weight * label_weight[label]
            entry += np.uint64(1)
        for j in range(i):
            total = 0.0
            if row < n_labeled:
                total = sum_of_list(ptr[rows[j]], ptr[rows[j] + 1], index, sums)
            products[i * FEW + j] = weights[j] * total
            products[j * FEW + i] = weights[j] * total
        products[i * FEW + i] = weight * weight * scratch.row_norm[row]
        entry = first
        while entry < last:
            sums[index[entry]] = 0.0
            entry += np.uint64(1)


@lean
def fill_block(rows, weights, targets, scratch):
    """Compute the products of the rows; O(rows times labels and values of them all)."""
    _fill_label_products(rows, weights, targets, scratch)
    n_features = scratch.feature_sum.shape[0]
    if n_features > 0:
        fill_value_products(
            rows, weights, targets, scratch.side_sum, n_features, scratch.value_products
        )


@lean
def _sum_products(products, place, weights, near, row_sums, own_column, cross_column):
    """Lay out the products of a node's rows; return (squares, spread)."""
    squares = 0.0
    spread = 0.0
    for i in range(weights.shape[0]):
        first = np.uint64(place[i] * FEW)
        product = 0.0
        for j in range(weights.shape[0]):
            one = products[first + np.uint64(place[j])]
            near[i * FEW + j] = one
            product += one
        own = products[first + np.uint64(place[i])]
        row_sums[i, own_column] = own
        row_sums[i, cross_column] = product
        squares += product
        spread += own / weights[i]
    return squares, spread


@lean
def _sum_block(rows, weights, n_labeled, scratch):
    """Sum a node of the block; return (labelled weight, squares, spread)."""
    row_sums, place = scratch.row_sums, scratch.place
    weight = 0.0
    for i in range(rows.shape[0]):
        place[i] = scratch.block_place[rows[i]]
        labeled_weight = weights[i] if rows[i] < n_labeled else 0.0
        row_sums[i, WEIGHT] = weights[i]
        row_sums[i, LABELED_WEIGHT] = labeled_weight
        weight += labeled_weight
    squares, spread = _sum_products(
        scratch.products, place, weights, scratch.near, row_sums, OWN_LABEL, CROSS_LABEL
    )
    return weight, squares, spread


@lean
def _sum_features(rows, weights, all_weight, targets, scratch, is_in_block):
    """Sum the features; return (squares, impurity, that of features with gaps)."""
    squares = 0.0
    impurity = 0.0
    if scratch.feature_sum.shape[0] > 0 and is_in_block:
        squares, spread = _sum_products(
            scratch.value_products,
            scratch.place,
            weights,
            scratch.value_near,
            scratch.row_sums,
            OWN_FEATURE,
            CROSS_FEATURE,
        )
        impurity = spread - squares / all_weight
    elif scratch.feature_sum.shape[0] > 0:
        squares, impurity = sum_complete(
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
        gappy_impurity = sum_gappy(
            rows,
            weights,
            targets.gappy_value,
            targets.gappy_known,
            scratch.gappy_sum,
            scratch.gappy_weight,
        )
    return squares, impurity, gappy_impurity


@lean
def sum_up(rows, weights, targets, scratch, is_in_block, wants_cross):
    """Prepare ``scratch`` for the splits of a node and return its ``NodeTotals``.

    ``rows`` (n,) int32 are the node's rows and ``weights`` (n,) float64 how often each
    counts. ``is_in_block`` says that ``products`` hold them, ``wants_cross`` that cuts
    are going to be looked for, not drawn. O(labels and feature values of the rows),
    O(cells) of a table, or O(rows squared) in a block.
    """
    if is_in_block:
        form, n_slots, singles = BLOCK, rows.shape[0], 0.0
        labeled_weight, squares, spread = _sum_block(
            rows, weights, targets.n_labeled, scratch
        )
    else:
        form, n_slots, labeled_weight, squares, singles, spread = sum_labels(
            rows, weights, targets, scratch, wants_cross
        )
    weight = 0.0
    for i in range(rows.shape[0]):
        weight += weights[i]
    feature_squares, feature_impurity, gappy_impurity = _sum_features(
        rows, weights, weight, targets, scratch, is_in_block
    )
    return NodeTotals(
        form,
        n_slots,
        labeled_weight,
        squares,
        singles,
        spread - squares / labeled_weight if labeled_weight > 0 else 0.0,
        weight,
        feature_squares,
        feature_impurity,
        gappy_impurity,
    )
