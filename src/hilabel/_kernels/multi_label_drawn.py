"""Draw a cut for each of many features and compare them, in a block of few rows.

With a dozen rows, the work on one feature is over before a processor is up to speed.
So it is done for many features at a time: their codes are laid out row by row, and each
step runs along a row.
"""

from typing import NamedTuple

import numba
import numpy as np

from hilabel._kernels.compiling import inlined, lean, summing
from hilabel._kernels.multi_label_columns import draw_feature
from hilabel._kernels.multi_label_scratch import FEW
from hilabel._kernels.multi_label_splits import MISSING, add_gains, draw_cut
from hilabel._kernels.pair_lanes import LANES, sum_left_sides

__all__ = ["DrawnCuts", "best_drawn_cut", "make_drawn_cuts"]

# Features at a time, so that all of this stays near the processor.
_MOST_LANES = 8 * LANES


class DrawnCuts(NamedTuple):
    """Features that are compared at a time, each in a lane of its own.

    - ``codes`` (FEW * width,) uint8: of the rows of the block, row by row
    - ``feature``, ``cut``, ``missing_left`` (width,) int32
    - ``lowest``, ``highest``, ``turned`` (width,) uint8: least and greatest code, and
      the greatest after adding 1 to all in 8 bits, which makes missing values 0
    - ``turn``, ``limit`` (width,) uint8, ``side``, ``sums``: see ``pair_lanes``
    - ``gain`` (width,) float64
    """

    width: int
    codes: np.ndarray
    feature: np.ndarray
    cut: np.ndarray
    missing_left: np.ndarray
    lowest: np.ndarray
    highest: np.ndarray
    turned: np.ndarray
    turn: np.ndarray
    limit: np.ndarray
    side: np.ndarray
    sums: np.ndarray
    gain: np.ndarray


@numba.njit(cache=True, nogil=True)
def make_drawn_cuts(n_candidates, is_random):
    """Return room for the features of a batch; none is needed if no cuts are drawn."""
    n_batches = (min(n_candidates, _MOST_LANES) + LANES - 1) // LANES
    width = n_batches * LANES if is_random else 0
    return DrawnCuts(
        width,
        np.zeros(FEW * width, dtype=np.uint8),
        np.zeros(width, dtype=np.int32),
        np.zeros(width, dtype=np.int32),
        np.zeros(width, dtype=np.int32),
        np.zeros(width, dtype=np.uint8),
        np.zeros(width, dtype=np.uint8),
        np.zeros(width, dtype=np.uint8),
        np.zeros(width, dtype=np.uint8),
        np.zeros(width, dtype=np.uint8),
        np.zeros(FEW * LANES),
        np.zeros(4 * width),
        np.zeros(width),
    )


@inlined
def _lay_out(matrix, columns, rows, first, n_lanes, drawn):
    """Copy the codes of the batch's features, row by row."""
    codes, feature, width = drawn.codes, drawn.feature, np.uint64(drawn.width)
    is_sparse = matrix.zero_codes.shape[0] > 0
    for i in range(rows.shape[0]):
        start = np.uint64(i) * width
        row = np.uint64(rows[i])
        for at in range(n_lanes):
            lane = np.uint64(at)
            if is_sparse:
                code = columns.block[np.uint64(first) + lane, np.uint64(i)]
            else:
                code = matrix.by_row[row, np.uint32(feature[lane])]
            codes[start + lane] = code


@inlined
def _find_ends(n_rows, drawn):
    """Find the least and greatest code in every lane."""
    codes, width = drawn.codes, drawn.width
    lowest, highest, turned = drawn.lowest, drawn.highest, drawn.turned
    for lane in range(width):
        code = codes[lane]
        lowest[lane] = code
        highest[lane] = code
        turned[lane] = np.uint8(code + np.uint8(1))
    for i in range(1, n_rows):
        start = np.uint64(i * width)
        for at in range(width):
            lane = np.uint64(at)
            code = codes[start + lane]
            lowest[lane] = min(lowest[lane], code)
            highest[lane] = max(highest[lane], code)
            turned[lane] = max(turned[lane], np.uint8(code + np.uint8(1)))


