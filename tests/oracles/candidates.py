"""Slow, obviously right versions of the search among candidates."""

import numpy as np


def keep_nearest(table, lengths, rows, width, n_lists):
    """Return the least ``width`` values of each list, ascending, infinity beyond."""
    lists = [[np.inf] * width for _ in range(n_lists)]
    for row, line in zip(rows, table + lengths):
        lists[row].extend(line)
    return np.array([sorted(values)[:width] for values in lists])


def recheck(queries, points, candidates, k, is_squared):
    """Sort the distinct candidates of each row by (distance, index) and cut."""
    indices = np.full((len(queries), k), -1)
    distances = np.full((len(queries), k), np.inf)
    for row, query in enumerate(queries):
        pairs = sorted(
            (_distance(query, points[point], is_squared), point)
            for point in set(candidates[row].tolist()) - {-1}
        )
        for place, (distance, point) in enumerate(pairs[:k]):
            indices[row, place] = point
            distances[row, place] = distance
    return indices, distances


def _distance(a, b, is_squared):
    total = 0.0
    for x, y in zip(a.tolist(), b.tolist()):
        total += (x - y) ** 2 if is_squared else abs(x - y)
    return np.sqrt(total) if is_squared else total
