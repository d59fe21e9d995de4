"""Trees that are grown one after another, and told of."""

from functools import partial

import joblib
import numpy as np

from hilabel._progress import progress_to
from hilabel.forests import (
    ClusteringTargets,
    ForestSettings,
    _grow_clustering,
    grow_clustering_trees,
)


def test_growing_that_takes_long_is_told_of_tree_by_tree(monkeypatch):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(30, 3)), rng.random((30, 2)) < 0.5
    targets = ClusteringTargets.from_labels(Y, np.ones(2))
    settings = ForestSettings(n_estimators=3)
    told = []
    with progress_to(lambda *report: told.append(report)):
        grow_clustering_trees(X, targets, settings, seed=0)
        assert told == []  # nobody has to wait
        monkeypatch.setattr(_grow_clustering, "_PATIENCE_SECONDS", -1)
        grow_clustering_trees(X, targets, settings, seed=0)
    assert told == [(f"Growing trees, {done} of 3", done, 3) for done in (1, 2, 3)]


def test_workers_that_give_all_trees_at_once_grow_the_same():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(30, 3)), rng.random((30, 2)) < 0.5
    targets = ClusteringTargets.from_labels(Y, np.ones(2))
    grow = partial(
        grow_clustering_trees, X, targets, ForestSettings(n_estimators=2), seed=0
    )
    with joblib.parallel_config(backend="multiprocessing", n_jobs=2):
        found = grow()
    np.testing.assert_array_equal(found.predict(X), grow().predict(X))
