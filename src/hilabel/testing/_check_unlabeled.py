"""Checks of how an estimator handles unlabelled rows."""

import warnings
from typing import Any
from unittest import SkipTest

import numpy as np
from sklearn.base import clone

from hilabel._typing import UNLABELED
from hilabel.exceptions import HilabelWarning
from hilabel.testing._data import Problem
from hilabel.testing._fitting import (
    assert_same_model,
    assert_same_scores,
    fit_copy,
    fit_quietly,
    hardest_problem,
    is_unlabeled,
    prepare,
    require,
    tags_of,
)

# So far from all labelled rows that these rows are uninformative.
FAR_AWAY = 1e6


def check_unlabeled_forms(estimator: Any) -> None:
    """Check that rows of -1, rows of NaN and ``X_unlabeled`` are equivalent.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.testing import check_unlabeled_forms
    >>> check_unlabeled_forms(PriorClassifier())
    """
    problem = hardest_problem(estimator)
    X, Y = problem.mixed()
    minus_one = fit_copy(estimator, problem)
    with_nan = np.where(Y == UNLABELED, np.nan, Y)
    nan = fit_copy(estimator, problem, X, with_nan)
    assert_same_model(
        minus_one,
        nan,
        problem.X_test,
        "rows of -1 and rows of NaN give different models",
    )
    apart = fit_copy(estimator, problem, problem.X, problem.Y, problem.X_unlabeled)
    if hasattr(apart, "transduction_"):
        # The rows of X_unlabeled are numbered after those of X.
        order = np.argsort(is_unlabeled(Y), kind="stable")
        require(
            np.array_equal(apart.transduction_, minus_one.transduction_[order]),
            f"{type(estimator).__name__}: transduction_ differs between rows of -1 and "
            "X_unlabeled.",
        )
        apart.transduction_ = minus_one.transduction_
    assert_same_model(
        minus_one,
        apart,
        problem.X_test,
        "rows of -1 and X_unlabeled give different models",
    )


def check_unlabeled_rows_ignored(estimator: Any) -> None:
    """Check that a supervised method learns nothing from unlabelled rows.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.testing import check_unlabeled_rows_ignored
    >>> check_unlabeled_rows_ignored(PriorClassifier())
    """
    problem = hardest_problem(estimator)
    assert_same_model(
        fit_copy(estimator, problem),
        fit_copy(estimator, problem, problem.X, problem.Y),
        problem.X_test,
        "unlabelled rows change what a supervised method learns",
    )


def check_partial_labels(estimator: Any) -> None:
    """Check that individual cells of -1 are either ignored or raise ``ValueError``.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.testing import check_partial_labels
    >>> check_partial_labels(PriorClassifier())
    """
    problem = hardest_problem(estimator)
    name = type(estimator).__name__
    Y = problem.Y.astype(np.int64)
    root = problem.hierarchy.roots[0]
    below = np.append(problem.hierarchy.descendants(root), root)
    Y[::2, below] = UNLABELED
    unknown = Y == UNLABELED
    require(~unknown.all(axis=1).any(), "The problem has a single root.")
    if not tags_of(estimator).partial_labels:
        _require_refusal(estimator, problem, Y)
        return
    model = fit_copy(estimator, problem, problem.X, Y)
    scores = np.asarray(model.predict_proba(problem.X_test))
    require(np.isfinite(scores).all(), f"{name}: unknown cells give NaN scores.")
    as_zeros = fit_copy(estimator, problem, problem.X, np.where(unknown, 0, Y))
    require(
        not np.array_equal(scores, np.asarray(as_zeros.predict_proba(problem.X_test))),
        f"{name}: cells of -1 have the same effect as cells of 0.",
    )


def _require_refusal(estimator: Any, problem: Problem, Y: Any) -> None:
    try:
        fit_copy(estimator, problem, problem.X, Y)
    except ValueError:
        return
    raise AssertionError(
        f"{type(estimator).__name__}.fit accepts partially unlabelled rows, which "
        "method_tags exclude."
    )


