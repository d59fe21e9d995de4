"""Labels that are known in part: unknown is not absent."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.tree import DecisionTreeClassifier

from hilabel import Hierarchy
from hilabel.classifiers import (
    FlatClassifier,
    LocalClassifierPerNode,
    PredictiveClusteringForest,
    PredictiveClusteringTree,
    PriorClassifier,
)
from hilabel.datasets import make_hierarchical_classification
from hilabel.exceptions import LabelError
from hilabel.local_models import select_examples
from hilabel.metrics import average_precision
from hilabel.persistence import load_model, save_model

TWO_TREES = Hierarchy.from_edges([("a", "b"), ("a", "c"), ("d", "e")])


@st.composite
def partial_problems(draw):
    """Rows, and labels of which whole trees are unknown in some rows."""
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_rows = draw(st.integers(4, 30))
    Y = TWO_TREES.close(generator.random((n_rows, 5)) < 0.4).astype(np.int8)
    for root in TWO_TREES.roots:
        below = np.append(TWO_TREES.descendants(root), root)
        rows = generator.random(n_rows) < draw(st.sampled_from([0.0, 0.3, 0.7]))
        Y[np.ix_(rows, below)] = -1
    X = generator.integers(0, 6, (n_rows, 2)).astype(float)
    Y[0] = [1, 1, 0, 1, 0]  # one row is known as a whole
    return X, Y


def impurity(Y, weights):
    """Sum over nodes of weight (s - s^2 / n), with n of the rows that know the node."""
    known = Y >= 0
    n, s = known.sum(axis=0), ((Y == 1) & known).sum(axis=0)
    return (weights * (s - s**2 / np.maximum(n, 1))).sum()


@given(partial_problems())
def test_splits_gain_what_those_who_know_gain(problem):
    X, Y = problem
    tree = PredictiveClusteringTree(
        TWO_TREES, max_depth=1, min_samples_leaf=1, random_state=0
    ).fit(X, Y)
    weights = np.where(TWO_TREES.depth == 1, 1.0, 0.75) / 4.25  # they sum to 1
    gains = [0.0]
    for feature in range(2):
        for cut in np.unique(X[:, feature])[:-1]:
            left = X[:, feature] <= cut
            sides = impurity(Y[left], weights) + impurity(Y[~left], weights)
            gains.append(impurity(Y, weights) - sides)
    found = tree.trees_.gain[0] if tree.trees_.feature[0] >= 0 else 0.0
    assert found == pytest.approx(max(gains), abs=1e-9)


@given(partial_problems())
def test_leaves_have_the_shares_of_those_who_know(problem):
    X, Y = problem
    tree = PredictiveClusteringTree(
        TWO_TREES, max_depth=2, min_samples_leaf=1, random_state=0
    ).fit(X, Y)
    prior = PriorClassifier(TWO_TREES).fit(X, Y).prior_
    leaves = tree.trees_.apply(X)[:, 0]
    raw = tree.trees_.predict(X)
    for leaf in np.unique(leaves):
        rows = Y[leaves == leaf]
        known = (rows >= 0).sum(axis=0)
        share = (rows == 1).sum(axis=0) / np.maximum(known, 1)
        expected = np.where(known > 0, share, prior)
        np.testing.assert_allclose(
            raw[leaves == leaf], np.tile(expected, (len(rows), 1)), atol=1e-6
        )
    scores = tree.predict_proba(X)
    for parent, child in TWO_TREES.edges:
        assert (scores[:, child] <= scores[:, parent]).all()


def test_a_row_is_no_example_for_nodes_that_are_unknown_in_it():
    Y = np.array([[1, 1, 0, 0, 0], [1, 0, 1, 0, 0], [0, 0, 0, 1, 1]], dtype=bool)
    known = np.ones_like(Y)
    known[1, [0, 1, 2]] = known[2, [0, 1, 2]] = False
    found = select_examples(Y, TWO_TREES, "less_inclusive", "index", 0, known)
    assert [(list(a), list(b)) for a, b in found] == [
        ([0], []),
        ([0], []),
        ([], [0]),
        ([2], [0, 1]),
        ([2], [0, 1]),
    ]


@pytest.mark.parametrize("policy", ["within_parents", "balanced_bottom_up"])
def test_local_models_are_those_of_the_rows_that_know(policy):
    data = make_hierarchical_classification(120, hierarchy=TWO_TREES, random_state=0)
    X, Y = data.X, data.Y.astype(np.int8)
    first = [TWO_TREES.node(name) for name in "abc"]
    unknown = np.arange(len(X)) % 2 == 1
    partly = Y.copy()
    partly[np.ix_(unknown, first)] = -1
    local = DecisionTreeClassifier(max_depth=3, random_state=0)
    model = LocalClassifierPerNode(
        TWO_TREES,
        estimator=local,
        policy=policy,
        negatives_order="index",
        constraint=None,
    )
    found = model.fit(X, partly).predict_proba(X)
    of_those = model.fit(X[~unknown], Y[~unknown]).predict_proba(X)
    np.testing.assert_array_equal(found[:, first], of_those[:, first])


def test_the_prior_is_the_share_of_those_who_know():
    Y = [[1, 1, 0, -1, -1], [0, 0, 0, -1, -1], [-1, -1, -1, 1, 0]]
    model = PriorClassifier(TWO_TREES).fit([[0]] * 3, Y)
    np.testing.assert_allclose(model.prior_, [0.5, 0.5, 0, 1, 0])


def test_known_zeros_in_every_cell_are_the_model_of_before():
    data = make_hierarchical_classification(60, hierarchy=TWO_TREES, random_state=0)
    for kind in (PredictiveClusteringForest, LocalClassifierPerNode):
        model = kind(TWO_TREES, random_state=0)
        before = model.fit(data.X, data.Y).predict_proba(data.X)
        now = model.fit(data.X, data.Y.astype(float)).predict_proba(data.X)
        np.testing.assert_array_equal(now, before)


def test_unknown_is_better_than_absent():
    hierarchy = TWO_TREES
    data = make_hierarchical_classification(600, hierarchy=hierarchy, random_state=1)
    train, test = np.arange(400), np.arange(400, 600)
    unknown = np.random.default_rng(0).random(400) < 0.7
    first = [hierarchy.node(name) for name in "abc"]
    partly = data.Y[train].astype(np.int8)
    partly[np.ix_(unknown, first)] = -1
    forest = PredictiveClusteringForest(hierarchy, random_state=0)

    def score(labels):
        scores = forest.fit(data.X[train], labels).predict_proba(data.X[test])
        return average_precision(data.Y[test][:, first], scores[:, first])

    assert score(partly) > score(np.maximum(partly, 0))


def test_methods_that_cannot_say_so_and_name_some_that_can():
    with pytest.raises(
        LabelError, match=r"1 of 2 labelled rows .* FlatClassifier needs"
    ):
        FlatClassifier(TWO_TREES).fit([[0], [1]], [[1, 1, 0, -1, -1], [0] * 5])


def test_a_forest_of_partial_labels_is_saved(tmp_path):
    X = np.arange(8.0)[:, None]
    Y = np.array([[1, 1, 0, -1, -1], [0, 0, 0, 1, 1]] * 4)
    model = PredictiveClusteringForest(TWO_TREES, n_estimators=3, random_state=0)
    model.fit(X, Y)
    again = load_model(save_model(model, tmp_path / "m.hilabel"))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
