"""The terms that rows are known not to have."""

from typing import Final

import numpy as np

from hilabel._label_matrix import LabelMatrix
from hilabel._typing import IntArray
from hilabel.hierarchy import Hierarchy

# For rows that lack more terms, only the terms that they have are shown.
_MOST_TERMS: Final = 10


def lacking_terms(
    labels: LabelMatrix, rows: IntArray, hierarchy: Hierarchy
) -> dict[int, list[int]]:
    """Return the terms that some rows are explicitly known not to have.

    Fully known rows are omitted, as are the descendants of absent terms.

    Parameters
    ----------
    labels : LabelMatrix of shape (n_rows, n_nodes)
    rows : int array
    hierarchy : Hierarchy
    """
    found = {}
    for row in rows[labels.in_part[rows]]:
        lacks = labels.to_array([row])[0] == 0
        tops = [
            int(node)
            for node in np.flatnonzero(lacks)
            if not lacks[hierarchy.parents(int(node))].any()
        ]
        if len(tops) <= _MOST_TERMS:
            found[int(row)] = tops
    return found
