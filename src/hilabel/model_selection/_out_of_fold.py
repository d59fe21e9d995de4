"""Scores of labelled rows from models that were trained without their labels."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import gen_batches

from hilabel._compat import _safe_indexing
from hilabel._progress import Report, say_nothing
from hilabel._typing import UNLABELED, FloatArray, IntArray, LabelArray, MatrixLike
from hilabel._validation import check_labels
from hilabel.model_selection._split import LabeledKFold
from hilabel.model_selection._stratification import MANY_CELLS


def out_of_fold_scores(
    estimator: Any,
    X: MatrixLike,
    y: MatrixLike,
    *,
    n_splits: int = 5,
    random_state: Any = None,
    folds: Iterable[tuple[IntArray, IntArray]] | None = None,
    as_unlabeled: bool = False,
    report: Report = say_nothing,
) -> FloatArray:
    """Return out-of-fold scores: each labelled row is scored without its labels.

    :class:`LabeledKFold` splits the labelled rows into folds. For each fold, a clone of
    the estimator is trained on the labelled rows of the other folds and all unlabelled
    rows. It is then used to score the rows of the fold.

    By default, the rows of the fold are not used in training at all, so they are scored
    like new rows. With ``as_unlabeled``, they are scored like the unlabelled rows of
    the training data. A method that assigns labels to unlabelled rows may score these
    quite differently from new rows.

    Parameters
    ----------
    estimator : hierarchical classifier
    X : array or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples, n_nodes)
        1, 0, and -1 or NaN in unlabelled rows.
    n_splits : int, default=5
    random_state : int, RandomState or None
        Random seed of the folds.
    folds : iterable of (train, test) row numbers, optional
        Existing folds, instead of ``n_splits`` and ``random_state``: to score several
        estimators on the same folds, or to exclude rows from training.
    as_unlabeled : bool, default=False
        Whether the rows of a fold are used in training as unlabelled rows.
    report : callable, optional
        Called with a short description of the next step, the steps done and their
        total.

    Returns
    -------
    ndarray of shape (n_samples, n_nodes)
        NaN in unlabelled rows. With more than ten million cells, the scores are in
        single precision to save memory.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.model_selection import out_of_fold_scores
    >>> out_of_fold_scores(
    ...     PriorClassifier(), [[0]] * 3, [[1], [0], [-1]], n_splits=2, random_state=0
    ... )
    array([[ 0.],
           [ 1.],
           [nan]])
    """
    known = _as_array(y, estimator.hierarchy)
    if folds is None:
        report(f"Splitting the labelled rows into {n_splits} folds", 0, 0)
        folds = LabeledKFold(n_splits, random_state=random_state).split(None, known)
    folds = list(folds)
    dtype = np.float32 if known.size > MANY_CELLS else np.float64
    scores = np.full(known.shape, np.nan, dtype=dtype)
    for number, (train, test) in enumerate(folds):
        what = "the labels of fold" if as_unlabeled else "fold"
        report(
            f"Training without {what} {number + 1} of {len(folds)}", number, len(folds)
        )
        rows, labels = train, known[train]
        if as_unlabeled:
            rows = np.concatenate([train, test])
            hidden = np.full((len(test), known.shape[1]), UNLABELED, labels.dtype)
            labels = np.concatenate([labels, hidden])
        model = clone(estimator).fit(_safe_indexing(X, rows), labels)
        for part in gen_batches(len(test), _rows_at_once(known)):
            rows = test[part]
            scores[rows] = model.predict_proba(_safe_indexing(X, rows))
        del model  # free it before training the next one
    return scores


def _as_array(y: MatrixLike, hierarchy: Any) -> LabelArray:
    """Return validated labels, without a copy if they already have the right form."""
    labels = check_labels(y, hierarchy)
    is_plain = isinstance(y, np.ndarray) and y.dtype == np.int8
    return y if is_plain else labels.to_array()


def _rows_at_once(known: LabelArray) -> int:
    """Return the number of rows to score at a time, all unless there are many cells.

    Scores may be in double precision, which needs twice the memory of the result.
    """
    if known.size <= MANY_CELLS:
        return max(1, len(known))
    return max(1, MANY_CELLS // known.shape[1])
