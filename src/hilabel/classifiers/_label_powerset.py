"""Label powerset: every combination of labels in the data becomes one class."""

from typing import NamedTuple

import numpy as np

from hilabel._typing import BoolArray, FloatArray, IntArray


class Powerset(NamedTuple):
    """The distinct combinations of labels, and the combination of each row."""

    # Distinct combinations; those with lower labels come first and the empty one last,
    # so that ties between classes favour a label over none.
    combinations: BoolArray  # (n_classes, n_labels)
    codes: IntArray  # the combination of each row


def combine_labels(Y: BoolArray) -> Powerset:
    """Convert each row of labels to a class, with one class per distinct combination.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.classifiers._label_powerset import combine_labels
    >>> combine_labels(np.array([[True, True], [False, True], [True, True]]))
    Powerset(combinations=array([[ True,  True],
           [False,  True]]), codes=array([0, 1, 0]))
    """
    if Y.shape[1] == 0 or Y.shape[0] == 0:
        n_classes = min(1, Y.shape[0])
        empty = np.zeros((n_classes, Y.shape[1]), dtype=bool)
        return Powerset(empty, np.zeros(Y.shape[0], dtype=np.int64))
    absent, codes = np.unique(~Y, axis=0, return_inverse=True)
    # Only NumPy 2.0 returns codes with the number of dimensions of Y.
    return Powerset(~absent, codes.reshape(-1))


def label_marginals(scores: FloatArray, combinations: BoolArray) -> FloatArray:
    """Return the probability of each label: the sum over combinations that contain it.

    ``scores`` has shape (n_samples, n_classes), ``combinations`` has shape (n_classes,
    n_labels), and the result has shape (n_samples, n_labels).

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.classifiers._label_powerset import label_marginals
    >>> combinations = np.array([[True, False], [True, True]])
    >>> label_marginals(np.array([[0.25, 0.75]]), combinations)
    array([[1.  , 0.75]])
    """
    # Probabilities sum to 1 only up to rounding, so clip these sums.
    return np.minimum(scores @ combinations.astype(np.float64), 1.0)
