"""Upper bounds of the gains of a feature, to pass over those that cannot win.

A gain is a sum over labels, each with its weight, of what no split makes negative. With
weights rounded up to a multiple of one unit it can only grow, and by little. In whole
numbers of 16 bits the labels of a row are gone through sixteen and more at a time,
which takes a third of the time that its list of labels does. Of the many features that
are tried in a node only a few come near the best one before them, and only their gains
are computed in full.
"""

from typing import NamedTuple

import numba
import numpy as np

from hilabel._kernels.compiling import lean
from hilabel._kernels.multi_label_scratch import (
    LABELED_WEIGHT,
    WEIGHT,
)
from hilabel._kernels.unit_lanes import AT_A_TIME, pass_units

__all__ = ["Bounds", "make_bounds", "sum_bounds", "sum_node_bounds"]

# Columns of ``Bounds.row_sums``: what a row adds to the squares by itself, and its
# product with the sums of the whole node.
_OWN, _CROSS = range(2)
_MOST = 2**15 - 1
_MOST_SUM = 2**31 - 1
# With fewer candidates too many of them come near the best one before.
_FEWEST_CANDIDATES = 16


class Bounds(NamedTuple):
    """Labels with weights in whole units; ``width`` is 0 if they do not serve.

    - ``unit``: what the weights are multiples of
    - ``table`` (n_labeled * width,) int16: the units of each label that a row has
    - ``norm`` (n_labeled,) float64: the units of each row
    - ``counts`` (width,) int16: rows that have each label, in a node or on a side
    - ``row_sums`` (n, 2) float64: see above
    """

    width: int
    unit: float
    table: np.ndarray
    norm: np.ndarray
    counts: np.ndarray
    row_sums: np.ndarray


@lean
def _find_unit(weights, targets, row_norm):
    """Return the least unit with which no sum overflows, or 0 if there is none."""
    all_weight = 1.0
    for i in range(weights.shape[0]):
        all_weight += weights[i]
    if all_weight > _MOST:
        return 0.0
    most = 0.0
    for label in range(targets.label_weight.shape[0]):
        most = max(most, targets.label_weight[label])
    most_norm = 0.0
    for row in range(targets.n_labeled):
        most_norm = max(most_norm, row_norm[row])
    # Rounding up adds a unit for each label at most.
    most_units = _MOST_SUM / all_weight - targets.label_weight.shape[0]
    return max(most / (_MOST - 1), most_norm / most_units)


@lean
def _fill_table(rows, targets, bounds):
    for i in range(rows.shape[0]):
        row = rows[i]
        for entry in range(targets.label_ptr[row], targets.label_ptr[row + 1]):
            label = np.int64(targets.label_index[entry])
            units = np.ceil(targets.label_weight[label] / bounds.unit)
            bounds.table[row * bounds.width + label] = np.int16(units)
            bounds.norm[row] += units


@numba.njit(cache=True, nogil=True)
def make_bounds(rows, weights, targets, scratch, n_candidates):
    """Return the bounds for a tree of the rows given, where they are of use.

    That is where lists of labels are walked for the best cut of many features, and
    where rows aim at labels alone.
    """
    n_values = scratch.feature_sum.shape[0] + scratch.gappy_sum.shape[0]
    n_all = targets.label_ptr.shape[0] - 1
    unit = 0.0
    if (
        scratch.has_own_lists
        and n_candidates >= _FEWEST_CANDIDATES
        and n_values == 0
        and n_all == targets.n_labeled
    ):
        unit = _find_unit(weights, targets, scratch.row_norm)
    n_places = targets.n_labeled if unit > 0.0 else 0
    n_steps = (targets.label_weight.shape[0] + AT_A_TIME - 1) // AT_A_TIME
    width = n_steps * AT_A_TIME if unit > 0.0 else 0
    bounds = Bounds(
        width,
        unit,
        np.zeros(n_places * width, dtype=np.int16),
        np.zeros(n_places),
        np.zeros(width, dtype=np.int16),
        np.empty((rows.shape[0], 2)),
    )
    if width > 0:
        _fill_table(rows, targets, bounds)
    return bounds


@lean
def sum_node_bounds(rows, weights, bounds):
    """Prepare for the splits of a node; return the sum of its squares in units."""
    width, table, counts = bounds.width, bounds.table, bounds.counts
    for slot in range(width):
        counts[slot] = 0
    for i in range(rows.shape[0]):
        pass_units(table, rows[i] * width, np.int16(weights[i]), counts, width)
    squares = 0.0
    for i in range(rows.shape[0]):
        product = pass_units(table, rows[i] * width, np.int16(0), counts, width)
        cross = weights[i] * product
        bounds.row_sums[i, _CROSS] = cross
        bounds.row_sums[i, _OWN] = weights[i] * weights[i] * bounds.norm[rows[i]]
        squares += cross
    return squares


@lean
def sum_bounds(order, n_moved, rows, row_sums, bounds, squares, cross, labeled):
    """Sum up the labels of one side, in units; O(rows times labels) in 16 bits."""
    width, table, counts = bounds.width, bounds.table, bounds.counts
    for slot in range(width):
        counts[slot] = 0
    side_weight = 0.0
    side_squares = 0.0
    side_cross = 0.0
    for k in range(n_moved):
        i = np.uint64(order[k])
        weight = row_sums[i, WEIGHT]
        total = pass_units(table, rows[i] * width, np.int16(weight), counts, width)
        side_squares += 2.0 * weight * total + bounds.row_sums[i, _OWN]
        side_cross += bounds.row_sums[i, _CROSS]
        side_weight += row_sums[i, LABELED_WEIGHT]
        squares[k] = side_squares
        cross[k] = side_cross
        labeled[k] = side_weight
