"""Create the page about a fitted estimator."""

import inspect
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from hilabel._typing import BoolArray, FloatArray, IntArray, LabelArray, MatrixLike
from hilabel._validation import check_labels
from hilabel.classifiers import BaseHierarchicalClassifier
from hilabel.exceptions import ParameterError
from hilabel.metrics import average_precision
from hilabel.report._decision_path import RowReading
from hilabel.report.page._about import AboutModel, AboutRows, Quality
from hilabel.report.page._bounds import ROWS_LOOKED_AT
from hilabel.report.page._evidence import Evidence, TrainingRows
from hilabel.report.page._features import telling_features
from hilabel.report.page._lacking import said_to_lack
from hilabel.report.page._model_page import ModelPage
from hilabel.report.page._picture import pseudo_label_picture
from hilabel.report.page._quality import (
    ON_ROWS_GIVEN,
    OUT_OF_FOLD,
    measured_quality,
)
from hilabel.semi_supervised import summarize_pseudo_labels


def model_page(
    model: BaseHierarchicalClassifier,
    X: MatrixLike | None = None,
    Y: MatrixLike | None = None,
    *,
    ids: Sequence[Any] | None = None,
    feature_names: Sequence[str] | None = None,
    title: str | None = None,
) -> ModelPage:
    """Create a page about a model, its quality, and its predictions with evidence.

    The page is a single file that can be viewed offline. It contains a hierarchy to
    browse, with the rows, quality, calibration and main features of each term; rows
    with their known labels, their predictions and the evidence for the predictions; and
    lists of the predictions and rows to check first. It also states what was left out.

    If ``X`` and ``Y`` are the training rows, the quality is measured out of fold. This
    needs a model with out-of-fold scores (``oof_decision_``), such as
    :class:`~hilabel.semi_supervised.Blend` or a forest with ``oob_score=True``. If
    ``X`` and ``Y`` are other labelled rows, the quality is measured on these rows.

    Parameters
    ----------
    model : fitted hierarchical classifier
        For a model written by ``hilabel fit``, :func:`hilabel.tasks.report_model` shows
        more.
    X : array-like or sparse matrix of shape (n_samples, n_features), optional
        Rows to show.
    Y : label matrix, in any form that ``fit`` accepts, optional
        The known labels of these rows.
    ids : sequence of n_samples, optional
        Ids of the rows; by default, their numbers.
    feature_names : sequence of str, optional
        By default, those of the training data or of ``X`` if available, otherwise
        numbers.
    title : str, optional

    Returns
    -------
    ModelPage
        Shown in notebooks; ``write(path)`` saves it to a file.

    Raises
    ------
    ParameterError
        If ``Y`` or ``ids`` are given without ``X``, or do not match its rows.

    Examples
    --------
    >>> from hilabel.classifiers import PredictiveClusteringForest
    >>> from hilabel.datasets import make_artificial
    >>> from hilabel.report import model_page
    >>> data = make_artificial()
    >>> model = PredictiveClusteringForest(data.hierarchy, oob_score=True)
    >>> _ = model.fit(data.X_labeled, data.Y_labeled)
    >>> page = model_page(model, data.X_labeled, data.Y_labeled)
    >>> page.payload["measured_on"], len(page.payload["rows"]["id"])
    ('out of fold', 12)
    """
    if not isinstance(model, BaseHierarchicalClassifier):
        raise TypeError(
            f"Expected a fitted hierarchical classifier, got a {type(model).__name__}. "
            "For a pipeline, pass its last step and rows transformed by the other "
            "steps; for a model file, use hilabel.tasks.report_model."
        )
    check_is_fitted(model)
    if X is None and not (Y is None and ids is None):
        raise ParameterError(
            "Expected rows for the given labels or ids, got none; pass X too.",
            parameter="X",
        )
    names = _feature_names(model, X, feature_names)
    given = None if X is None else _Given(model, X, Y, ids)
    about = _about(model, given, names, title)
    return ModelPage.of(about, None if given is None else given.about_rows(names))


