"""Neighbours given by links: the strongest links, and distances from their weights."""

from itertools import pairwise
from typing import Any

import numpy as np

from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.links import Links, LinkWeights


class LinkDistances:
    """Distances between rows that are linked: 1 / (1 + weight / median weight).

    A usual link is a distance of 1/2, no link a distance of 1. Links count in both
    directions, and several kinds add up.

    Parameters
    ----------
    links : Links of shape (n_rows, n_rows)

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.links import Links
    >>> from hilabel.pseudo_labeling import LinkDistances
    >>> gaps = LinkDistances(Links.of([[0, 3, 1], [0, 0, 0], [0, 0, 0]], 3))
    >>> gaps.within(None, np.array([[0, 1], [1, 2]])).round(2)
    array([[[0. , 0.4],
            [0.4, 0. ]],
    <BLANKLINE>
           [[0. , 1. ],
            [1. , 0. ]]])
    """

    def __init__(self, links: Links) -> None:
        both = links.both_ways()
        self.weights = LinkWeights.of(both).of_links(both)
        rows = np.repeat(np.arange(links.n_rows), np.diff(self.weights.indptr))
        self._keys = rows * links.n_rows + self.weights.indices

    def within(self, points: Any, neighbors: IntArray) -> FloatArray:
        """Return the pairwise distances between the neighbours of each row.

        Parameters
        ----------
        points : ignored
        neighbors : int array of shape (n_rows, k)

        Returns
        -------
        ndarray of shape (n_rows, k, k)
        """
        one, other = neighbors[:, :, None], neighbors[:, None, :]
        one, other = np.broadcast_arrays(one, other)
        found = distances_of(self._weights_between(one.ravel(), other.ravel()))
        return np.where(one == other, 0.0, found.reshape(one.shape))

    def _weights_between(self, one: IntArray, other: IntArray) -> FloatArray:
        """Return the weights of the links of pairs of rows, 0 if there is none."""
        if not self._keys.size:
            return np.zeros(one.size)
        wanted = one.astype(np.int64) * self.weights.shape[0] + other
        places = np.minimum(np.searchsorted(self._keys, wanted), self._keys.size - 1)
        found = self.weights.data[places]
        return np.where(self._keys[places] == wanted, found, 0.0)


class LinkedNeighbors:
    """The rows that each unlabelled row has the strongest links to.

    A row with fewer links than asked for gets its neighbours several times, the
    strongest first, and a row without links is its own neighbour at distance 1. In both
    cases, SISI is low: repeated neighbours are at distance 0 from each other, so a row
    with a single neighbour is never accepted.

    Parameters
    ----------
    distances : LinkDistances
    n_labeled : int
        Labelled rows come first.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.links import Links
    >>> from hilabel.pseudo_labeling import LinkDistances, LinkedNeighbors
    >>> links = Links.of([[0, 0, 2, 0], [0, 0, 6, 0], [0, 0, 0, 0], [0, 0, 0, 0]], 4)
    >>> neighbors = LinkedNeighbors(LinkDistances(links), n_labeled=2)
    >>> nobody = np.array([False, False])
    >>> rows, distances = neighbors.nearest(nobody, 3, exclude_self=True)
    >>> rows, distances.round(2)
    (array([[1, 0, 1],
           [3, 3, 3]]), array([[0.4 , 0.67, 0.4 ],
           [1.  , 1.  , 1.  ]]))
    """

    def __init__(self, distances: LinkDistances, n_labeled: int) -> None:
        weights = distances.weights[n_labeled:]
        self._n_labeled, self._n_unlabeled = n_labeled, weights.shape[0]
        rows = np.repeat(np.arange(weights.shape[0]), np.diff(weights.indptr))
        order = np.lexsort((weights.indices, -weights.data, rows))
        self._rows, self._columns = rows, weights.indices[order].astype(np.int64)
        self._distances = distances_of(weights.data[order])

    def nearest(
        self, active: BoolArray, k: int, *, exclude_self: bool
    ) -> tuple[IntArray, FloatArray]:
        """Return the ``k`` eligible rows with the strongest links to unlabelled rows.

        Parameters
        ----------
        active : bool array of shape (n_unlabeled,)
            The unlabelled rows that are eligible; labelled rows always are.
        k : int
        exclude_self : bool
            Otherwise, an active row is its own nearest neighbour.

        Returns
        -------
        indices : int array of shape (n_unlabeled, k)
            Unlabelled rows are numbered from ``n_labeled``.
        distances : ndarray of shape (n_unlabeled, k)
        """
        n_rows = self._n_unlabeled
        own = np.arange(n_rows)
        indices = np.repeat(self._n_labeled + own[:, None], k, axis=1)
        distances = np.ones((n_rows, k))
        eligible = np.concatenate([np.ones(self._n_labeled, dtype=bool), active])
        kept = eligible[self._columns]
        rows, columns = self._rows[kept], self._columns[kept]
        n_found = np.bincount(rows, minlength=n_rows)
        # A row alone does not confirm its own labels.
        is_first = active & (not exclude_self) & (n_found > 0)
        distances[is_first, 0] = 0.0
        starts = np.append(0, np.cumsum(n_found))[:-1]
        place = np.arange(rows.size) - starts[rows] + is_first[rows]
        near = place < k
        indices[rows[near], place[near]] = columns[near]
        distances[rows[near], place[near]] = self._distances[kept][near]
        n_found = np.clip(n_found + is_first, 1, k)
        again = np.arange(k) % n_found[:, None]
        return (
            np.take_along_axis(indices, again, axis=1),
            np.take_along_axis(distances, again, axis=1),
        )


def strongest_links(
    links: Links, training: Links, n_most: int
) -> tuple[list[IntArray], list[FloatArray]]:
    """Return the targets of the strongest links of new rows, and their distances.

    Parameters
    ----------
    links : Links of shape (n_rows, n_targets)
    training : Links of shape (n_training_rows, n_training_rows)
        Weights are relative to the median weight of these.
    n_most : int

    Returns
    -------
    targets, distances : list of arrays
        One for each row, the strongest link first; a row may have fewer links.

    Examples
    --------
    >>> from hilabel.links import Links
    >>> from hilabel.pseudo_labeling import strongest_links
    >>> training = Links.of([[0, 2], [2, 0]], 2)
    >>> targets, distances = strongest_links(Links.of([[1, 6]], 1, 2), training, 5)
    >>> targets[0], distances[0].round(2)
    (array([1, 0]), array([0.25, 0.67]))
    """
    scale = LinkWeights.of(training.both_ways())
    weights = scale.of_links(links.of_kinds(training.names))
    targets, distances = [], []
    for start, end in pairwise(weights.indptr):
        found, values = weights.indices[start:end], weights.data[start:end]
        order = np.lexsort((found, -values))[:n_most]
        targets.append(found[order].astype(np.int64))
        distances.append(distances_of(values[order]))
    return targets, distances


def distances_of(weights: FloatArray) -> FloatArray:
    """Return the distances of links from their weights, relative to the usual one."""
    return np.asarray(1 / (1 + weights))
