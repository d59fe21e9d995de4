"""Labelled rows scored by the trees that were grown without them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hilabel.classifiers import PredictiveClusteringForest
from hilabel.constraints import cap_by_parents
from hilabel.datasets import make_artificial
from hilabel.forests import ForestSettings, rows_left_out
from hilabel.metrics import average_precision


def test_rows_are_scored_by_the_trees_grown_without_them():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(40, 3))
    Y = X[:, :2] > 0
    forest = PredictiveClusteringForest(
        n_estimators=15, min_samples_leaf=1, oob_score=True, random_state=0
    ).fit(X, Y)
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
        assert_allclose(forest.oof_decision_[row], expected, rtol=1e-6)
    assert_array_equal(forest.oof_rows_, np.arange(40))
    assert forest.oof_score_ == average_precision(Y, forest.oof_decision_)


def test_out_of_bag_scores_of_labels_known_in_part_are_consistent():
    data = make_artificial()
    Y = data.Y_labeled.astype(np.int8)
    Y[::2, 3:] = -1
    forest = PredictiveClusteringForest(
        data.hierarchy, n_estimators=30, oob_score=True, random_state=0
    ).fit(data.X_labeled, Y)
    capped = cap_by_parents(forest.oof_decision_, data.hierarchy)
    assert_array_equal(forest.oof_decision_, capped)


def test_a_row_that_every_tree_has_drawn_has_no_score():
    forest = PredictiveClusteringForest(
        n_estimators=1, oob_score=True, random_state=0
    ).fit([[0.0], [1.0], [2.0]], [[1], [0], [1]])
    assert np.isnan(forest.oof_decision_).any()


def test_out_of_bag_scores_need_a_bootstrap():
    forest = PredictiveClusteringForest(oob_score=True, bootstrap=False)
    with pytest.raises(ValueError, match="bootstrap=True"):
        forest.fit([[0.0], [1.0]], [[1], [0]])
