"""Boosted trees for one yes-or-no question, on features encoded as bins."""

from collections import deque
from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np
from scipy.special import expit
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

from hilabel._compat import boosted_nodes
from hilabel._saved_types import Array, Number, saved_type
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.forests._binning import MAX_BINS, FeatureBins
from hilabel.forests._node_trees import NodeTrees, join_trees
from hilabel.forests._tree_proof import is_walkable


@saved_type
@dataclass(frozen=True, eq=False)
class BoostedTrees:
    """Boosted trees, grown by scikit-learn and stored as the trees of forests are.

    A model file thus contains numbers alone, which are checked when it is loaded.

    Attributes
    ----------
    bins : FeatureBins
    start : float
        The log odds to which the trees add.
    roots, feature, cut, missing, left, value : ndarray
        As in ``NodeForests``; values are added.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.forests import BoostedTrees
    >>> X = np.arange(60.0)[:, None]
    >>> trees = BoostedTrees.grow(X, X[:, 0] >= 30, n_trees=20)
    >>> trees.predict(np.array([[4.0], [50.0]])).round(1)
    array([0.1, 0.9], dtype=float32)
    """

    bins: FeatureBins
    start: Annotated[float, Number(-1e9, 1e9)]
    roots: Annotated[IntArray, Array("i8", ("n_roots",), 0)]
    feature: Annotated[Any, Array("i4", ("n_tree_nodes",), -1)]
    cut: Annotated[Any, Array("u1", ("n_tree_nodes",))]
    missing: Annotated[Any, Array("u1", ("n_tree_nodes",), 0, 1)]
    left: Annotated[Any, Array("i4", ("n_tree_nodes",), 0)]
    value: Annotated[Any, Array("f4", ("n_tree_nodes",), -1e9, 1e9)]

    @classmethod
    def grow(
        cls,
        X: FloatArray,
        y: BoolArray,
        *,
        n_trees: int = 100,
        max_leaf_nodes: int = 31,
        learning_rate: float = 0.1,
        min_leaf: int = 20,
    ) -> Self:
        """Grow trees on dense rows without missing values, of both classes.

        Parameters
        ----------
        X : array of shape (n_rows, n_features)
        y : bool array of shape (n_rows,)
        n_trees, max_leaf_nodes, min_leaf : int
        learning_rate : float
        """
        bins = FeatureBins.from_matrix(X)
        codes = np.asarray(bins.code(X).codes.T, dtype=np.float64)
        model = HistGradientBoostingClassifier(
            learning_rate=learning_rate,
            max_iter=n_trees,
            max_leaf_nodes=max_leaf_nodes,
            min_samples_leaf=min_leaf,
            max_bins=MAX_BINS,
            early_stopping=False,
            random_state=0,  # without effect, except on the rows that bins are drawn on
        )
        # Sums depend on the number of threads, in their last digits; and threads that
        # wait for each other take minutes where another process needs a core.
        with threadpool_limits(1, user_api="openmp"):
            model.fit(codes, y)
        start, trees = boosted_nodes(model)
        return cls(bins, start, *join_trees([_as_node_tree(one) for one in trees]))

    def is_sound(self) -> bool:
        """Return whether the trees are valid; used to check model files."""
        return is_walkable(self.roots, self.feature, self.cut, self.left, self.bins)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.bins.n_features

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return self.roots.size - 1

    def predict(self, X: FloatArray) -> FloatArray:
        """Return the probability of yes for each row.

        Parameters
        ----------
        X : array of shape (n_rows, n_features)
            Without missing values.

        Returns
        -------
        float32 ndarray of shape (n_rows,)
        """
        found = np.empty(X.shape[0], dtype=np.float32)
        trees = NodeTrees(
            self.roots, self.feature, self.cut, self.missing, self.left, self.value
        )
        for rows, codes in self.bins.row_blocks(X):
            total = self.n_trees * trees.predict(codes).astype(np.float64)
            found[rows] = expit(self.start + total)
        return found


def _as_node_tree(nodes: Any) -> NodeTrees:
    """Return a tree of scikit-learn with the two children of a split side by side."""
    order, waiting = [0], deque([0])
    left = np.arange(len(nodes), dtype=np.int32)
    place = 0
    while waiting:
        node = nodes[waiting.popleft()]
        if not node["is_leaf"]:
            left[place] = len(order)
            children = int(node["left"]), int(node["right"])
            order.extend(children)
            waiting.extend(children)
        place += 1
    sorted_nodes = nodes[np.array(order)]
    is_leaf = sorted_nodes["is_leaf"].astype(bool)
    # Values are codes: a row goes left with a code up to the threshold.
    cut = np.clip(np.floor(sorted_nodes["num_threshold"]), 0, MAX_BINS - 1)
    return NodeTrees(
        np.array([0, len(nodes)], dtype=np.int64),
        np.where(is_leaf, -1, sorted_nodes["feature_idx"]).astype(np.int32),
        np.where(is_leaf, MAX_BINS, cut).astype(np.uint8),
        np.zeros(len(nodes), dtype=np.uint8),
        left,
        sorted_nodes["value"].astype(np.float32),
    )
