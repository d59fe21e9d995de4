"""The terms that rows are known not to have."""

from typing import Final

import numpy as np

from hilabel._typing import LabelArray
from hilabel.hierarchy import Hierarchy

# For rows that lack more terms, only the terms that they have are shown.
_MOST_SAID: Final = 10


def said_to_lack(Y: LabelArray, hierarchy: Hierarchy) -> dict[int, list[int]]:
    """Return the terms that each row is explicitly known not to have.

    Fully known rows are omitted, as are the descendants of absent terms.

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
