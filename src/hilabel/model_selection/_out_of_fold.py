"""Scores of labelled rows from models that have not seen their labels."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import gen_batches

from hilabel._compat import _safe_indexing
from hilabel._progress import Report, say_nothing
from hilabel._typing import FloatArray, IntArray, LabelArray, MatrixLike
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
    report: Report = say_nothing,
) -> FloatArray:
    """Return, for each labelled row, scores of a model trained without its labels.

    The labelled rows are divided into folds by :class:`LabeledKFold`. For each fold a
    clone of the estimator is trained on the labelled rows of the others and on all
    unlabelled rows, and scores the rows of the fold. The rows of the fold are not even
    seen as unlabelled ones.

    Parameters
    ----------
    estimator : hierarchical classifier
    X : array or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples, n_nodes)
        1, 0, and -1 or NaN in unlabelled rows.
    n_splits : int, default=5
    random_state : int, RandomState or None
        Seed of the folds.
    folds : iterable of (train, test) row numbers, optional
        Folds made before, in place of the two above: to score several estimators on
        the same ones, or to leave rows out of training.
    report : callable, optional
        Told in a few words what comes next, how much is done, and of how much.

    Returns
    -------
    ndarray of shape (n_samples, n_nodes)
        NaN in unlabelled rows. Of more than ten million cells in single precision,
        since all of them are held at once.

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
        report(f"Dividing the labelled rows into {n_splits} folds", 0, 0)
        folds = LabeledKFold(n_splits, random_state=random_state).split(None, known)
    folds = list(folds)
    dtype = np.float32 if known.size > MANY_CELLS else np.float64
    scores = np.full(known.shape, np.nan, dtype=dtype)
    for number, (train, test) in enumerate(folds):
        report(
            f"Training without fold {number + 1} of {len(folds)}", number, len(folds)
        )
        model = clone(estimator).fit(_safe_indexing(X, train), known[train])
        for part in gen_batches(len(test), _rows_at_once(known)):
            rows = test[part]
            scores[rows] = model.predict_proba(_safe_indexing(X, rows))
        del model  # before the next one is trained
    return scores


def _as_array(y: MatrixLike, hierarchy: Any) -> LabelArray:
    """Return checked labels, without a copy where they are in the form that is used."""
    labels = check_labels(y, hierarchy)
    is_plain = isinstance(y, np.ndarray) and y.dtype == np.int8
    return y if is_plain else labels.to_array()


def _rows_at_once(known: LabelArray) -> int:
    """Return how many rows to score at a time: all, unless there are very many cells.

    Scores may come in double precision, which takes twice the memory of what is kept.
    """
    if known.size <= MANY_CELLS:
        return max(1, len(known))
    return max(1, MANY_CELLS // known.shape[1])
