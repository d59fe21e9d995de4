"""A part of the training data, on which large candidates show what they can do."""

from dataclasses import replace
from typing import Final

import numpy as np

from hilabel.classifiers import TrainingData

SHARE: Final = 1 / 9
"""The share of the labelled rows that a heat trains on."""

GROWTH: Final = 1.1
"""Training time grows about with this power of the number of rows."""

# Rows that a heat scores, at most and at least. With fewer, it says nothing.
_MOST_SCORED: Final = 2_000
_LEAST_SCORED: Final = 200


def part_of(data: TrainingData, seed: int) -> TrainingData | None:
    """Return a ninth of the rows to train on and others to score, or None if too few.

    The rows to score are set aside: a single model is trained without them.
    """
    fold = data.fold
    assert fold is not None  # trials draw folds
    random = np.random.default_rng(seed)
    is_scored = fold == 0
    scored = random.permutation(np.flatnonzero(is_scored))[:_MOST_SCORED]
    others = random.permutation(np.flatnonzero(~is_scored))
    trained = others[: int(others.size * SHARE)]
    if min(scored.size, trained.size) < _LEAST_SCORED:
        return None
    kept = np.zeros(data.n_labeled, dtype=bool)
    kept[scored] = kept[trained] = True
    part = data.without_rows(~kept)
    return replace(part, fold=np.where(is_scored[kept], 0, -1))
