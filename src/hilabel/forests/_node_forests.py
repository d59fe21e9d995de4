"""Grown forests: flat arrays for all trees of all nodes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from hilabel import _kernels
from hilabel._typing import FloatArray, IntArray
from hilabel.forests._binning import FeatureBins

__all__ = ["NodeForests"]

# Rows that one task predicts for one node. Larger blocks are cut, so that a single
# forest keeps all threads busy too.
_ROWS_PER_TASK = 8192


@dataclass(frozen=True, eq=False)
class NodeForests:
    """One forest of 0 and 1 for every node, ready to predict.

    Attributes
    ----------
    bins : FeatureBins
    n_trees : int
        Trees per forest.
    roots : int array of shape (n_forests * n_trees + 1,)
        Where each tree begins in the arrays below; see the tree kernels.
    feature, cut, missing, left, value : ndarray
    constant : ndarray of shape (n_nodes,)
        The probability of nodes without a forest, NaN for the others.
    importances : ndarray of shape (n_nodes, n_features) or None
        Mean decrease of Gini impurity, summing to 1 for every forest that splits.
    oob_scores : tuple of (rows, scores) per node, or None
        Out-of-bag probabilities of the rows that each node was trained on.
    """

    bins: FeatureBins
    n_trees: int
    roots: IntArray
    feature: Any
    cut: Any
    missing: Any
    left: Any
    value: Any
    constant: FloatArray
    importances: FloatArray | None = None
    oob_scores: tuple[Any, ...] | None = None

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return self.constant.size

    @property
    def n_bytes(self) -> int:
        """Memory taken by the trees."""
        arrays = (self.roots, self.feature, self.cut, self.missing, self.left)
        return sum(array.nbytes for array in (*arrays, self.value))

    def predict(
        self, X: Any, nodes: Sequence[int] | None = None, n_jobs: int | None = None
    ) -> FloatArray:
        """Return the probability of class 1 for every row and node.

        Parameters
        ----------
        X : array or csr matrix of shape (n_samples, n_features)
        nodes : sequence of int, optional
            Predict these nodes only.
        n_jobs : int, optional
            Threads; the result does not depend on them.

        Returns
        -------
        float32 ndarray of shape (n_samples, n_nodes)
        """
        chosen = (
            np.arange(self.n_nodes) if nodes is None else np.array(nodes, dtype=np.intp)
        )
        scores = np.empty((X.shape[0], chosen.size), dtype=np.float32)
        scores[:] = self.constant[chosen]
        has_forest = np.isnan(self.constant)
        forest_of = np.cumsum(has_forest) - 1
        columns = np.flatnonzero(has_forest[chosen])
        for rows, codes in self.bins.row_blocks(X):
            tasks = [
                (column, slice(start, start + _ROWS_PER_TASK))
                for column in columns
                for start in range(0, codes.shape[0], _ROWS_PER_TASK)
            ]
            values = Parallel(n_jobs=n_jobs, prefer="threads")(
                delayed(_predict_one)(
                    codes[part], *self._forest(forest_of[chosen[column]])
                )
                for column, part in tasks
            )
            block = scores[rows]
            for (column, part), value in zip(tasks, values):
                block[part, column] = value
        return scores

    def _forest(self, number: int) -> tuple[Any, ...]:
        """Return the arrays of one forest, its roots counted from their beginning."""
        first = number * self.n_trees
        roots = self.roots[first : first + self.n_trees + 1]
        part = slice(roots[0], roots[-1])
        return (
            roots - roots[0],
            self.feature[part],
            self.cut[part],
            self.missing[part],
            self.left[part],
            self.value[part],
        )


def _predict_one(codes: Any, *forest: Any) -> FloatArray:
    return _kernels.tree_walk.mean_leaf_values(codes, *forest)