def check_unlabeled_rows_are_not_negative(estimator: Any) -> None:
    """Check that rows of -1 are not treated like rows of 0.

    The check is skipped for methods that learn nothing from rows of 0, such as those
    that compare each node only with its siblings.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.testing import check_unlabeled_rows_are_not_negative
    >>> check_unlabeled_rows_are_not_negative(PriorClassifier())
    """
    problem = hardest_problem(estimator, n_unlabeled=120)
    X, Y = problem.mixed()
    zeros = np.where(Y == UNLABELED, 0, Y)
    as_zero, without, model = [
        fit_copy(estimator, problem, *rows).predict_proba(problem.X_test)
        for rows in ((X, zeros), (problem.X, problem.Y), (X, Y))
    ]
    if np.array_equal(as_zero, without) and np.array_equal(as_zero, model):
        raise SkipTest("rows known to have no label change nothing")
    require(
        not np.array_equal(model, as_zero),
        f"{type(estimator).__name__}: unlabelled rows (-1) have the same effect as "
        "rows known to have no label (0).",
    )


def check_transductive_tag(estimator: Any) -> None:
    """Check that ``transduction_`` exists exactly if the tags say transductive.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.testing import check_transductive_tag
    >>> check_transductive_tag(PriorClassifier())
    """
    model = fit_copy(estimator, hardest_problem(estimator))
    is_tagged = tags_of(estimator).transductive
    require(
        hasattr(model, "transduction_") == is_tagged,
        f"{type(estimator).__name__}: method_tags.transductive is {is_tagged}, but fit "
        f"{'does not set' if is_tagged else 'sets'} transduction_.",
    )


def check_given_labels_kept(estimator: Any) -> None:
    """Check that ``transduction_`` keeps the given labels and adds their ancestors.

    Examples
    --------
    >>> from hilabel.semi_supervised import SSHMCBLI
    >>> from hilabel.testing import check_given_labels_kept
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> check_given_labels_kept(SSHMCBLI(estimator=tree))
    """
    problem = hardest_problem(estimator)
    X, Y = problem.mixed()
    specific = problem.hierarchy.most_specific(Y)
    model = fit_copy(estimator, problem, X, specific)
    name = type(estimator).__name__
    learned = np.asarray(model.transduction_)
    require(
        learned.shape == Y.shape,
        f"{name}: expected transduction_ of shape {Y.shape}, got {learned.shape}.",
    )
    given = ~is_unlabeled(Y)
    require(
        np.array_equal(learned[given], Y[given]),
        f"{name}: transduction_ changes given labels.",
    )


def check_pseudo_labels(estimator: Any) -> None:
    """Check that unlabelled rows stay unlabelled or get consistent, non-empty labels.

    If the tags say that nodes label rows separately, only the values are checked.

    Examples
    --------
    >>> from hilabel.semi_supervised import SSHMCBLI
    >>> from hilabel.testing import check_pseudo_labels
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> check_pseudo_labels(SSHMCBLI(estimator=tree))
    """
    problem = hardest_problem(estimator)
    _, Y = problem.mixed()
    model = fit_copy(estimator, problem)
    name = type(estimator).__name__
    learned = np.asarray(model.transduction_)[is_unlabeled(Y)]
    voted = learned[~is_unlabeled(learned)]
    require(
        voted.shape[0] > 0,
        f"{name}: none of {learned.shape[0]} unlabelled rows, all similar to labelled "
        "ones, got labels, so there is nothing to check; choose other parameters.",
    )
    require(
        np.isin(voted, (0, 1, UNLABELED)).all(),
        f"{name}: transduction_ has values other than 0, 1 and {UNLABELED}.",
    )
    if tags_of(estimator).separate_nodes:
        return
    require(
        (voted != UNLABELED).all(),
        f"{name}: transduction_ has partially labelled rows.",
    )
    require(
        voted.any(axis=1).all(),
        f"{name}: transduction_ turns unlabelled rows into rows without labels.",
    )
    require(
        problem.hierarchy.is_consistent(voted),
        f"{name}: transduction_ has a label without its ancestors.",
    )


