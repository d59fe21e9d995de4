"""Rows of the same leaves."""

import numpy as np

from hilabel.classifiers import PredictiveClusteringForest
from hilabel.report.page._shared_leaves import SharedLeaves


def test_the_nearest_rows_are_those_that_fewest_trees_part():
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 3))
    forest = PredictiveClusteringForest(n_estimators=7, random_state=0)
    forest.fit(X, X[:, :2] > 0)
    leaves = forest.trees_.apply(X)
    parted = (leaves[:5, None] != leaves[None]).mean(axis=2)
    found = SharedLeaves(forest.trees_, X).nearest(X[:5], 4)
    for row, (numbers, distances) in enumerate(found):
        np.testing.assert_allclose(distances, parted[row, numbers])
        np.testing.assert_allclose(distances, np.sort(parted[row])[:4])
        assert row in numbers
