"""Train many multiclass models in one call, and predict with them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import ClassifierMixin, clone
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state, get_tags

from hilabel._saved_types import Array, Count, fits, saved_type
from hilabel._typing import FloatArray, IntArray
from hilabel.forests import (
    ClusteringTargets,
    ClusteringTrees,
    ForestClassifier,
    grow_clustering_trees,
)
from hilabel.local_models._estimators import node_seeds
from hilabel.local_models._solver_limit import refuse_for_solver


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
class ClassForest:
    """A forest of hilabel for three or more classes.

    Its trees are predictive clustering trees with one label per class. If all labels
    have the same weight, the impurity of their splits is the Gini impurity.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.forests import ForestClassifier
    >>> from hilabel.local_models import ClassForest
    >>> X = np.arange(6.0)[:, None]
    >>> settings = ForestClassifier(5, bootstrap=False, random_state=0)
    >>> forest = ClassForest.grow(settings, X, np.array([0, 0, 1, 1, 3, 3]))
    >>> forest.predict_proba(np.array([[2.2]]))
    array([[0., 1., 0.]], dtype=float32)
    """

    trees: ClusteringTrees
    classes_: Annotated[IntArray, Array("i8", ("n_classes",), 0)]

    @classmethod
    def grow(cls, estimator: ForestClassifier, X: Any, codes: IntArray) -> Self:
        """Grow a forest with the parameters of ``estimator``."""
        estimator._validate_params()
        classes = np.unique(codes)
        targets = ClusteringTargets.from_labels(
            codes[:, None] == classes, np.ones(classes.size)
        )
        generator = check_random_state(estimator.random_state)
        trees = grow_clustering_trees(
            X,
            targets,
            estimator.settings,
            seed=int(generator.randint(np.iinfo(np.int32).max)),
            n_jobs=estimator.n_jobs,
        )
        return cls(trees, classes)

    @staticmethod
    def suits(estimator: Any) -> bool:
        """Return whether clustering trees support the parameters of a classifier."""
        return (
            isinstance(estimator, ForestClassifier)
            and estimator.criterion == "gini"
            and estimator.class_weight is None
            and not estimator.oob_score
        )

    @property
    def n_features_in_(self) -> int:
        """Number of features."""
        return self.trees.bins.n_features

    def is_sound(self) -> bool:
        """Return whether the trees predict these classes."""
        return self.trees.n_nodes == self.classes_.size

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class, of shape (n_samples, n_classes)."""
        return self.trees.predict(X)


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

    model: Annotated[Any, ClassifierMixin | Pipeline | ConstantClass | ClassForest]
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

    With more than two classes, hilabel's forests are grown in one call for all classes
    (see :class:`ClassForest`), unless their parameters need two classes. Like any
    other purely binary estimator, they are then trained one-vs-rest.

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
    refuse_for_solver(model, X.shape[1], found.size)
    if found.size > 2 and ClassForest.suits(model):
        forest = ClassForest.grow(model, X[problem.rows], problem.codes)
        return MulticlassModel(forest, problem.n_classes)
    if found.size > 2 and not get_tags(model).classifier_tags.multi_class:
        model = OneVsRestClassifier(model)
    model.fit(X[problem.rows], problem.codes)
    return MulticlassModel(model, problem.n_classes)