class _Given:
    """The validated rows that were passed to ``model_page``."""

    def __init__(self, model: Any, X: Any, Y: Any, ids: Sequence[Any] | None) -> None:
        self.model = model
        self.matrix = _as_matrix(X)
        n_rows = self.matrix.shape[0]
        if ids is not None and len(ids) != n_rows:
            raise ParameterError(
                f"Expected an id for each of {n_rows} rows, got {len(ids)}.",
                parameter="ids",
            )
        self.ids = [str(name) for name in (range(n_rows) if ids is None else ids)]
        hierarchy = model.hierarchy_
        self.Y: LabelArray = np.full((n_rows, hierarchy.n_nodes), -1, np.int8)
        if Y is not None:
            self.Y = check_labels(Y, hierarchy, n_samples=n_rows).to_array()
        self.labeled: BoolArray = np.asarray((self.Y >= 0).any(axis=1))
        self.is_training = _is_training_data(model, self)

    def predict(self, rows: IntArray) -> FloatArray:
        """Return the scores of the given rows; out-of-fold scores if available."""
        scores = _quietly(self.model.predict_proba, self.matrix[rows])
        if self.has_held_out:
            place = np.full(len(self.ids), -1)
            place[self.model.oof_rows_] = np.arange(len(self.model.oof_rows_))
            kept = place[rows] >= 0
            scores = np.array(scores)
            scores[kept] = self.model.oof_decision_[place[rows][kept]]
        return np.clip(scores, 0, 1)

    @property
    def has_held_out(self) -> bool:
        return bool(self.is_training) and _held_out(self.model) is not None

    def about_rows(self, names: Sequence[str]) -> AboutRows:
        n_rows = min(len(self.ids), ROWS_LOOKED_AT)
        some = slice(0, n_rows)
        training = None
        positive = sp.csr_array(self.Y == 1)
        if self.is_training:
            rows = np.flatnonzero(self.labeled)
            training = TrainingRows(
                self.ids, self.labeled, positive, rows, self.matrix[rows]
            )
        evidence = Evidence(self.model, RowReading.as_seen(names), training)

        def explain(rows: IntArray, nodes: Sequence[IntArray]) -> list[Any]:
            found = [self.ids[row] for row in rows]
            return _quietly(evidence.of, self.matrix[rows], found, nodes)

        in_training = np.where(self.labeled, "labelled", "unlabelled")
        states = in_training.tolist() if self.is_training else ["new"] * n_rows
        is_held_out = self.labeled & self.has_held_out
        return AboutRows(
            ids=self.ids[some],
            states=states[some],
            known=positive[some],
            is_labeled=self.labeled[some],
            lacking=said_to_lack(self.Y[some], self.model.hierarchy_),
            is_held_out=is_held_out[some],
            is_seen=(self.labeled & bool(self.is_training) & ~is_held_out)[some],
            predict=self.predict,
            explain=explain,
            n_given=len(self.ids),
        )


def _about(
    model: Any, given: _Given | None, names: Sequence[str], title: str | None
) -> AboutModel:
    hierarchy = model.hierarchy_
    labels = np.empty((0, hierarchy.n_nodes), np.int8)
    X = None
    if given is not None and given.labeled.any():
        labels, X = given.Y[given.labeled], given.matrix[given.labeled]
    n_known, n_positive = (labels >= 0).sum(axis=0), (labels == 1).sum(axis=0)
    frequency = n_positive / np.maximum(n_known, 1)
    says = np.ones(hierarchy.n_nodes, dtype=bool)
    if hierarchy.n_edges:  # a root that all rows have is uninformative
        says[hierarchy.roots] = frequency[hierarchy.roots] < 1
    method = type(model).__name__
    quality, warned = _measured(given, frequency, says)
    gain = getattr(model, "unlabeled_gain_", None)
    return AboutModel(
        title=title or f"{method}, {hierarchy.n_nodes:,} terms",
        method=method,
        settings=_settings(model),
        hierarchy=hierarchy,
        aspects=None,
        n_positive=n_positive,
        frequency=frequency,
        says=says,
        # The threshold of ``predict``.
        thresholds=np.full(hierarchy.n_nodes, 0.5),
        predicts=f"predicts {hierarchy.n_nodes:,} terms from {model.n_features_in_:,} "
        "features",
        facts=_facts(model, given),
        warnings=warned,
        unlabeled_worth=None if gain is None else str(gain),
        pseudo_labeling=summarize_pseudo_labels(model),
        pseudo_label_picture=pseudo_label_picture(model),
        candidates=[asdict(one) for one in getattr(model, "candidates_", ())],
        quality=quality,
        features=telling_features(model, names, n_positive, X, labels),
    )


