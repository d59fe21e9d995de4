"""Undo what balanced sampling does to probabilities."""

import numpy as np

from hilabel._typing import FloatArray


def correct_prior(
    scores: FloatArray, trained_share: FloatArray, true_share: FloatArray
) -> FloatArray:
    """Move every node's probabilities from the share trained on to the true share.

    A node trained on a share s of positives whose true share is p has its odds
    multiplied by p / (1 - p) * (1 - s) / s. Scores become comparable between nodes,
    which micro-averaged measures assume. Nodes whose trained share is NaN are left as
    they are.

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
        # p f / (p f + (1 - p)): the odds multiplied by f, without their infinity.
        corrected = weighted / (weighted + (1 - scores))
    return np.where(np.isfinite(factor) & np.isfinite(corrected), corrected, scores)
