"""Find the best split of a tree node among features drawn at random.

The coded matrix, dense or sparse, is described in ``trees``; the scratch arrays
``histogram``, ``tally`` and ``occupied`` in ``splits``.
"""

import numba
import numpy as np

from hilabel._kernels.random_stream import random_below
from hilabel._kernels.splits import best_cut, random_cut

__all__ = ["split_dense", "split_sparse"]


@numba.njit(cache=True, nogil=True, inline="always")
def _try_column(
    column,
    rows,
    packed,
    start,
    end,
    total,
    least,
    is_random,
    state,
    histogram,
    tally,
    occupied,
):
    """Return the best cut of one feature, or a random one; see ``splits``."""
    if is_random:
        return random_cut(column, rows, packed, start, end, total, least, state)
    return best_cut(
        column, rows, packed, start, end, total, least, histogram, tally, occupied
    )


@numba.njit(cache=True, nogil=True)
def split_dense(
    codes,
    rows,
    packed,
    start,
    end,
    total,
    features,
    n_candidates,
    least,
    is_random,
    state,
    histogram,
    tally,
    occupied,
):
    """Return (impurity, feature, cut, missing goes left) of the best split found.

    Features are drawn until ``n_candidates`` that vary among the rows were tried.
    """
    best = np.inf
    best_feature = -1
    best_cut = 0
    best_missing = 0
    remaining = features.shape[0]
    tried = 0
    while tried < n_candidates and remaining > 0:
        drawn = random_below(state, remaining)
        feature = features[drawn]
        remaining -= 1
        features[drawn] = features[remaining]
        features[remaining] = feature
        varies, impurity, cut, missing_left = _try_column(
            codes[feature],
            rows,
            packed,
            start,
            end,
            total,
            least,
            is_random,
            state,
            histogram,
            tally,
            occupied,
        )
        if varies:  # a feature alike in all rows does not count as a try
            tried += 1
            if impurity < best:
                best = impurity
                best_feature = feature
                best_cut = cut
                best_missing = missing_left
    return best, best_feature, best_cut, best_missing


@numba.njit(cache=True, nogil=True)
def _varying_features(
    indptr, indices, stored, zero_codes, rows, start, end, times, first, varies, touched
):
    """List in ``touched`` the features that vary among the rows; return how many.

    Walks the stored values of the rows once. ``times`` (n_features,) is all zero
    before and after; ``first`` and ``varies`` (n_features,) are scratch.
    """
    n_touched = 0
    for i in range(start, end):
        for entry in range(indptr[rows[i]], indptr[rows[i] + 1]):
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
        has_zero = times[feature] < end - start
        if varies[feature] or (has_zero and first[feature] != zero_codes[feature]):
            touched[n_varying] = feature
            n_varying += 1
        times[feature] = 0
    return n_varying


@numba.njit(cache=True, nogil=True)
def split_sparse(
    indptr,
    indices,
    stored,
    zero_codes,
    rows,
    packed,
    start,
    end,
    total,
    n_candidates,
    least,
    is_random,
    state,
    histogram,
    tally,
    occupied,
    times,
    first,
    varies,
    touched,
    slot,
    block,
    positions,
):
    """Do what ``split_dense`` does, on CSR rows.

    The features that vary are found from the stored values, and as many as wanted are
    drawn from them: the same choice as drawing until enough were found. Their codes
    are laid out in ``block`` (n_candidates, n) uint8 for the rows of this node alone.
    ``slot`` (n_features,) is all -1 before and after.
    """
    n_rows = end - start
    n_varying = _varying_features(
        indptr,
        indices,
        stored,
        zero_codes,
        rows,
        start,
        end,
        times,
        first,
        varies,
        touched,
    )
    n_drawn = min(n_candidates, n_varying)
    for i in range(n_drawn):
        j = i + random_below(state, n_varying - i)
        feature = touched[j]
        touched[j] = touched[i]
        touched[i] = feature
        slot[feature] = i
        block[i, :n_rows] = zero_codes[feature]
    for i in range(n_rows):
        row = rows[start + i]
        for entry in range(indptr[row], indptr[row + 1]):
            place = slot[indices[entry]]
            if place >= 0:
                block[place, i] = stored[entry]
    best = np.inf
    best_slot = -1
    best_cut = 0
    best_missing = 0
    for i in range(n_drawn):
        slot[touched[i]] = -1
        _, impurity, cut, missing_left = _try_column(
            block[i],
            positions,
            packed[start:end],
            0,
            n_rows,
            total,
            least,
            is_random,
            state,
            histogram,
            tally,
            occupied,
        )
        if impurity < best:
            best = impurity
            best_slot = i
            best_cut = cut
            best_missing = missing_left
    return best, best_slot, best_cut, best_missing
