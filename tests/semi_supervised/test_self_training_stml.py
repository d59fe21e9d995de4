"""STML and STHC: reference values, scikit-learn node by node, the cap between them."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from oracles import self_training as oracle
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB

from hilabel.classifiers import POLICIES
from hilabel.constraints import cap_by_parents
from hilabel.datasets import make_artificial
from hilabel.forests import ForestClassifier
from hilabel.metrics import average_precision, hierarchy_violations
from hilabel.semi_supervised import STHC, STML
from hilabel.testing import make_problem

TERMINATION = {"no_change": "unchanged"}


@cache
def fit_artificial(policy):
    data = make_artificial()
    forest = RandomForestClassifier(100, random_state=0)
    model = STML(
        data.hierarchy, estimator=forest, policy=policy, negatives_order="index"
    )
    return model.fit(data.X_labeled, data.Y_labeled, data.X_unlabeled)


@pytest.mark.parametrize(
    ("policy", "stml", "sthc"),
    [("less_inclusive", 0.7032, 0.7172), ("balanced_bottom_up", 0.4997, 0.6486)],
)
def test_average_precision_on_the_artificial_data(policy, stml, sthc):
    data = make_artificial()
    raw = fit_artificial(policy).predict_proba(data.X_test)
    assert average_precision(data.Y_test, raw) == pytest.approx(stml, abs=1e-4)
    # What STHC would predict, as the test of the cap below shows.
    capped = cap_by_parents(raw, data.hierarchy)
    assert average_precision(data.Y_test, capped) == pytest.approx(sthc, abs=1e-4)


def test_nodes_that_score_above_a_parent_on_the_artificial_data():
    data = make_artificial()
    raw = fit_artificial("less_inclusive").predict_proba(data.X_test)
    assert hierarchy_violations(raw, data.hierarchy).n_cells == 66


def assert_node_equals_scikit_learn(model, node, twin, n_own, n_labeled, X_test):
    expected = twin.predict_proba(X_test)[:, 1]
    np.testing.assert_array_equal(model.predict_proba(X_test)[:, node], expected)
    for ours, theirs in (
        (model.transduction_, twin.transduction_),
        (model.labeled_iter_, twin.labeled_iter_),
    ):
        np.testing.assert_array_equal(ours[n_labeled:, node], theirs[n_own:])
    assert model.n_iter_[node] == twin.n_iter_
    stopped = model.termination_condition_[node]
    if stopped == "unchanged" and twin.n_iter_ == model.max_iter:
        return  # scikit-learn then names the limit, though nothing was left to gain
    theirs = twin.termination_condition_
    assert stopped == TERMINATION.get(theirs, theirs)


@pytest.mark.parametrize("policy", ["less_inclusive", "balanced_bottom_up"])
@pytest.mark.parametrize(
    "rule",
    [
        {},
        {"max_iter": 2, "threshold": 0.6},
        {"criterion": "k_best", "k_best": 3, "max_iter": 4},
    ],
    ids=str,
)
def test_every_node_is_scikit_learns_self_training_bit_by_bit(policy, rule):
    data = make_artificial()
    forest = RandomForestClassifier(7, random_state=5)
    choice = {"policy": policy, "negatives_order": "index"}
    model = STML(data.hierarchy, estimator=forest, **choice, **rule)
    model.fit(data.X_labeled, data.Y_labeled, data.X_unlabeled)
    Y = np.asarray(data.Y_labeled, dtype=bool)
    for node in range(6):
        positive, negative = POLICIES[policy](Y, data.hierarchy, node)
        twin = oracle.self_train_node(
            forest, data.X_labeled, positive, negative, data.X_unlabeled, **rule
        )
        n_own = positive.size + negative.size
        assert_node_equals_scikit_learn(model, node, twin, n_own, len(Y), data.X_test)


def test_the_fast_forests_of_a_node_are_self_trained_alike_alone():
    """One call for all nodes, or scikit-learn's loop around one node's forest."""
    data = make_artificial()
    # Bins come from the labelled rows: with all values there the two codings agree.
    X_unlabeled = np.random.default_rng(0).choice(data.X_labeled[:, 0], (200, 2))
    X_labeled = np.random.default_rng(1).permuted(
        np.column_stack([data.X_labeled[:, 0]] * 2), axis=0
    )
    Y = np.asarray(data.Y_labeled, dtype=bool)[:, [0]]
    forest = ForestClassifier(9, random_state=3)
    model = STML(estimator=forest).fit(X_labeled, Y.astype(int), X_unlabeled)
    assert model.n_iter_[0] > 1
    twin = oracle.self_train_node(
        forest, X_labeled, np.flatnonzero(Y), np.flatnonzero(~Y[:, 0]), X_unlabeled
    )
    assert_node_equals_scikit_learn(model, 0, twin, len(Y), len(Y), X_unlabeled)


@settings(max_examples=15)
@given(st.integers(0, 999), st.sampled_from([0.6, 0.9]), st.booleans())
def test_sthc_is_stml_capped_and_never_violates_the_hierarchy(seed, threshold, fast):
    problem = make_problem("DAG", "MPL", "PD", n_samples=40, random_state=seed)
    local = ForestClassifier(3) if fast else GaussianNB()
    raw, capped = [
        method(
            problem.hierarchy, estimator=local, threshold=threshold, random_state=seed
        ).fit(problem.X, problem.Y, problem.X_unlabeled)
        for method in (STML, STHC)
    ]
    scores = raw.predict_proba(problem.X_test)
    expected = cap_by_parents(scores, problem.hierarchy)
    assert expected.tobytes() == capped.predict_proba(problem.X_test).tobytes()
    np.testing.assert_array_equal(raw.predict(problem.X_test), scores >= 0.5)
    np.testing.assert_array_equal(capped.predict(problem.X_test), expected >= 0.5)
    assert problem.hierarchy.is_consistent(capped.predict(problem.X_test) == 1)
    np.testing.assert_array_equal(raw.transduction_, capped.transduction_)


def test_labels_of_stml_may_lack_an_ancestor():
    data = make_artificial()
    labels = fit_artificial("balanced_bottom_up").predict(data.X_test)
    assert not data.hierarchy.is_consistent(labels == 1)
    assert not STML.method_tags.consistent
    assert STHC.method_tags.consistent
