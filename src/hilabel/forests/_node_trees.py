"""Trees of 0 and 1, as many as wanted, in flat arrays."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from hilabel import _engine
from hilabel._typing import FloatArray, IntArray

__all__ = ["NodeTrees", "join_trees"]


class NodeTrees(NamedTuple):
    """The arrays of some trees, one after the other; all but ``roots`` by tree node.

    Attributes
    ----------
    roots : int64, of shape (n_trees + 1,)
        Where each tree begins, and the last one ends.
    feature : int32
        The feature of a split, -1 in a leaf.
    cut : uint8
        Rows with a code up to it go left.
    missing : uint8
        1 if missing values go left.
    left : int32
        Number of the left child in its tree; the right one is the next. A leaf is its
        own left child.
    value : float32
        Share of class 1.
    """

    roots: IntArray
    feature: Any
    cut: Any
    missing: Any
    left: Any
    value: Any

    def predict(self, codes: Any) -> FloatArray:
        """Return the mean over trees of the values of leaves, per row of codes."""
        roots, feature, cut, missing, left, value = self
        n_features = codes.shape[1]
        trees = _engine.Trees(roots, feature, cut, missing, left, n_features)
        return _engine.mean_leaf_values(trees, value, codes)


_DTYPES = (np.int32, np.uint8, np.uint8, np.int32, np.float32)


def join_trees(parts: Sequence[NodeTrees]) -> NodeTrees:
    """Join trees grown apart; roots are shifted to the joined arrays."""
    if not parts:
        nothing = (np.empty(0, dtype=dtype) for dtype in _DTYPES)
        return NodeTrees(np.zeros(1, dtype=np.int64), *nothing)
    sizes = np.cumsum([0, *(part.roots[-1] for part in parts)])
    roots = [part.roots[:-1] + start for part, start in zip(parts, sizes)]
    joined = (np.concatenate(arrays) for arrays in list(zip(*parts))[1:])
    return NodeTrees(np.concatenate([*roots, sizes[-1:]]), *joined)
