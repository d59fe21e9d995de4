"""Rows that trees cannot distinguish because they fall into the same leaves."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from hilabel._typing import FloatArray, IntArray
from hilabel.forests import ClusteringTrees


class SharedLeaves:
    """Find the training rows that share the most leaves with a given row.

    A tree predicts the mean labels of the training rows in the same leaf, so these rows
    are the basis of the prediction.

    Parameters
    ----------
    trees : ClusteringTrees
    X : array or sparse matrix of shape (n_rows, n_features)
        The rows to find.
    """

    def __init__(self, trees: ClusteringTrees, X: Any) -> None:
        self._trees = trees
        self._rows_of_leaf = self._leaves(X).T.tocsr()

    def _leaves(self, X: Any) -> sp.csr_array:
        """Return a matrix of rows and leaves, with 1 where a row is in a leaf."""
        places = self._trees.apply(X)
        ends = np.arange(len(places) + 1) * places.shape[1]
        parts = (np.ones(places.size, dtype=np.int32), places.ravel(), ends)
        return sp.csr_array(parts, (len(places), self._trees.feature.size))

    def nearest(self, X: Any, count: int) -> Iterator[tuple[IntArray, FloatArray]]:
        """Yield the nearest rows to each row, and the fraction of leaves not shared."""
        shared = (self._leaves(X) @ self._rows_of_leaf).tocsr()
        for row in range(shared.shape[0]):
            place = slice(shared.indptr[row], shared.indptr[row + 1])
            numbers, n_trees = shared.indices[place], shared.data[place]
            best = np.lexsort((numbers, -n_trees))[:count]
            yield numbers[best], 1 - n_trees[best] / self._trees.n_trees
