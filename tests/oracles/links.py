"""Votes, spreading and corrections over links, with dense matrices."""

import numpy as np


def votes(A, Y, prior, weight):
    """Return weighted means of labels and prior; cells of -1 do not vote.

    ``A`` has a row for each row to score and a column for each labelled row of ``Y``.
    """
    scores = np.empty((len(A), Y.shape[1]))
    for row, weights in enumerate(A):
        for node in range(Y.shape[1]):
            known = Y[:, node] >= 0
            labels = weights[known] @ Y[known, node] + weight * prior[node]
            scores[row, node] = labels / (weights[known].sum() + weight)
    return scores


def shares_of(A):
    """Return A, divided by the square roots of the sums of both rows."""
    degrees = np.where(A.sum(axis=1) > 0, A.sum(axis=1), 1)
    return A / np.sqrt(np.outer(degrees, degrees))


def reached(A, new, alpha, among=None):
    """Return what new rows, with links ``new``, receive from each row of the graph.

    The weights ``A`` are symmetric. Each column of the inverse is the sum over all
    numbers of steps. Rows outside the mask ``among`` are not entered.
    """
    among = np.ones(len(A), bool) if among is None else among
    degrees, own = A.sum(axis=1), new.sum(axis=1)
    starts = np.zeros_like(new)
    for row, target in np.argwhere(new):
        if among[target]:
            other = max(degrees[target], new[row, target])
            starts[row, target] = alpha * new[row, target] / np.sqrt(own[row] * other)
    shares = shares_of(A) * np.outer(among, among)
    return starts @ np.linalg.inv(np.eye(len(A)) - alpha * shares)
