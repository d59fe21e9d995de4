"""Find where to split the rows of a tree node on one feature.

A row's weight and its share in class 1 are packed in one int64 as ``weight << 32 |
positive``, so that one addition counts both; sums must stay below 2**31. Where they
fit, 32 or 16 bits take the place of 64. Codes are the bins of the feature, 0 to 254 in
its order, and 255 for a missing value.

A cut is judged twice. ``screen_feature`` computes the impurity of all cuts of a
feature in single precision, many at a time. All that it adds up is positive, so a value
is wrong by a few roundings at most; cuts that may be the best, up to ``DOUBT`` units in
the last place above the least, go to ``best_cut``, which compares exactly.

Kernels take the node's rows as ``codes[:n]`` and ``packed[start:start + n]``, and
``total``, the sum of their weights; the rows must differ in the feature. ``best_cut``
and ``random_cut`` return (impurity, cut, missing goes left): half the Gini impurity
times weight of both sides, infinite if no cut leaves ``least`` rows on either; the
highest code that goes left; and 1 or 0, or -1 where no row has a missing value.
"""

from typing import Any, NamedTuple

import numba
import numpy as np

from hilabel._kernels.compiling import inlined
from hilabel._kernels.lanes import BEYOND, LANES, TWICE, left_sums
from hilabel._kernels.random_stream import random_below

__all__ = [
    "DOUBT",
    "LOW",
    "MISSING",
    "Bench",
    "best_cut",
    "impurity_of",
    "lay_out_rows",
    "make_bench",
    "random_cut",
    "screen_feature",
]

MISSING = 255
LOW = np.int64(0xFFFFFFFF)
DOUBT = 40
# Up to so many rows are compared in pairs, more are counted in bins.
_MAX_PAIRED = 96
# Rows are packed in 16 bits if their weight stays below the first, in pairs, and in 32
# bits if it stays below the second, in bins.
_MAX_WEIGHT_16 = 256
_MAX_WEIGHT_32 = 32768
_INFINITE = np.float32(np.inf)
_GREATEST_FINITE = np.int32(0x7F7FFFFF)
_PAIRED, _NARROW, _WIDE = 0, 1, 2


class Bench(NamedTuple):
    """The space that one thread works in, made once for many trees.

    Attributes
    ----------
    codes : uint16, the codes of the node's rows in the feature under study
    codes_twice : uint32, the same for few rows, made for ``left_sums``
    light : uint32, few rows packed in 16 bits, twice
    narrow : uint32, the rows packed in 32 bits, if there are many
    ones : uint32, twice 1, for counting rows
    light_sums, counts : uint16, sums of ``light`` and rows up to the code of each row
    narrow_sums, wide_sums, tally : (256,) uint32, int64, int64, the same up to each bin
    screen : (2, 256) float32, the impurity of each cut, missing values right and left
    bits : the same memory as int32
    """

    codes: Any
    codes_twice: Any
    light: Any
    narrow: Any
    ones: Any
    light_sums: Any
    counts: Any
    narrow_sums: Any
    wide_sums: Any
    tally: Any
    screen: Any
    bits: Any


