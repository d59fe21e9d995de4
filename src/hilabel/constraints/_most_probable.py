"""Select the most probable nodes of each row, such that their parents come first."""

import numpy as np
import scipy.sparse as sp

from hilabel._matrices import row_blocks
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.exceptions import ParameterError
from hilabel.hierarchy import Hierarchy


def most_probable(
    scores: FloatArray, hierarchy: Hierarchy, top: int, shown: BoolArray | None = None
) -> BoolArray:
    """Select the ``top`` most probable nodes of each row; parents first among ties.

    If no child scores higher than a parent, the nodes selected from all nodes are
    closed over ancestors.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_nodes)
    hierarchy : Hierarchy
    top : int
        Number of nodes per row, at least 1.
    shown : bool ndarray of shape (n_rows, n_nodes), optional
        The cells to select from; by default, all.

    Returns
    -------
    bool ndarray of shape (n_rows, n_nodes)

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel.constraints import most_probable
    >>> hierarchy = Hierarchy.from_edges([("a", "b"), ("a", "c")])
    >>> most_probable(np.array([[0.9, 0.9, 0.2], [0.5, 0.1, 0.3]]), hierarchy, 1)
    array([[ True, False, False],
           [ True, False, False]])
    """
    kept = np.zeros(scores.shape, dtype=bool)
    place = places_of(hierarchy)
    for rows in row_blocks(scores.shape):
        values = scores[rows]
        chosen = _may_be_first(values, top, None if shown is None else shown[rows])
        inside, nodes = np.divmod(np.flatnonzero(chosen), scores.shape[1])
        ranking = np.lexsort((place[nodes], -values[inside, nodes], inside))
        n_cells = np.bincount(inside, minlength=len(values))
        first = np.repeat(np.cumsum(n_cells) - n_cells, n_cells)
        taken = ranking[np.arange(inside.size) - first < top]
        kept[rows][inside[taken], nodes[taken]] = True
    return kept


def most_probable_cells(
    scores: FloatArray,
    hierarchy: Hierarchy,
    top: int,
    *,
    least: float = 0,
    wanted: BoolArray | None = None,
) -> sp.csr_array:
    """Return the scores of the most probable nodes of each row as a sparse matrix.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_nodes)
    hierarchy : Hierarchy
    top : int
        As in :func:`most_probable`.
    least : float, default=0
        Only scores of at least this value, which are above 0.
    wanted : bool ndarray of shape (n_nodes,), optional
        The nodes to select from; by default, all.

    Returns
    -------
    csr_array of shape (n_rows, n_nodes), in single precision

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel.constraints import most_probable_cells
    >>> scores = np.array([[0.5, 0.25, 0.125], [0.5, 0.0, 0.0]])
    >>> found = most_probable_cells(scores, Hierarchy(["a", "b", "c"]), 2)
    >>> found.toarray()
    array([[0.5 , 0.25, 0.  ],
           [0.5 , 0.  , 0.  ]], dtype=float32)
    >>> found.nnz
    3
    """
    if top < 1:
        raise ParameterError(f"Expected at least 1 node, got {top}.", parameter="top")
    shown = (scores >= least) & (scores > 0)
    if wanted is not None:
        shown &= wanted
    shown = most_probable(scores, hierarchy, top, shown)
    ends = np.append(0, np.cumsum(shown.sum(axis=1)))
    values = scores[shown].astype(np.float32)
    return sp.csr_array((values, np.nonzero(shown)[1], ends), shape=shown.shape)


def places_of(hierarchy: Hierarchy) -> IntArray:
    """Return the position of each node in a topological order, parents first."""
    place = np.empty(hierarchy.n_nodes, dtype=np.int64)
    place[hierarchy.order] = np.arange(hierarchy.n_nodes)
    return place


def _may_be_first(values: FloatArray, top: int, shown: BoolArray | None) -> BoolArray:
    """Return the cells that reach the score of the last selected cell of their row.

    Sorting only these is much faster than sorting all cells.
    """
    if shown is not None:
        values = np.where(shown, values, -np.inf)
    if top >= values.shape[1]:
        return np.ones(values.shape, dtype=bool) if shown is None else shown
    last = np.partition(values, -top, axis=1)[:, [-top]]
    reached: BoolArray = values >= last
    return reached if shown is None else reached & shown
