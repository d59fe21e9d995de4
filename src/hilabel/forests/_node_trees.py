"""Any number of binary trees, stored as flat arrays."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from hilabel import _engine
from hilabel._typing import FloatArray, IntArray


class NodeTrees(NamedTuple):
    """The arrays of several trees; all but ``roots`` have one entry per tree node."""

    roots: IntArray  # int64: the start of each tree, and the end of the last one
    feature: Any  # int32: the feature of a split, -1 in a leaf
    cut: Any  # uint8: rows with a code up to this go left
    missing: Any  # uint8: 1 if missing values go left
    # int32: the number of the left child within the tree; the right child is next to
    # it, and a leaf is its own child.
    left: Any
    value: Any  # float32: share of class 1

    def predict(self, codes: Any) -> FloatArray:
        """Return the leaf value for each row of codes, averaged over trees."""
        roots, feature, cut, missing, left, value = self
        n_features = codes.shape[1]
        trees = _engine.Trees(roots, feature, cut, missing, left, n_features)
        return _engine.mean_leaf_values(trees, value, codes)


_DTYPES = (np.int32, np.uint8, np.uint8, np.int32, np.float32)


def join_trees(parts: Sequence[NodeTrees]) -> NodeTrees:
    """Join trees that were grown separately, and renumber their roots accordingly."""
    if not parts:
        nothing = (np.empty(0, dtype=dtype) for dtype in _DTYPES)
        return NodeTrees(np.zeros(1, dtype=np.int64), *nothing)
    sizes = np.cumsum([0, *(part.roots[-1] for part in parts)])
    roots = [part.roots[:-1] + start for part, start in zip(parts, sizes)]
    joined = (np.concatenate(arrays) for arrays in list(zip(*parts))[1:])
    return NodeTrees(np.concatenate([*roots, sizes[-1:]]), *joined)
