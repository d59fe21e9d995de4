"""Measure how strongly scores violate the hierarchy."""

from dataclasses import dataclass

import numpy as np

from hilabel._typing import MatrixLike
from hilabel.hierarchy import Hierarchy
from hilabel.metrics._inputs import scores_over

# Number of (row, edge) pairs compared at a time.
_CELLS_PER_BLOCK = 2**20


@dataclass(frozen=True)
class Violations:
    """Cases in which children score above their parents.

    Attributes
    ----------
    n_edges : int
        Number of (row, parent, child) triples in which the child scores above the
        parent.
    n_cells : int
        Number of (row, node) pairs in which the node scores above any of its parents.
    n_rows : int
        Number of rows with any such pair.
    largest, total : float
        The largest excess of a child over its parent, and the sum of all excesses.
    share : float
        ``n_edges`` divided by the number of rows times edges; 0 without rows or edges.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.metrics import hierarchy_violations
    >>> h = Hierarchy.from_edges([("a", "b")])
    >>> found = hierarchy_violations([[0.2, 0.5], [0.9, 0.1]], h)  # b exceeds a once
    >>> found.n_edges, found.n_rows, found.share
    (1, 1, 0.5)
    """

    n_edges: int
    n_cells: int
    n_rows: int
    largest: float
    total: float
    share: float


def hierarchy_violations(scores: MatrixLike, hierarchy: Hierarchy) -> Violations:
    """Measure how often and by how much children score above their parents.

    Parameters
    ----------
    scores : array-like of shape (n_samples, n_nodes)
    hierarchy : Hierarchy

    Returns
    -------
    Violations
        All zero for scores consistent with the hierarchy.

    Raises
    ------
    ScoreError
        If ``scores`` does not have one column per node or is not finite.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.metrics import hierarchy_violations
    >>> h = Hierarchy.from_edges([("a", "b"), ("b", "c")])
    >>> hierarchy_violations([[0.75, 0.5, 0.25], [0.5, 0.25, 0.75]], h)
    Violations(n_edges=1, n_cells=1, n_rows=1, largest=0.5, total=0.5, share=0.25)
    """
    checked = scores_over(scores, hierarchy)
    if checked.dtype not in (np.float32, np.float64):
        checked = checked.astype(np.float64)
    children = np.repeat(np.arange(hierarchy.n_nodes), np.diff(hierarchy.parents_ptr))
    n_rows = checked.shape[0]
    n_edges, n_cells = np.zeros(n_rows, dtype=np.int64), 0
    largest, total = 0.0, np.zeros(n_rows)
    step = max(1, _CELLS_PER_BLOCK // max(children.size, 1))
    for rows in (slice(start, start + step) for start in range(0, n_rows, step)):
        by_node = np.ascontiguousarray(checked[rows].T)
        excess = by_node[children] - by_node[hierarchy.parents_idx]
        edge, row = np.nonzero(excess > 0)
        n_edges[rows] = np.bincount(row, minlength=by_node.shape[1])
        is_above = np.zeros(by_node.shape, dtype=bool)
        is_above[children[edge], row] = True
        n_cells += int(np.count_nonzero(is_above))
        largest = max(largest, float(excess.max(initial=0)))
        # Summed in the order of the edges, regardless of the number of rows.
        total[rows] = np.bincount(row, excess[edge, row], by_node.shape[1])
    n_comparisons = n_rows * hierarchy.n_edges
    return Violations(
        n_edges=int(n_edges.sum()),
        n_cells=n_cells,
        n_rows=int(np.count_nonzero(n_edges)),
        largest=largest,
        total=float(total.sum()),
        share=float(n_edges.sum() / n_comparisons) if n_comparisons else 0.0,
    )
