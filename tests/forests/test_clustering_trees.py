"""Ways of rows through clustering trees, followed one step at a time."""

import numpy as np
import pytest

from hilabel.classifiers import PredictiveClusteringForest, PredictiveClusteringTree
from hilabel.datasets import make_hierarchical_classification

DATA = make_hierarchical_classification(120, 6, n_nodes=8, random_state=0)
X = np.where(np.random.default_rng(0).random(DATA.X.shape) < 0.1, np.nan, DATA.X)


def way_of(trees, tree, row):
    """Walk from the root of a tree to the leaf; return the splits passed."""
    root = place = trees.roots[tree]
    passed = []
    while trees.feature[place] >= 0:
        passed.append(place)
        value = row[trees.feature[place]]
        threshold = trees.threshold_of(np.array([place]))[0]
        if np.isnan(value):
            is_left = bool(trees.missing[place])
        else:
            is_left = np.isnan(threshold) or value <= threshold
        place = root + trees.left[place] + (not is_left)
    return passed


@pytest.mark.parametrize(
    "model",
    [
        PredictiveClusteringTree(DATA.hierarchy, min_samples_leaf=2),
        PredictiveClusteringForest(DATA.hierarchy, n_estimators=7, random_state=0),
    ],
    ids=["tree", "forest"],
)
def test_the_splits_passed_are_those_of_a_walk_from_each_root(model):
    trees = model.fit(X, DATA.Y).trees_
    assert np.isnan(X).any()
    for row in X[:20]:
        passed = trees.splits_passed(row[None])
        tree_of = trees.tree_of(passed)
        for tree in range(trees.n_trees):
            assert passed[tree_of == tree].tolist() == way_of(trees, tree, row)


def test_a_tree_without_splits_has_no_way():
    tree = PredictiveClusteringTree(DATA.hierarchy, min_samples_leaf=100)
    trees = tree.fit(X, DATA.Y).trees_
    assert trees.splits_passed(X[:1]).tolist() == []
