"""Make a table model of an estimator that was fitted on arrays."""

import inspect
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from hilabel._label_matrix import LabelMatrix
from hilabel._matrices import fingerprints
from hilabel._score_matrix import ScoreMatrix
from hilabel._typing import BoolArray, IntArray, MatrixLike
from hilabel._validation import check_labels
from hilabel.classifiers import BaseHierarchicalClassifier
from hilabel.datasets import TableOptions, TablePreparation
from hilabel.exceptions import ParameterError
from hilabel.hierarchy import Hierarchy, Ontology
from hilabel.judgement import Decision, Judged, judge
from hilabel.metrics import label_frequencies
from hilabel.model_selection import OutOfFold, draw_folds
from hilabel.models._fit_record import FitRecord, plain_parameters
from hilabel.models._table_model import TableModel
from hilabel.semi_supervised import summarize_pseudo_labels


def model_of_estimator(
    estimator: BaseHierarchicalClassifier,
    X: MatrixLike | None = None,
    y: MatrixLike | None = None,
    *,
    out_of_fold: MatrixLike | None = None,
    fold: MatrixLike | None = None,
    ids: Sequence[Any] | None = None,
    feature_names: Sequence[str] | None = None,
) -> TableModel:
    """Return a table model of an estimator and the rows that it was trained on.

    With out-of-fold scores, the model has a judgement and the decision rule that was
    chosen on them, like a model of ``hilabel fit``. Otherwise, a row gets a node if its
    probability is at least 0.5. Probabilities are those of the estimator, since an
    estimator keeps no out-of-fold scores of its own.

    Parameters
    ----------
    estimator : fitted hierarchical classifier
    X : array-like or sparse matrix of shape (n_samples, n_features), optional
        The training rows, of which the model only stores what it needs to name them.
    y : label matrix, in any form that ``fit`` accepts, optional
        Their labels. Without ``X`` and ``y``, the label frequencies are unknown.
    out_of_fold : array-like of shape (n_samples, n_nodes), optional
        Scores of the labelled rows by models trained without them, as returned by
        :func:`~hilabel.model_selection.out_of_fold_scores`; other rows are ignored.
    fold : int array of shape (n_samples,), optional
        The fold of each row, if the scores were not computed on the default folds.
    ids : sequence of n_samples, optional
        The ids of the rows; by default, their numbers.
    feature_names : sequence of str, optional
        By default, those of ``X`` in training or, if there were none, numbers.

    Raises
    ------
    ParameterError
        If ``X``, ``y``, the scores, ids and names do not match, or if they are not
        those that the estimator was trained on.

    Examples
    --------
    >>> from hilabel.classifiers import PredictiveClusteringForest
    >>> from hilabel.datasets import make_artificial
    >>> from hilabel.model_selection import out_of_fold_scores
    >>> from hilabel.models import model_of_estimator
    >>> data = make_artificial()
    >>> X, y = data.X_labeled, data.Y_labeled
    >>> forest = PredictiveClusteringForest(data.hierarchy, n_estimators=20)
    >>> scores = out_of_fold_scores(forest, X, y)
    >>> model = model_of_estimator(forest.fit(X, y), X, y, out_of_fold=scores)
    >>> model.judgement.measured_on, model.decision.is_measured
    ('out of fold', True)
    """
    _check_estimator(estimator)
    hierarchy = estimator.hierarchy_
    n_rows = _count_rows(X, y, ids)
    labels = _labels(estimator, y, n_rows)
    judged = _judged(estimator, labels, out_of_fold, fold)
    names = _feature_names(estimator, X, feature_names)
    rows = np.flatnonzero(labels.labeled)
    return TableModel(
        estimator=estimator,
        preparation=TablePreparation.unchanged(names, is_sparse=sp.issparse(X)),
        reading=TableOptions(),
        sample_ids=tuple(map(str, range(n_rows) if ids is None else ids)),
        prior=label_frequencies(labels.n_positive, labels.n_known, hierarchy),
        ontology=Ontology(hierarchy, {}, frozenset()),
        labeled=labels.labeled,
        marks=_marks(labels, hierarchy),
        decision=Decision.unmeasured(hierarchy.n_nodes)
        if judged is None
        else judged.judgement.decision,
        judgement=None if judged is None else judged.judgement,
        left_out=None if judged is None else judged.best_of(rows, n_rows),
        fingerprint=_fingerprints(X, labels.labeled),
        record=_record(estimator, n_rows, rows.size),
    )


def _check_estimator(estimator: Any) -> None:
    if not isinstance(estimator, BaseHierarchicalClassifier):
        raise TypeError(
            "Expected a fitted hierarchical classifier, got a "
            f"{type(estimator).__name__}. For a pipeline, pass its last step and rows "
            "transformed by the other steps; for a model file, use "
            "hilabel.tasks.report_model."
        )
    check_is_fitted(estimator)


def _count_rows(X: Any, y: Any, ids: Any) -> int:
    if X is None:
        if y is not None or ids is not None:
            raise ParameterError(
                "Expected rows for the given labels or ids, got none; pass X too.",
                parameter="X",
            )
        return 0
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if ids is not None and len(ids) != n_rows:
        raise ParameterError(
            f"Expected an id for each of {n_rows} rows, got {len(ids)}.",
            parameter="ids",
        )
    return int(n_rows)


