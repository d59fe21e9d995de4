"""Checks of an estimator's predictions."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from hilabel._typing import IntArray
from hilabel.hierarchy import Hierarchy
from hilabel.testing._data import Problem
from hilabel.testing._fitting import (
    assert_same_model,
    fit_copy,
    fit_quietly,
    hardest_problem,
    prepare,
    require,
    tags_of,
)

# Scores may exceed a parent's, or differ between batches, by rounding.
ROUNDING = 1e-9


def check_predictions(estimator: Any, problem: Problem | None = None) -> None:
    """Check the predictions for a problem, by default the most general supported one.

    Scores must be in [0, 1] and must not exceed those of a parent; label sets must be
    closed and match ``method_tags``. For methods that are not declared consistent,
    scores only need to be in [0, 1], and labels must be 0 or 1.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.testing import check_predictions
    >>> check_predictions(PriorClassifier())
    """
    problem = problem or hardest_problem(estimator)
    model = fit_copy(estimator, problem)
    _check_scores(model, problem)
    _check_labels(model, problem)


def _check_scores(model: Any, problem: Problem) -> None:
    scores = np.asarray(model.predict_proba(problem.X_test))
    name = f"{type(model).__name__}.predict_proba on {problem}"
    _require_shape(scores, problem, name)
    require(np.isfinite(scores).all(), f"{name}: scores are not finite.")
    require(
        ((scores >= 0) & (scores <= 1)).all(),
        f"{name}: expected scores in [0, 1], got {scores.min()} to {scores.max()}.",
    )
    if not tags_of(model).consistent:
        return
    for parent, child in problem.hierarchy.edges:
        excess = float((scores[:, child] - scores[:, parent]).max())
        require(
            excess <= ROUNDING,
            f"{name}: node {problem.hierarchy.names[child]!r} scores {excess:.3g} "
            f"above its parent {problem.hierarchy.names[parent]!r}.",
        )


def _check_labels(model: Any, problem: Problem) -> None:
    labels = np.asarray(model.predict(problem.X_test))
    name = f"{type(model).__name__}.predict on {problem}"
    _require_shape(labels, problem, name)
    require(np.isin(labels, (0, 1)).all(), f"{name}: labels other than 0 and 1.")
    if not tags_of(model).consistent:
        return
    found = problem.hierarchy.first_inconsistency(labels)
    require(
        found is None,
        f"{name}: (row, node, parent) = {found} has the node but not the parent.",
    )
    kind = problem.hierarchy.problem_type(labels)
    require(
        tags_of(model).handles(*kind),
        f"{name}: predictions of type {kind}, which method_tags exclude.",
    )


def _require_shape(values: Any, problem: Problem, name: str) -> None:
    wanted = (problem.X_test.shape[0], problem.hierarchy.n_nodes)
    require(
        values.shape == wanted, f"{name}: expected shape {wanted}, got {values.shape}."
    )


def check_batch_independence(estimator: Any) -> None:
    """Check that the prediction for a row does not depend on other rows.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.testing import check_batch_independence
    >>> check_batch_independence(PriorClassifier())
    """
    message = ": a row gets different values alone and among others."
    _check_parts(estimator, lambda n_rows: np.arange(n_rows)[:, None], message)


def check_row_order(estimator: Any) -> None:
    """Check that permuting the rows permutes the predictions.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.testing import check_row_order
    >>> check_row_order(PriorClassifier())
    """
    permutation = np.random.default_rng(0).permutation
    message = " depends on the order of the rows."
    _check_parts(estimator, lambda n_rows: permutation(n_rows)[None], message)


def _check_parts(
    estimator: Any, divide: Callable[[int], IntArray], message: str
) -> None:
    """Check that predictions do not depend on how the rows are divided into parts."""
    problem = hardest_problem(estimator)
    model = fit_copy(estimator, problem)
    parts = divide(problem.X_test.shape[0])
    for method in ("predict", "predict_proba"):
        predict = getattr(model, method)
        together = np.asarray(predict(problem.X_test))[parts.ravel()]
        found = np.vstack([predict(problem.X_test[part]) for part in parts])
        require(
            np.allclose(found, together, rtol=ROUNDING, atol=ROUNDING),
            f"{type(estimator).__name__}.{method}{message}",
        )


def check_hierarchy_none(estimator: Any) -> None:
    """Check that ``hierarchy=None`` means one node per column and no edges.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.testing import check_hierarchy_none
    >>> check_hierarchy_none(PriorClassifier())
    """
    flat = Hierarchy([str(node) for node in range(4)])
    problem = hardest_problem(estimator, flat)
    without = fit_quietly(prepare(estimator, None), *problem.mixed())
    with_edgeless = fit_copy(estimator, problem)
    require(
        without.hierarchy_ == flat,
        f"{type(estimator).__name__}: expected hierarchy_ with nodes '0' to '3' and no "
        f"edges for hierarchy=None, got {without.hierarchy_!r}.",
    )
    assert_same_model(
        without,
        with_edgeless,
        problem.X_test,
        "hierarchy=None is not the same as a hierarchy without edges",
    )


def check_pickle(estimator: Any) -> None:
    """Check that an estimator makes exactly the same predictions after pickling.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.testing import check_pickle
    >>> check_pickle(PriorClassifier())
    """
    problem = hardest_problem(estimator)
    model = fit_copy(estimator, problem)
    # Compare with another object, since pickling might change the original.
    restored = pickle.loads(pickle.dumps(fit_copy(estimator, problem)))
    assert_same_model(model, restored, problem.X_test, "pickling changes the model")
