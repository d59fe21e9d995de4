"""The four parts of Algorithm 1 that can be replaced: small functions of arrays."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.pseudo_labeling._similarity import set_similarity

ChooseNeighbors = Callable[[Callable[..., Any], int, int], tuple[IntArray, FloatArray]]
Vote = Callable[[BoolArray, FloatArray], FloatArray]
Similarity = Callable[[FloatArray, FloatArray], FloatArray]
Stop = Callable[[int, BoolArray, BoolArray], str | None]


class FindsNeighbors(Protocol):
    """Finds the nearest of the rows that are eligible in a pass."""

    def nearest(
        self, active: BoolArray, k: int, *, exclude_self: bool
    ) -> tuple[IntArray, FloatArray]:
        """Return the ``k`` nearest eligible rows of each unlabelled row."""


class MeasuresGaps(Protocol):
    """Measures the distances between the neighbours of a row, for SISI."""

    def within(self, points: Any, neighbors: IntArray) -> FloatArray:
        """Return the pairwise distances between the neighbours of each row."""


@dataclass(frozen=True)
class Parts:
    """A user's own parts; None stands for the part of the paper.

    Attributes
    ----------
    choose_neighbors, vote, similarity, stop : callable or None
        See :func:`nearest_neighbors`, :func:`equal_vote`,
        :func:`similarity_of_neighbors` and :func:`until_unchanged`, which have the
        same signatures.

    Examples
    --------
    >>> from hilabel.pseudo_labeling import Parts, equal_vote
    >>> Parts(vote=equal_vote).stop is None
    True
    """

    choose_neighbors: ChooseNeighbors | None = None
    vote: Vote | None = None
    similarity: Similarity | None = None
    stop: Stop | None = None


def nearest_neighbors(
    nearest: Callable[..., tuple[IntArray, FloatArray]],
    n_neighbors: int,
    iteration: int,
) -> tuple[IntArray, FloatArray]:
    """Choose the neighbours that vote: the nearest other rows, as in V2.

    The part decides whether a row may be its own neighbour, whatever the variant.

    Parameters
    ----------
    nearest : callable
        ``nearest(k, exclude_self=False)`` returns the ``k`` nearest labelled or
        accepted rows of every unlabelled row, nearest first, and their distances.
    n_neighbors : int
        The parameter of the method; in V3, with what was added so far.
    iteration : int
        The number of the pass; the first is 1.

    Returns
    -------
    neighbors : int array of shape (n_unlabeled, k)
        Numbers of labelled rows, then ``n_labeled`` + numbers of accepted rows. Every
        row has the same number of neighbours.
    distances : ndarray of shape (n_unlabeled, k)

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.pseudo_labeling import nearest_neighbors
    >>> def nearest(k, exclude_self=False):
    ...     return np.zeros((5, k), dtype=int), np.ones((5, k))
    >>> nearest_neighbors(nearest, 3, iteration=1)[0].shape
    (5, 3)
    """
    return nearest(n_neighbors, exclude_self=True)


def equal_vote(labels: BoolArray, distances: FloatArray) -> FloatArray:
    """Give every neighbour the same vote, as in the paper's equation for ppsl.

    Parameters
    ----------
    labels : bool array of shape (n_rows, k, n_nodes)
        The labels of the neighbours of some unlabelled rows.
    distances : ndarray of shape (n_rows, k)

    Returns
    -------
    ndarray of shape (n_rows, n_nodes)
        The share of the votes, from 0 to 1. A node must not have a larger share than
        its parents. Nodes whose share reaches ``label_threshold`` are proposed.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.pseudo_labeling import equal_vote
    >>> equal_vote(np.array([[[True, True], [True, False]]]), np.ones((1, 2)))
    array([[1. , 0.5]])
    """
    return labels.sum(axis=1) / labels.shape[1]


def similarity_of_neighbors(
    distances: FloatArray, pair_distances: FloatArray, span: float = 3.0
) -> FloatArray:
    """Compare rows with their neighbours: SISI, with the paper's equation.

    Parameters
    ----------
    distances : ndarray of shape (n_rows, k)
        From each row to its neighbours.
    pair_distances : ndarray of shape (n_rows, k, k)
        Between these neighbours.
    span : float, default=3
        The paper's n. The method does not pass its ``similarity_span``.

    Returns
    -------
    ndarray of shape (n_rows,)
        Rows that reach ``similarity_threshold`` are accepted.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.pseudo_labeling import similarity_of_neighbors
    >>> gaps = np.array([[[0.0, 2.0], [2.0, 0.0]]])
    >>> similarity_of_neighbors(np.array([[4.0, 2.0]]), gaps)
    array([0.75])
    """
    members = np.ones(distances.shape, dtype=bool)
    return set_similarity(distances, pair_distances, members, span, "pairs")


def until_unchanged(
    iteration: int, labels: BoolArray, previous: BoolArray
) -> str | None:
    """Stop when a pass does not change the labels of any row.

    Whatever this part decides, ``max_iter`` limits the number of passes. It replaces
    ``convergence`` and ``stop_on_cycle`` of the profile.

    Parameters
    ----------
    iteration : int
        The number of the pass; the first is 1.
    labels, previous : bool array of shape (n_unlabeled, n_nodes)
        The labels of the accepted rows after this pass and after the previous one; rows
        that are not accepted have none.

    Returns
    -------
    str or None
        The reason to stop, stored as ``termination_condition_``, or None to continue.
        The classifier is then trained on the labels in ``previous``, with which the
        neighbours voted in this pass.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.pseudo_labeling import until_unchanged
    >>> until_unchanged(2, np.array([[True]]), np.array([[False]])) is None
    True
    """
    return "unchanged" if np.array_equal(labels, previous) else None
