"""The forest for a single node, as a scikit-learn classifier."""

from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Final, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_is_fitted,
    validate_data,
)

from hilabel._compat import Interval, StrOptions, _check_sample_weight
from hilabel._saved_types import Array, Count, Maybe, Words, saved_type
from hilabel._typing import FloatArray, MatrixLike
from hilabel._validation import check_features, check_settings
from hilabel.forests._grow import ForestSettings, NodeExamples, grow_node_forests
from hilabel.forests._node_forests import NodeForests

# More trees would take days.
MOST_TREES: Final = 1_000_000

# Dense or sparse, with or without missing values.
_ANY_NUMBERS: Any = {
    "accept_sparse": "csr",
    "ensure_all_finite": "allow-nan",
}


@saved_type
@dataclass(eq=False, repr=False, kw_only=True)
class ForestClassifier(ClassifierMixin, BaseEstimator):
    """A random forest or extra-trees classifier for two classes.

    It works like scikit-learn's forests (bootstrap samples, Gini impurity or entropy,
    random features at each split, full depth), but on features encoded in at most 255
    bins. Missing values need no imputation: every split learns which side they go to.

    It can be used on its own, but is designed as the local classifier of
    :class:`~hilabel.classifiers.LocalClassifierPerNode`, which grows the forests of all
    nodes in one call on a shared encoded matrix.

    Parameters
    ----------
    n_estimators : int, default=100
    criterion : {"gini", "entropy"}, default="gini"
        The impurity that splits reduce: Gini or entropy.
    splitter : {"best", "random"}, default="best"
        ``"random"`` draws one cut per feature, as extra-trees do. Extra-trees usually
        set ``bootstrap=False``.
    max_depth : int, optional
        By default, trees grow until all leaves are pure.
    min_samples_leaf : int, default=1
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        Number of features drawn per split; more are drawn if all of them are constant
        there.
    bootstrap : bool, default=True
    max_samples : int, float or None, default=None
        Number or share of rows drawn for each tree; by default, the number of rows.
        Only used with ``bootstrap``.
    class_weight : dict, "balanced" or None, default=None
    oob_score : bool, default=False
        Also compute out-of-bag probabilities. Needs ``bootstrap``.
    n_jobs : int, optional
        Number of threads. The result does not depend on it.
    random_state : int, RandomState or None

    Attributes
    ----------
    classes_ : ndarray of shape (2,), or (1,) if the data had one class
    forest_ : NodeForests
    feature_importances_ : ndarray of shape (n_features,)
        Mean decrease in impurity.
    oob_decision_function_ : ndarray of shape (n_samples, 2)
        NaN for rows that were in every bootstrap sample or have weight 0. Only
        available with ``oob_score``.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.forests import ForestClassifier
    >>> X = np.array([[0.0], [1.0], [np.nan], [10.0], [11.0], [12.0]])
    >>> model = ForestClassifier(random_state=0).fit(X, [0, 0, 0, 1, 1, 1])
    >>> model.predict([[0.5], [11.5]])
    array([0, 1])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_estimators": [Interval(Integral, 1, MOST_TREES, closed="both")],
        "criterion": [StrOptions({"gini", "entropy"})],
        "splitter": [StrOptions({"best", "random"})],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "max_features": [
            StrOptions({"sqrt", "log2"}),
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
            None,
        ],
        "bootstrap": ["boolean"],
        "max_samples": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Real, 0, 1, closed="right"),
            None,
        ],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "oob_score": ["boolean"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "n_features_in_": Count(1),
        "feature_names_in_": Maybe(Words("n_features")),
        "classes_": Array("i8", ("n_classes",))
        | Array("i1", ("n_classes",))
        | Array("b1", ("n_classes",))
        | Array("f8", ("n_classes",))
        | Array("U", ("n_classes",))
        | Words("n_classes"),
        "forest_": NodeForests,
        "feature_importances_": Array("f8", ("n_features",)),
        "oob_decision_function_": Maybe(Array("f8", ("*", 2), 0, 1, gaps=True)),
    }

    n_estimators: int = field(default=100, kw_only=False)
    criterion: str = "gini"
    splitter: str = "best"
    max_depth: int | None = None
    min_samples_leaf: int = 1
    max_features: str | int | float | None = "sqrt"
    bootstrap: bool = True
    max_samples: int | float | None = None
    class_weight: Any = None
    oob_score: bool = False
    n_jobs: int | None = None
    random_state: Any = None

    def _validate_params(self) -> None:
        super()._validate_params()
        check_settings(type(self).__name__, self.get_params(deep=False))

    def is_sound(self) -> bool:
        """Return whether the forest matches the features and classes."""
        return bool(
            self.forest_.n_nodes == 1
            and self.forest_.n_features == self.n_features_in_
            and self.feature_importances_.size == self.n_features_in_
            and self.classes_.size in (1, 2)
        )

    @property
    def settings(self) -> ForestSettings:
        """The parameters that determine how trees are grown."""
        return ForestSettings.of(self)

    def fit(
        self, X: MatrixLike, y: MatrixLike, sample_weight: MatrixLike | None = None
    ) -> Self:
        """Grow the forest.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            At most two classes.
        sample_weight : array-like of shape (n_samples,), optional
            At least 0; rows with weight 0 are ignored.

        Returns
        -------
        self
        """
        self._validate_params()
        if self.oob_score and not self.bootstrap:
            raise ValueError(
                "oob_score=True needs bootstrap=True: otherwise no row is out of bag."
            )
        X, y = check_features(validate_data, self, X, y, **_ANY_NUMBERS)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if self.classes_.size > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is "
                f"multiclass: expected two classes, got {self.classes_.size}."
            )
        positive = codes == 1
        used = np.arange(X.shape[0])
        weight = None
        if sample_weight is not None:
            weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
            used = np.flatnonzero(weight)
            weight = weight[used]
            if used.size < X.shape[0]:  # otherwise they would affect the bins
                X, positive = X[used], positive[used]
        example = NodeExamples(np.arange(used.size), positive, weight)
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        self.forest_ = grow_node_forests(
            X,
            [example],
            replace(self.settings, class_weight=self._class_weight(positive)),
            seed=seed,
            n_jobs=self.n_jobs,
            with_importances=True,
            with_oob=self.oob_score,
        )
        self.feature_importances_ = np.asarray(self.forest_.importances)[0]
        if self.oob_score:
            (_, scores), *_ = self.forest_.oob_scores or ()
            self.oob_decision_function_ = np.full((codes.size, 2), np.nan)
            self.oob_decision_function_[used] = np.column_stack([1 - scores, scores])
        return self

    def predict_proba(self, X: MatrixLike) -> FloatArray:
        """Return the probability of each class, of shape (n_samples, n_classes)."""
        check_is_fitted(self)
        X = check_features(validate_data, self, X, reset=False, **_ANY_NUMBERS)
        if self.classes_.size == 1:
            return np.ones((X.shape[0], 1), dtype=np.float32)
        scores = self.forest_.predict(X, n_jobs=self.n_jobs)
        return np.column_stack([1 - scores, scores])

    def predict(self, X: MatrixLike) -> Any:
        """Return the more probable class of each row."""
        check_is_fitted(self)
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _class_weight(self, positive: Any) -> Any:
        """Return class weights keyed by False and True instead of class names."""
        if not isinstance(self.class_weight, dict) or self.classes_.size < 2:
            return self.class_weight
        y = self.classes_[positive.astype(np.int64)]
        return dict(
            enumerate(
                compute_class_weight(self.class_weight, classes=self.classes_, y=y)
            )
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.classifier_tags.multi_class = False
        return tags
