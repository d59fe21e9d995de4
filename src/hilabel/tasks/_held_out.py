"""Score labelled rows with models that were trained without their labels."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from sklearn.base import clone

from hilabel._progress import Report, progress_to
from hilabel._typing import BoolArray, FloatArray, IntArray, LabelArray
from hilabel.classifiers import BaseHierarchicalClassifier
from hilabel.model_selection import out_of_fold_scores

# A row is in the bootstrap samples of all n trees with a probability below 1.5 ** -n,
# which is negligible for this many trees.
_TREES_NEEDED: Final = 50


def ask_for_own_scores(estimator: BaseHierarchicalClassifier) -> bool:
    """Enable out-of-fold scores in training, and return whether they are available.

    If they are, the method is trained once instead of once per fold. A forest can score
    each row with the trees that were trained without it; some methods always do.
    """
    parameters = estimator.get_params(deep=False)
    can = (
        "oob_score" in parameters
        and parameters["bootstrap"]
        and parameters["n_estimators"] >= _TREES_NEEDED
    )
    if can:
        estimator.set_params(oob_score=True)
    return can or estimator.method_tags.scores_left_out


def n_trainings(estimator: BaseHierarchicalClassifier, n_folds: int) -> int:
    """Return how often a method is trained to score all labelled rows out of fold."""
    return 1 if ask_for_own_scores(clone(estimator)) else n_folds


def take_own_scores(
    estimator: BaseHierarchicalClassifier, rows: BoolArray
) -> FloatArray | None:
    """Remove out-of-fold scores from an estimator, and return them.

    Returns None if the estimator has none. In a model file, the scores would take as
    much space as all labels.
    """
    scores = getattr(estimator, "oof_decision_", None)
    if scores is None:
        return None
    scored = estimator.oof_rows_
    del estimator.oof_decision_, estimator.oof_rows_
    is_whole = np.array_equal(scored, np.flatnonzero(rows))
    return scores if is_whole and not np.isnan(scores.sum()) else None


class HeldOut(NamedTuple):
    """Scores of the labelled rows from models that were trained without their labels.

    Attributes
    ----------
    scores : ndarray of shape (n_labeled, n_nodes)
    is_own : bool
        Whether the scores come from training; otherwise, a model was trained for each
        fold.
    tried_unlabeled : bool
        Whether a model that uses unlabelled rows was tried.
    """

    scores: FloatArray
    is_own: bool
    tried_unlabeled: bool


def held_out_scores(
    estimator: BaseHierarchicalClassifier,
    X: Any,
    Y: LabelArray,
    rows: BoolArray,
    folds: Sequence[tuple[IntArray, IntArray]],
    report: Report,
) -> HeldOut:
    """Score the labelled rows with models that were trained without their labels."""
    estimator = clone(estimator)
    learns = estimator.learns_from_unlabeled
    if ask_for_own_scores(estimator):
        report(f"Training {type(estimator).__name__}", 0, 0)
        used: Any = np.unique(np.concatenate([part for fold in folds for part in fold]))
        if used.size == len(rows):
            used = slice(None)  # no copy
        with progress_to(lambda message: report(message, 0, 0)):
            estimator.fit(X[used], Y[used])
        scores = take_own_scores(estimator, rows[used])
        if scores is not None:
            tried = getattr(estimator, "candidates_", None)
            if tried is not None:
                learns = any(one.uses_unlabeled for one in tried)
            return HeldOut(scores, True, learns)
    scores = out_of_fold_scores(estimator, X, Y, folds=folds, report=report)
    return HeldOut(scores if rows.all() else scores[rows], False, learns)


def held_out_words(is_out_of_bag: bool, n_folds: int) -> str:
    """Return a description of how the labelled rows were scored."""
    if is_out_of_bag:
        return "each scored by models trained without it"
    return f"cross-validated in {n_folds} folds"
