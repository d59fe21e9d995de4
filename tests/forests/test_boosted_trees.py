"""Boosted trees, stored as the trees of forests are."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

from hilabel.forests import BoostedTrees


def problem(n_rows=600, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 4))
    X[:, 3] = random.integers(0, 5, n_rows)
    y = X[:, 0] * X[:, 1] + 0.3 * X[:, 3] + random.normal(size=n_rows) > 0.5
    return X, y


@pytest.mark.parametrize("n_rows", [40, 255, 600])
def test_scores_are_those_of_scikit_learn(n_rows):
    X, y = problem(n_rows)
    trees = BoostedTrees.grow(X, y, n_trees=30, max_leaf_nodes=9)
    codes = trees.bins.code(X).codes.T.astype(float)
    model = HistGradientBoostingClassifier(
        max_iter=30, max_leaf_nodes=9, early_stopping=False
    ).fit(codes, y)
    expected = model.predict_proba(codes)[:, 1]
    np.testing.assert_allclose(trees.predict(X), expected, atol=1e-5)
    assert trees.is_sound()
    assert trees.n_trees == 30


def test_they_do_not_depend_on_the_number_of_threads():
    X, y = problem()
    with threadpool_limits(1):
        one = BoostedTrees.grow(X, y, n_trees=20)
    other = BoostedTrees.grow(X, y, n_trees=20)
    np.testing.assert_array_equal(one.value, other.value)


def test_broken_trees_are_noticed():
    X, y = problem()
    trees = BoostedTrees.grow(X, y, n_trees=3)
    left = trees.left.copy()
    left[0] = 0
    assert not replace(trees, left=left).is_sound()
