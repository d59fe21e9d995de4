"""Helpers for all checks: prepared copies, quiet fits, informative comparisons."""

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from hilabel._typing import UNLABELED, BoolArray, FloatArray, MatrixLike
from hilabel.classifiers import MethodTags
from hilabel.exceptions import HilabelWarning
from hilabel.hierarchy import Hierarchy
from hilabel.testing._data import Problem, make_problem


def tags_of(estimator: Any) -> MethodTags:
    """Return the tags of an estimator, or default tags that allow everything."""
    return getattr(estimator, "method_tags", MethodTags())


def problem_for(
    estimator: Any, structure: str, paths: str, depth: str, **options: Any
) -> Problem:
    """Generate a problem of the given type with features that an estimator supports."""
    non_negative = get_tags(estimator).input_tags.positive_only
    return make_problem(structure, paths, depth, non_negative=non_negative, **options)


def hardest_problem(
    estimator: Any, hierarchy: Hierarchy | None = None, **options: Any
) -> Problem:
    """Generate the most general problem that an estimator and a hierarchy allow."""
    tags = tags_of(estimator)
    structure, paths = str(tags.structure), str(tags.paths)
    if hierarchy is not None:
        structure = "T" if hierarchy.is_tree else "DAG"
        # Two paths need two nodes.
        paths = "SPL" if hierarchy.n_nodes == 1 else paths
    return problem_for(
        estimator, structure, paths, tags.depth, hierarchy=hierarchy, **options
    )


def prepare(estimator: Any, hierarchy: Hierarchy | None) -> Any:
    """Return an unfitted copy of an estimator with a hierarchy and a fixed seed."""
    copy = clone(estimator)
    copy.set_params(hierarchy=hierarchy)
    parameters = copy.get_params()
    if "random_state" in parameters:
        return copy.set_params(random_state=0)
    # An estimator without a seed may wrap one that has a seed.
    seeds = {name: 0 for name in parameters if name.endswith("__random_state")}
    return copy.set_params(**seeds)


def fit_quietly(
    estimator: Any, X: MatrixLike, Y: MatrixLike, X_unlabeled: MatrixLike | None = None
) -> Any:
    """Fit and return an estimator, ignoring warnings that small data sets may cause."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HilabelWarning)
        if X_unlabeled is None:
            return estimator.fit(X, Y)
        return estimator.fit(X, Y, X_unlabeled=X_unlabeled)


def fit_copy(
    estimator: Any, problem: Problem, *rows: MatrixLike, **parameters: Any
) -> Any:
    """Fit a copy of an estimator on ``rows``, by default all training rows."""
    copy = prepare(estimator, problem.hierarchy).set_params(**parameters)
    return fit_quietly(copy, *(rows or problem.mixed()))


def is_unlabeled(Y: MatrixLike) -> BoolArray:
    """Return a mask of the unlabelled rows of ``Y``."""
    return np.asarray((np.asarray(Y) == UNLABELED).all(axis=1))


def require(condition: bool | np.bool_, message: str) -> None:
    """Raise ``AssertionError`` if a condition is false, even under ``python -O``."""
    if not condition:
        raise AssertionError(message)


def assert_same_model(
    first: Any, second: Any, X: MatrixLike, message: str, tolerance: float = 0.0
) -> None:
    """Raise ``AssertionError`` unless two models make the same predictions.

    If both have the attribute ``transduction_``, its values must be equal too.
    """
    assert_same_scores(first, second, X, message, tolerance)
    labels = np.asarray(first.predict(X)), np.asarray(second.predict(X))
    require(
        np.array_equal(*labels),
        f"{type(first).__name__}: {message}; predict differs.",
    )
    learned = getattr(first, "transduction_", None)
    other = getattr(second, "transduction_", None)
    if learned is not None and other is not None:
        require(
            np.array_equal(learned, other),
            f"{type(first).__name__}: {message}; transduction_ differs.",
        )


def assert_same_scores(
    first: Any, second: Any, X: MatrixLike, message: str, tolerance: float = 0.0
) -> None:
    """Raise ``AssertionError`` unless the probabilities of two estimators agree."""
    scores = np.asarray(first.predict_proba(X)), np.asarray(second.predict_proba(X))
    require(
        _are_close(*scores, tolerance),
        f"{type(first).__name__}: {message}; predict_proba differs by up to "
        f"{_largest_gap(*scores):.3g}.",
    )


def _are_close(first: FloatArray, second: FloatArray, tolerance: float) -> bool:
    if first.shape != second.shape:
        return False
    if tolerance == 0:
        return bool(np.array_equal(first, second))
    return bool(np.allclose(first, second, rtol=tolerance, atol=tolerance))


def _largest_gap(first: FloatArray, second: FloatArray) -> float:
    if first.shape != second.shape:
        return float("inf")
    return float(np.abs(first - second).max())
