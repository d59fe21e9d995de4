"""Use any scikit-learn multi-output model as a hierarchical classifier."""

from typing import Any, ClassVar

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputRegressor
from sklearn.utils import check_random_state, get_tags

from hilabel._compat import HasMethods
from hilabel._saved_types import Array
from hilabel._typing import FloatArray
from hilabel.classifiers._local_estimator import BaseLocalClassifier
from hilabel.classifiers._tags import MethodTags
from hilabel.classifiers._training_data import TrainingData
from hilabel.constraints import cap_by_parents
from hilabel.hierarchy import Hierarchy
from hilabel.local_models import node_seeds


class MultiOutputAdapter(BaseLocalClassifier):
    """A scikit-learn multi-output model, adapted to a hierarchy.

    The model learns all nodes together from the labelled rows. Its scores, whatever
    their form, are converted to a matrix of probabilities, and the probability of each
    node is capped at the lowest probability of its ancestors. Handles every problem
    type; unlabelled rows are ignored.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges: plain multi-label classification.
    estimator : classifier or regressor, optional
        Any model that learns several targets at once, such as ``KNeighborsClassifier``,
        ``MLPClassifier`` and the forests; any other is wrapped in a
        ``OneVsRestClassifier`` or ``MultiOutputRegressor``. The default is
        ``RandomForestClassifier()``. Its ``predict_proba`` is used if available, or
        else the logistic function of its ``decision_function``, or else its
        predictions, clipped to [0, 1].
    random_state : int, RandomState or None
        Seed of ``estimator``, unless it has its own.

    Attributes
    ----------
    estimator_ : the fitted model, or None if no label varies
    varying_ : ndarray
        The nodes that it learned: those that some but not all labelled rows have.
    prior_ : ndarray of shape (n_nodes,)
        Share of labelled rows that have each label; the prediction for the other nodes.
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    Examples
    --------
    >>> from hilabel.classifiers import MultiOutputAdapter
    >>> from hilabel.datasets import make_artificial
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> data = make_artificial()
    >>> model = MultiOutputAdapter(data.hierarchy, estimator=KNeighborsClassifier())
    >>> model.fit(data.X_labeled, data.Y_labeled).predict_proba(data.X_test).shape
    (300, 6)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        name="Multi-output model",
        summary="of scikit-learn",
        use="For comparing or combining multi-output scikit-learn models.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseLocalClassifier._parameter_constraints,
        "estimator": [HasMethods(["fit", "predict"]), None],
    }

    def __init__(
        self,
        hierarchy: Hierarchy | None = None,
        *,
        estimator: Any = None,
        random_state: Any = None,
    ) -> None:
        self.hierarchy = hierarchy
        self.estimator = estimator
        self.random_state = random_state

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "prior_": Array("f8", ("n_nodes",), 0, 1),
        "varying_": Array("i8", ("n_varying",), 0),
        "estimator_": BaseEstimator | None,
    }

    def _default_estimator(self) -> Any:
        return RandomForestClassifier()

    def _fit(self, data: TrainingData) -> None:
        model = _for_several_targets(self._local_estimator())
        self.prior_ = data.Y_labeled.mean(axis=0)
        # A target with one class has no second column, and some models refuse it.
        self.varying_ = np.flatnonzero((self.prior_ > 0) & (self.prior_ < 1))
        self.estimator_ = None
        if self.varying_.size:
            targets = data.Y_labeled[:, self.varying_].astype(np.int64)
            (seed,) = node_seeds(model, check_random_state(self.random_state), 1)
            self.estimator_ = clone(model).set_params(**seed)
            if targets.shape[1] == 1:  # models differ in the form of a single target
                targets = np.repeat(targets, 2, axis=1)
            self.estimator_.fit(data.X_labeled, targets)

    def is_sound(self) -> bool:
        """Return whether all targets are nodes and the model accepts the features."""
        model = self.estimator_
        return bool(
            super().is_sound()
            and self.prior_.size == self.hierarchy_.n_nodes
            and self.varying_.max(initial=-1) < self.prior_.size
            and (model is None or model.n_features_in_ == self.n_features_in_)
        )

    def _predict_scores(self, X: Any) -> FloatArray:
        scores = np.tile(self.prior_, (X.shape[0], 1))
        if self.estimator_ is not None:
            of_targets = _scores_of(self.estimator_, X)
            scores[:, self.varying_] = of_targets[:, : self.varying_.size]
        return cap_by_parents(scores, self.hierarchy_)


def _for_several_targets(model: Any) -> Any:
    """Return the model, wrapped if it supports only a single target."""
    tags = get_tags(model)
    learns_labels = (
        tags.classifier_tags is not None and tags.classifier_tags.multi_label
    )
    if tags.target_tags.multi_output or learns_labels:
        return model
    return (
        MultiOutputRegressor(model)
        if is_regressor(model)
        else OneVsRestClassifier(model)
    )


def _scores_of(model: Any, X: Any) -> FloatArray:
    """Return the probabilities that a model of any kind predicts for its targets."""
    if hasattr(model, "predict_proba"):
        outputs = model.predict_proba(X)
        if isinstance(outputs, list):  # one column per class for each target
            outputs = np.column_stack([output[:, 1] for output in outputs])
        return np.asarray(outputs)
    if hasattr(model, "decision_function"):
        return np.asarray(expit(model.decision_function(X)))
    return np.clip(model.predict(X), 0, 1)
