"""Find the best split of a tree node among features drawn at random.

Features are coded in one matrix for all trees, dense or sparse:

- ``codes`` (n_features, n_all) uint8, a column of codes per feature; or
- the CSC arrays ``indptr``, ``indices``, ``stored`` of the columns, with ``zero_codes``
  (n_features,) uint8, the code of a value that is not stored.

The arrays that are not used have length 0.
"""

from typing import Any, NamedTuple

import numpy as np

from hilabel._kernels.compiling import inlined, lean
from hilabel._kernels.random_stream import random_below
from hilabel._kernels.splits import (
    DOUBT,
    best_cut,
    lay_out_rows,
    random_cut,
    screen_feature,
)

__all__ = ["Columns", "best_split", "code_of"]

# Above all bits of a finite float: a feature that cannot be cut.
_NO_CUT = np.int32(0x7FFFFFFF)


class Columns(NamedTuple):
    """The coded matrix; see the head of this file."""

    codes: Any
    indptr: Any
    indices: Any
    stored: Any
    zero_codes: Any


@lean
def code_of(columns, feature, row):
    """Return the code of one value, dense or sparse."""
    codes, indptr, indices, stored, zero_codes = columns
    if zero_codes.shape[0] == 0:
        return codes[feature, row]
    low = indptr[feature]
    end = indptr[feature + 1]
    high = end
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < row:
            low = middle + 1
        else:
            high = middle
    if low < end and indices[low] == row:
        return stored[low]
    return zero_codes[feature]


@inlined
def _differ(found, n):
    """Say whether the first ``n`` codes differ."""
    first = found[0]
    unlike = np.uint16(0)
    for i in range(n):  # kept in 16 bits, for many at a time
        unlike = np.uint16(unlike | (found[i] ^ first))
    return unlike != 0


@inlined
def _read_codes(columns, feature, rows, place, start, n, found):
    """Read the codes of the node's rows into ``found``; return whether they differ.

    ``place`` says where in ``rows`` each row of a sparse matrix stands; it is empty
    for a dense one, and where rows are repeated.
    """
    if columns.zero_codes.shape[0] > 0:
        return _read_sparse(columns, feature, rows, place, start, n, found)
    codes = columns.codes
    column, begin = np.uint64(feature), np.uint64(start)  # a sign would need a look
    for i in range(n):
        at = np.uint64(i)
        found[at] = codes[column, np.uint32(rows[begin + at])]
    return _differ(found, n)


@lean
def _read_sparse(columns, feature, rows, place, start, n, found):
    _, indptr, indices, stored, zero_codes = columns
    begin = indptr[feature]
    end = indptr[feature + 1]
    # Look each row up if the column is long and they are few, or if a row may stand in
    # several places.
    if end - begin > 8 * n or place.shape[0] == 0:
        for i in range(n):
            found[i] = code_of(columns, feature, rows[start + i])
    else:
        n_found = 0
        for entry in range(begin, end):
            at = place[indices[entry]] - start
            if 0 <= at < n:
                if n_found == 0:
                    found[:n] = zero_codes[feature]
                found[at] = stored[entry]
                n_found += 1
        if n_found == 0:
            return False
    return _differ(found, n)


@lean
def _read_again(columns, feature, rows, place, start, n, found):
    """Read codes as above, compiled once and not into its callers."""
    _read_codes(columns, feature, rows, place, start, n, found)


@lean
def _look_closely(
    columns, feature, rows, place, packed, start, n, total, least, limit, bench
):
    """Return the best cut of a feature that was screened before."""
    _read_codes(columns, feature, rows, place, start, n, bench.codes)
    _, missing_sum = screen_feature(packed, start, n, total, least, bench)
    return best_cut(n, total, missing_sum, limit, bench)


@inlined
def best_split(
    columns,
    rows,
    place,
    packed,
    start,
    end,
    total,
    features,
    least_bits,
    n_candidates,
    least,
    is_random,
    state,
    bench,
):
    """Return (impurity, feature, cut, missing goes left) of the best split found.

    ``n_candidates`` features are drawn, and more while none of them varies among the
    rows; the feature is -1 if none can be cut. The bench is left
    holding the codes of the feature chosen.

    Of ``features`` (n_features,), those drawn move to the end. ``least_bits``, of the
    same length, takes what screening says of each.
    """
    n = end - start
    found = bench.codes
    lay_out_rows(packed, start, n, total, bench)
    n_features = features.shape[0]
    undrawn = n_features
    any_varies = False
    lowest = _NO_CUT
    best = np.inf
    best_feature = -1
    last_read = -1
    cut_there = np.int64(0)
    missing_there = 0
    while undrawn > 0 and (n_features - undrawn < n_candidates or not any_varies):
        drawn = random_below(state, undrawn)
        feature = features[drawn]
        undrawn -= 1
        features[drawn] = features[undrawn]
        features[undrawn] = feature
        least_bits[undrawn] = _NO_CUT
        last_read = feature
        if not _read_codes(columns, feature, rows, place, start, n, found):
            continue
        any_varies = True
        if is_random:
            impurity, cut, missing_left = random_cut(
                packed, start, n, total, least, state, bench
            )
            if impurity < best:
                best = impurity
                best_feature = feature
                cut_there = cut
                missing_there = missing_left
        else:
            least_bits[undrawn], _ = screen_feature(
                packed, start, n, total, least, bench
            )
            lowest = min(lowest, least_bits[undrawn])
        if lowest == 0 or best == 0.0:  # nothing can be better
            break
    # Those that may be the best are compared exactly, in the order they were drawn.
    limit = lowest + DOUBT
    position = n_features - 1
    while not is_random and lowest < _NO_CUT and position >= undrawn:
        if least_bits[position] <= limit:
            last_read = features[position]
            impurity, cut, missing_left = _look_closely(
                columns,
                last_read,
                rows,
                place,
                packed,
                start,
                n,
                total,
                least,
                limit,
                bench,
            )
            if impurity < best:
                best = impurity
                best_feature = last_read
                cut_there = cut
                missing_there = missing_left
        position -= 1
    if best_feature >= 0 and best_feature != last_read:
        _read_again(columns, best_feature, rows, place, start, n, found)
    return best, best_feature, cut_there, missing_there