@inlined
def _draw_cuts(n_lanes, drawn, state):
    """Draw a cut in each lane where codes vary; return in how many they do.

    In the others all rows go left, which is no split.
    """
    n_varying = 0
    for lane in range(n_lanes):
        lowest = np.int64(drawn.lowest[lane])
        highest = np.int64(drawn.turned[lane]) - 1
        has_missing = drawn.highest[lane] == MISSING
        cut, missing_left = MISSING, -1
        if highest >= lowest + (0 if has_missing else 1):
            cut, missing_left = draw_cut(lowest, highest, has_missing, state)
            n_varying += 1
        turn = 1 if missing_left == 1 else 0
        drawn.cut[lane] = cut
        drawn.missing_left[lane] = missing_left
        drawn.turn[lane] = turn
        drawn.limit[lane] = cut + turn
    return n_varying


@summing
def _compare(n_lanes, rows, least, totals, scratch, drawn):
    """Return (the greatest gain, its lane), the first one among equals."""
    n_rows, width, sums = rows.shape[0], drawn.width, drawn.sums
    for first in range(0, n_lanes, LANES):
        sum_left_sides(
            drawn.codes,
            width,
            first,
            n_rows,
            drawn.turn,
            drawn.limit,
            scratch.near,
            scratch.row_sums,
            drawn.side,
            sums,
        )
    for lane in range(n_lanes):
        drawn.gain[lane] = 0.0
    add_gains(
        sums,
        sums[width:],
        sums[2 * width :],
        n_lanes,
        drawn.gain,
        totals.labeled_weight,
        totals.label_squares,
        totals.label_impurity,
    )
    n_left = sums[3 * width :]
    for lane in range(n_lanes):  # before the branch below, which then is seldom taken
        is_large = (n_left[lane] >= least) & (n_rows - n_left[lane] >= least)
        drawn.gain[lane] = drawn.gain[lane] if is_large else -np.inf
    best = -np.inf
    best_lane = -1
    for lane in range(n_lanes):
        if drawn.gain[lane] > best:
            best = drawn.gain[lane]
            best_lane = lane
    return best, best_lane


@lean
def best_drawn_cut(
    matrix,
    columns,
    rows,
    totals,
    scratch,
    drawn,
    n_candidates,
    remaining,
    least,
    state,
    cut_state,
):
    """Return what ``find_split`` does, for cuts drawn in a block without values.

    ``remaining`` features are left to be drawn, or laid out already if the matrix is
    sparse; features and cuts are drawn in the same order. O(candidates times rows
    squared).
    """
    n_rows = rows.shape[0]
    is_sparse = matrix.zero_codes.shape[0] > 0
    best = -np.inf
    best_feature = np.int32(-1)
    cut = 0
    missing_left = -1
    tried = 0
    while tried < n_candidates and remaining > 0:
        n_lanes = min(n_candidates - tried, remaining, _MOST_LANES)
        remaining -= n_lanes
        for lane in range(n_lanes):
            if is_sparse:
                drawn.feature[lane] = columns.drawn[tried + lane]
            else:
                left = remaining + n_lanes - 1 - lane
                drawn.feature[lane] = draw_feature(columns.features, left, state)
        _lay_out(matrix, columns, rows, tried, n_lanes, drawn)
        _find_ends(n_rows, drawn)
        tried += _draw_cuts(n_lanes, drawn, cut_state)
        gain, lane = _compare(n_lanes, rows, least, totals, scratch, drawn)
        if gain > best:
            best = gain
            best_feature = drawn.feature[lane]
            cut = np.int64(drawn.cut[lane])
            missing_left = np.int64(drawn.missing_left[lane])
            for i in range(n_rows):
                columns.chosen[i] = drawn.codes[i * drawn.width + lane]
    return best, best_feature, cut, missing_left
