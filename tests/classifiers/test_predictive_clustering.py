"""PredictiveClusteringTree: the worked example, scikit-learn's trees, its text."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.tree import DecisionTreeRegressor
from strategies import hierarchies_with_labels

from hilabel import Hierarchy
from hilabel.classifiers import PredictiveClusteringTree

ABC = Hierarchy.from_edges([("A", "B")], nodes=["A", "B", "C"])
X_ABC = np.array([[0.0], [1], [10], [11]])
Y_ABC = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]])


def test_the_worked_example_has_its_impurities_gain_and_leaves():
    tree = PredictiveClusteringTree(ABC).fit(X_ABC, Y_ABC)
    trees = tree.trees_
    np.testing.assert_allclose(trees.impurity, [0.931818, 0.136364, 0], atol=1e-6)
    np.testing.assert_allclose(trees.gain[0], 0.795455, atol=1e-6)
    scores = tree.predict_proba([[0], [11]])
    np.testing.assert_allclose(scores, [[1, 0.5, 0], [0, 0, 1]])


def same_rows_together(ours, theirs):
    """Say whether two lists of leaf numbers part the rows in the same way."""
    pairs = set(zip(ours.tolist(), theirs.tolist()))
    return len(pairs) == len(set(ours.tolist())) == len(set(theirs.tolist()))


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("max_depth", [1, 2, 4])
def test_unweighted_splits_are_those_of_scikit_learn(n_outputs, max_depth):
    # Leaves of 20 rows, since in small nodes two cuts are often equally good.
    rng = np.random.default_rng(n_outputs)
    X = rng.normal(size=(200, 5)).astype(np.float32).astype(np.float64)
    lean = rng.normal(size=(5, n_outputs))
    Y = X @ lean + rng.normal(size=(200, n_outputs)) > 0
    ours = PredictiveClusteringTree(
        w0=1.0, max_depth=max_depth, min_samples_leaf=20, random_state=0
    ).fit(X, Y)
    theirs = DecisionTreeRegressor(
        max_depth=max_depth, min_samples_leaf=20, random_state=0
    ).fit(X, Y.astype(float))
    assert same_rows_together(ours.trees_.apply(X)[:, 0], theirs.apply(X))
    expected = theirs.predict(X).reshape(200, n_outputs)
    np.testing.assert_allclose(ours.predict_proba(X), expected, atol=1e-6)


@settings(max_examples=30)
@given(hierarchies_with_labels(), st.integers(0, 2**31 - 1))
def test_a_child_is_never_above_a_parent(case, seed):
    hierarchy, labels = case
    X = np.random.default_rng(seed).normal(size=(len(labels), 3))
    tree = PredictiveClusteringTree(hierarchy, min_samples_leaf=1).fit(X, labels)
    scores = tree.predict_proba(np.random.default_rng(seed + 1).normal(size=(9, 3)))
    for parent, child in hierarchy.edges:
        assert (scores[:, child] <= scores[:, parent]).all()


def test_a_strict_f_test_keeps_the_first_split_only():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    Y = np.column_stack([X[:, 0] > 0, rng.random((100, 2)) > 0.5])
    n_nodes = [
        PredictiveClusteringTree(f_test_level=level).fit(X, Y).trees_.feature.size
        for level in (1e-300, 1e-6, 0.05, 1.0)
    ]
    assert n_nodes[:2] == [1, 3]
    assert n_nodes == sorted(n_nodes)
    assert n_nodes[2] < n_nodes[3]


def test_the_f_test_follows_its_formula():
    # SST .931818 and SSR .136364 with four rows: F = 2 * .795455 / .136364 = 11.667,
    # whose probability under F(1, 2) is .0760.
    kept, dropped = (
        PredictiveClusteringTree(ABC, f_test_level=level).fit(X_ABC, Y_ABC)
        for level in (0.0761, 0.0759)
    )
    assert kept.trees_.feature.size == 3
    assert dropped.trees_.feature.size == 1


def test_the_text_names_features_nodes_and_missing_values():
    import pandas as pd

    X = pd.DataFrame({"height": [0.0, 1, 10, np.nan]})
    tree = PredictiveClusteringTree(ABC).fit(X, Y_ABC)
    assert tree.describe() == (
        "all (4 rows)\n"
        "|-- height <= 5.5: A 1, B 0.5 (2 rows)\n"
        "|-- height > 5.5 or missing: C 1 (2 rows)"
    )
    assert tree.describe(max_labels=1).splitlines()[1].endswith("A 1, 1 more (2 rows)")
    with pytest.raises(ValueError, match="Expected a tree from 0 to 0, got 3"):
        tree.describe(3)


def test_values_parted_from_missing_ones_are_called_known():
    X = np.array([[1.0], [2], [np.nan], [np.nan]])
    tree = PredictiveClusteringTree(ABC).fit(X, Y_ABC)
    assert "x0 known: A 1" in tree.describe()
    assert "x0 missing: C 1" in tree.describe()


def test_importances_tell_which_feature_serves_which_node():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    Y = np.column_stack([X[:, 0] > 0, X[:, 2] > 1, np.zeros(300, dtype=bool)])
    tree = PredictiveClusteringTree(random_state=0).fit(X, Y)
    assert tree.feature_importances_.sum() == pytest.approx(1)
    assert set(np.argsort(tree.feature_importances_)[2:]) == {0, 2}
    by_node = tree.node_importances()
    assert by_node.shape == (3, 4)
    assert by_node[:2].argmax(axis=1).tolist() == [0, 2]
    np.testing.assert_allclose(by_node.sum(axis=1), [1, 1, 0])


def test_importances_of_one_label_are_those_of_scikit_learn():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 4)).astype(np.float32).astype(np.float64)
    Y = (X[:, [1]] + rng.normal(size=(200, 1))) > 0
    # Leaves of 25 rows, since in small nodes two cuts are often equally good.
    options = {"max_depth": 4, "min_samples_leaf": 25, "random_state": 0}
    model = PredictiveClusteringTree(**options).fit(X, Y)
    theirs = DecisionTreeRegressor(**options).fit(X, Y[:, 0].astype(float))
    expected = theirs.feature_importances_
    np.testing.assert_allclose(model.feature_importances_, expected, atol=1e-6)
    np.testing.assert_allclose(model.node_importances()[0], expected, atol=1e-5)
