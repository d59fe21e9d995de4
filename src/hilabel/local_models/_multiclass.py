"""Many multiclass models at once: training them, asking them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.multiclass import OneVsRestClassifier
from sklearn.utils import get_tags

from hilabel._saved_types import saved_type
from hilabel._typing import FloatArray, IntArray
from hilabel.local_models._estimators import node_seeds


@saved_type
@dataclass(frozen=True)
class ClassExamples:
    """The rows of one multiclass problem."""

    rows: IntArray  # ascending
    codes: IntArray  # the class of each row, below n_classes
    n_classes: int  # those that do not occur get probability 0


@saved_type
@dataclass(frozen=True)
class ConstantClass:
    """Stands in for a classifier where one class occurs, or (None) no row at all."""

    code: int | None


@saved_type
@dataclass(frozen=True)
class MulticlassModel:
    """A fitted classifier of class codes, or a constant."""

    model: Any  # a classifier or ConstantClass
    n_classes: int

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of every class, shape (n_samples, n_classes)."""
        scores = np.zeros((X.shape[0], self.n_classes))
        if isinstance(self.model, ConstantClass):
            if self.model.code is not None:
                scores[:, self.model.code] = 1.0
        elif X.shape[0]:  # classifiers refuse tables without rows
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
    """Train a clone of ``estimator`` per problem, in parallel over problems.

    An estimator for two classes only learns more of them one against the rest.
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
