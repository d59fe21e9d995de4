"""Neighbours vote on labels."""

from typing import Any

import numpy as np

from hilabel._typing import BoolArray, IntArray

__all__ = ["count_votes", "labels_from_votes", "single_paths", "votes_needed"]


def count_votes(labels: BoolArray, neighbors: IntArray) -> Any:
    """Count, per row and node, the neighbours that have the label.

    Parameters
    ----------
    labels : bool array of shape (n_points, n_nodes)
    neighbors : int array of shape (n_rows, k)
        Rows of ``labels``.

    Returns
    -------
    int array of shape (n_rows, n_nodes)
    """
    votes = np.zeros((neighbors.shape[0], labels.shape[1]), dtype=np.int32)
    for column in neighbors.T:
        votes += labels[column]
    return votes


def labels_from_votes(votes: Any, k: int, threshold: float) -> BoolArray:
    """Choose the labels that at least a share ``threshold`` of ``k`` neighbours have.

    A share equal to the threshold is enough. Neighbours with closed label sets give
    closed label sets, since an ancestor never has fewer votes.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.pseudo_labeling import labels_from_votes
    >>> labels_from_votes(np.array([[2, 3, 1]]), k=3, threshold=0.5)
    array([[ True,  True, False]])
    """
    return np.asarray(votes / k >= threshold)


def votes_needed(k: int, threshold: float) -> int:
    """Return the fewest of ``k`` votes whose share reaches the threshold.

    Examples
    --------
    >>> from hilabel.pseudo_labeling._voting import votes_needed
    >>> votes_needed(4, 0.5), votes_needed(3, 0.5), votes_needed(3, 1.0)
    (2, 2, 3)
    """
    # The quotient itself is compared, so that rounding is the same as for any share.
    return next(votes for votes in range(1, k + 1) if votes / k >= threshold)


def single_paths(
    proposed: BoolArray, labels: BoolArray, neighbors: IntArray
) -> BoolArray:
    """Cut every proposal to what it shares with one neighbour's single path.

    That neighbour is the one sharing most of the proposal, the nearest of several.
    Needed where an even number of neighbours is split between two paths.
    """
    chosen = proposed & labels[neighbors[:, 0]]
    for column in neighbors.T[1:]:
        shared = proposed & labels[column]
        longer = shared.sum(axis=1) > chosen.sum(axis=1)
        chosen[longer] = shared[longer]
    return chosen