def _measured(
    given: _Given | None, frequency: FloatArray, says: BoolArray
) -> tuple[Quality | None, list[str]]:
    """Measure the quality on labelled rows, and return it with warnings."""
    if given is None or not (given.Y[:, says] == 1).any():
        return None, []
    model, rows = given.model, np.flatnonzero(given.labeled)
    if given.has_held_out:
        where, warned = OUT_OF_FOLD, []
    elif given.is_training:
        return None, [
            "Not measured: the model was trained on the given rows, and has no "
            "out-of-fold scores."
        ]
    else:
        where = ON_ROWS_GIVEN
        warned = [
            "Measured on the given rows: if the model was trained on them, the "
            "measures are too optimistic."
        ]
    quality = measured_quality(
        where, given.Y[rows], given.predict(rows), model.hierarchy_, frequency, says
    )
    (_, of_model, of_constant), *_ = quality.measures
    if of_model <= of_constant:
        warned.append(
            "The model is no better than the constant predictor, which predicts the "
            "label frequencies for every row."
        )
    return quality, warned


def _facts(model: Any, given: _Given | None) -> list[tuple[str, str]]:
    hierarchy = model.hierarchy_
    kind = "tree" if hierarchy.is_tree else "DAG"
    facts = [
        ("terms", f"{hierarchy.n_nodes:,} in a {kind} of depth {hierarchy.max_depth}"),
        ("features", f"{model.n_features_in_:,}"),
    ]
    if given is not None:
        n_labeled = int(given.labeled.sum())
        rows = f"{len(given.ids):,}, {n_labeled:,} of them labelled"
        facts.insert(0, ("rows", rows))
    return facts


def _settings(model: Any) -> str:
    """Return the settings that differ from the defaults."""
    usual = inspect.signature(type(model)).parameters
    return ", ".join(
        f"{name}={value!r}"
        for name, value in model.get_params(deep=False).items()
        if name != "hierarchy" and repr(value) != repr(usual[name].default)
    )


def _feature_names(model: Any, X: Any, given: Sequence[str] | None) -> list[str]:
    count = model.n_features_in_
    if given is not None:
        if len(given) != count:
            raise ParameterError(
                f"Expected a name for each of {count} features, got {len(given)}.",
                parameter="feature_names",
            )
        return [str(name) for name in given]
    names = getattr(model, "feature_names_in_", getattr(X, "columns", None))
    if names is None or len(names) != count:
        names = [f"feature {number}" for number in range(count)]
    return [str(name) for name in names]


def _as_matrix(X: Any) -> Any:
    if sp.issparse(X):
        return sp.csr_array(X)
    return X.to_numpy() if hasattr(X, "to_numpy") else np.asarray(X)


def _quietly(function: Any, *given: Any) -> Any:
    """Call a function and suppress warnings about missing feature names."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        found = function(*given)
    return np.asarray(found) if hasattr(found, "to_numpy") else found


# Whether the model was trained on the rows --------------------------------------------


def _held_out(model: Any) -> FloatArray | None:
    scores = getattr(model, "oof_decision_", None)
    return None if scores is None or np.isnan(scores).any() else scores


def _is_training_data(model: Any, given: _Given) -> bool | None:
    """Return whether the model was trained on these rows, or None if this is unknown.

    If the training rows are not stored, the out-of-fold scores are compared with the
    labels: their average precision equals ``oof_score_`` only for the training labels.
    """
    data = getattr(model, "training_data_", None)
    if data is not None:
        rows, X = data.labeled_rows, data.X_labeled
        if not np.array_equal(rows, np.flatnonzero(given.labeled)):
            return False
        same = given.matrix[rows] != X
        return not (same.nnz if sp.issparse(same) else same.any())
    scores = _held_out(model)
    if scores is None:
        return None
    if not np.array_equal(model.oof_rows_, np.flatnonzero(given.labeled)):
        return False
    quality = average_precision(given.Y[given.labeled], scores)
    return bool(np.isclose(quality, model.oof_score_, atol=1e-6))
