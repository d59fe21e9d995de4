"""Grow predictive clustering trees, one tree per task."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from scipy import stats

from hilabel import _kernels
from hilabel._typing import FloatArray
from hilabel.forests._binning import CodedMatrix, FeatureBins
from hilabel.forests._clustering_trees import ClusteringTrees
from hilabel.forests._grow import ForestSettings
from hilabel.forests._targets import ClusteringTargets

__all__ = ["grow_clustering_trees"]


def grow_clustering_trees(
    X: Any,
    targets: ClusteringTargets,
    settings: ForestSettings,
    *,
    seed: int,
    f_test_level: float = 1.0,
    n_jobs: int | None = None,
) -> ClusteringTrees:
    """Grow trees that each predict all nodes of a hierarchy.

    Every tree's random stream depends on (seed, tree) alone, so the result does not
    depend on ``n_jobs``.

    Parameters
    ----------
    X : array or csr matrix of shape (n_rows, n_features)
        NaN is a missing value. Labelled rows come first.
    targets : ClusteringTargets
        For the same rows.
    settings : ForestSettings
        ``class_weight`` has no meaning here.
    seed : int
    f_test_level : float, default=1.0
        A split must be significant at this level; 1 asks for no test.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    ClusteringTrees
    """
    bins = FeatureBins.from_matrix(X)
    coded = bins.code(X)
    columns = _columns(coded, settings)
    n_candidates = settings.n_candidates(coded.n_features)
    least_f = _least_f(f_test_level, X.shape[0])
    grown = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(_grow_one)(
            columns, targets, settings, n_candidates, seed, tree, least_f
        )
        for tree in range(settings.n_estimators)
    )
    return ClusteringTrees(bins, targets.target_of, _has_gaps(X), *_concatenate(grown))


def _columns(coded: CodedMatrix, settings: ForestSettings) -> tuple[Any, ...]:
    """Return the coded matrix as the kernel takes it."""
    codes, *by_row_if_sparse = coded.row_arrays
    # Drawn cuts are compared for many features of a row at a time.
    by_row = coded.codes_by_row if settings.splitter == "random" else codes[:0]
    return codes, by_row, *by_row_if_sparse


def _grow_one(
    columns: tuple[Any, ...],
    targets: ClusteringTargets,
    settings: ForestSettings,
    n_candidates: int,
    seed: int,
    tree: int,
    least_f: FloatArray,
) -> tuple[Any, ...]:
    return _kernels.multi_label_trees.grow_tree(
        *columns,
        targets.arrays,
        targets.n_feature_targets,
        seed,
        tree,
        settings.bootstrap,
        settings.n_draws(targets.arrays.n_labeled),
        settings.splitter == "random",
        n_candidates,
        -1 if settings.max_depth is None else settings.max_depth,
        settings.min_samples_leaf,
        least_f,
    )


def _has_gaps(X: Any) -> Any:
    """Return which features some rows lack."""
    if not sp.issparse(X):
        return np.isnan(X).any(axis=0)
    has_gaps = np.zeros(X.shape[1], dtype=bool)
    has_gaps[X.indices[np.isnan(X.data)]] = True
    return has_gaps


def _least_f(level: float, n_rows: int) -> FloatArray:
    """Return the F that a split must exceed, by the rows of the node split."""
    if level >= 1:
        return np.empty(0)
    least = np.full(n_rows + 1, np.inf)
    least[3:] = stats.f.isf(level, 1, np.arange(3, n_rows + 1) - 2)
    return least


def _concatenate(trees: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Join the arrays of all trees, roots first; leaves are numbered through."""
    sizes = [tree[0].size for tree in trees]
    roots = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    by_node = [np.concatenate([tree[i] for tree in trees]) for i in range(7)]
    n_leaves = np.cumsum([0, *(tree[8].size - 1 for tree in trees)])
    n_entries = np.cumsum([0, *(tree[9].size for tree in trees)])
    leaf = [
        np.where(tree[7] >= 0, tree[7] + first, -1).astype(np.int32)
        for tree, first in zip(trees, n_leaves)
    ]
    leaf_ptr = [tree[8][:-1] + first for tree, first in zip(trees, n_entries)]
    return (
        roots,
        *by_node,
        np.concatenate(leaf),
        np.concatenate([*leaf_ptr, n_entries[-1:]]),
        np.concatenate([tree[9] for tree in trees]),
        np.concatenate([tree[10] for tree in trees]),
    )
