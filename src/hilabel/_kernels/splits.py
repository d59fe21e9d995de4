"""Find where to split the rows of a tree node on one feature.

Rows are counted in the bins of the feature (codes 0 to 254, 255 for a missing value).
A row's weight and its share in class 1 are packed in one int64 as ``weight << 32 |
positive``, so that one addition counts both; sums must stay below 2**31.
"""

import numba
import numpy as np

from hilabel._kernels.random_stream import random_below

__all__ = [
    "FEW",
    "LOW",
    "MISSING",
    "collect_few",
    "collect_many",
    "impurity_of",
    "random_cut",
    "scan",
]

MISSING = 255
LOW = np.int64(0xFFFFFFFF)
# At most this many rows are sorted by insertion instead of counted in bins.
FEW = 16
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


@numba.njit(cache=True, nogil=True)
def scan(bins, sums, counts, n_bins, missing_sum, missing_count, total, n_rows, least):
    """Find the best cut between the occupied bins ``bins[:n_bins]``, ascending.

    ``sums`` are per occupied bin, and ``counts`` too where ``least`` is above 1.
    Returns (impurity, cut, missing goes left); the impurity is infinite if no cut
    leaves ``least`` rows on both sides.
    """
    weight = np.float64(total >> 32)
    positive = np.float64(total & LOW)
    best = np.inf
    best_place = 0
    best_missing = 0
    for side in range(2 if missing_count > 0 else 1):
        left_sum = missing_sum if side == 1 else np.int64(0)
        left_count = missing_count if side == 1 else 0
        # With the missing on the right, the last bin may be cut from them too.
        last = n_bins if side == 0 and missing_count > 0 else n_bins - 1
        for place in range(last):
            left_sum += sums[place]
            if least > 1:
                left_count += counts[place]
                if left_count < least or n_rows - left_count < least:
                    continue
            w = np.float64(left_sum >> 32)
            p = np.float64(left_sum & LOW)
            rest = weight - w
            q = positive - p
            impurity = (p * (w - p) * rest + q * (rest - q) * w) / (w * rest)
            if impurity < best:
                best = impurity
                best_place = place
                best_missing = side
    if best_place + 1 < n_bins:
        cut = (bins[best_place] + bins[best_place + 1]) // 2
    else:
        cut = MISSING - 1
    return best, cut, best_missing


@numba.njit(cache=True, nogil=True)
def collect_few(column, rows, packed, start, end, bins, sums, counts, keys):
    """Sort few rows by their code; return (occupied bins, missing sum and count)."""
    missing_sum = np.int64(0)
    missing_count = 0
    n_keys = 0
    for i in range(start, end):
        code = np.int64(column[rows[i]])
        if code == MISSING:
            missing_sum += packed[i]
            missing_count += 1
            continue
        key = np.int32((code << 8) | (i - start))
        place = n_keys
        while place > 0 and keys[place - 1] > key:
            keys[place] = keys[place - 1]
            place -= 1
        keys[place] = key
        n_keys += 1
    n_bins = 0
    last = -1
    for place in range(n_keys):
        code = keys[place] >> 8
        weight = packed[start + (keys[place] & 255)]
        if code == last:
            sums[n_bins - 1] += weight
            counts[n_bins - 1] += 1
        else:
            bins[n_bins] = code
            sums[n_bins] = weight
            counts[n_bins] = 1
            n_bins += 1
            last = code
    return n_bins, missing_sum, missing_count


@numba.njit(cache=True, nogil=True)
def collect_many(
    column,
    rows,
    packed,
    start,
    end,
    least,
    bins,
    sums,
    counts,
    histogram,
    tally,
    occupied,
):
    """Count many rows in bins; return (occupied bins, missing sum and count).

    ``histogram``, ``tally`` (256,) int64 and ``occupied`` (4,) uint64 are all zero
    before and after: only bins that hold a row are visited, since most are empty in
    small nodes.
    """
    if least > 1:
        for i in range(start, end):
            tally[column[rows[i]]] += 1
    for i in range(start, end):
        code = np.int64(column[rows[i]])
        histogram[code] += packed[i]
        occupied[code >> 6] |= np.uint64(1) << np.uint64(code & 63)
    missing_sum = histogram[MISSING]
    missing_count = 0
    if missing_sum > 0:
        missing_count = tally[MISSING] if least > 1 else 1
        histogram[MISSING] = 0
        tally[MISSING] = 0
        occupied[3] &= ~(np.uint64(1) << np.uint64(63))
    n_bins = 0
    for word in range(4):
        left = occupied[word]
        occupied[word] = 0
        while left != 0:
            lowest = left & (~left + np.uint64(1))
            code = (word << 6) + _BIT[(lowest * _DE_BRUIJN) >> np.uint64(58)]
            left ^= lowest
            bins[n_bins] = code
            sums[n_bins] = histogram[code]
            histogram[code] = 0
            if least > 1:
                counts[n_bins] = tally[code]
                tally[code] = 0
            n_bins += 1
    return n_bins, missing_sum, missing_count


@numba.njit(cache=True, nogil=True)
def random_cut(
    bins, sums, counts, n_bins, missing_sum, missing_count, total, n_rows, least, state
):
    """Draw a cut between the lowest and the highest bin, as extra-trees do."""
    span = bins[n_bins - 1] - bins[0]
    # One bin and missing values leave no choice.
    cut = bins[0] if span == 0 else bins[0] + random_below(state, span)
    missing_left = 0
    if missing_count > 0:
        missing_left = random_below(state, 2) if span > 0 else 0
    left_sum = missing_sum if missing_left == 1 else np.int64(0)
    left_count = missing_count if missing_left == 1 else 0
    for place in range(n_bins):
        if bins[place] <= cut:
            left_sum += sums[place]
            if least > 1:
                left_count += counts[place]
    if least > 1 and (left_count < least or n_rows - left_count < least):
        return np.inf, cut, missing_left
    right_sum = total - left_sum
    impurity = impurity_of(
        np.float64(left_sum >> 32), np.float64(left_sum & LOW)
    ) + impurity_of(np.float64(right_sum >> 32), np.float64(right_sum & LOW))
    return impurity, cut, missing_left
