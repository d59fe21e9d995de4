"""Lists of nearest points that the engine fills in place."""

from typing import Any

import numpy as np

from hilabel import _engine
from hilabel._typing import FloatArray, IntArray


def empty_lists(n_rows: int, k: int, dtype: Any = np.float64) -> tuple[IntArray, Any]:
    """Return empty lists as (indices, values), filled with -1 and infinity."""
    shape = n_rows, k
    return np.full(shape, -1, dtype=np.int64), np.full(shape, np.inf, dtype=dtype)


def smallest_per_row(table: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
    """Return (indices, values) of the ``k`` smallest entries of each row, sorted.

    Among equal values, the lower index comes first. ``k`` is at most the row length.
    """
    n_rows, n_points = table.shape
    indices, values = empty_lists(n_rows, k)
    points, rows = np.arange(n_points), np.arange(n_rows)
    _engine.keep_nearest(table, np.zeros(n_points), points, rows, indices, values)
    # Infinite values never enter a list.
    short = np.flatnonzero(indices[:, -1] < 0)
    if short.size:
        order = np.argsort(table[short], axis=1, kind="stable")[:, :k]
        indices[short] = order
        values[short] = np.take_along_axis(table[short], order, axis=1)
    return indices, values
