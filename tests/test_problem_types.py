"""Which estimator accepts which of the eight problem types: the tags tell the truth.

Every public estimator is found by itself; a new one need not be listed here.
"""

import re
from inspect import isabstract
from itertools import product

import numpy as np
import pytest
from sklearn.base import clone
from test_common import FAST

import hilabel.classifiers
import hilabel.semi_supervised
from hilabel import UNLABELED
from hilabel.classifiers import BaseHierarchicalClassifier
from hilabel.exceptions import HierarchyError, LabelError
from hilabel.testing import make_problem

PROBLEM_TYPES = list(product(("T", "DAG"), ("SPL", "MPL"), ("FD", "PD")))
ESTIMATORS = sorted(
    {
        value
        for package in (hilabel.classifiers, hilabel.semi_supervised)
        for value in (getattr(package, name) for name in package.__all__)
        if isinstance(value, type)
        and issubclass(value, BaseHierarchicalClassifier)
        and not isabstract(value)
    },
    key=lambda estimator: estimator.__name__,
)
# With quick local classifiers where there are such; what is accepted is the same.
QUICK = {type(estimator): estimator for estimator in FAST}

for_each_estimator = pytest.mark.parametrize(
    "estimator", ESTIMATORS, ids=lambda estimator: estimator.__name__
)
for_each_type = pytest.mark.parametrize("kind", PROBLEM_TYPES, ids="-".join)


def fit(estimator, kind):
    """Fit to labelled and unlabelled rows of the type; return all that was used."""
    problem = make_problem(*kind)
    X, Y = problem.mixed()
    X = X - X.min()  # counts of words, for one, cannot be negative
    model = clone(QUICK.get(estimator, estimator()))
    model.set_params(hierarchy=problem.hierarchy)
    return model.fit(X, Y), X, Y


def offenders(estimator, kind):
    """Return, as messages name them, the first node or row of each unhandled part."""
    problem = make_problem(*kind)
    hierarchy, tags = problem.hierarchy, estimator.method_tags
    _, Y = problem.mixed()
    found = []
    if not tags.handles(kind[0], "SPL", "FD"):
        n_parents = np.diff(hierarchy.parents_ptr)
        found.append(f"node {hierarchy.names[int(np.argmax(n_parents > 1))]!r}")
    for part, value in (("paths", kind[1]), ("depth", kind[2])):
        if value == getattr(tags, part) or value in ("SPL", "FD"):
            continue
        rows = [
            row
            for row, labels in enumerate(Y)
            if labels[0] != UNLABELED
            and getattr(hierarchy.problem_type(labels[None, :]), part) == value
        ]
        found.append(f"row {rows[0]} ")
    return found


@for_each_type
def test_problems_are_of_the_type_asked_for(kind):
    assert tuple(make_problem(*kind).problem_type) == kind


# Advice on such small data, such as a node with examples of one kind only.
@pytest.mark.filterwarnings("ignore::hilabel.exceptions.HilabelWarning")
@for_each_type
@for_each_estimator
def test_fit_accepts_exactly_what_the_tags_say(estimator, kind):
    if estimator.method_tags.handles(*kind):
        model, X, Y = fit(estimator, kind)
        assert model.predict(X).shape == Y.shape
        return
    with pytest.raises((HierarchyError, LabelError), match=estimator.__name__) as error:
        fit(estimator, kind)
    message = str(error.value)
    assert any(offender in message for offender in offenders(estimator, kind)), message
    assert [
        other
        for other in ESTIMATORS
        if re.search(rf"use .*\b{other.__name__}\b", message)
        and other.method_tags.handles(*kind)
    ], f"no class that handles {kind} is recommended: {message}"


@for_each_estimator
def test_every_estimator_handles_trees_with_one_path_to_a_leaf(estimator):
    assert estimator.method_tags.handles("T", "SPL", "FD")
