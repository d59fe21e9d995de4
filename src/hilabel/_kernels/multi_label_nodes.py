"""What the rows of a tree node aim at, summed up once before splits are compared.

A row's aims are its labels, each of a fixed weight, and for semi-supervised trees its
feature values too. A set of rows has the impurity

    sum over labels c of weight_c (s_c - s_c^2 / n)

with s_c of its n labelled rows having c, and the same for feature values with sums of
squares. Only the parts ``sum_c weight_c s_c^2`` change with a split. They are kept up
to date while rows go from one side to the other, at a cost of one step per label of
the row: a row r of weight m adds ``2 m sum_{c in r} weight_c s_c + m^2 sum_{c in r}
weight_c``. The other side follows without a second walk: over all rows of a node,
``sum_c weight_c (S_c - s_c)^2`` differs by sums that are fixed for each row.

Labels that all labelled rows of a node have tell nothing, and a label of a single row
only adds to that row's own square; both are left out of the walk.
"""

from typing import NamedTuple

import numba
import numpy as np

__all__ = ["NodeTotals", "Scratch", "Targets", "make_scratch", "sum_up"]


class Targets(NamedTuple):
    """What the rows of a training set aim at; rows below ``n_labeled`` have labels.

    - ``label_ptr`` (n + 1,) int64, ``label_index`` int32: the labels of each row
    - ``label_weight`` (n_labels,) float64
    - ``feature_ptr`` (n + 1,) int64, ``feature_index`` int32, ``feature_value``
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
    """Sums over the rows of a node: weights, squares of sums, and impurities."""

    n_slots: int
    labeled_weight: float
    label_squares: float
    label_impurity: float
    weight: float
    feature_squares: float
    feature_impurity: float
    gappy_impurity: float


class Scratch(NamedTuple):
    """Arrays that one tree reuses for all its nodes.

    By the number of a row in the node: ``own_*`` is what the row adds to the squares
    by itself, ``cross_*`` its product with the sums of the whole node, and ``ptr``,
    ``slot``, ``step`` are the labels it shares with others, renumbered.
    By label: ``label_count``, ``label_sum`` and ``slot_of``, all 0 between nodes.
    ``side_*`` are the sums of the rows moved so far.
    """

    own_label: np.ndarray
    cross_label: np.ndarray
    own_feature: np.ndarray
    cross_feature: np.ndarray
    ptr: np.ndarray
    slot: np.ndarray
    step: np.ndarray
    label_count: np.ndarray
    label_sum: np.ndarray
    slot_of: np.ndarray
    touched: np.ndarray
    feature_sum: np.ndarray
    gappy_sum: np.ndarray
    gappy_weight: np.ndarray
    side_label: np.ndarray
    side_feature: np.ndarray
    side_gappy: np.ndarray
    side_gappy_weight: np.ndarray
    side: np.ndarray
    order: np.ndarray
    bin_start: np.ndarray


@numba.njit(cache=True, nogil=True)
def make_scratch(targets, n_rows, n_features):
    """Return scratch for trees of at most ``n_rows`` different rows."""
    n_labels = targets.label_weight.shape[0]
    n_entries = targets.label_index.shape[0]
    n_gappy = targets.gappy_value.shape[1]
    return Scratch(
        np.zeros(n_rows),
        np.zeros(n_rows),
        np.zeros(n_rows),
        np.zeros(n_rows),
        np.zeros(n_rows + 1, dtype=np.int64),
        np.empty(n_entries, dtype=np.int32),
        np.empty(n_entries),
        np.zeros(n_labels, dtype=np.int64),
        np.zeros(n_labels),
        np.empty(n_labels, dtype=np.int32),
        np.empty(n_labels, dtype=np.int32),
        np.zeros(n_features),
        np.zeros(n_gappy),
        np.zeros(n_gappy),
        np.zeros(n_labels),
        np.zeros(n_features),
        np.zeros(n_gappy),
        np.zeros(n_gappy),
        np.zeros(6),
        np.empty(n_rows, dtype=np.int32),
        np.empty(257, dtype=np.int64),
    )


@numba.njit(cache=True, nogil=True)
def _count_labels(rows, weights, targets, scratch):
    """Count the labels of the rows; return (labels found, labelled rows, weight)."""
    n_touched = 0
    n_labeled = 0
    labeled_weight = 0.0
    for i in range(rows.shape[0]):
        row = rows[i]
        if row >= targets.n_labeled:
            continue
        n_labeled += 1
        labeled_weight += weights[i]
        for entry in range(targets.label_ptr[row], targets.label_ptr[row + 1]):
            label = targets.label_index[entry]
            if scratch.label_count[label] == 0:
                scratch.touched[n_touched] = label
                n_touched += 1
            scratch.label_count[label] += 1
            scratch.label_sum[label] += weights[i]
    return n_touched, n_labeled, labeled_weight


@numba.njit(cache=True, nogil=True)
def _sum_labels(rows, weights, targets, scratch):
    """Fill the label part of ``scratch``; return its part of the totals."""
    n_touched, n_labeled, labeled_weight = _count_labels(
        rows, weights, targets, scratch
    )
    n_slots = 0
    for k in range(n_touched):
        label = scratch.touched[k]
        if 1 < scratch.label_count[label] < n_labeled:
            scratch.slot_of[label] = n_slots
            n_slots += 1
        else:
            scratch.slot_of[label] = -1
    found = 0
    squares = 0.0
    spread = 0.0
    for i in range(rows.shape[0]):
        row = rows[i]
        scratch.ptr[i] = found
        own = 0.0
        cross = 0.0
        if row < targets.n_labeled:
            for entry in range(targets.label_ptr[row], targets.label_ptr[row + 1]):
                label = targets.label_index[entry]
                if scratch.label_count[label] == n_labeled:
                    continue
                weight = targets.label_weight[label]
                own += weight
                cross += weight * scratch.label_sum[label]
                if scratch.slot_of[label] >= 0:
                    scratch.slot[found] = scratch.slot_of[label]
                    scratch.step[found] = weight
                    found += 1
        scratch.own_label[i] = weights[i] * weights[i] * own
        scratch.cross_label[i] = weights[i] * cross
        squares += weights[i] * cross
        spread += weights[i] * own
    scratch.ptr[rows.shape[0]] = found
    for k in range(n_touched):
        scratch.label_count[scratch.touched[k]] = 0
        scratch.label_sum[scratch.touched[k]] = 0.0
    impurity = spread - squares / labeled_weight if labeled_weight > 0 else 0.0
    return n_slots, labeled_weight, squares, impurity


@numba.njit(cache=True, nogil=True)
def _sum_features(rows, weights, targets, scratch):
    """Fill the part of features without gaps; return its part of the totals."""
    ptr, index, value = (
        targets.feature_ptr,
        targets.feature_index,
        targets.feature_value,
    )
    scratch.feature_sum[:] = 0.0
    weight = 0.0
    for i in range(rows.shape[0]):
        weight += weights[i]
        for entry in range(ptr[rows[i]], ptr[rows[i] + 1]):
            scratch.feature_sum[index[entry]] += weights[i] * value[entry]
    squares = 0.0
    spread = 0.0
    for i in range(rows.shape[0]):
        own = 0.0
        cross = 0.0
        for entry in range(ptr[rows[i]], ptr[rows[i] + 1]):
            own += value[entry] * value[entry]
            cross += value[entry] * scratch.feature_sum[index[entry]]
        scratch.own_feature[i] = weights[i] * weights[i] * own
        scratch.cross_feature[i] = weights[i] * cross
        squares += weights[i] * cross
        spread += weights[i] * own
    return weight, squares, spread - squares / weight


@numba.njit(cache=True, nogil=True)
def _sum_gappy(rows, weights, targets, scratch):
    """Fill the sums of features with gaps; return their impurity."""
    scratch.gappy_sum[:] = 0.0
    scratch.gappy_weight[:] = 0.0
    impurity = 0.0
    for i in range(rows.shape[0]):
        for feature in range(scratch.gappy_sum.shape[0]):
            value = targets.gappy_value[rows[i], feature]
            known = targets.gappy_known[rows[i], feature]
            impurity += weights[i] * value * value
            scratch.gappy_sum[feature] += weights[i] * value
            scratch.gappy_weight[feature] += weights[i] * known
    for feature in range(scratch.gappy_sum.shape[0]):
        if scratch.gappy_weight[feature] > 0:
            total = scratch.gappy_sum[feature]
            impurity -= total * total / scratch.gappy_weight[feature]
    return impurity


@numba.njit(cache=True, nogil=True)
def sum_up(rows, weights, targets, scratch):
    """Prepare ``scratch`` for the splits of a node and return its ``NodeTotals``.

    ``rows`` (n,) int32 are the node's rows and ``weights`` (n,) float64 how often each
    counts. O(labels and feature values of the rows).
    """
    n_slots, labeled_weight, label_squares, label_impurity = _sum_labels(
        rows, weights, targets, scratch
    )
    weight, feature_squares, feature_impurity = _sum_features(
        rows, weights, targets, scratch
    )
    return NodeTotals(
        n_slots,
        labeled_weight,
        label_squares,
        label_impurity,
        weight,
        feature_squares,
        feature_impurity,
        _sum_gappy(rows, weights, targets, scratch),
    )
