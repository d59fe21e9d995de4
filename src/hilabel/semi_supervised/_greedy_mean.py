"""Choose models to average, and their weights."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from sklearn.utils import gen_batches

from hilabel._typing import FloatArray, IntArray, LabelArray
from hilabel.metrics import average_precision

ROUNDS: Final = 12
_ROWS_AT_ONCE: Final = 1_000
# How often the rows are divided into halves.
_DIVISIONS: Final = 2


def greedy_shares(
    labels: LabelArray, scores: Sequence[FloatArray], n_rounds: int = ROUNDS
) -> FloatArray:
    """Choose the weights of models in a mean, greedily by average precision.

    Every round adds the model that most improves the mean of the models added so far; a
    model may be added several times. Ties go to the model that scores higher by itself,
    then to the earlier one.

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
    alone = together = [average_precision(labels, one) for one in scores]
    total = np.zeros(labels.shape, np.float32)
    for number in range(n_rounds):
        if number > 0:
            together = [average_precision(labels, total + one) for one in scores]
        best = max(range(len(scores)), key=lambda one: (together[one], alone[one]))
        counts[best] += 1
        total += scores[best]
    return counts / n_rounds


def stable_shares(
    labels: LabelArray, scores: Sequence[FloatArray], n_rounds: int = ROUNDS
) -> FloatArray:
    """Return the mean of the weights chosen on random halves of the rows.

    With few rows, this mean depends less on chance than the weights chosen on all rows.
    With a single round, the model that is best on all rows is chosen.
    """
    if n_rounds == 1:
        return greedy_shares(labels, scores, n_rounds)
    random = np.random.default_rng(0)
    found = []
    for _ in range(_DIVISIONS):
        for half in np.array_split(random.permutation(len(labels)), 2):
            if (labels[half] == 1).any():
                known = [one[half] for one in scores]
                found.append(greedy_shares(labels[half], known, n_rounds // 2))
    return np.mean(found, axis=0) if found else greedy_shares(labels, scores)


def mean_scores(scores: Sequence[FloatArray], shares: FloatArray) -> FloatArray:
    """Return the mean of the models' scores, weighted by ``shares``."""
    taken = np.flatnonzero(shares)
    mean = np.float32(shares[taken[0]]) * scores[taken[0]]
    for number in taken[1:]:
        mean += np.float32(shares[number]) * scores[number]
    return mean.astype(np.float32, copy=False)


def nested_shares(
    labels: LabelArray,
    scores: Sequence[FloatArray],
    fold: IntArray,
    n_folds: int,
    n_rounds: int = ROUNDS,
) -> list[FloatArray]:
    """Return the weights of the models for each fold, chosen on the other folds.

    The choice of weights therefore does not bias the score of the mean.
    """
    found = []
    for number in range(n_folds):
        others = fold != number
        known = [one[others] for one in scores]
        found.append(stable_shares(labels[others], known, n_rounds))
    return found


def mean_by_fold(
    scores: Sequence[FloatArray],
    shares: Sequence[FloatArray],
    fold: IntArray,
    mean: FloatArray,
) -> FloatArray:
    """Write mean scores, weighted by the shares for each fold, to ``mean``; return it.

    Rows are processed in small batches, so ``mean`` may be one of the arrays in
    ``scores``.
    """
    for number, its_shares in enumerate(shares):
        rows = np.flatnonzero(fold == number)
        for part in gen_batches(rows.size, _ROWS_AT_ONCE):
            few = rows[part]
            mean[few] = mean_scores([one[few] for one in scores], its_shares)
    return mean
