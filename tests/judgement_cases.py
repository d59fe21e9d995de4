"""Scores of rows over a hierarchy in which one of two roots says nothing."""

import numpy as np
from scipy.special import expit

from hilabel import Hierarchy
from hilabel._label_matrix import LabelMatrix
from hilabel._score_matrix import ScoreMatrix
from hilabel.constraints import cap_by_parents
from hilabel.model_selection import OutOfFold

# Every row has the root "all"; some have the root "other", which has no child.
HIERARCHY = Hierarchy.from_edges(
    [("all", "b"), ("all", "c"), ("b", "d"), ("c", "d"), ("c", "e"), ("e", "f")],
    nodes=["all", "b", "c", "d", "e", "f", "other"],
)
ALL, OTHER = 0, 6


def scored_rows(n_rows=300, seed=0, sharpness=1.0):
    """Return labels and scores, which are probabilities if the sharpness is 1."""
    random = np.random.default_rng(seed)
    odds = random.normal(-1, 2, (n_rows, HIERARCHY.n_nodes))
    odds[:, ALL] = 40
    chance = cap_by_parents(expit(odds), HIERARCHY)
    # One draw for each row keeps the labels consistent.
    Y = (random.random((n_rows, 1)) < chance).astype(np.int8)
    scores = cap_by_parents(expit(sharpness * odds), HIERARCHY)
    return Y, scores.astype(np.float32)


def out_of_fold(Y, scores, n_folds=5, fold=None):
    """Return scores with the folds of their rows, which alternate by default."""
    if fold is None:
        fold = np.arange(len(Y)) % n_folds
    labels = LabelMatrix.of(np.asarray(Y, dtype=np.int8))
    return OutOfFold(labels, ScoreMatrix.of(scores), fold)


def compact(scores):
    """Return scores in 16 bits."""
    found = ScoreMatrix(scores.shape, exact=False)
    found.write(slice(None), scores)
    return found
