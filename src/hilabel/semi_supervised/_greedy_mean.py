"""Choose models to average, and their weights."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from hilabel._label_matrix import LabelMatrix
from hilabel._score_matrix import ScoreMatrix
from hilabel._typing import FloatArray, IntArray
from hilabel.constraints import cap_by_parents
from hilabel.hierarchy import Hierarchy
from hilabel.metrics import average_precision

ROUNDS: Final = 12
# How often the rows are divided into halves.
_DIVISIONS: Final = 2


def greedy_shares(
    labels: LabelMatrix,
    scores: Sequence[ScoreMatrix],
    rows: IntArray,
    n_rounds: int = ROUNDS,
) -> FloatArray:
    """Choose the weights of models in a mean, greedily by average precision.

    Every round adds the model that most improves the mean of the models added so far; a
    model may be added several times. Ties go to the model that scores higher by itself,
    then to the earlier one.

    Parameters
    ----------
    labels : LabelMatrix of shape (n_rows, n_nodes)
    scores : sequence of ScoreMatrix of the same shape
        Out-of-fold scores.
    rows : int array
        The rows to choose on.
    n_rounds : int

    References
    ----------
    Caruana, Niculescu-Mizil, Crew and Ksikes, "Ensemble selection from libraries of
    models", International Conference on Machine Learning, 2004.
    """
    counts, known = np.zeros(len(scores)), labels[rows]
    if len(scores) == 1 or not known.positive.nnz:
        counts[0] = 1
        return counts
    total = np.zeros(known.shape, dtype=np.float32)

    def quality_with(one: ScoreMatrix) -> float:
        both = ScoreMatrix.of(total + _single(one, rows))
        return float(average_precision(known, both))

    alone = together = [quality_with(one) for one in scores]
    for number in range(n_rounds):
        if number > 0:
            together = [quality_with(one) for one in scores]
        best = max(range(len(scores)), key=lambda one: (together[one], alone[one]))
        counts[best] += 1
        total += _single(scores[best], rows)
    return counts / n_rounds


def stable_shares(
    labels: LabelMatrix,
    scores: Sequence[ScoreMatrix],
    rows: IntArray,
    n_rounds: int = ROUNDS,
) -> FloatArray:
    """Return the mean of the weights chosen on random halves of the rows.

    With few rows, this mean depends less on chance than the weights chosen on all rows.
    With a single round, the model that is best on all rows is chosen.
    """
    if n_rounds == 1:
        return greedy_shares(labels, scores, rows, n_rounds)
    random = np.random.default_rng(0)
    found = []
    for _ in range(_DIVISIONS):
        for half in np.array_split(random.permutation(rows.size), 2):
            if labels[rows[half]].positive.nnz:
                shares = greedy_shares(labels, scores, rows[half], n_rounds // 2)
                found.append(shares)
    return np.mean(found, axis=0) if found else greedy_shares(labels, scores, rows)


def nested_shares(
    labels: LabelMatrix,
    scores: Sequence[ScoreMatrix],
    rows: IntArray,
    fold: IntArray,
    n_rounds: int = ROUNDS,
) -> list[FloatArray]:
    """Return the weights of the models for each fold, chosen on the other folds.

    The choice of weights therefore does not bias the score of the mean.
    """
    n_folds = int(fold.max(initial=-1)) + 1
    return [
        stable_shares(labels, scores, rows[fold[rows] != number], n_rounds)
        for number in range(n_folds)
    ]


def write_mean(
    scores: Sequence[ScoreMatrix],
    shares: Sequence[FloatArray],
    fold: IntArray,
    hierarchy: Hierarchy,
    mean: ScoreMatrix,
) -> ScoreMatrix:
    """Write mean scores, weighted by the shares for each fold, to ``mean``; return it.

    Rows are processed in blocks, so ``mean`` may be one of the matrices in ``scores``.
    """
    for block in mean.row_blocks():
        numbers = np.arange(block.start, block.stop)
        for number in np.unique(fold[block]):
            few = numbers[fold[block] == number]
            taken = np.flatnonzero(shares[number])
            parts = [scores[int(one)].read(few) for one in taken]
            found = mean_scores(parts, shares[number][taken], hierarchy)
            mean.write(few, found)
    return mean


def mean_scores(
    scores: Iterable[FloatArray], shares: Iterable[float], hierarchy: Hierarchy
) -> FloatArray:
    """Return the weighted mean of models' scores, which is consistent if they are.

    The scores of one model are used at a time, so they may come from a generator.
    """
    mean: Any = None
    for share, one in zip(shares, scores, strict=True):
        part = np.float32(share) * one.astype(np.float32, copy=False)
        mean = part if mean is None else np.add(mean, part, out=mean)
    # Rounding may raise a mean of consistent scores above 1 or that of a parent.
    return cap_by_parents(np.clip(mean, 0, 1, out=mean), hierarchy)


def _single(scores: ScoreMatrix, rows: IntArray) -> FloatArray:
    """Return the scores of some rows in single precision."""
    return scores.read(rows).astype(np.float32, copy=False)
