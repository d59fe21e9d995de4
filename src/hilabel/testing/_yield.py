"""Select the checks that apply to an estimator, and run them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Final
from unittest import SkipTest

from sklearn.utils import get_tags

from hilabel.testing import (
    _check_inputs as inputs,
    _check_interface as interface,
    _check_predictions as predictions,
    _check_unlabeled as unlabeled,
)
from hilabel.testing._data import (
    HierarchyKind,
    Problem,
    make_small_hierarchy,
)
from hilabel.testing._fitting import hardest_problem, problem_for, tags_of

Check = Callable[[Any], None]

# Kinds of hierarchies that must be supported in addition to those of the problem types.
UNUSUAL_HIERARCHIES: Final[tuple[HierarchyKind, ...]] = (
    "forest",
    "isolated",
    "one_node",
)

FOR_ALL: tuple[Check, ...] = (
    interface.check_clone,
    interface.check_parameters_unchanged,
    interface.check_fit_twice,
    inputs.check_not_fitted,
    inputs.check_n_features,
    inputs.check_invalid_labels,
    inputs.check_unhandled_problems,
    inputs.check_label_forms,
    inputs.check_feature_dtypes,
    inputs.check_memory_layout,
    inputs.check_data_frames,
    inputs.check_inputs_unchanged,
    predictions.check_batch_independence,
    predictions.check_row_order,
    predictions.check_hierarchy_none,
    predictions.check_pickle,
    unlabeled.check_unlabeled_forms,
    unlabeled.check_partial_labels,
    unlabeled.check_transductive_tag,
)
FOR_SPARSE: tuple[Check, ...] = (
    inputs.check_sparse_features,
    inputs.check_sparse_inputs_unchanged,
)
FOR_SUPERVISED: tuple[Check, ...] = (unlabeled.check_unlabeled_rows_ignored,)
FOR_SEMI_SUPERVISED: tuple[Check, ...] = (unlabeled.check_no_unlabeled_rows,)
FOR_TRANSDUCTIVE: tuple[Check, ...] = (
    unlabeled.check_given_labels_kept,
    unlabeled.check_pseudo_labels,
    unlabeled.check_unlabeled_order,
    unlabeled.check_nothing_accepted,
)


def yield_checks(estimator: Any) -> Iterator[Check]:
    """Yield the checks that apply to an estimator.

    The checks depend on its ``method_tags`` (see
    :class:`~hilabel.classifiers.MethodTags`), its scikit-learn tags and its parameters.

    Parameters
    ----------
    estimator : estimator
        An unfitted instance with a parameter ``hierarchy``, which the checks set.

    Yields
    ------
    function
        Takes the estimator; raises ``AssertionError`` if the check fails.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.testing import yield_checks
    >>> checks = list(yield_checks(PriorClassifier()))
    >>> checks[0].__name__
    'check_clone'
    >>> checks[0](PriorClassifier())
    """
    tags, parameters = tags_of(estimator), estimator.get_params(deep=False)
    yield from FOR_ALL
    if get_tags(estimator).input_tags.sparse:
        yield from FOR_SPARSE
    yield from FOR_SEMI_SUPERVISED if tags.semi_supervised else FOR_SUPERVISED
    if (
        tags.depth == "PD"
    ):  # other methods reject rows of 0, so they cannot confuse them with -1
        yield unlabeled.check_unlabeled_rows_are_not_negative
    if tags.transductive:
        yield from FOR_TRANSDUCTIVE
    if "n_jobs" in parameters:
        yield interface.check_n_jobs
    if "random_state" in parameters:
        yield interface.check_random_state
    for problem in _problems_for(estimator):
        yield partial(predictions.check_predictions, problem=problem)


def check_hierarchical_classifier(estimator: Any) -> None:
    """Run all applicable checks; the first failure raises ``AssertionError``.

    Parameters
    ----------
    estimator : estimator
        An unfitted instance with a parameter ``hierarchy``, which the checks set.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.testing import check_hierarchical_classifier
    >>> check_hierarchical_classifier(PriorClassifier())
    """
    for check in yield_checks(estimator):
        with suppress(SkipTest):  # the remaining checks still apply
            check(estimator)


def parametrize_with_checks(
    estimators: Iterable[Any],
    *,
    expected_failed_checks: Callable[[Any], Mapping[str, str]] | None = None,
) -> Any:
    """Return a pytest decorator that runs a test once per estimator and check.

    Parameters
    ----------
    estimators : iterable of estimators
    expected_failed_checks : function, optional
        Takes an estimator and returns ``{check name: reason}`` for checks that are
        known to fail. They are marked as expected failures, not skipped.

    Returns
    -------
    pytest.MarkDecorator
        To be applied to a function of ``estimator`` and ``check``.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.testing import parametrize_with_checks
    >>> @parametrize_with_checks([PriorClassifier()])
    ... def test_my_estimators(estimator, check):
    ...     check(estimator)
    """
    import pytest

    cases = []
    for estimator in estimators:
        excused = expected_failed_checks(estimator) if expected_failed_checks else {}
        for check in yield_checks(estimator):
            name = _name(check)
            marks = [pytest.mark.xfail(reason=excused[name])] if name in excused else []
            identity = f"{type(estimator).__name__}-{_identity(check)}"
            cases.append(pytest.param(estimator, check, marks=marks, id=identity))
    return pytest.mark.parametrize(("estimator", "check"), cases)


def _problems_for(estimator: Any) -> Iterator[Problem]:
    for kind in tags_of(estimator).problem_types:
        yield problem_for(estimator, *kind)
    for name in UNUSUAL_HIERARCHIES:
        yield hardest_problem(estimator, make_small_hierarchy(name))


def _name(check: Check) -> str:
    return check.func.__name__ if isinstance(check, partial) else check.__name__


def _identity(check: Check) -> str:
    if not isinstance(check, partial):
        return check.__name__
    problem = check.keywords["problem"]
    kind = "-".join(problem.problem_type)
    return f"{_name(check)}-{kind}-{problem.hierarchy.n_nodes}_nodes"
