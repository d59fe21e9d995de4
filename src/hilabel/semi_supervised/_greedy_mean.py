"""Choose models to average, and their weights."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from hilabel._typing import FloatArray, IntArray, LabelArray
from hilabel.metrics import average_precision

ROUNDS: Final = 12


def greedy_shares(
    labels: LabelArray, scores: Sequence[FloatArray], n_rounds: int = ROUNDS
) -> FloatArray:
    """Return the weights of models in a mean, chosen by average precision.

    Every round adds the model that improves the mean of the models so far the most; a
    model may be added several times. Ties go to the model that is better alone, then to
    the earlier one.

    Parameters
    ----------
    labels : int8 array of shape (n_rows, n_nodes)
        1, 0, and -1 where unknown.
    scores : sequence of arrays of the same shape
        Out-of-fold scores.
    n_rounds : int

    References
    ----------
    Caruana, Niculescu-Mizil, Crew and Ksikes, "Ensemble selection from libraries of
    models", International Conference on Machine Learning, 2004.
    """
    counts = np.zeros(len(scores))
    if len(scores) == 1 or not (labels == 1).any():
        counts[0] = 1
        return counts
    alone = [average_precision(labels, one) for one in scores]
    total = np.zeros(labels.shape, np.float32)
    for _ in range(n_rounds):
        together = [average_precision(labels, total + one) for one in scores]
        best = max(range(len(scores)), key=lambda one: (together[one], alone[one]))
        counts[best] += 1
        total += scores[best]
    return counts / n_rounds


def mean_scores(scores: Sequence[FloatArray], shares: FloatArray) -> FloatArray:
    """Return the mean of scores, weighted by their shares."""
    taken = np.flatnonzero(shares)
    mean = np.float32(shares[taken[0]]) * scores[taken[0]]
    for number in taken[1:]:
        mean += np.float32(shares[number]) * scores[number]
    return mean.astype(np.float32, copy=False)


def nested_mean(
    labels: LabelArray,
    scores: Sequence[FloatArray],
    fold: IntArray,
    n_rounds: int = ROUNDS,
) -> FloatArray:
    """Return mean scores with the shares of each fold chosen on the others.

    So measures of them are not optimistic.
    """
    mean = np.empty(labels.shape, np.float32)
    for number in np.unique(fold):
        inside, outside = fold == number, fold != number
        known = [one[outside] for one in scores]
        shares = greedy_shares(labels[outside], known, n_rounds)
        mean[inside] = mean_scores([one[inside] for one in scores], shares)
    return mean
