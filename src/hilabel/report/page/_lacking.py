"""Which terms a row is said not to have."""

from typing import Final

import numpy as np

from hilabel._typing import LabelArray
from hilabel.hierarchy import Hierarchy

# A row that lacks more than this is just known: what it has is told, not what it lacks.
_MOST_SAID: Final = 10


def said_to_lack(Y: LabelArray, hierarchy: Hierarchy) -> dict[int, list[int]]:
    """Return, by row, the terms that somebody said it does not have.

    Of rows known as a whole nothing is said of single terms. What lies below a term
    that is lacking is not told again.

    Parameters
    ----------
    Y : int8 array of shape (n_rows, n_nodes)
        1, 0, and -1 where unknown.
    hierarchy : Hierarchy
    """
    found = {}
    is_partial = (Y < 0).any(axis=1) & (Y == 0).any(axis=1)
    for row in np.flatnonzero(is_partial):
        lacking = np.flatnonzero(Y[row] == 0)
        top = [
            int(node)
            for node in lacking
            if not (Y[row, hierarchy.parents(int(node))] == 0).any()
        ]
        if len(top) <= _MOST_SAID:
            found[int(row)] = top
    return found
