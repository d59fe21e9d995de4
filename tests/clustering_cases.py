"""Problems for predictive clustering trees, and a walk that checks every split."""

import numpy as np
from oracles import clustering_trees as oracle

from hilabel.forests import ClusteringTargets, ForestSettings, grow_clustering_trees

# One tree that sees all rows and all features.
WHOLE = ForestSettings(1, max_features=None, bootstrap=False)
ARRAYS = (
    "roots",
    "feature",
    "cut",
    "missing",
    "left",
    "impurity",
    "gain",
    "weight",
    "leaf",
    "leaf_ptr",
    "leaf_index",
    "leaf_share",
)


def make_case(
    seed,
    n_labeled=60,
    n_unlabeled=0,
    n_labels=8,
    per_row=2.0,
    n_features=4,
    gaps=0.0,
    decimals=1,
):
    """Return X (labelled rows first), Y and node weights, labels tied to features."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_labeled + n_unlabeled, n_features)).round(decimals)
    lean = rng.normal(size=(n_features, n_labels))
    chance = 1 / (1 + np.exp(-X[:n_labeled] @ lean))
    Y = rng.random(chance.shape) < chance * 2 * per_row / n_labels
    X[rng.random(X.shape) < gaps] = np.nan
    weights = rng.random(n_labels) + 0.1
    return X, Y, weights / weights.sum()


def grow(X, Y, weights, settings=WHOLE, *, w=1.0, seed=0, **options):
    """Grow trees that aim at labels, and at features unless ``w`` is 1."""
    if w == 1:
        targets = ClusteringTargets.from_labels(Y, weights)
    else:
        targets = ClusteringTargets.from_labels_and_features(Y, X, weights, w)
    return grow_clustering_trees(X, targets, settings, seed=seed, **options)


def problem_of(trees, X, Y, weights, w=1.0):
    ((_, codes),) = trees.bins.row_blocks(X)
    return oracle.Problem(Y, X, codes, weights, np.ones(len(X)), w)


def assert_every_split_is_the_best(trees, problem, least=1):
    """Walk down the only tree with all rows, and compare each node with the twin."""
    waiting = [(0, np.arange(len(problem.X)), None)]
    n_splits = 0
    while waiting:
        here, rows, speakers = waiting.pop()
        labeled = rows[rows < len(problem.Y)]
        speakers = labeled if labeled.size else speakers
        # The engine gives a set without labelled rows no label part of its own.
        expected = oracle.impurity(problem, rows)
        np.testing.assert_allclose(trees.impurity[here], expected, atol=1e-9)
        assert trees.weight[here] == labeled.size
        gains = oracle.all_gains(problem, rows, least)
        if trees.feature[here] < 0:
            assert max(gains, default=0.0) <= 2e-9
            shares = problem.Y[speakers].mean(axis=0)
            np.testing.assert_allclose(trees.leaf_shares(here), shares, atol=1e-7)
            continue
        n_splits += 1
        split = trees.feature[here], trees.cut[here], trees.missing[here]
        found = oracle.gain(problem, rows, *split)
        np.testing.assert_allclose(trees.gain[here], found, atol=1e-9)
        np.testing.assert_allclose(found, max(gains), atol=1e-9)
        left = oracle.goes_left(problem.codes[rows, split[0]], *split[1:])
        child = trees.left[here]
        waiting += [(child, rows[left], speakers), (child + 1, rows[~left], speakers)]
    return n_splits


def assert_every_split_is_the_best_drawn(trees, problem, n_candidates, least=1, seed=0):
    """Draw the same features and cuts as the only tree, which sees all rows once."""
    drawn = oracle.DrawnSplits(problem, n_candidates, least, seed)
    waiting = [(0, np.arange(len(problem.X)))]
    n_splits = 0
    while waiting:
        here, rows = waiting.pop()
        impurity = oracle.impurity(problem, rows)
        np.testing.assert_allclose(trees.impurity[here], impurity, atol=1e-9)
        may_split = len(rows) >= 2 * least and impurity > 1e-9
        tried = drawn.of(rows) if may_split else []
        best = max((split[0] for split in tried), default=0.0)
        if trees.feature[here] < 0:
            assert best <= 2e-9
            continue
        n_splits += 1
        found = trees.feature[here], trees.cut[here], trees.missing[here]
        left = oracle.goes_left(problem.codes[rows, found[0]], *found[1:])
        majority = int(2 * left.sum() >= len(rows))
        gains = [
            split[0]
            for split in tried
            if (*split[1:3], majority if split[3] < 0 else split[3]) == found
        ]
        np.testing.assert_allclose(gains, [best], atol=1e-9)
        np.testing.assert_allclose(trees.gain[here], best, atol=1e-9)
        child = trees.left[here]
        waiting += [(child + 1, rows[~left]), (child, rows[left])]
    return n_splits


def assert_gains_are_right(trees, problem, rows=None, atol=1e-9):
    """Walk down the only tree, with all rows or with those given."""
    waiting = [(0, np.arange(len(problem.X)) if rows is None else rows)]
    n_splits = 0
    while waiting:
        here, rows = waiting.pop()
        if trees.feature[here] < 0:
            continue
        n_splits += 1
        split = trees.feature[here], trees.cut[here], trees.missing[here]
        found = oracle.gain(problem, rows, *split)
        np.testing.assert_allclose(trees.gain[here], found, atol=atol)
        left = oracle.goes_left(problem.codes[rows, split[0]], *split[1:])
        child = trees.left[here]
        waiting += [(child, rows[left]), (child + 1, rows[~left])]
    return n_splits


def assert_equal_trees(first, second):
    for name in ARRAYS:
        found, expected = getattr(first, name), getattr(second, name)
        assert found.dtype == expected.dtype
        assert found.tobytes() == expected.tobytes(), name
