"""Check in one pass that arrays read from a file represent valid trees."""

from typing import Any

import numpy as np

from hilabel._typing import IntArray
from hilabel.forests._binning import MAX_BINS, FeatureBins


def is_walkable(
    roots: IntArray, feature: Any, cut: Any, left: Any, bins: FeatureBins
) -> bool:
    """Return whether every path from a root ends at a leaf of the same tree.

    The two children of a split must come after it, be adjacent and belong to that split
    only. These conditions ensure that every path ends and stays within its tree.

    Parameters
    ----------
    roots, feature, cut, left : ndarray
        As in ``NodeForests`` and ``ClusteringTrees``, with dtypes as declared there.
    bins : FeatureBins

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.forests import FeatureBins
    >>> from hilabel.forests._tree_proof import is_walkable
    >>> bins = FeatureBins(np.array([0, 1]), np.array([0.5]))
    >>> roots, cut = np.array([0, 3]), np.array([0, 255, 255], dtype=np.uint8)
    >>> feature = np.array([0, -1, -1], dtype=np.int32)
    >>> is_walkable(roots, feature, cut, np.array([1, 1, 2]), bins)
    True
    >>> is_walkable(roots, feature, cut, np.array([0, 1, 2]), bins)  # a cycle
    False
    """
    sizes = np.diff(roots)
    if not (roots.size and roots[0] == 0 and roots[-1] == feature.size):
        return False
    if not (sizes > 0).all():
        return False
    splits = np.flatnonzero(feature >= 0)
    tree = np.searchsorted(roots, splits, side="right") - 1
    place, child = splits - roots[tree], left[splits].astype(np.int64)
    if not ((child > place) & (child + 1 < sizes[tree])).all():
        return False
    # Every node but the roots is the child of one split.
    n_parents = np.bincount(child + roots[tree], minlength=feature.size)
    n_parents[1:] += n_parents[:-1].copy()
    n_parents[roots[:-1]] += 1
    return bool(
        (n_parents == 1).all()
        and (feature[splits] < bins.n_features).all()
        and (cut[splits] < MAX_BINS).all()
    )
