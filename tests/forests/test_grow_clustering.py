"""Trees that are grown one after another, and told of."""

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
    with progress_to(told.append):
        grow_clustering_trees(X, targets, settings, seed=0)
        assert told == []  # nobody has to wait
        monkeypatch.setattr(_grow_clustering, "_PATIENCE_SECONDS", -1)
        grow_clustering_trees(X, targets, settings, seed=0)
    assert told == [f"Growing trees, {number} of 3" for number in (1, 2, 3)]
