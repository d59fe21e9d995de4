"""The nearest other rows of each row."""

from typing import Any

import numpy as np

from hilabel._typing import FloatArray, IntArray
from hilabel.neighbors import NeighborSearch


def other_rows(
    rows: Any, k: int, search: NeighborSearch, numbers: IntArray | None = None
) -> tuple[IntArray, FloatArray]:
    """Return the ``k`` nearest other rows, and their distances.

    ``numbers`` selects the rows whose neighbours are searched; by default, all.
    """
    queries = rows if numbers is None else rows[numbers]
    numbers = np.arange(rows.shape[0]) if numbers is None else numbers
    found, distances = search.nearest(queries, rows, k + 1)
    # If rows are equal, the row itself may be any of them or missing from the list.
    others = found != numbers[:, None]
    others[others.all(axis=1), -1] = False
    shape = (found.shape[0], found.shape[1] - 1)
    return found[others].reshape(shape), distances[others].reshape(shape)
