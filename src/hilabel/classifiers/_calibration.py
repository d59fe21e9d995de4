"""Undo the effect of balanced sampling on probabilities."""

import numpy as np

from hilabel._typing import FloatArray


def correct_prior(
    scores: FloatArray, trained_share: FloatArray, true_share: FloatArray
) -> FloatArray:
    """Correct each node's probabilities for its fraction of positives in training.

    If a fraction s of a node's training rows was positive and the true fraction is p,
    the odds of the node are multiplied by p / (1 - p) * (1 - s) / s. This makes scores
    comparable across nodes, as micro-averaged measures require. Scores are unchanged
    for nodes whose training fraction is NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.classifiers._calibration import correct_prior
    >>> half, tenth = np.full(2, 0.5), np.full(2, 0.1)
    >>> correct_prior(np.array([[0.5, 1.0]]), trained_share=half, true_share=tenth)
    array([[0.1, 1. ]])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = true_share / (1 - true_share) * (1 - trained_share) / trained_share
        weighted = scores * factor
        # p f / (p f + (1 - p)): the odds multiplied by f, without infinite odds.
        corrected = weighted / (weighted + (1 - scores))
    return np.where(np.isfinite(factor) & np.isfinite(corrected), corrected, scores)
