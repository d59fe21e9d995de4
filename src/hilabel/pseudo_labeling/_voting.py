"""Let neighbours vote on the labels of a row."""

import numpy as np

from hilabel._typing import BoolArray, IntArray

_CELLS_PER_BLOCK = 4_000_000


def votes_needed(k: int, threshold: float) -> int:
    """Return the smallest number of votes, out of ``k``, that reaches the threshold.

    Neighbours with closed label sets propose closed label sets, since a label never has
    more votes than any of its ancestors.

    Examples
    --------
    >>> from hilabel.pseudo_labeling._voting import votes_needed
    >>> votes_needed(4, 0.5), votes_needed(3, 0.5), votes_needed(3, 0.0)
    (2, 2, 0)
    """
    # Compare the quotient itself, so that it is rounded like any other share.
    return next(votes for votes in range(k + 1) if votes / k >= threshold)


def vote_among_knowers(
    labels: BoolArray, known: BoolArray, neighbors: IntArray, threshold: float
) -> tuple[BoolArray, BoolArray]:
    """Return the labels that neighbours vote for in known cells, and the known cells.

    Parameters
    ----------
    labels, known : bool array of shape (n_points, n_nodes)
        Both closed: a row with a label has its ancestors, and a row known to lack a
        label is known to lack all its descendants. Therefore, the votes are closed too:
        at least as many rows have the parent, and rows without the parent lack the
        child.
    neighbors : int array of shape (n_rows, k)
    threshold : float
        Minimum share of votes among the neighbours where the label is known.

    Returns
    -------
    proposed, is_known : bool array of shape (n_rows, n_nodes)

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.pseudo_labeling._voting import vote_among_knowers
    >>> labels = np.array([[True, False], [False, False], [True, False]])
    >>> known = np.array([[True, False], [True, False], [True, False]])
    >>> vote_among_knowers(labels, known, np.array([[0, 1, 2]]), 0.5)
    (array([[ True, False]]), array([[ True, False]]))
    """
    shape = len(neighbors), labels.shape[1]
    proposed, is_known = np.empty(shape, dtype=bool), np.empty(shape, dtype=bool)
    n_rows = max(1, _CELLS_PER_BLOCK // max(1, labels.shape[1] * neighbors.shape[1]))
    for start in range(0, shape[0], n_rows):
        block = slice(start, start + n_rows)
        votes = labels[neighbors[block]].sum(axis=1)
        knowers = known[neighbors[block]].sum(axis=1)
        proposed[block] = votes / np.maximum(knowers, 1) >= threshold
        is_known[block] = knowers > 0
    return proposed, is_known


def single_paths(
    proposed: BoolArray, labels: BoolArray, neighbors: IntArray
) -> BoolArray:
    """Reduce every proposal to its overlap with the path of one neighbour.

    The neighbour with the largest overlap is chosen; ties are broken in favour of the
    nearest. The reduction is needed if an even number of neighbours is split between
    two paths.
    """
    chosen = proposed & labels[neighbors[:, 0]]
    for column in neighbors.T[1:]:
        shared = proposed & labels[column]
        longer = shared.sum(axis=1) > chosen.sum(axis=1)
        chosen[longer] = shared[longer]
    return chosen
