"""Scorers for scikit-learn's model selection."""

from typing import Any

import numpy as np

from hilabel._compat import _safe_indexing
from hilabel._typing import UNLABELED, MatrixLike
from hilabel._validation import is_frame
from hilabel.metrics._inputs import known_labels
from hilabel.metrics._ranking import average_precision


def average_precision_scorer(estimator: Any, X: MatrixLike, y: MatrixLike) -> float:
    """Return the pooled average precision of a fitted estimator; higher is better.

    Pass this function as ``scoring`` to ``GridSearchCV``, ``cross_val_score`` and
    similar functions.

    Parameters
    ----------
    estimator : object
        Fitted, with ``predict_proba(X)`` of shape (n_samples, n_nodes).
    X : array, sparse matrix or DataFrame of shape (n_samples, n_features)
    y : array-like, sparse matrix or DataFrame of shape (n_samples, n_nodes)
        Rows without a known cell are not predicted. The columns of a DataFrame are
        matched with the names in ``estimator.classes_``, if these are the same.

    Raises
    ------
    LabelError
        If no row is labelled. Use splits with labelled rows in every part.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.metrics import average_precision_scorer
    >>> class Constant:
    ...     def predict_proba(self, X):
    ...         return np.tile([0.8, 0.1], (len(X), 1))
    >>> X, y = np.zeros((3, 1)), np.array([[1, 0], [1, 0], [-1, -1]])
    >>> average_precision_scorer(Constant(), X, y)
    1.0
    """
    positive, known = known_labels(_ordered(y, getattr(estimator, "classes_", ())))
    rows = np.flatnonzero(known.any(axis=1))
    labels = np.where(known, positive, UNLABELED).astype(np.int8)[rows]
    scores = estimator.predict_proba(_safe_indexing(X, rows))
    return average_precision(labels, scores.to_numpy() if is_frame(scores) else scores)


def _ordered(y: MatrixLike, names: Any) -> Any:
    """Put the columns of a data frame in the order of ``names``, if the names match."""
    if not is_frame(y):
        return y
    columns = [str(column) for column in y.columns]
    # A list of arrays, as in multi-output trees, names classes, not columns.
    if np.ndim(names) != 1 or sorted(columns) != sorted(map(str, names)):
        return y.to_numpy()
    return y.to_numpy()[:, [columns.index(str(name)) for name in names]]
