"""Compute the exact distances to the candidates."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from hilabel import _engine
from hilabel._typing import FloatArray, IntArray
from hilabel.neighbors._expansion import as_rows
from hilabel.neighbors._lists import empty_lists
from hilabel.neighbors._metric import Metric


def recheck(
    metric: Metric, queries: Any, points: Any, candidates: IntArray, k: int
) -> tuple[IntArray, FloatArray]:
    """Return the ``k`` candidates nearest to each query.

    ``candidates``, of shape (n_queries, width), contains the row numbers of candidates
    in ``points``, or -1 for no candidate; duplicates count once. The returned indices,
    of shape (n_queries, k), are sorted by distance, then by index. If there are too few
    candidates, the remaining indices are -1 and the remaining distances are infinite.
    """
    if not sp.issparse(queries) and (metric.is_euclidean or metric.is_manhattan):
        indices, distances = empty_lists(queries.shape[0], k)
        _engine.recheck(
            np.ascontiguousarray(queries, dtype=np.float64),
            as_rows(points),
            np.ascontiguousarray(candidates),
            metric.is_euclidean,
            indices,
            distances,
        )
        return indices, distances
    candidates = np.sort(candidates, axis=1)
    is_void = candidates < 0
    is_void[:, 1:] |= candidates[:, 1:] == candidates[:, :-1]
    distances = np.column_stack(
        [metric.paired(queries, points[column.clip(min=0)]) for column in candidates.T]
    )
    distances[is_void] = np.inf
    candidates[is_void] = -1
    # Candidates are in ascending order, so a stable sort resolves ties by index.
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return (
        np.take_along_axis(candidates, order, axis=1),
        np.take_along_axis(distances, order, axis=1),
    )
