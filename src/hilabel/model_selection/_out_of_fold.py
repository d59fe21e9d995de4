"""Scores of labelled rows from models that were trained without their labels."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import clone

from hilabel._compat import _safe_indexing
from hilabel._label_matrix import LabelMatrix
from hilabel._matrices import row_blocks
from hilabel._progress import Report, progress_of_step, say_nothing
from hilabel._score_matrix import ScoreMatrix
from hilabel._typing import BoolArray, FloatArray, IntArray, MatrixLike
from hilabel._validation import check_labels
from hilabel.model_selection._folds import draw_folds
from hilabel.model_selection._stratification import MANY_CELLS

Scorer: TypeAlias = Callable[[IntArray], FloatArray]
"""Returns the scores of rows, by a model that was trained without them."""


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """Scores of the labelled rows from models that have not seen their labels.

    Attributes
    ----------
    labels : LabelMatrix of shape (n_scored, n_nodes)
    scores : ScoreMatrix of the same shape
    fold : int array of shape (n_scored,)
        The fold of each row. What is chosen for a fold, such as a calibration, is
        chosen on the other folds.
    rows : int array of shape (n_scored,) or None
        The numbers of the rows among the labelled rows; None means all of them.
    prior : ndarray of shape (n_nodes,) or None
        If the rows were set aside, the label frequencies of the others.
    model : fitted estimator or None
        The model trained on all rows, if training it also gave the scores; otherwise,
        a model was trained for each fold.
    n_others : int
        If the rows were set aside, the number of labelled rows that were not.
    """

    labels: LabelMatrix
    scores: ScoreMatrix
    fold: IntArray
    rows: IntArray | None = None
    prior: FloatArray | None = None
    model: Any = None

    n_others: int = 0

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return int(self.fold.max(initial=-1)) + 1


def score_out_of_fold(
    estimator: Any, data: Any, *, hide: bool = False, report: Report = say_nothing
) -> OutOfFold:
    """Score each labelled row by models that were trained without its label.

    Some methods score the rows while they are trained (``fit_scoring``). All others are
    trained once per fold or, if rows are set aside, once without these.

    Parameters
    ----------
    estimator : hierarchical classifier
        A clone of it is trained.
    data : TrainingData
        With the fold of each labelled row.
    hide : bool, default=False
        Train with the rows of a fold as unlabelled rows. Otherwise, these rows are not
        used in training at all, unless methods learn from links between all rows and
        some are unlabelled: then rows to be predicted usually are among these.
    report : callable, optional
    """
    tags = getattr(estimator, "method_tags", None)
    learns_from_links = data.links is not None and tags is not None and tags.links
    hide_rows = hide or (learns_from_links and data.unlabeled_rows.size > 0)
    if not hide and estimator.scores_itself(data):
        model = clone(estimator)
        with progress_of_step(report, f"Training {type(estimator).__name__}"):
            scores = model.fit_scoring(data)
        return _found(data, scores, model)

    def train(test: BoolArray) -> Scorer:
        others = data.hiding_rows(test) if hide_rows else data.without_rows(test)
        if not learns_from_links:
            others = replace(others, links=None)
        model = clone(estimator).fit_checked(replace(others, fold=None))

        def score(rows: IntArray) -> FloatArray:
            X = data.X_labeled[rows]
            if learns_from_links:
                X = data.labeled_without(rows, test, hide=hide_rows)
            found: FloatArray = model._predict_scores(X)
            return found

        return score

    if data.sets_rows_aside:
        rows = np.flatnonzero(data.fold >= 0)
        scores = ScoreMatrix((rows.size, data.Y.shape[1]))
        with progress_of_step(report, "Training without the rows set aside", 0, 1):
            score = train(data.fold >= 0)
        _score_rows(score, rows, np.arange(rows.size), scores)
    else:
        scores = ScoreMatrix(data.Y.shape)
        _score_folds(train, data.fold, scores, report)
    return _found(data, scores, None)


def _found(data: Any, scores: ScoreMatrix, model: Any) -> OutOfFold:
    if not data.sets_rows_aside:
        return OutOfFold(data.Y, scores, data.fold, model=model)
    is_aside = data.fold >= 0
    rows = np.flatnonzero(is_aside)
    prior = data.without_rows(is_aside).prior
    n_others = data.n_labeled - rows.size
    labels, fold = data.Y[rows], data.fold[rows]
    return OutOfFold(labels, scores, fold, rows, prior, model, n_others)


def out_of_fold_scores(
    estimator: Any,
    X: MatrixLike,
    y: MatrixLike,
    *,
    n_splits: int | None = None,
    random_state: Any = 0,
    fold: MatrixLike | None = None,
    as_unlabeled: bool = False,
    report: Report = say_nothing,
) -> FloatArray:
    """Return out-of-fold scores: each labelled row is scored without its labels.

    For each fold, a clone of the estimator is trained on the labelled rows of the other
    folds and all unlabelled rows. It is then used to score the rows of the fold, which
    it has not seen.

    Parameters
    ----------
    estimator : hierarchical classifier, or a pipeline that ends with one
    X : array or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples, n_nodes)
        1, 0, and -1 or NaN in unlabelled rows.
    n_splits : int, optional
        By default, five folds, or ten with fewer than 50 labelled rows.
    random_state : int, RandomState or None, default=0
        Random seed of the folds.
    fold : int array of shape (n_samples,), optional
        The fold of each row, numbered from 0, instead of ``n_splits`` and
        ``random_state``: to score several estimators on the same folds. Rows of -1 are
        in no fold, like unlabelled rows: they are trained on, but not scored.
    as_unlabeled : bool, default=False
        Whether the rows of a fold are used in training as unlabelled rows.
    report : callable, optional
        Called with a short description of what runs now, the steps done and their
        total, or 0 if it is unknown.

    Returns
    -------
    ndarray of shape (n_samples, n_nodes)
        NaN in rows that are in no fold. With more than ten million cells, the scores
        are in single precision to save memory.

    Raises
    ------
    LabelError
        If there are fewer labelled rows than folds.
    ValueError
        If ``fold`` is not one integer for each row.

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
    labels = check_labels(y, getattr(estimator, "hierarchy", None)).table
    of_row = (
        draw_folds(labels, n_splits, random_state)
        if fold is None
        else _checked_folds(fold, labels)
    )

    def train(test: BoolArray) -> Scorer:
        rows = np.flatnonzero(~test)
        if as_unlabeled:  # hidden rows come last, as in TrainingData.hiding_rows
            rows = np.append(rows, np.flatnonzero(test))
        y_train = labels.without_rows(test)[rows].to_array()
        model = clone(estimator).fit(_safe_indexing(X, rows), y_train)

        def score(rows: IntArray) -> FloatArray:
            found: FloatArray = model.predict_proba(_safe_indexing(X, rows))
            return found

        return score

    dtype = np.float32 if labels.size > MANY_CELLS else np.float64
    scores = np.full(labels.shape, np.nan, dtype=dtype)
    _score_folds(train, of_row, ScoreMatrix.of(scores), report)
    return scores


