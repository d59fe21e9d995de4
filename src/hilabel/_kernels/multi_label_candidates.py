"""Draw features at random and find the best split of a tree node among them.

The coded matrix, dense or sparse, is described in ``multi_label_trees``.
"""

from typing import NamedTuple

import numba
import numpy as np

from hilabel._kernels.multi_label_splits import best_cut, random_cut
from hilabel._kernels.random_stream import random_below

__all__ = ["Columns", "find_split", "make_columns"]


class Columns(NamedTuple):
    """Codes of the node's rows, feature by feature, and what it takes to get them.

    - ``features`` (n_features,) int32, dense only: all, in an order that changes
    - ``current``, ``chosen`` (n,) uint8: codes of the feature tried, and of the best
    - the rest for sparse matrices: ``block`` (n_candidates, n) uint8 holds codes of
      the features drawn; ``times`` is all 0 and ``slot`` all -1 between nodes
    """

    features: np.ndarray
    current: np.ndarray
    chosen: np.ndarray
    block: np.ndarray
    times: np.ndarray
    first: np.ndarray
    varies: np.ndarray
    touched: np.ndarray
    slot: np.ndarray


@numba.njit(cache=True, nogil=True)
def make_columns(codes, zero_codes, n_rows, n_candidates):
    """Return scratch for trees of at most ``n_rows`` different rows."""
    n_dense = codes.shape[0]
    n_sparse = zero_codes.shape[0]
    return Columns(
        np.arange(n_dense).astype(np.int32),
        np.empty(n_rows, dtype=np.uint8),
        np.empty(n_rows, dtype=np.uint8),
        np.empty((n_candidates, n_rows if n_sparse > 0 else 0), dtype=np.uint8),
        np.zeros(n_sparse, dtype=np.int64),
        np.zeros(n_sparse, dtype=np.uint8),
        np.zeros(n_sparse, dtype=np.bool_),
        np.empty(n_sparse, dtype=np.int32),
        np.full(n_sparse, -1, dtype=np.int32),
    )


@numba.njit(cache=True, nogil=True)
def _try_codes(
    codes, rows, weights, targets, totals, scratch, least, is_random, state
):
    if is_random:
        return random_cut(codes, rows, weights, targets, totals, scratch, least, state)
    return best_cut(codes, rows, weights, targets, totals, scratch, least)


@numba.njit(cache=True, nogil=True)
def _split_dense(
    codes,
    columns,
    rows,
    weights,
    targets,
    totals,
    scratch,
    n_candidates,
    least,
    is_random,
    state,
):
    """Draw features until ``n_candidates`` that vary were tried; keep the best."""
    n_rows = rows.shape[0]
    features = columns.features
    current = columns.current[:n_rows]
    best = -np.inf
    best_feature = -1
    cut = 0
    missing_left = -1
    remaining = features.shape[0]
    tried = 0
    while tried < n_candidates and remaining > 0:
        drawn = random_below(state, remaining)
        feature = features[drawn]
        remaining -= 1
        features[drawn] = features[remaining]
        features[remaining] = feature
        column = codes[feature]
        varies = False
        for i in range(n_rows):
            current[i] = column[rows[i]]
            varies |= current[i] != current[0]
        if not varies:  # does not count as a try
            continue
        tried += 1
        gain, its_cut, its_missing = _try_codes(
            current, rows, weights, targets, totals, scratch, least, is_random, state
        )
        if gain > best:
            best = gain
            best_feature = feature
            cut = its_cut
            missing_left = its_missing
            columns.chosen[:n_rows] = current
    return best, best_feature, cut, missing_left


@numba.njit(cache=True, nogil=True)
def _varying_features(indptr, indices, stored, zero_codes, columns, rows):
    """List in ``touched`` the features that vary among the rows; return how many.

    Walks the stored values of the rows once.
    """
    times, first, varies = columns.times, columns.first, columns.varies
    touched = columns.touched
    n_touched = 0
    for row in rows:
        for entry in range(indptr[row], indptr[row + 1]):
            feature = indices[entry]
            if times[feature] == 0:
                touched[n_touched] = feature
                n_touched += 1
                first[feature] = stored[entry]
                varies[feature] = False
            elif stored[entry] != first[feature]:
                varies[feature] = True
            times[feature] += 1
    n_varying = 0
    for i in range(n_touched):
        feature = touched[i]
        has_zero = times[feature] < rows.shape[0]
        if varies[feature] or (has_zero and first[feature] != zero_codes[feature]):
            touched[n_varying] = feature
            n_varying += 1
        times[feature] = 0
    return n_varying


@numba.njit(cache=True, nogil=True)
def _lay_out(indptr, indices, stored, zero_codes, columns, rows, n_candidates, state):
    """Draw varying features and fill ``block`` with their codes; return how many."""
    touched, slot, block = columns.touched, columns.slot, columns.block
    n_varying = _varying_features(indptr, indices, stored, zero_codes, columns, rows)
    n_drawn = min(n_candidates, n_varying)
    for i in range(n_drawn):
        j = i + random_below(state, n_varying - i)
        feature = touched[j]
        touched[j] = touched[i]
        touched[i] = feature
        slot[feature] = i
        block[i, : rows.shape[0]] = zero_codes[feature]
    for i in range(rows.shape[0]):
        for entry in range(indptr[rows[i]], indptr[rows[i] + 1]):
            place = slot[indices[entry]]
            if place >= 0:
                block[place, i] = stored[entry]
    for i in range(n_drawn):
        slot[touched[i]] = -1
    return n_drawn


@numba.njit(cache=True, nogil=True)
def find_split(
    codes,
    indptr,
    indices,
    stored,
    zero_codes,
    columns,
    rows,
    weights,
    targets,
    totals,
    scratch,
    n_candidates,
    least,
    is_random,
    state,
):
    """Return (gain, feature, cut, missing goes left); the feature is -1 without any.

    ``columns.chosen`` is left holding the rows' codes of that feature. Cost: the
    candidates times what a cut costs, see ``multi_label_splits``.
    """
    if zero_codes.shape[0] == 0:
        return _split_dense(
            codes,
            columns,
            rows,
            weights,
            targets,
            totals,
            scratch,
            n_candidates,
            least,
            is_random,
            state,
        )
    n_rows = rows.shape[0]
    n_drawn = _lay_out(
        indptr, indices, stored, zero_codes, columns, rows, n_candidates, state
    )
    best = -np.inf
    best_slot = -1
    cut = 0
    missing_left = -1
    for i in range(n_drawn):
        gain, its_cut, its_missing = _try_codes(
            columns.block[i, :n_rows],
            rows,
            weights,
            targets,
            totals,
            scratch,
            least,
            is_random,
            state,
        )
        if gain > best:
            best = gain
            best_slot = i
            cut = its_cut
            missing_left = its_missing
    if best_slot < 0:
        return best, -1, cut, missing_left
    columns.chosen[:n_rows] = columns.block[best_slot, :n_rows]
    return best, np.int64(columns.touched[best_slot]), cut, missing_left
