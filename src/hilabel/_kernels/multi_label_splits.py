"""Compare the splits of a tree node on one feature, for all labels at once.

Codes are those of the node's rows in their order: bins 0 to 254, 255 for a missing
value. The sums of the node stand in ``Scratch`` and ``NodeTotals``; see
``multi_label_nodes``. Both searches return (gain, cut, missing goes left): by how much
the impurity falls, minus infinity if no cut leaves ``least`` rows on both sides; rows
with code <= cut go left; and 1, 0, or -1 where no row lacks the feature.
"""

import numba
import numpy as np

from hilabel._kernels.random_stream import random_below

__all__ = ["MISSING", "best_cut", "random_cut"]

MISSING = 255
# Up to so many rows, sorting by insertion is faster than going through all bins.
_FEW = 24
# Places in ``Scratch.side``.
_LABEL_WEIGHT, _LABEL_SQUARES, _LABEL_CROSS = 0, 1, 2
_WEIGHT, _FEATURE_SQUARES, _FEATURE_CROSS = 3, 4, 5


@numba.njit(cache=True, nogil=True)
def _empty_side(totals, scratch):
    """Forget the rows moved so far."""
    scratch.side_label[: totals.n_slots] = 0.0
    scratch.side_feature[:] = 0.0
    scratch.side_gappy[:] = 0.0
    scratch.side_gappy_weight[:] = 0.0
    scratch.side[:] = 0.0


@numba.njit(cache=True, nogil=True)
def _move(i, row, weight, targets, scratch):
    """Add row number ``i`` of the node to the side."""
    side = scratch.side
    total = 0.0
    sums = scratch.side_label
    for entry in range(scratch.ptr[i], scratch.ptr[i + 1]):
        slot = scratch.slot[entry]
        total += sums[slot]
        sums[slot] += weight * scratch.step[entry]
    side[_LABEL_SQUARES] += 2.0 * weight * total + scratch.own_label[i]
    side[_LABEL_CROSS] += scratch.cross_label[i]
    if row < targets.n_labeled:
        side[_LABEL_WEIGHT] += weight
    side[_WEIGHT] += weight
    if scratch.side_feature.shape[0] > 0:
        total = 0.0
        sums = scratch.side_feature
        for entry in range(targets.feature_ptr[row], targets.feature_ptr[row + 1]):
            feature = targets.feature_index[entry]
            value = targets.feature_value[entry]
            total += value * sums[feature]
            sums[feature] += weight * value
        side[_FEATURE_SQUARES] += 2.0 * weight * total + scratch.own_feature[i]
        side[_FEATURE_CROSS] += scratch.cross_feature[i]
    for feature in range(scratch.side_gappy.shape[0]):
        scratch.side_gappy[feature] += weight * targets.gappy_value[row, feature]
        scratch.side_gappy_weight[feature] += (
            weight * targets.gappy_known[row, feature]
        )


@numba.njit(cache=True, nogil=True)
def _squares_gained(squares, cross, weight, all_squares, all_weight):
    """Return by how much ``sum of squares / weight`` grows with the split."""
    others = all_squares - 2.0 * cross + squares
    return (
        squares / weight + others / (all_weight - weight) - all_squares / all_weight
    )


@numba.njit(cache=True, nogil=True)
def _gappy_gain(scratch):
    gain = 0.0
    for feature in range(scratch.side_gappy.shape[0]):
        total = scratch.gappy_sum[feature]
        weight = scratch.gappy_weight[feature]
        here = scratch.side_gappy[feature]
        here_weight = scratch.side_gappy_weight[feature]
        # A side that knows no value of the feature has no spread of it.
        if 0.0 < here_weight < weight:
            gain += _squares_gained(
                here * here, here * total, here_weight, total * total, weight
            )
    return gain


@numba.njit(cache=True, nogil=True)
def _gain(totals, scratch):
    """Return by how much the impurity falls if the rows of the side are split off."""
    side = scratch.side
    gain = 0.0
    if 0.0 < side[_LABEL_WEIGHT] < totals.labeled_weight:
        gain += _squares_gained(
            side[_LABEL_SQUARES],
            side[_LABEL_CROSS],
            side[_LABEL_WEIGHT],
            totals.label_squares,
            totals.labeled_weight,
        )
    else:
        # A side without labelled rows is as impure as its parent, so that parting
        # labelled from unlabelled rows gains nothing.
        gain -= totals.label_impurity
    if scratch.side_feature.shape[0] > 0:
        gain += _squares_gained(
            side[_FEATURE_SQUARES],
            side[_FEATURE_CROSS],
            side[_WEIGHT],
            totals.feature_squares,
            totals.weight,
        )
    return gain + _gappy_gain(scratch)


