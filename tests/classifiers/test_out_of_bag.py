"""Labelled rows scored by the trees that were grown without them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hilabel import Hierarchy
from hilabel._label_matrix import LabelMatrix
from hilabel.classifiers import PredictiveClusteringForest
from hilabel.constraints import cap_by_parents
from hilabel.datasets import make_artificial
from hilabel.forests import ForestSettings, rows_left_out


def scored(forest, X, Y):
    """Train a forest, and return the scores of its rows by trees without them."""
    data = forest.check_training_data(X, LabelMatrix.of(np.asarray(Y, dtype=np.int8)))
    assert forest.hierarchy.n_nodes == data.Y.shape[1]
    return forest.fit_scoring(data).read()


def test_rows_are_scored_by_the_trees_grown_without_them():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(40, 3))
    Y = X[:, :2] > 0
    forest = PredictiveClusteringForest(
        Hierarchy(["a", "b"]), n_estimators=15, min_samples_leaf=1, random_state=0
    )
    scores = scored(forest, X, Y)
    trees = forest.trees_
    seed = np.random.RandomState(0).randint(np.iinfo(np.int32).max)
    left_out = rows_left_out(ForestSettings.of(forest), 40, seed)
    # Leaves of one row each: a tree that has seen a row knows all about it.
    leaves = trees.apply(X)
    for row in range(40):
        shares = np.array([trees.leaf_shares(leaf) for leaf in leaves[row]])
        assert_array_equal(
            shares[~left_out[row]], np.tile(Y[row], (15, 1))[~left_out[row]]
        )
        expected = shares[left_out[row]].mean(axis=0)
        assert_allclose(scores[row], expected, rtol=1e-6)


def test_scoring_does_not_change_the_forest_and_leaves_nothing_in_it():
    data = make_artificial()
    X, Y = data.X_labeled, data.Y_labeled
    forest = PredictiveClusteringForest(data.hierarchy, random_state=0)
    alone = forest.fit(X, Y).predict_proba(data.X_test)
    scored(forest, X, Y)
    assert_array_equal(forest.predict_proba(data.X_test), alone)
    assert not [name for name in vars(forest) if name.startswith("oof")]


def test_out_of_bag_scores_of_labels_known_in_part_are_consistent():
    data = make_artificial()
    Y = data.Y_labeled.astype(np.int8)
    Y[::2, 3:] = -1
    forest = PredictiveClusteringForest(data.hierarchy, n_estimators=30, random_state=0)
    scores = scored(forest, data.X_labeled, Y)
    assert_array_equal(scores, cap_by_parents(scores, data.hierarchy))


def test_a_row_that_every_tree_has_drawn_gets_the_label_frequencies():
    forest = PredictiveClusteringForest(
        Hierarchy(["a"]), n_estimators=1, random_state=0
    )
    scores = scored(forest, [[0.0], [1.0], [2.0]], [[1], [0], [1]])
    seed = np.random.RandomState(0).randint(np.iinfo(np.int32).max)
    never = ~rows_left_out(ForestSettings.of(forest), 3, seed).any(axis=1)
    assert never.any()
    assert_allclose(scores[never], 2 / 3, rtol=1e-6)


@pytest.mark.parametrize(
    ("parameters", "is_own"),
    [
        ({}, True),
        ({"oob_score": False}, False),
        ({"bootstrap": False}, False),
        ({"n_estimators": 49}, False),
    ],
)
def test_only_enough_bootstrap_samples_give_out_of_bag_scores(parameters, is_own):
    forest = PredictiveClusteringForest(Hierarchy(["a"]), **parameters)
    labels = LabelMatrix.of(np.array([[1], [0]], dtype=np.int8))
    assert forest.scores_itself(forest.check_training_data([[0.0], [1.0]], labels)) == (
        is_own
    )
