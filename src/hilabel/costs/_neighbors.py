"""The work of methods that compare rows."""

from typing import Any, Final

import numpy as np

from hilabel.costs._shape import DataShape
from hilabel.costs._work import Job, form_of, job, threads_of

# Above this number, not all pairs of rows are compared; the time then grows with this
# power of the pairs.
_MOST_PAIRS: Final = 2.0**32
_BEYOND: Final = 0.75
# Distances in memory at a time, in bytes, for each thread.
_DISTANCES_AT_ONCE: Final = 2.0**25
# Bytes of a neighbour: its number and distance.
_PER_NEIGHBOR: Final = 16
# Rows whose votes are summed at a time.
_ROWS_AT_ONCE: Final = 1000
# Comparisons are judged on rows with about this many scores.
_SCORES_TO_JUDGE: Final = 2**24
# Label spreading ends when less than this share is left.
_LEAST_LEFT: Final = 1e-6
# Dense arrays of scores that label spreading keeps at a time, for a part of the nodes.
_SPREAD_ARRAYS: Final = 5
_SPREAD_AT_ONCE: Final = 2.0**24


def search(
    shape: DataShape, n_queries: int, n_points: int, k: int, n_threads: int = 1
) -> Job:
    """Return the work of finding the nearest rows.

    Sparse rows are compared through the lists of their columns.
    """
    pairs = float(n_queries) * n_points
    if pairs > _MOST_PAIRS:
        pairs = _MOST_PAIRS * (pairs / _MOST_PAIRS) ** _BEYOND
    return job(
        f"searching, {form_of(shape.is_sparse)}",
        _PER_NEIGHBOR * n_queries * k
        + n_threads * _DISTANCES_AT_ONCE
        + 8.0 * (n_queries + n_points) * shape.n_values,
        n_threads,
        pairs=pairs,
        products=pairs * shape.n_shared,
        lists=float(n_queries) * k,
        start=1.0,
    )


def vote(shape: DataShape, n_rows: int, k: int) -> Job:
    """Return the work of averaging the labels of neighbours."""
    return job(
        "voting",
        8.0 * min(n_rows, _ROWS_AT_ONCE) * shape.n_nodes + 4.0 * n_rows * k,
        labels=n_rows * k * shape.n_labels,
        cells=n_rows * shape.n_nodes,
        start=1.0,
    )


def choose_neighbors(estimator: Any, shape: DataShape) -> Job:
    """Return the work of nearest neighbours, whose number and scale are chosen."""
    numbers: tuple[int, ...] = estimator._numbers()
    n_comparisons = len(estimator._comparisons(shape.is_sparse))
    k = min(max(numbers), max(shape.n_rows - 1, 1))
    n_judged = min(shape.n_rows, _SCORES_TO_JUDGE // max(shape.n_nodes, 1) + 1)
    cells = float(n_judged) * shape.n_nodes
    found = search(shape, n_judged, shape.n_rows, k, threads_of(estimator))
    for number in numbers:
        found += vote(shape, n_judged, number)
        found += job("ranking", 8.0 * cells, cells=cells, start=1.0)
    return n_comparisons * found


def score_by_neighbors(estimator: Any, shape: DataShape, n_rows: int) -> Job:
    """Return the work of scoring rows by their nearest labelled rows."""
    k: int = max(estimator._numbers())
    found = search(shape, n_rows, shape.n_rows, k, threads_of(estimator))
    return (found + vote(shape, n_rows, k)).needing(4.0 * n_rows * shape.n_nodes)


def spread(estimator: Any, shape: DataShape) -> Job:
    """Return the work of spreading labels over all rows."""
    n_rows, k = shape.n_all_rows, estimator.n_neighbors
    found = search(shape, n_rows, n_rows, k, threads_of(estimator))
    if estimator.local_scaling:
        found = 2 * found
    alpha = estimator.alpha
    rate = alpha / (1 + np.sqrt(1 - alpha**2))
    n_steps = float(np.ceil(np.log(_LEAST_LEFT) / np.log(rate)))
    cells = float(n_rows) * shape.n_nodes
    return found + job(
        "spreading",
        4.0 * (cells + _SPREAD_ARRAYS * min(cells, _SPREAD_AT_ONCE)),
        cells=n_steps * cells,
        links=n_steps * cells * 2 * k,
    )


def score_by_spread(estimator: Any, shape: DataShape, n_rows: int) -> Job:
    """Return the work of averaging the spread labels of neighbours."""
    k = estimator.n_neighbors
    found = search(shape, n_rows, shape.n_all_rows, k, threads_of(estimator))
    cells = float(n_rows) * shape.n_nodes
    return found + job("spread scores", 8.0 * cells, cells=cells * k)
