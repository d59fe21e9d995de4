"""Checks of an estimator's interface: parameters, seeds, jobs and repeated fits."""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state as sklearn_random_state

from hilabel.testing._fitting import (
    assert_same_model,
    fit_copy,
    fit_quietly,
    hardest_problem,
    prepare,
    require,
)


def check_clone(estimator: Any) -> None:
    """Check that a clone has the same parameters and learns the same model.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.testing import check_clone
    >>> check_clone(PriorClassifier())
    """
    problem = hardest_problem(estimator)
    model = fit_copy(estimator, problem)
    copy = clone(model)
    name = type(estimator).__name__
    require(
        copy.get_params(deep=False)["hierarchy"] == problem.hierarchy,
        f"{name}: clone has a different hierarchy.",
    )
    require(
        not [key for key in vars(copy) if key.endswith("_") and key[0] != "_"],
        f"{name}: clone has fitted attributes.",
    )
    restored = type(estimator)().set_params(**copy.get_params(deep=False))
    for key, value in copy.get_params(deep=False).items():
        require(
            restored.get_params(deep=False)[key] is value,
            f"{name}: set_params does not restore parameter {key!r}.",
        )
    fit_quietly(copy, *problem.mixed())
    assert_same_model(model, copy, problem.X_test, "a clone learns a different model")


def check_parameters_unchanged(estimator: Any) -> None:
    """Check that ``fit`` does not change parameters and returns the estimator.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.testing import check_parameters_unchanged
    >>> check_parameters_unchanged(PriorClassifier())
    """
    problem = hardest_problem(estimator)
    model = prepare(estimator, problem.hierarchy)
    before = model.get_params()
    returned = fit_quietly(model, *problem.mixed())
    name = type(estimator).__name__
    require(returned is model, f"{name}.fit does not return the estimator itself.")
    after = model.get_params()
    changed = [key for key in before if after.get(key) is not before[key]]
    require(not changed, f"{name}.fit changes the parameters {changed}.")


def check_fit_twice(estimator: Any) -> None:
    """Check that a second ``fit`` does not depend on the first.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.testing import check_fit_twice
    >>> check_fit_twice(PriorClassifier())
    """
    problem = hardest_problem(estimator)
    other = hardest_problem(estimator, n_samples=40, n_unlabeled=7, random_state=1)
    fresh = fit_copy(estimator, problem)
    model = fit_copy(estimator, problem, *other.mixed())
    fit_quietly(model, *problem.mixed())
    message = "fit depends on an earlier fit"
    assert_same_model(fresh, model, problem.X_test, message)
    fit_quietly(model, *problem.mixed())
    assert_same_model(fresh, model, problem.X_test, message)


def check_n_jobs(estimator: Any) -> None:
    """Check that results with two jobs are exactly the same as with one job.

    Examples
    --------
    >>> from hilabel.classifiers import PredictiveClusteringForest
    >>> from hilabel.testing import check_n_jobs
    >>> check_n_jobs(PredictiveClusteringForest(n_estimators=3))
    """
    problem = hardest_problem(estimator)
    one, two = [fit_copy(estimator, problem, n_jobs=n_jobs) for n_jobs in (1, 2)]
    assert_same_model(one, two, problem.X_test, "n_jobs changes the model")


def check_random_state(estimator: Any) -> None:
    """Check that results depend on the seed but not on NumPy's global random state.

    Examples
    --------
    >>> from hilabel.classifiers import PredictiveClusteringForest
    >>> from hilabel.testing import check_random_state
    >>> check_random_state(PredictiveClusteringForest(n_estimators=3))
    """
    problem = hardest_problem(estimator)
    # With None, scikit-learn returns the global random state.
    global_state = sklearn_random_state(None)
    state = global_state.get_state(legacy=False)
    first, second, third = [
        fit_copy(estimator, problem, random_state=seed)
        for seed in (7, 7, np.random.RandomState(7))
    ]
    name = type(estimator).__name__
    assert_same_model(
        first, second, problem.X_test, "the same seed gives different models"
    )
    assert_same_model(
        second,
        third,
        problem.X_test,
        "a RandomState and its seed give different models",
    )
    now = global_state.get_state(legacy=False)
    require(
        state["state"]["pos"] == now["state"]["pos"]
        and np.array_equal(state["state"]["key"], now["state"]["key"]),
        f"{name}: fit uses NumPy's global random state.",
    )