@numba.njit(cache=True, nogil=True)
def _sort_by_code(codes, scratch):
    """Put the numbers of the rows into ``order`` by ascending code, stable."""
    n_rows = codes.shape[0]
    order = scratch.order
    if n_rows <= _FEW:
        for i in range(n_rows):
            place = i
            while place > 0 and codes[order[place - 1]] > codes[i]:
                order[place] = order[place - 1]
                place -= 1
            order[place] = i
        return
    start = scratch.bin_start
    start[:] = 0
    for i in range(n_rows):
        start[codes[i] + 1] += 1
    for code in range(256):
        start[code + 1] += start[code]
    for i in range(n_rows):
        order[start[codes[i]]] = i
        start[codes[i]] += 1


@numba.njit(cache=True, nogil=True)
def best_cut(codes, rows, weights, targets, totals, scratch, least):
    """Look at every cut between two bins, missing values on either side.

    O(labels of the rows), twice if some lack the feature, plus 256 for many rows.
    """
    n_rows = codes.shape[0]
    _sort_by_code(codes, scratch)
    order = scratch.order
    n_known = n_rows
    while n_known > 0 and codes[order[n_known - 1]] == MISSING:
        n_known -= 1
    has_missing = n_known < n_rows
    best = -np.inf
    cut = 0
    missing_left = 0 if has_missing else -1
    for side_of_missing in range(2 if has_missing else 1):
        _empty_side(totals, scratch)
        n_left = 0
        if side_of_missing == 1:
            for k in range(n_known, n_rows):
                _move(order[k], rows[order[k]], weights[order[k]], targets, scratch)
            n_left = n_rows - n_known
        # With missing values on the right, they may stand there alone.
        n_moved = n_known if has_missing and side_of_missing == 0 else n_known - 1
        for k in range(n_moved):
            i = order[k]
            _move(i, rows[i], weights[i], targets, scratch)
            n_left += 1
            code = np.int64(codes[i])
            following = MISSING if k + 1 == n_known else np.int64(codes[order[k + 1]])
            if code == following or n_left < least:
                continue
            if n_rows - n_left < least:
                break
            gain = _gain(totals, scratch)
            if gain > best:
                best = gain
                # Half-way to the next bin that occurs here; all bins if none does.
                cut = MISSING - 1 if k + 1 == n_known else (code + following) // 2
                if has_missing:
                    missing_left = side_of_missing
    return best, cut, missing_left


@numba.njit(cache=True, nogil=True)
def random_cut(codes, rows, weights, targets, totals, scratch, least, state):
    """Draw a cut from the lowest bin on, below the highest, as extra-trees do.

    Missing values go to a side drawn too. O(labels of the rows of the smaller side).
    """
    n_rows = codes.shape[0]
    lowest = np.int64(MISSING)
    highest = np.int64(-1)
    has_missing = False
    for i in range(n_rows):
        code = np.int64(codes[i])
        if code == MISSING:
            has_missing = True
        else:
            lowest = min(lowest, code)
            highest = max(highest, code)
    cut = lowest
    missing_left = 0 if has_missing else -1
    if highest > lowest:  # one bin and missing values leave no choice
        cut += random_below(state, highest - lowest)
        if has_missing:
            missing_left = random_below(state, 2)
    n_left = 0
    for i in range(n_rows):
        n_left += missing_left == 1 if codes[i] == MISSING else codes[i] <= cut
    if n_left < least or n_rows - n_left < least:
        return -np.inf, cut, missing_left
    move_left = 2 * n_left <= n_rows
    _empty_side(totals, scratch)
    for i in range(n_rows):
        goes_left = missing_left == 1 if codes[i] == MISSING else codes[i] <= cut
        if goes_left == move_left:
            _move(i, rows[i], weights[i], targets, scratch)
    return _gain(totals, scratch), cut, missing_left
