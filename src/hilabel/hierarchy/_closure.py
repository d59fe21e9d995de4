"""Close sparse label sets without computing a matrix of all pairs of nodes."""

from typing import Any, Final

import numpy as np
import scipy.sparse as sp

from hilabel._typing import IntArray

# Cells per block of rows, four bytes each, to mark the visited ones.
_CELLS_AT_ONCE: Final = 2**22


def spread_labels(labels: Any, ptr: IntArray, idx: IntArray) -> sp.csr_array:
    """Return the given cells and all cells that are reachable from them.

    Every cell is visited once. A matrix of all pairs of nodes would be faster for many
    rows, but a small file can describe a hierarchy with billions of such pairs.

    Parameters
    ----------
    labels : sparse array of shape (n_samples, n_nodes)
        All stored entries are labels, regardless of their values.
    ptr, idx : ndarray
        For every node, the next nodes: its parents or its children.

    Returns
    -------
    csr_array of bool

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from hilabel.hierarchy import Hierarchy, spread_labels
    >>> h = Hierarchy.from_edges([("a", "b"), ("b", "c")])
    >>> below = spread_labels(sp.csr_array([[0, 1, 0]]), h.children_ptr, h.children_idx)
    >>> below.toarray()
    array([[False,  True,  True]])
    """
    labels = sp.csr_array(labels)
    n_rows, n_nodes = labels.shape
    cells = np.repeat(np.arange(n_rows), np.diff(labels.indptr)) * n_nodes
    cells += labels.indices
    height = max(1, _CELLS_AT_ONCE // n_nodes)
    met = np.zeros(min(height, n_rows) * n_nodes, dtype=np.int32)
    found = []
    for first in range(0, n_rows, height):
        block = slice(labels.indptr[first], labels.indptr[min(first + height, n_rows)])
        start = first * n_nodes
        reached = _reached(cells[block] - start, n_nodes, ptr, idx, met)
        found.append(reached + start)
        met[reached] = 0
    rows, nodes = np.divmod(np.concatenate([np.empty(0, np.int64), *found]), n_nodes)
    return sp.csr_array((np.ones(rows.size, bool), (rows, nodes)), shape=labels.shape)


def _reached(
    cells: IntArray, n_nodes: int, ptr: IntArray, idx: IntArray, met: Any
) -> IntArray:
    """Return the cells and all reachable cells, and mark them in ``met``.

    Duplicates are dropped without sorting: every occurrence of a cell writes its own
    number into ``met``, and the occurrence whose number remains is kept.
    """
    found = [np.empty(0, dtype=np.int64)]
    while cells.size:
        numbers = np.arange(1, cells.size + 1, dtype=np.int32)
        met[cells] = numbers
        cells = cells[met[cells] == numbers]
        found.append(cells)
        nodes = cells % n_nodes
        counts = ptr[nodes + 1] - ptr[nodes]
        # Positions in idx: one run per cell, which starts where the run of its node
        # starts.
        ends = np.cumsum(counts)
        runs = np.arange(ends[-1]) + np.repeat(ptr[nodes] - ends + counts, counts)
        cells = np.repeat(cells - nodes, counts) + idx[runs]
        cells = cells[met[cells] == 0]
    return np.concatenate(found)
