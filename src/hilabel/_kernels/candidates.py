"""From approximate distances to candidates, and from candidates to exact distances.

A candidate is an index of a point, or -1 for none. Exact distances are sums over the
features in their order, in double precision, of differences: equal rows are exactly 0
apart, and a distance never depends on what it was computed beside.
"""

import math

import numba
import numpy as np

__all__ = ["keep_nearest", "recheck", "scan_points"]

# Entries compared with the worst kept one at a time; so many fit vector registers.
_CHUNK = 64
# Features added up between two looks whether a point is already too far.
_STRIDE = 16
# Room for the rounding of a square and a root, so that a skipped point is truly far.
_ABOVE = 1.0 + 1e-14
_TINY = 1e-300


@numba.njit(cache=True, nogil=True)
def keep_nearest(table, lengths, numbers, rows, indices, values):
    """Put what is nearer into the sorted lists ``indices`` and ``values``, in place.

    Column ``j`` of ``table`` (q, p) stands for point ``numbers[j]`` with the value
    ``table[i, j] + lengths[j]``; row ``i`` for the list ``rows[i]``. The lists, of
    shape (n, w), hold -1 and infinity where nothing is kept yet. Of equal values any
    may be kept. O(q p) plus O(w) for each of the few insertions.
    """
    n_rows, n_points = table.shape
    width = indices.shape[1]
    for i in range(n_rows):
        row = rows[i]
        worst = values[row, width - 1]
        for start in range(0, n_points, _CHUNK):
            # On slices, and without a branch inside, the first loop runs on several
            # entries at a time.
            part = table[i, start : start + _CHUNK]
            more = lengths[start : start + _CHUNK]
            n_nearer = 0
            for j in range(part.size):
                n_nearer += part[j] + more[j] < worst
            if n_nearer == 0:
                continue
            for j in range(part.size):
                value = part[j] + more[j]
                if value < worst:
                    place = width - 1
                    while place > 0 and values[row, place - 1] > value:
                        values[row, place] = values[row, place - 1]
                        indices[row, place] = indices[row, place - 1]
                        place -= 1
                    values[row, place] = value
                    indices[row, place] = numbers[start + j]
                    worst = values[row, width - 1]


@numba.njit(cache=True, nogil=True)
def recheck(queries, points, candidates, k, is_squared):
    """Return (indices, distances) of the ``k`` nearest candidates of each row.

    ``queries`` (n, p), ``points`` (m, p), ``candidates`` (n, w) with -1 for none; one
    given twice counts once. Sorted by (distance, index) and filled up with -1 and
    infinity. Euclidean if ``is_squared``, else Manhattan. O(n w (p + k)).
    """
    n_rows, width = candidates.shape
    n_features = queries.shape[1]
    indices = np.full((n_rows, k), -1, dtype=np.int64)
    distances = np.full((n_rows, k), np.inf)
    for row in range(n_rows):
        found = 0
        for column in range(width):
            point = candidates[row, column]
            if point < 0:
                continue
            total = 0.0
            for feature in range(n_features):
                gap = np.float64(queries[row, feature]) - np.float64(
                    points[point, feature]
                )
                total += gap * gap if is_squared else abs(gap)
            distance = math.sqrt(total) if is_squared else total
            place = found
            while place > 0 and (
                distances[row, place - 1] > distance
                or (
                    distances[row, place - 1] == distance
                    and indices[row, place - 1] > point
                )
            ):
                place -= 1
            is_known = place > 0 and indices[row, place - 1] == point
            if is_known or place == k:
                continue
            found = min(found + 1, k)
            for later in range(found - 1, place, -1):
                distances[row, later] = distances[row, later - 1]
                indices[row, later] = indices[row, later - 1]
            distances[row, place] = distance
            indices[row, place] = point
    return indices, distances


@numba.njit(cache=True, nogil=True)
def scan_points(queries, points, first, indices, distances):
    """Compare every query with every point, Euclidean; update the lists in place.

    ``points`` (m, p) are numbered from ``first``; the lists, of shape (n, k), must
    know lower numbers only, so that ties go to the lower one. O(n m p), less where
    the first features tell that a point is too far.
    """
    n_rows, k = indices.shape
    n_points, n_features = points.shape
    for row in range(n_rows):
        for point in range(n_points):
            limit = distances[row, k - 1] * distances[row, k - 1] * _ABOVE + _TINY
            total = 0.0
            for start in range(0, n_features, _STRIDE):
                for feature in range(start, min(start + _STRIDE, n_features)):
                    gap = np.float64(queries[row, feature]) - np.float64(
                        points[point, feature]
                    )
                    total += gap * gap
                if total > limit:
                    break
            distance = math.sqrt(total)
            # An empty place is infinitely far, and so may be a point.
            is_empty = indices[row, k - 1] < 0
            if not (distance < distances[row, k - 1] or is_empty):
                continue
            place = k - 1
            while place > 0 and (
                distances[row, place - 1] > distance or indices[row, place - 1] < 0
            ):
                distances[row, place] = distances[row, place - 1]
                indices[row, place] = indices[row, place - 1]
                place -= 1
            distances[row, place] = distance
            indices[row, place] = first + point
