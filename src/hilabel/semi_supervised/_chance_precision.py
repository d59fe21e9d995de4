"""The average precision of label frequencies if ties are broken at random."""

import numpy as np

from hilabel._typing import FloatArray, IntArray


def chance_precision(
    n_positive: IntArray, n_known: IntArray, prior: FloatArray
) -> float:
    """Return the expected micro average precision of scores equal to label frequencies.

    If label frequencies are used as scores, all rows have the same scores, and average
    precision treats such ties pessimistically. The scores of an uninformative model
    differ at random, which increases its average precision by a few hundredths if there
    are few rows. For a fair comparison, ties are broken at random here.

    Parameters
    ----------
    n_positive, n_known : int array of shape (n_nodes,)
        The number of rows with each node, and of rows in which it is known.
    prior : array of shape (n_nodes,)

    Returns
    -------
    float
        NaN without a positive label.
    """
    _, tie = np.unique(-np.asarray(prior), return_inverse=True)
    in_tie = np.bincount(tie, n_known).astype(int)
    found_in_tie = np.bincount(tie, n_positive).astype(int)
    if found_in_tie.sum() == 0:
        return np.nan
    before = np.cumsum(in_tie) - in_tie
    found = np.cumsum(found_in_tie) - found_in_tie
    total = 0.0
    for size, positives, start, above in zip(in_tie, found_in_tie, before, found):
        if positives:
            # Each position of the tie is positive with the same probability, and the
            # other positives are spread evenly over the other positions.
            earlier = np.arange(size)
            others = earlier * (positives - 1) / max(size - 1, 1)
            precision = (above + 1 + others) / (start + 1 + earlier)
            total += positives / size * precision.sum()
    return float(total / found_in_tie.sum())