def _labels(estimator: Any, y: Any, n_rows: int) -> LabelMatrix:
    """Return the labels of the training rows; raise an error if they are of others."""
    hierarchy = estimator.hierarchy_
    if y is None:
        nothing = sp.csr_array((n_rows, hierarchy.n_nodes), dtype=bool)
        return LabelMatrix.of_rows(nothing, np.zeros(n_rows, dtype=bool))
    labels = check_labels(y, hierarchy, n_samples=n_rows).table
    data = getattr(estimator, "training_data_", None)
    labeled = np.flatnonzero(labels.labeled)
    if data is not None and not np.array_equal(data.labeled_rows, labeled):
        raise ParameterError(
            f"Expected the rows that the {type(estimator).__name__} was trained on, "
            f"{data.n_labeled} of them labelled, got other labels for {labeled.size} "
            "labelled rows.",
            parameter="y",
        )
    return labels


def _judged(
    estimator: Any, labels: LabelMatrix, scores: Any, fold: Any
) -> Judged | None:
    """Judge the estimator by out-of-fold scores, if there are any."""
    rows = np.flatnonzero(labels.labeled)
    if scores is None or rows.size < 2:
        return None
    known = labels[rows]
    return judge(
        OutOfFold(known, _checked_scores(scores, labels), _folds(fold, labels)),
        estimator.hierarchy_,
        method=type(estimator).__name__,
        calibrate=False,
        candidates=getattr(estimator, "candidates_", ()),
        gain=getattr(estimator, "unlabeled_gain_", None),
        link_gain=getattr(estimator, "link_gain_", None),
    )


def _checked_scores(scores: Any, labels: LabelMatrix) -> ScoreMatrix:
    """Return the scores of the labelled rows."""
    given = np.asarray(scores)
    if given.shape != labels.shape:
        raise ParameterError(
            f"Expected out-of-fold scores of shape {labels.shape}, got {given.shape}.",
            parameter="out_of_fold",
        )
    found = given[labels.labeled]
    if not ((found >= 0) & (found <= 1)).all():
        raise ParameterError(
            "Expected out-of-fold scores from 0 to 1 for all labelled rows, got others "
            "or NaN; compute them with out_of_fold_scores.",
            parameter="out_of_fold",
        )
    return ScoreMatrix.of(found)


def _folds(fold: Any, labels: LabelMatrix) -> IntArray:
    """Return the fold of each labelled row."""
    of_rows = draw_folds(labels) if fold is None else np.asarray(fold)
    if of_rows.shape != (len(labels),) or (of_rows[labels.labeled] < 0).any():
        raise ParameterError(
            f"Expected a fold for each of {len(labels)} rows, from 0 on for labelled "
            f"rows, got {of_rows.size} folds from {of_rows.min(initial=0)} on.",
            parameter="fold",
        )
    return np.asarray(of_rows[labels.labeled])


def _fingerprints(X: Any, labeled: BoolArray) -> Any:
    """Return what recognises the values of the labelled rows; 0 for other rows."""
    found = np.zeros(labeled.size, dtype=np.uint64)
    if labeled.any():
        rows = sp.csr_array(X) if sp.issparse(X) else np.asarray(X, dtype=np.float64)
        found[labeled] = fingerprints(rows[labeled])
    return found


def _marks(labels: LabelMatrix, hierarchy: Hierarchy) -> sp.csr_array:
    """Return 2 for the most specific labels of each row, and 1 for their ancestors."""
    specific = hierarchy.most_specific(labels.positive)
    every, given = (
        sp.csr_array(one, dtype=np.int8) for one in (labels.positive, specific)
    )
    return sp.csr_array(every + given)


def _record(estimator: Any, n_rows: int, n_labeled: int) -> FitRecord:
    learned = summarize_pseudo_labels(estimator)
    return replace(
        FitRecord.of_estimator(estimator, n_rows, n_labeled),
        settings=_changed_parameters(estimator),
        pseudo_labeling=None if learned is None else learned.plain(),
    )


def _changed_parameters(estimator: Any) -> dict[str, Any]:
    """Return the parameters that differ from the defaults."""
    usual = inspect.signature(type(estimator)).parameters
    return {
        name: value
        for name, value in plain_parameters(estimator).items()
        if repr(estimator.get_params(deep=False)[name]) != repr(usual[name].default)
    }


def _feature_names(estimator: Any, X: Any, given: Sequence[str] | None) -> list[str]:
    count = estimator.n_features_in_
    if given is not None:
        if len(given) != count or len(set(given)) != count:
            raise ParameterError(
                f"Expected a name for each of {count} features, all different, got "
                f"{len(given)} names.",
                parameter="feature_names",
            )
        return [str(name) for name in given]
    names = getattr(estimator, "feature_names_in_", getattr(X, "columns", None))
    if names is None or len(names) != count or len(set(names)) != count:
        names = [f"feature {number}" for number in range(count)]
    return [str(name) for name in names]