@numba.njit(cache=True, nogil=True)
def make_bench(n_rows):
    """Return the space for nodes of up to ``n_rows`` rows."""
    # Rows are taken four times LANES at a time, also the last ones.
    n_paired = (_MAX_PAIRED // LANES + 4) * LANES
    screen = np.zeros((2, 256), dtype=np.float32)
    return Bench(
        np.zeros(max(n_rows, n_paired), dtype=np.uint16),
        np.zeros(n_paired, dtype=np.uint32),
        np.zeros(n_paired, dtype=np.uint32),
        np.zeros(n_rows, dtype=np.uint32),
        np.full(n_paired, TWICE, dtype=np.uint32),
        np.zeros(n_paired, dtype=np.uint16),
        np.zeros(n_paired, dtype=np.uint16),
        np.zeros(256, dtype=np.uint32),
        np.zeros(256, dtype=np.int64),
        np.zeros(256, dtype=np.int64),
        screen,
        screen.view(np.int32),
    )


@inlined
def impurity_of(weight, positive):
    """Return half the Gini impurity times the weight."""
    return positive * (weight - positive) / weight


@inlined
def _way_of(n, total):
    """Choose how the cuts of a node are looked at; the same for all features."""
    weight = total >> 32
    if n <= _MAX_PAIRED and weight < _MAX_WEIGHT_16:
        return _PAIRED
    return _NARROW if weight < _MAX_WEIGHT_32 else _WIDE


@inlined
def lay_out_rows(packed, start, n, total, bench):
    """Pack the rows of a node as narrowly as possible, once for all features."""
    way = _way_of(n, total)
    begin = np.uint64(start)  # a sign would need a look
    if way == _PAIRED:
        for i in range(n):
            row = packed[begin + np.uint64(i)]
            bench.light[i] = (((row >> 32) << 8) | (row & 255)) * TWICE
    elif way == _NARROW:
        for i in range(n):
            row = packed[begin + np.uint64(i)]
            bench.narrow[i] = ((row >> 32) << 16) | (row & 65535)


# Sums -------------------------------------------------------------------------------


@inlined
def _add_up_bins(codes, n, rows, start, sums):
    """Fill ``sums`` with those up to each bin, 255 apart; return that of 255."""
    sums[:] = 0
    for i in range(n):
        sums[codes[i]] += rows[start + i]
    running = sums[0]
    for code in range(1, MISSING):
        running += sums[code]
        sums[code] = running
    return sums[MISSING]


@inlined
def _count_bins(codes, n, tally):
    """Fill ``tally`` with the number of rows up to each bin; return that of 255."""
    tally[:] = 0
    for i in range(n):
        tally[codes[i]] += 1
    for code in range(1, MISSING):
        tally[code] += tally[code - 1]
    return tally[MISSING]


@inlined
def _lay_out_codes(codes, n, codes_twice):
    """Prepare the codes of few rows for ``left_sums``; say whether some are missing."""
    greatest = np.uint16(0)
    for i in range(n):
        code = codes[i]
        codes_twice[i] = np.uint32(code) * TWICE
        greatest = max(greatest, code)
    for i in range(n, _in_lanes(n)):
        codes[np.uint64(i)] = BEYOND
    return greatest == MISSING


@inlined
def _in_lanes(n):
    """Round up to whole lanes."""
    return (n + LANES - 1) // LANES * LANES


@inlined
def _sum_of_missing(codes, n, light):
    """Return the sum of the rows with a missing value, in 16 bits."""
    total = np.int32(0)
    for i in range(n):
        total += np.int32(light[i] & 0xFFFF) if codes[i] == MISSING else np.int32(0)
    return total


@inlined
def _widened(row, shift):
    """Pack in 64 bits what is packed with less."""
    mask = (np.int64(1) << shift) - 1
    return ((np.int64(row) >> shift) << 32) | (np.int64(row) & mask)


# Screening --------------------------------------------------------------------------


@inlined
def _screened(w, p, weight, positive):
    """Return the impurity of both sides in single precision, infinite if one is empty.

    Differences are taken of integers, so that nothing is lost in them.
    """
    rest = np.int32(weight - w)
    q = np.int32(positive - p)
    left = np.float32(w)
    right = np.float32(rest)
    top = (
        np.float32(p) * np.float32(np.int32(w - p)) * right
        + np.float32(q) * np.float32(np.int32(rest - q)) * left
    )
    bottom = left * right
    value = top / max(bottom, np.float32(1.0))
    return value if bottom > np.float32(0.0) else _INFINITE


@inlined
def _screen_sums(sums, n, more, shift, total, screen, side):
    """Screen the cut above each sum; ``more`` goes left with all."""
    mask = np.int32((1 << shift) - 1)
    weight = np.int32(total >> 32)
    positive = np.int32(total & LOW)
    for i in range(n):
        left = np.int32(sums[i]) + more
        screen[side, i] = _screened(
            np.int32(left >> shift), np.int32(left & mask), weight, positive
        )


@inlined
def _screen_wide_sums(sums, n, more, total, screen, side):
    """Do the same with 64 bits."""
    weight = np.int32(total >> 32)
    positive = np.int32(total & LOW)
    for i in range(n):
        left = sums[i] + more
        screen[side, i] = _screened(
            np.int32(left >> 32), np.int32(left & LOW), weight, positive
        )


@inlined
def _forbid_small_sides(counts, n_cuts, n, more, least, screen, side):
    """Make cuts infinite that leave fewer than ``least`` rows on a side."""
    for i in range(n_cuts):
        count = np.int64(counts[i]) + more
        if count < least or n - count < least:
            screen[side, i] = _INFINITE


@inlined
def _least_bits(bits, n, side):
    """Return the bits of the least value."""
    # Floats that are not negative are in the order of their bits, and integers are
    # compared several at a time.
    lowest = _GREATEST_FINITE
    for i in range(n):
        lowest = min(lowest, bits[side, i])
    return lowest


@inlined
def screen_feature(packed, start, n, total, least, bench):
    """Screen all cuts of a feature.

    Returns (bits of the least impurity, packed sum of the missing values). O(rows +
    255), or O(rows**2 / 16) for few rows.
    """
    codes, codes_twice, light, narrow, ones, light_sums = bench[:6]
    counts, narrow_sums, wide_sums, tally, screen, bits = bench[6:]
    way = _way_of(n, total)
    n_cuts = _in_lanes(n) if way == _PAIRED else MISSING
    if way == _PAIRED:
        missing = np.int32(0)
        if _lay_out_codes(codes, n, codes_twice):
            missing = _sum_of_missing(codes, n, light)
        left_sums(codes, codes_twice, light, n, light_sums)
        _screen_sums(light_sums, n_cuts, np.int32(0), 8, total, screen, 0)
        if missing > 0:
            _screen_sums(light_sums, n_cuts, missing, 8, total, screen, 1)
        missing_sum = _widened(missing, 8)
    elif way == _NARROW:
        missing = np.int32(_add_up_bins(codes, n, narrow, 0, narrow_sums))
        _screen_sums(narrow_sums, n_cuts, np.int32(0), 16, total, screen, 0)
        if missing > 0:
            _screen_sums(narrow_sums, n_cuts, missing, 16, total, screen, 1)
        missing_sum = _widened(missing, 16)
    else:
        missing_sum = _add_up_bins(codes, n, packed, start, wide_sums)
        _screen_wide_sums(wide_sums, n_cuts, np.int64(0), total, screen, 0)
        if missing_sum > 0:
            _screen_wide_sums(wide_sums, n_cuts, missing_sum, total, screen, 1)
    n_sides = 2 if missing_sum > 0 else 1
    if least > 1:
        if way == _PAIRED:
            left_sums(codes, codes_twice, ones, n, counts)
        else:
            _count_bins(codes, n, tally)
        n_missing = 0
        for i in range(n):
            n_missing += codes[i] == MISSING
        for side in range(n_sides):
            more = n_missing if side == 1 else 0
            if way == _PAIRED:
                _forbid_small_sides(counts, n_cuts, n, more, least, screen, side)
            else:
                _forbid_small_sides(tally, n_cuts, n, more, least, screen, side)
    lowest = _GREATEST_FINITE
    for side in range(n_sides):
        lowest = min(lowest, _least_bits(bits, n_cuts, side))
    return lowest, missing_sum


# Choosing ---------------------------------------------------------------------------


@inlined
def _two_sides(left_sum, total):
    """Return the impurity of both sides as a fraction, to be compared by products."""
    w = np.float64(left_sum >> 32)
    p = np.float64(left_sum & LOW)
    rest = np.float64(total >> 32) - w
    q = np.float64(total & LOW) - p
    return p * (w - p) * rest + q * (rest - q) * w, w * rest


@inlined
def _code_above(codes, n, low):
    """Return the lowest code above ``low``, 255 if there is none."""
    limit = np.uint16(low)
    lowest = np.uint16(MISSING)
    for i in range(n):
        lowest = min(lowest, codes[i] if codes[i] > limit else np.uint16(MISSING))
    return np.int64(lowest)


@inlined
def best_cut(n, total, missing_sum, limit, bench):
    """Return the cut of least impurity of the feature screened last.

    ``limit`` are the bits of the highest value that deserves a look. Of equal cuts,
    missing values on the right come first, then low ones. A cut stands half-way
    between two bins that hold rows, or beyond them all, where it parts missing values
    from the others.
    """
    codes = bench.codes
    bits = bench.bits
    way = _way_of(n, total)
    n_cuts = n if way == _PAIRED else MISSING
    limit = min(limit, _GREATEST_FINITE)
    best_top, best_bottom = np.inf, 1.0
    best_code = np.int64(-1)
    best_side = 0
    for side in range(2 if missing_sum > 0 else 1):
        for i in range(n_cuts):
            if bits[side, i] > limit:
                continue
            if way == _PAIRED:
                code = np.int64(codes[i])
                left = _widened(bench.light_sums[i], 8)
            elif way == _NARROW:
                code = np.int64(i)
                left = _widened(bench.narrow_sums[i], 16)
            else:
                code = np.int64(i)
                left = bench.wide_sums[i]
            if side == 1:
                left += missing_sum
            top, bottom = _two_sides(left, total)
            ours, theirs = top * best_bottom, best_top * bottom
            is_first = side == best_side and code < best_code
            if ours < theirs or (ours == theirs and is_first):
                best_top, best_bottom = top, bottom
                best_code = code
                best_side = side
    if best_code < 0:
        return np.inf, np.int64(0), -1
    above = _code_above(codes, n, best_code)
    cut = np.int64(MISSING - 1) if above == MISSING else (best_code + above) // 2
    return best_top / best_bottom, cut, best_side if missing_sum > 0 else -1


@inlined
def random_cut(packed, start, n, total, least, state, bench):
    """Draw a cut from the lowest bin on, below the highest, as extra-trees do.

    Missing values go to a side drawn too. O(rows).
    """
    codes = bench.codes
    lowest = np.int64(MISSING)
    highest = np.int64(0)
    n_missing = 0
    for i in range(n):
        code = np.int64(codes[i])
        is_missing = code == MISSING
        n_missing += is_missing
        lowest = min(lowest, code)
        highest = max(highest, 0 if is_missing else code)
    has_missing = n_missing > 0
    cut = lowest
    missing_left = 0
    if highest > lowest:  # one bin and missing values leave no choice
        cut += random_below(state, highest - lowest)
        if has_missing:
            missing_left = random_below(state, 2)
    left_sum = np.int64(0)
    left_count = 0
    for i in range(n):
        code = np.int64(codes[i])
        goes_left = missing_left == 1 if code == MISSING else code <= cut
        left_sum += packed[start + i] if goes_left else 0
        left_count += goes_left
    side = missing_left if has_missing else -1
    if left_count < least or n - left_count < least:
        return np.inf, cut, side
    right_sum = total - left_sum
    impurity = impurity_of(
        np.float64(left_sum >> 32), np.float64(left_sum & LOW)
    ) + impurity_of(np.float64(right_sum >> 32), np.float64(right_sum & LOW))
    return impurity, cut, side