def _checked_folds(fold: MatrixLike, labels: LabelMatrix) -> IntArray:
    """Return the fold of each labelled row, and -1 for unlabelled rows."""
    of_row = np.asarray(fold)
    if of_row.shape != (len(labels),) or of_row.dtype.kind not in "iu":
        raise ValueError(
            f"Expected fold with one integer for each of {len(labels)} rows, got "
            f"{of_row.dtype} values of shape {of_row.shape}; use draw_folds."
        )
    return np.where(labels.labeled, of_row, -1)


def _score_folds(
    train: Callable[[BoolArray], Scorer],
    fold: IntArray,
    scores: ScoreMatrix,
    report: Report,
) -> None:
    """Train a model without each fold, and write the scores of its rows."""
    n_folds = int(fold.max(initial=-1)) + 1
    for number in range(n_folds):
        test = fold == number
        told = f"Training without fold {number + 1} of {n_folds}"
        with progress_of_step(report, told, number, n_folds):
            score = train(test)
        rows = np.flatnonzero(test)
        _score_rows(score, rows, rows, scores)
        del score  # free the model before training the next one


def _score_rows(
    score: Scorer,
    rows: IntArray,
    places: IntArray,
    scores: ScoreMatrix,
) -> None:
    """Write the scores of rows to their places."""
    # In blocks, since scores may be in double precision.
    for part in row_blocks((rows.size, scores.shape[1]), MANY_CELLS):
        scores.write(places[part], np.asarray(score(rows[part])))
