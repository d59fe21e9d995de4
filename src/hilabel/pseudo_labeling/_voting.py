"""Neighbours vote on labels."""

from hilabel._typing import BoolArray, IntArray


def votes_needed(k: int, threshold: float) -> int:
    """Return the fewest of ``k`` votes whose share reaches the threshold.

    Neighbours with closed label sets then give closed label sets, since an ancestor
    never has fewer votes.

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
