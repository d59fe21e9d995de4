"""What label frequencies score when rows of equal scores are ordered by chance."""

from typing import Any

import numpy as np

from hilabel._typing import FloatArray, LabelArray


def chance_precision(labels: LabelArray, prior: FloatArray) -> float:
    """Return the expected micro average precision of label frequencies.

    They give all rows the same scores, and average precision takes equal scores at
    their worst. A model that knows nothing orders the rows somehow, which is better by
    a few hundredths where rows are few. So rows are taken in random order here.

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
            # At each place of the tie there is a positive with the same probability,
            # and the others of the tie are spread evenly over the other places.
            earlier = np.arange(size)
            others = earlier * (positives - 1) / max(size - 1, 1)
            precision = (above + 1 + others) / (start + 1 + earlier)
            total += positives / size * precision.sum()
    return float(total / n_positive.sum())


def _ties(labels: LabelArray, prior: FloatArray) -> tuple[Any, Any]:
    """Return cells and positives of each frequency, the highest first."""
    _, tie = np.unique(-np.asarray(prior), return_inverse=True)
    n_cells = np.bincount(tie, (labels >= 0).sum(axis=0)).astype(int)
    n_positive = np.bincount(tie, (labels == 1).sum(axis=0)).astype(int)
    return n_cells, n_positive
