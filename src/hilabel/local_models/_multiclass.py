"""Train many multiclass models in one call, and predict with them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import ClassifierMixin, clone
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from hilabel._saved_types import Array, Count, fits, saved_type
from hilabel._typing import FloatArray, IntArray
from hilabel.local_models._estimators import node_seeds


@saved_type
@dataclass(frozen=True)
class ClassExamples:
    """The rows of one multiclass problem.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.local_models import ClassExamples
    >>> problem = ClassExamples(np.arange(3), np.array([0, 1, 0]), n_classes=3)
    >>> problem.n_classes  # the last does not occur
    3
    """

    rows: Annotated[IntArray, Array("i8", ("n_rows",), 0)]  # ascending
    # The class of each row, less than n_classes.
    codes: Annotated[IntArray, Array("i8", ("n_rows",), 0)]
    n_classes: Annotated[int, Count()]  # classes that do not occur get probability 0

    def is_sound(self) -> bool:
        """Return whether all class codes are valid."""
        return bool(self.codes.max(initial=-1) < self.n_classes)


@saved_type
@dataclass(frozen=True)
class ConstantClass:
    """A constant used instead of a classifier if at most one class occurs.

    The constant is None if no class occurs.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.local_models import ConstantClass, MulticlassModel
    >>> MulticlassModel(ConstantClass(1), n_classes=2).predict_proba(np.zeros((1, 4)))
    array([[0., 1.]])
    """

    code: Annotated[int, Count()] | None


@saved_type
@dataclass(frozen=True)
class MulticlassModel:
    """A fitted classifier that predicts class codes, or a constant.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.local_models import MulticlassModel
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 2])
    >>> MulticlassModel(tree, n_classes=3).predict_proba(np.array([[0.9]]))
    array([[0., 0., 1.]])
    """

    model: Annotated[Any, ClassifierMixin | Pipeline | ConstantClass]
    n_classes: Annotated[int, Count()]

    def takes(self, n_features: int) -> bool:
        """Return whether the model accepts this number of features."""
        return (
            isinstance(self.model, ConstantClass)
            or self.model.n_features_in_ == n_features
        )

    def is_sound(self) -> bool:
        """Return whether the model predicts only valid classes."""
        if isinstance(self.model, ConstantClass):
            return self.model.code is None or self.model.code < self.n_classes
        found: Any = getattr(self.model, "classes_", None)
        return bool(
            fits(found, Array("i8", ("n",), 0, self.n_classes - 1), {})
            and np.unique(found).size == found.size
        )

    def predict_proba(self, X: Any) -> FloatArray:
        """Return class probabilities as an array of shape (n_samples, n_classes)."""
        scores = np.zeros((X.shape[0], self.n_classes))
        if isinstance(self.model, ConstantClass):
            if self.model.code is not None:
                scores[:, self.model.code] = 1.0
        elif X.shape[0]:  # classifiers do not accept empty tables
            scores[:, self.model.classes_] = self.model.predict_proba(X)
        return scores


def fit_multiclass_models(
    estimator: Any,
    X: Any,
    problems: Sequence[ClassExamples],
    *,
    n_jobs: int | None,
    random_state: Any,
) -> tuple[MulticlassModel, ...]:
    """Train a clone of ``estimator`` for each problem, in parallel.

    A purely binary estimator is trained one-vs-rest if there are more than two classes.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.local_models import ClassExamples, fit_multiclass_models
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> problem = ClassExamples(np.arange(3), np.array([0, 1, 1]), n_classes=2)
    >>> tree = DecisionTreeClassifier()
    >>> (model,) = fit_multiclass_models(tree, X, [problem], n_jobs=1, random_state=0)
    >>> model.predict_proba(np.array([[1.5]]))
    array([[0., 1.]])
    """
    seeds = node_seeds(estimator, random_state, len(problems))
    models = Parallel(n_jobs=n_jobs)(
        delayed(_fit_one)(estimator, X, problem, seed)
        for problem, seed in zip(problems, seeds)
    )
    return tuple(models)


def _fit_one(
    estimator: Any, X: Any, problem: ClassExamples, seed: dict[str, int]
) -> MulticlassModel:
    found = np.unique(problem.codes)
    if found.size <= 1:
        code = int(found[0]) if found.size else None
        return MulticlassModel(ConstantClass(code), problem.n_classes)
    model = clone(estimator).set_params(**seed)
    if found.size > 2 and not get_tags(model).classifier_tags.multi_class:
        model = OneVsRestClassifier(model)
    model.fit(X[problem.rows], problem.codes)
    return MulticlassModel(model, problem.n_classes)
