"""Scorers for scikit-learn's model selection."""

from typing import Any

import numpy as np

from hilabel._typing import UNLABELED, IntArray, MatrixLike
from hilabel.metrics._inputs import known_labels
from hilabel.metrics._ranking import average_precision

__all__ = ["average_precision_scorer"]


def average_precision_scorer(estimator: Any, X: MatrixLike, Y: MatrixLike) -> float:
    """Return the pooled average precision of a fitted estimator; higher is better.

    To be given as ``scoring`` to ``GridSearchCV``, ``cross_val_score`` and the like.

    Parameters
    ----------
    estimator : object
        Fitted, with ``predict_proba(X)`` of shape (n_samples, n_nodes).
    X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
    Y : array-like, sparse matrix or DataFrame of shape (n_samples, n_nodes)
        Rows without a known cell are not even predicted.

    Returns
    -------
    float

    Raises
    ------
    LabelError
        If no row is labelled: use splits that put labelled rows in every part.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.metrics import average_precision_scorer
    >>> class Constant:
    ...     def predict_proba(self, X):
    ...         return np.tile([0.8, 0.1], (len(X), 1))
    >>> X, Y = np.zeros((3, 1)), np.array([[1, 0], [1, 0], [-1, -1]])
    >>> average_precision_scorer(Constant(), X, Y)
    1.0
    """
    positive, known = known_labels(Y)
    rows = np.flatnonzero(known.any(axis=1))
    labels = np.where(known, positive, UNLABELED).astype(np.int8)[rows]
    return average_precision(labels, estimator.predict_proba(_take(X, rows)))


def _take(X: MatrixLike, rows: IntArray) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X[rows] if hasattr(X, "shape") else [X[row] for row in rows]
