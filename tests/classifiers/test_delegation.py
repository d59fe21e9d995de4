"""Methods around another classifier: which one it is, and what it is told."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from hilabel import Hierarchy
from hilabel.classifiers import (
    HMCBR,
    HMCLP,
    LocalClassifierPerNode,
    PredictiveClusteringForest,
    PriorClassifier,
)
from hilabel.exceptions import HierarchyError
from hilabel.semi_supervised import (
    HMCSSLP,
    SSHMCBLI,
    STHC,
    BatchSelfTraining,
    SelfTraining,
)
from hilabel.testing import make_problem

WRAPPERS = [BatchSelfTraining, SelfTraining, SSHMCBLI]
every_wrapper = pytest.mark.parametrize("wrapper", WRAPPERS)
pytestmark = pytest.mark.filterwarnings("ignore::hilabel.exceptions.HilabelWarning")


@pytest.fixture(scope="module")
def problem():
    return make_problem("T", "MPL", "PD", n_samples=60, n_unlabeled=30)


def scores(model, problem):
    model.fit(problem.X, problem.Y, problem.X_unlabeled)
    return model.predict_proba(problem.X_test)


@every_wrapper
def test_parameters_inside_the_classifier_are_got_set_and_cloned(wrapper):
    inner = HMCBR(estimator=DecisionTreeClassifier(max_depth=3))
    model = clone(wrapper(estimator=inner))
    model.set_params(estimator__estimator__max_depth=2, estimator__policy="inclusive")
    params = clone(model).get_params()
    assert params["estimator__estimator__max_depth"] == 2
    assert params["estimator__policy"] == "inclusive"
    assert inner.estimator.max_depth == 3


@every_wrapper
def test_what_the_classifier_leaves_open_is_that_of_the_method(wrapper, problem):
    inner = HMCBR(estimator=GaussianNB())
    model = wrapper(problem.hierarchy, estimator=inner, n_jobs=1, random_state=7)
    scores(model, problem)
    base = model.estimator_
    assert (base.hierarchy, base.n_jobs, base.random_state) == (problem.hierarchy, 1, 7)
    assert (inner.hierarchy, inner.n_jobs, inner.random_state) == (None, None, None)
    model.set_params(estimator__random_state=8)
    scores(model, problem)
    assert model.estimator_.random_state == 8


@every_wrapper
def test_another_hierarchy_and_a_classifier_in_its_place_are_refused(wrapper, problem):
    other = HMCBR(Hierarchy.from_edges([("p", "q")]))
    with pytest.raises(HierarchyError, match="pass the same to both, or None"):
        scores(wrapper(problem.hierarchy, estimator=other), problem)
    with pytest.raises(ValueError, match="comes first. Got a HMCBR; pass it as estim"):
        scores(wrapper(other), problem)


def test_named_forms_are_the_wrappers_with_their_classifier(problem):
    tree = DecisionTreeClassifier(max_features=1)
    options = {"batch_size": 0.5, "random_state": 0}
    np.testing.assert_array_equal(
        scores(HMCSSLP(problem.hierarchy, estimator=tree, **options), problem),
        scores(
            BatchSelfTraining(
                problem.hierarchy, estimator=HMCLP(estimator=tree), **options
            ),
            problem,
        ),
    )
    local = LocalClassifierPerNode(estimator=tree, policy="less_inclusive")
    np.testing.assert_array_equal(
        scores(STHC(problem.hierarchy, estimator=tree, random_state=0), problem),
        scores(
            SelfTraining(problem.hierarchy, estimator=local, random_state=0), problem
        ),
    )


def test_batches_take_any_hierarchical_classifier_rounds_only_classifiers_per_node(
    problem,
):
    forest = PredictiveClusteringForest(n_estimators=5)
    model = BatchSelfTraining(problem.hierarchy, estimator=forest, random_state=0)
    assert scores(model, problem).shape[0] == len(problem.X_test)
    with pytest.raises(ValueError, match="Got a PriorClassifier instead; use Batch"):
        scores(SelfTraining(problem.hierarchy, estimator=PriorClassifier()), problem)