def check_unlabeled_order(estimator: Any) -> None:
    """Check that permuting the unlabelled rows permutes their labels.

    Examples
    --------
    >>> from hilabel.semi_supervised import SSHMCBLI
    >>> from hilabel.testing import check_unlabeled_order
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> check_unlabeled_order(SSHMCBLI(estimator=tree))
    """
    problem = hardest_problem(estimator)
    order = np.random.default_rng(0).permutation(problem.X_unlabeled.shape[0])
    learned = []
    for rows in (problem.X_unlabeled, problem.X_unlabeled[order]):
        model = fit_copy(estimator, problem, problem.X, problem.Y, rows)
        learned.append(np.asarray(model.transduction_)[problem.n_samples :])
    require(
        np.array_equal(learned[0][order], learned[1]),
        f"{type(estimator).__name__}: the labels of unlabelled rows depend on their "
        "order.",
    )


def check_no_unlabeled_rows(estimator: Any) -> None:
    """Check that, without unlabelled rows, a method equals its base classifier.

    Examples
    --------
    >>> from hilabel.semi_supervised import SSHMCBLI
    >>> from hilabel.testing import check_no_unlabeled_rows
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> check_no_unlabeled_rows(SSHMCBLI(estimator=tree))
    """
    problem = hardest_problem(estimator)
    model = fit_copy(estimator, problem, problem.X, problem.Y)
    if hasattr(model, "transduction_"):
        require(
            np.array_equal(model.transduction_, problem.Y),
            f"{type(estimator).__name__}: transduction_ differs from Y, although all "
            "rows of Y are labelled.",
        )
    _assert_same_as_base(model, problem.X, problem.Y, problem.X_test)
    empty = fit_copy(
        estimator,
        problem,
        problem.X,
        problem.Y,
        problem.X_unlabeled[:0],
    )
    assert_same_model(
        model, empty, problem.X_test, "X_unlabeled without rows is not the same as None"
    )


def check_nothing_accepted(estimator: Any) -> None:
    """Check that a method warns and equals its base classifier if it accepts no row.

    Examples
    --------
    >>> from hilabel.semi_supervised import SSHMCBLI
    >>> from hilabel.testing import check_nothing_accepted
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> check_nothing_accepted(SSHMCBLI(estimator=tree))
    """
    problem = hardest_problem(estimator)
    spread = np.random.default_rng(0).normal(size=(10, problem.X.shape[1]))
    model = prepare(estimator, problem.hierarchy)
    usual = _warnings_of_fit(prepare(estimator, problem.hierarchy), problem, None)
    given = _warnings_of_fit(model, problem, FAR_AWAY * (1 + spread))
    added = np.asarray(model.transduction_)[problem.n_samples :]
    if not is_unlabeled(added).all():
        raise SkipTest("rows far from all labelled ones are accepted")
    require(
        bool(given - usual),
        f"{type(estimator).__name__}: no unlabelled row was accepted, but there was no "
        "HilabelWarning.",
    )
    _assert_same_as_base(model, problem.X, problem.Y, problem.X_test)


def _warnings_of_fit(model: Any, problem: Problem, X_unlabeled: Any) -> set[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(problem.X, problem.Y, X_unlabeled=X_unlabeled)
    return {
        str(item.message)
        for item in caught
        if issubclass(item.category, HilabelWarning)
    }


def _assert_same_as_base(model: Any, X: Any, Y: Any, X_test: Any) -> None:
    """Compare a model with a separately trained base classifier, if it has one."""
    if hasattr(model, "estimator_"):
        base = fit_quietly(clone(model.estimator_), X, Y)
        # The base makes its labels consistent, but not every method does.
        same = assert_same_model if tags_of(model).consistent else assert_same_scores
        same(
            model,
            base,
            X_test,
            "without useful unlabelled rows, it differs from its base",
        )
