"""The codes of a node's rows, for features drawn at random.

The coded matrix, dense or sparse, is described in ``multi_label_trees``.
"""

from typing import NamedTuple

import numba
import numpy as np

from hilabel._kernels.compiling import inlined, lean
from hilabel._kernels.multi_label_splits import MISSING
from hilabel._kernels.random_stream import random_below
from hilabel._kernels.side_marks import AT_A_TIME

__all__ = [
    "CodedMatrix",
    "Columns",
    "draw_and_lay_out",
    "draw_feature",
    "gather",
    "make_columns",
]


class CodedMatrix(NamedTuple):
    """The features of all rows; see ``multi_label_trees``."""

    codes: np.ndarray
    by_row: np.ndarray
    indptr: np.ndarray
    indices: np.ndarray
    stored: np.ndarray
    zero_codes: np.ndarray


class Columns(NamedTuple):
    """Codes of the node's rows, feature by feature, and what it takes to get them.

    - ``features`` (n_features,) int32: all, in an order that changes
    - ``current``, ``chosen`` (n,) uint8: codes of the feature tried, and of the best
    - ``marks`` uint64: which rows go left; see ``side_marks``, which also wants
      ``current`` filled up to whole words
    - ``numbers`` (n,) int32: 0, 1, 2 and so on
    - the rest for sparse matrices: ``block`` (n_candidates, n) uint8 holds codes of
      the features ``drawn``; between nodes ``times`` is all 0, ``varies`` all False and
      ``slot`` all -1
    """

    features: np.ndarray
    current: np.ndarray
    chosen: np.ndarray
    marks: np.ndarray
    numbers: np.ndarray
    block: np.ndarray
    drawn: np.ndarray
    times: np.ndarray
    first: np.ndarray
    varies: np.ndarray
    touched: np.ndarray
    slot: np.ndarray


@numba.njit(cache=True, nogil=True)
def make_columns(matrix, n_rows, n_candidates):
    """Return scratch for trees of at most ``n_rows`` different rows."""
    n_dense = matrix.codes.shape[0]
    n_sparse = matrix.zero_codes.shape[0]
    n_words = (n_rows + AT_A_TIME - 1) // AT_A_TIME
    return Columns(
        np.arange(max(n_dense, n_sparse)).astype(np.int32),
        np.zeros(n_words * AT_A_TIME, dtype=np.uint8),
        np.empty(n_rows, dtype=np.uint8),
        np.empty(n_words, dtype=np.uint64),
        np.arange(n_rows).astype(np.int32),
        np.empty((n_candidates, n_rows if n_sparse > 0 else 0), dtype=np.uint8),
        np.empty(n_candidates, dtype=np.int32),
        np.zeros(n_sparse, dtype=np.int64),
        np.zeros(n_sparse, dtype=np.uint8),
        np.zeros(n_sparse, dtype=np.bool_),
        np.empty(n_sparse, dtype=np.int32),
        np.full(n_sparse, -1, dtype=np.int32),
    )


@inlined
def draw_feature(features, remaining, state):
    """Draw one of the first ``remaining + 1`` features and put it behind them."""
    drawn = random_below(state, remaining + 1)
    feature = features[drawn]
    features[drawn] = features[remaining]
    features[remaining] = feature
    return feature


@inlined
def gather(codes, feature, rows, n_rows, current):
    """Copy the codes of the rows to ``current``.

    Returns (lowest, highest, whether some are missing), the latter two left out of
    the former; without any known code the lowest is above the highest.
    """
    for i in range(n_rows):
        current[i] = codes[feature, np.uint32(rows[i])]
    # In 8 bits throughout, for many rows at a time. Turned by one, missing is lowest.
    lowest = np.uint8(MISSING)
    greatest = np.uint8(0)
    turned = np.uint8(0)
    for i in range(n_rows):
        lowest = min(lowest, current[i])
        greatest = max(greatest, current[i])
        turned = max(turned, np.uint8(current[i] + np.uint8(1)))
    return np.int64(lowest), np.int64(turned) - 1, greatest == MISSING


@lean
def _mark_varying(matrix, columns, rows):
    """Set ``varies`` for the features that vary among the rows; return how many seen.

    Walks the stored values of the rows once; the features seen are in ``touched``.
    """
    indptr, indices, stored = matrix.indptr, matrix.indices, matrix.stored
    times, first, varies = columns.times, columns.first, columns.varies
    touched = columns.touched
    n_touched = 0
    for i in range(rows.shape[0]):
        for entry in range(indptr[rows[i]], indptr[rows[i] + 1]):
            feature = indices[entry]
            if times[feature] == 0:
                touched[n_touched] = feature
                n_touched += 1
                first[feature] = stored[entry]
            elif stored[entry] != first[feature]:
                varies[feature] = True
            times[feature] += 1
    for i in range(n_touched):
        feature = touched[i]
        has_zero = times[feature] < rows.shape[0]
        varies[feature] |= has_zero and first[feature] != matrix.zero_codes[feature]
        times[feature] = 0
    return n_touched


@lean
def draw_and_lay_out(matrix, columns, rows, n_candidates, state):
    """Draw features as for a dense matrix, and fill ``block`` with their codes.

    Returns how many were found; they are in ``drawn``.
    """
    n_rows = rows.shape[0]
    indptr, indices, stored = matrix.indptr, matrix.indices, matrix.stored
    features, drawn = columns.features, columns.drawn
    slot, block, varies = columns.slot, columns.block, columns.varies
    n_touched = _mark_varying(matrix, columns, rows)
    remaining = features.shape[0]
    n_drawn = 0
    while n_drawn < n_candidates and remaining > 0:
        remaining -= 1
        feature = draw_feature(features, remaining, state)
        if varies[feature]:
            drawn[n_drawn] = feature
            slot[feature] = n_drawn
            for i in range(n_rows):
                block[n_drawn, i] = matrix.zero_codes[feature]
            n_drawn += 1
    for i in range(n_rows):
        for entry in range(indptr[rows[i]], indptr[rows[i] + 1]):
            place = slot[indices[entry]]
            if place >= 0:
                block[place, i] = stored[entry]
    for i in range(n_drawn):
        slot[drawn[i]] = -1
    for i in range(n_touched):
        varies[columns.touched[i]] = False
    return n_drawn
