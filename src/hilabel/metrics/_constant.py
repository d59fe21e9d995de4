"""The constant predictor: label frequencies, which ignore the features."""

from typing import Any

import numpy as np

from hilabel import _engine
from hilabel._label_matrix import LabelMatrix
from hilabel._score_matrix import RepeatedScores, ScoreMatrix
from hilabel._typing import ArrayLike, FloatArray, IntArray
from hilabel.hierarchy import Hierarchy


def label_frequencies(
    n_positive: Any, n_known: Any, hierarchy: Hierarchy
) -> FloatArray:
    """Return the share of rows with each label, among the rows in which it is known.

    Shares of a node and of its parent may refer to different rows. They are capped so
    that no child is more frequent than a parent.

    Parameters
    ----------
    n_positive, n_known : array-like of shape (n_nodes,) or (n_parts, n_nodes)
        The numbers of rows, or their weights. Where no row is known, the share is 0.
    hierarchy : Hierarchy

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel.metrics import label_frequencies
    >>> h = Hierarchy.from_edges([("a", "b")])
    >>> label_frequencies(np.array([1, 1]), np.array([4, 2]), h)
    array([0.25, 0.25])
    """
    has_known = np.asarray(n_known) > 0
    shares = np.asarray(n_positive) / np.where(has_known, n_known, 1)
    rows = np.atleast_2d(np.ascontiguousarray(shares, dtype=np.float64))
    _engine.cap_rows(rows, hierarchy.edges_in_order)
    return rows.reshape(shares.shape)


def frequencies_without_folds(
    labels: LabelMatrix, fold: IntArray, n_folds: int, hierarchy: Hierarchy
) -> FloatArray:
    """Return, for each fold, the label frequencies in the rows of all other folds."""
    positive, known = labels.counts_by(fold, n_folds)
    # The total less the counts of the fold, so that no row is counted twice.
    others = positive.sum(axis=0) - positive, known.sum(axis=0) - known
    return label_frequencies(*others, hierarchy)


def constant_predictor(
    labels: LabelMatrix,
    fold: IntArray,
    hierarchy: Hierarchy,
    *,
    prior: ArrayLike | None = None,
) -> ScoreMatrix:
    """Return the scores of the constant predictor, which any method should exceed.

    Parameters
    ----------
    labels : LabelMatrix of shape (n_rows, n_nodes)
    fold : int array of shape (n_rows,)
        The fold of each row, numbered from 0. A row gets the label frequencies of the
        other folds.
    hierarchy : Hierarchy
    prior : array-like of shape (n_nodes,), optional
        Label frequencies of other rows, which all rows get instead.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel._label_matrix import LabelMatrix
    >>> from hilabel.metrics import constant_predictor
    >>> labels = LabelMatrix.of(np.array([[1, 0], [0, 0], [1, 1], [1, 1]]))
    >>> flat = Hierarchy(["a", "b"])
    >>> constant_predictor(labels, np.array([0, 0, 1, 1]), flat).read()
    array([[1. , 1. ],
           [1. , 1. ],
           [0.5, 0. ],
           [0.5, 0. ]])
    """
    if prior is None:
        n_folds = int(fold.max(initial=-1)) + 1
        shares = frequencies_without_folds(labels, fold, n_folds, hierarchy)
        return RepeatedScores(shares, fold)
    shares = np.asarray(prior, dtype=np.float64)[np.newaxis]
    return RepeatedScores(shares, np.zeros(len(labels), dtype=np.int64))
