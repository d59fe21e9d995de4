"""The average precision of label frequencies if ties are broken at random."""

from typing import Any

import numpy as np

from hilabel._typing import FloatArray, LabelArray


def chance_precision(labels: LabelArray, prior: FloatArray) -> float:
    """Return the expected micro average precision of scores equal to label frequencies.

    If label frequencies are used as scores, all rows have the same scores, and average
    precision treats such ties pessimistically. The scores of an uninformative model
    differ at random, which increases its average precision by a few hundredths if there
    are few rows. For a fair comparison, ties are broken at random here.

    Parameters
    ----------
    labels : int8 array of shape (n_rows, n_nodes)
        1, 0, and -1 where unknown.
    prior : array of shape (n_nodes,)

    Returns
    -------
    float
        NaN without a positive label.
    """
    n_cells, n_positive = _ties(labels, prior)
    if n_positive.sum() == 0:
        return np.nan
    before, found = np.cumsum(n_cells) - n_cells, np.cumsum(n_positive) - n_positive
    total = 0.0
    for size, positives, start, above in zip(n_cells, n_positive, before, found):
        if positives:
            # Each position of the tie is positive with the same probability, and the
            # other positives are spread evenly over the other positions.
            earlier = np.arange(size)
            others = earlier * (positives - 1) / max(size - 1, 1)
            precision = (above + 1 + others) / (start + 1 + earlier)
            total += positives / size * precision.sum()
    return float(total / n_positive.sum())


def _ties(labels: LabelArray, prior: FloatArray) -> tuple[Any, Any]:
    """Return the numbers of cells and positives for each frequency, highest first."""
    _, tie = np.unique(-np.asarray(prior), return_inverse=True)
    n_cells = np.bincount(tie, (labels >= 0).sum(axis=0)).astype(int)
    n_positive = np.bincount(tie, (labels == 1).sum(axis=0)).astype(int)
    return n_cells, n_positive
