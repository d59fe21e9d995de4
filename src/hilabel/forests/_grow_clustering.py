"""Grow predictive clustering trees, one tree per task."""

import time
from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from scipy import stats

from hilabel import _engine
from hilabel._progress import Progress
from hilabel._typing import BoolArray, FloatArray
from hilabel.forests._binning import CodedMatrix, FeatureBins
from hilabel.forests._clustering_trees import (
    ClusteringTree,
    ClusteringTrees,
    join_trees,
)
from hilabel.forests._grow import ForestSettings
from hilabel.forests._targets import ClusteringTargets

_PATIENCE_SECONDS: Final = 2.0
# With few cells (rows times targets), a task grows this many trees, because starting a
# task would take longer than growing one.
_FEW_CELLS: Final = 1e6
_TREES_PER_TASK: Final = 10


def grow_clustering_trees(
    X: Any,
    targets: ClusteringTargets,
    settings: ForestSettings,
    *,
    seed: int,
    f_test_level: float = 1.0,
    n_jobs: int | None = None,
) -> ClusteringTrees:
    """Grow trees, each of which predicts all nodes of a hierarchy.

    The random stream of a tree depends only on (seed, tree), so the result does not
    depend on ``n_jobs``.

    Parameters
    ----------
    X : array or csr matrix of shape (n_rows, n_features)
        NaN is a missing value. Labelled rows come first.
    targets : ClusteringTargets
        For the same rows.
    settings : ForestSettings
        ``class_weight`` is ignored.
    seed : int
    f_test_level : float, default=1.0
        A split must be significant at this level; 1 means no test.
    n_jobs : int, optional
        Number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.forests import ClusteringTargets, ForestSettings
    >>> from hilabel.forests import grow_clustering_trees
    >>> X = np.array([[0.0], [0.1], [0.9], [1.0]])
    >>> Y = np.array([[1, 0], [1, 0], [1, 1], [1, 1]], dtype=bool)
    >>> targets = ClusteringTargets.from_labels(Y, np.ones(2))
    >>> settings = ForestSettings(n_estimators=3, bootstrap=False)
    >>> trees = grow_clustering_trees(X, targets, settings, seed=0)
    >>> trees.predict(np.array([[0.05], [0.95]]))
    array([[1., 0.],
           [1., 1.]], dtype=float32)
    """
    bins = FeatureBins.from_matrix(X)
    coded = bins.code(X)
    least_f = _least_f(f_test_level, X.shape[0])
    n_cells = X.shape[0] * len(targets.label_weights)
    per_task = _TREES_PER_TASK if n_cells <= _FEW_CELLS else 1
    grown = _one_by_one(n_jobs, per_task)(
        delayed(_grow_one)(coded, targets, settings, seed, tree, least_f)
        for tree in range(settings.n_estimators)
    )
    told = _told(grown, settings.n_estimators)
    return join_trees(bins, targets.target_of, _has_gaps(X), told)


def _one_by_one(n_jobs: int | None, trees_per_task: int) -> Parallel:
    """Return a ``Parallel`` that yields trees as soon as possible to save memory."""
    options = {"prefer": "threads", "batch_size": trees_per_task}
    try:
        return Parallel(n_jobs=n_jobs, return_as="generator", **options)
    except ValueError:  # not supported by the user's backend, such as multiprocessing
        return Parallel(n_jobs=n_jobs, **options)


def _told(trees: Iterable[ClusteringTree], n_trees: int) -> Iterator[ClusteringTree]:
    """Yield the trees, and report progress if growing them takes a while."""
    progress, start = Progress(0), time.monotonic()
    for number, tree in enumerate(trees, start=1):
        if time.monotonic() - start > _PATIENCE_SECONDS:
            progress.report(f"Growing trees, {number} of {n_trees}", number, n_trees)
        yield tree


def rows_left_out(settings: ForestSettings, n_labeled: int, seed: int) -> BoolArray:
    """Return which labelled rows are out of bag for each tree.

    Parameters
    ----------
    settings : ForestSettings
    n_labeled : int
    seed : int
        As passed to :func:`grow_clustering_trees`.

    Returns
    -------
    bool ndarray of shape (n_labeled, n_trees)

    Examples
    --------
    >>> from hilabel.forests import ForestSettings, rows_left_out
    >>> rows_left_out(ForestSettings(n_estimators=3), n_labeled=4, seed=0).shape
    (4, 3)
    """
    how = settings.of_trees(n_labeled, 1, seed=seed)
    left_out = np.empty((n_labeled, settings.n_estimators), dtype=bool)
    for tree in range(settings.n_estimators):
        left_out[:, tree] = _engine.draw_labeled_rows(how, tree, n_labeled) == 0
    return left_out


def _grow_one(
    coded: CodedMatrix,
    targets: ClusteringTargets,
    settings: ForestSettings,
    seed: int,
    tree: int,
    least_f: FloatArray,
) -> ClusteringTree:
    # Create the engine's inputs here, because tasks may run in other processes.
    arrays = _engine.grow_clustering_tree(
        coded.rows,
        targets.view(),
        settings.of_trees(targets.n_labeled, coded.n_features, seed=seed),
        tree,
        least_f,
    )
    return ClusteringTree(**arrays)


def _has_gaps(X: Any) -> Any:
    """Return which features have missing values."""
    if not sp.issparse(X):
        return np.isnan(X).any(axis=0)
    has_gaps = np.zeros(X.shape[1], dtype=bool)
    has_gaps[X.indices[np.isnan(X.data)]] = True
    return has_gaps


def _least_f(level: float, n_rows: int) -> FloatArray:
    """Return, for each number of rows, the F statistic that a split must exceed."""
    if level >= 1:
        return np.empty(0)
    least = np.full(n_rows + 1, np.inf)
    least[3:] = stats.f.isf(level, 1, np.arange(3, n_rows + 1) - 2)
    return least
