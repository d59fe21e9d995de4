"""The quality of the constant predictor, from counts instead of cells."""

from collections.abc import Iterable

import numpy as np

from hilabel._typing import UNLABELED, IntArray, LabelArray
from hilabel.classifiers import PriorClassifier
from hilabel.hierarchy import Hierarchy


def constant_average_precision(
    labels: Iterable[LabelArray],
    Y: LabelArray,
    hierarchy: Hierarchy,
    folds: Iterable[tuple[IntArray, IntArray]],
) -> list[float]:
    """Return the micro average precision of the constant predictor out of fold.

    In a fold all rows have the same score in a node, so that counts of nodes and folds
    say as much as all cells.

    Parameters
    ----------
    labels : iterable of int8 array of shape (n_samples, n_nodes)
        Each is measured: 1, 0, and -1 in cells that do not count.
    Y : int8 array of shape (n_samples, n_nodes)
        What the predictor learns from.
    hierarchy : Hierarchy
    folds : iterable of (train, test) row numbers
    """
    folds, measured = list(folds), list(labels)
    scores = []
    for train, _ in folds:
        nothing = np.zeros((len(train), 1))
        model = PriorClassifier(hierarchy).fit(nothing, Y[train])
        scores.append(model.prior_)
    thresholds, place = np.unique(np.concatenate(scores), return_inverse=True)
    found = []
    for known in measured:
        tested = [known[test] for _, test in folds]
        n_true = np.concatenate([(part == 1).sum(axis=0) for part in tested])
        n_known = np.concatenate([(part != UNLABELED).sum(axis=0) for part in tested])
        n_gained = np.bincount(place, n_true, thresholds.size)
        n_cells = np.bincount(place, n_known, thresholds.size)
        n_found, n_predicted = (np.cumsum(n[::-1])[::-1] for n in (n_gained, n_cells))
        precision = n_found / np.maximum(n_predicted, 1)
        found.append(float(np.sum(n_gained * precision) / max(n_found[0], 1)))
    return found
