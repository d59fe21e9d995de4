"""The feature values that rows of a semi-supervised tree aim at.

What they add to the impurity of a node, and by how much it falls with a split. The
arrays are those of ``multi_label_scratch`` and ``multi_label_splits``. In a block,
values need not be looked at any more than labels; see ``multi_label_blocks``.
"""

import numpy as np

from hilabel._kernels.compiling import lean, summing
from hilabel._kernels.multi_label_scratch import (
    CROSS_FEATURE,
    FEW,
    OWN_FEATURE,
    WEIGHT,
)
from hilabel._kernels.multi_label_splits import squares_gained

__all__ = [
    "add_feature_gains",
    "add_gappy_gains",
    "fill_value_products",
    "sum_complete",
    "sum_gappy",
]


@lean
def sum_complete(rows, weights, ptr, index, value, sums, row_sums):
    """Sum features without gaps; return (squares, impurity)."""
    for feature in range(sums.shape[0]):
        sums[feature] = 0.0
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


@lean
def sum_gappy(rows, weights, values, known, sums, sum_weights):
    """Sum features with gaps; return their impurity."""
    for feature in range(sums.shape[0]):
        sums[feature] = 0.0
        sum_weights[feature] = 0.0
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


@summing
def _product(first, last, n_features, index, value, sums):
    """Return the product of a row's values with ``sums``."""
    total = 0.0
    if last - first == n_features:
        # No zeros left out: several values at a time.
        start = np.uint64(first)
        for feature in range(n_features):
            total += value[start + np.uint64(feature)] * sums[feature]
    else:
        for entry in range(first, last):
            total += value[entry] * sums[index[entry]]
    return total


@lean
def fill_value_products(rows, weights, targets, sums, n_features, products):
    """Set ``products`` to those of the values of the rows, two by two.

    O(rows times values of all rows); ``sums`` is scratch.
    """
    ptr, index, value = (
        targets.feature_ptr,
        targets.feature_index,
        targets.feature_value,
    )
    for i in range(rows.shape[0]):
        for feature in range(n_features):
            sums[feature] = 0.0
        for entry in range(ptr[rows[i]], ptr[rows[i] + 1]):
            sums[index[entry]] = weights[i] * value[entry]
        for j in range(i + 1):
            first, last = ptr[rows[j]], ptr[rows[j] + 1]
            total = _product(first, last, n_features, index, value, sums)
            products[i * FEW + j] = weights[j] * total
            products[j * FEW + i] = weights[j] * total


@summing
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
    for feature in range(n_features):
        sums[feature] = 0.0
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
            gain[k] += squares_gained(
                squares, cross, side_weight, all_squares, all_weight
            )


@lean
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
    for feature in range(n_features):
        sums[feature] = 0.0
        sum_weights[feature] = 0.0
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
                gain[k] += squares_gained(
                    here * here,
                    here * total,
                    sum_weights[feature],
                    total * total,
                    all_weights[feature],
                )
