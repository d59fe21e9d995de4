"""Compute the quality of the constant predictor from counts, not individual cells."""

from collections.abc import Iterable

import numpy as np

from hilabel._typing import UNLABELED, BoolArray, IntArray, LabelArray
from hilabel.constraints import cap_by_parents
from hilabel.hierarchy import Hierarchy


def constant_average_precision(
    Y: LabelArray,
    nodes: Iterable[BoolArray],
    hierarchy: Hierarchy,
    folds: Iterable[tuple[IntArray, IntArray]],
) -> list[float]:
    """Return the out-of-fold micro average precision of the constant predictor.

    Within a fold, all rows have the same score for a given node, so counts per node and
    fold are sufficient.

    Parameters
    ----------
    Y : int8 array of shape (n_samples, n_nodes)
        Labels for training and scoring: 1, 0, and -1 in cells that are ignored.
    nodes : iterable of bool array of shape (n_nodes,)
        Sets of nodes to score; one value is returned for each.
    hierarchy : Hierarchy
    folds : iterable of (train, test) row numbers
    """
    counts = [
        ((part == 1).sum(axis=0), (part != UNLABELED).sum(axis=0))
        for part in (Y[test] for _, test in folds)
    ]
    n_true, n_known = (np.array(count) for count in zip(*counts))
    # Every labelled row is in one fold; the predictor is trained on the other folds.
    of_others = n_known.sum(axis=0) - n_known
    shares = (n_true.sum(axis=0) - n_true) / np.maximum(of_others, 1)
    scores = cap_by_parents(shares, hierarchy)
    thresholds, place = np.unique(scores, return_inverse=True)
    place = place.reshape(shares.shape)
    found = []
    for which in nodes:
        where = place[:, which].ravel()
        n_gained = np.bincount(where, n_true[:, which].ravel(), thresholds.size)
        n_cells = np.bincount(where, n_known[:, which].ravel(), thresholds.size)
        n_found, n_predicted = (np.cumsum(n[::-1])[::-1] for n in (n_gained, n_cells))
        precision = n_found / np.maximum(n_predicted, 1)
        found.append(float(np.sum(n_gained * precision) / max(n_found[0], 1)))
    return found
