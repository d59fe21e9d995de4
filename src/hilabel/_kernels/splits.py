"""Find where to split the rows of a tree node on one feature.

Rows are counted in the bins of the feature (codes 0 to 254, 255 for a missing value).
A row's weight and its share in class 1 are packed in one int64 as ``weight << 32 |
positive``, so that one addition counts both; sums must stay below 2**31.

Both functions take a node's rows as ``rows[start:end]``, with ``column[rows[i]]`` the
code and ``packed[i]`` the weight of row i, and ``total``, the sum of their weights.
They return (varies, impurity, cut, missing goes left): whether the rows differ in this
feature at all; half the Gini impurity times weight of both sides, infinite if no cut
leaves ``least`` rows on either; the highest code that goes left; and 1 or 0, or -1
where no row has a missing value.
"""

import numba
import numpy as np

from hilabel._kernels.random_stream import random_below

__all__ = ["LOW", "MISSING", "best_cut", "impurity_of", "random_cut"]

MISSING = 255
LOW = np.int64(0xFFFFFFFF)
# The lowest bit set in a 64-bit word, from one multiplication: in a de Bruijn sequence
# every run of six bits is different.
_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_BIT = np.empty(64, dtype=np.int64)
for _bit in range(64):
    _BIT[((int(_DE_BRUIJN) << _bit) & (2**64 - 1)) >> 58] = _bit


@numba.njit(cache=True, nogil=True, inline="always")
def impurity_of(weight, positive):
    """Return half the Gini impurity times the weight."""
    return positive * (weight - positive) / weight


@numba.njit(cache=True, nogil=True, inline="always")
def _two_sides(left_sum, weight, positive):
    """Return the impurity of both sides as a fraction, to be compared by products."""
    w = np.float64(left_sum >> 32)
    p = np.float64(left_sum & LOW)
    rest = weight - w
    q = positive - p
    return p * (w - p) * rest + q * (rest - q) * w, w * rest


@numba.njit(cache=True, nogil=True, inline="always")
def best_cut(
    column, rows, packed, start, end, total, least, histogram, tally, occupied
):
    """Return the cut of least impurity; see the head of this file.

    Of equal ones, missing values on the right come first, then low cuts. A cut stands
    half-way between two bins that hold rows, or beyond them all, where it parts
    missing values from the others.

    ``histogram``, ``tally`` (256,) int64 and ``occupied`` (4,) uint64 are all zero
    before and after: only bins that hold a row are visited, since most are empty in
    small nodes. O(rows).
    """
    if least > 1:
        for i in range(start, end):
            tally[column[rows[i]]] += 1
    for i in range(start, end):
        code = np.int64(column[rows[i]])
        histogram[code] += packed[i]
        occupied[code >> 6] |= np.uint64(1) << np.uint64(code & 63)
    n_rows = end - start
    missing_sum = histogram[MISSING]
    missing_count = tally[MISSING]
    has_missing = missing_sum > 0
    if has_missing:
        histogram[MISSING] = 0
        tally[MISSING] = 0
        occupied[3] &= ~(np.uint64(1) << np.uint64(63))
    weight = np.float64(total >> 32)
    positive = np.float64(total & LOW)
    # The best with missing values on the right, and with them on the left.
    top_right, bottom_right, cut_right = np.inf, 1.0, 0
    top_left, bottom_left, cut_left = np.inf, 1.0, 0
    left_sum = np.int64(0)
    left_count = 0
    last = np.int64(0)
    n_bins = 0
    for word in range(4):
        ahead = occupied[word]
        occupied[word] = 0
        while ahead != 0:
            lowest = ahead & (~ahead + np.uint64(1))
            code = (word << 6) + _BIT[(lowest * _DE_BRUIJN) >> np.uint64(58)]
            ahead ^= lowest
            if n_bins > 0:
                if (left_count >= least and n_rows - left_count >= least) or least == 1:
                    top, bottom = _two_sides(left_sum, weight, positive)
                    if top * bottom_right < top_right * bottom:
                        top_right, bottom_right = top, bottom
                        cut_right = (last + code) // 2
                if has_missing:
                    count = left_count + missing_count
                    if (count >= least and n_rows - count >= least) or least == 1:
                        top, bottom = _two_sides(
                            left_sum + missing_sum, weight, positive
                        )
                        if top * bottom_left < top_left * bottom:
                            top_left, bottom_left = top, bottom
                            cut_left = (last + code) // 2
            n_bins += 1
            last = code
            left_sum += histogram[code]
            histogram[code] = 0
            if least > 1:
                left_count += tally[code]
                tally[code] = 0
    if not has_missing:
        return n_bins > 1, top_right / bottom_right, cut_right, -1
    leaves_enough = left_count >= least and n_rows - left_count >= least
    if n_bins > 0 and (leaves_enough or least == 1):
        top, bottom = _two_sides(left_sum, weight, positive)
        if top * bottom_right < top_right * bottom:
            top_right, bottom_right, cut_right = top, bottom, MISSING - 1
    if top_left * bottom_right < top_right * bottom_left:
        return n_bins > 0, top_left / bottom_left, cut_left, 1
    return n_bins > 0, top_right / bottom_right, cut_right, 0


@numba.njit(cache=True, nogil=True, inline="always")
def random_cut(column, rows, packed, start, end, total, least, state):
    """Draw a cut from the lowest bin on, below the highest, as extra-trees do.

    Missing values go to a side drawn too. O(rows).
    """
    lowest = np.int64(MISSING)
    highest = np.int64(-1)
    has_missing = False
    for i in range(start, end):
        code = np.int64(column[rows[i]])
        if code == MISSING:
            has_missing = True
        else:
            lowest = min(lowest, code)
            highest = max(highest, code)
    if highest < 0 or (lowest == highest and not has_missing):
        return False, np.inf, 0, -1
    cut = lowest
    missing_left = 0
    if highest > lowest:  # one bin and missing values leave no choice
        cut += random_below(state, highest - lowest)
        if has_missing:
            missing_left = random_below(state, 2)
    left_sum = np.int64(0)
    left_count = 0
    for i in range(start, end):
        code = np.int64(column[rows[i]])
        goes_left = missing_left == 1 if code == MISSING else code <= cut
        if goes_left:
            left_sum += packed[i]
            left_count += 1
    side = missing_left if has_missing else -1
    if left_count < least or end - start - left_count < least:
        return True, np.inf, cut, side
    right_sum = total - left_sum
    impurity = impurity_of(
        np.float64(left_sum >> 32), np.float64(left_sum & LOW)
    ) + impurity_of(np.float64(right_sum >> 32), np.float64(right_sum & LOW))
    return True, impurity, cut, side
