"""Measures of label sets, such as hierarchical precision, recall and exact match."""

from typing import Any, Literal, NamedTuple

import numpy as np

from hilabel._typing import BoolArray, MatrixLike
from hilabel.hierarchy import Hierarchy
from hilabel.metrics._inputs import known_labels_and_predictions


class PrecisionRecallF1(NamedTuple):
    """Precision, recall and their harmonic mean.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.metrics import hierarchical_precision_recall_f1
    >>> h = Hierarchy.from_edges([("a", "b"), ("a", "c")])
    >>> found = hierarchical_precision_recall_f1([[1, 1, 0]], [[1, 0, 1]], h)
    >>> found.precision, found.recall
    (0.5, 0.5)
    """

    precision: float
    recall: float
    f1: float


def hierarchical_precision_recall_f1(
    Y: MatrixLike,
    labels: MatrixLike,
    hierarchy: Hierarchy | None = None,
    average: Literal["micro", "samples"] = "micro",
) -> PrecisionRecallF1:
    """Return precision, recall and F1 of label sets, including all ancestors.

    Parameters
    ----------
    Y : array-like, sparse matrix or DataFrame of shape (n_samples, n_nodes)
        True labels. Cells of -1 or NaN are ignored, after closing both sets.
    labels : array-like, sparse matrix or DataFrame of shape (n_samples, n_nodes)
        Predicted labels, 0/1 or bool.
    hierarchy : Hierarchy, optional
        If given, both sets are first closed over ancestors. None uses them unchanged.
    average : {"micro", "samples"}, default="micro"
        - ``"micro"``: shared labels summed over rows, divided by predicted (or true)
          labels summed over rows [1]_;
        - ``"samples"``: the mean of the values of each row. Rows without a known cell
          are ignored.

    Returns
    -------
    PrecisionRecallF1
        A named tuple (precision, recall, f1). If both sets are empty, all three are 1;
        if only the divisor is 0, the value is 0.

    Raises
    ------
    LabelError
        If the shapes differ, ``labels`` contains -1 or NaN, or no cell is labelled.

    References
    ----------
    .. [1] S. Kiritchenko, S. Matwin, A. F. Famili. Functional annotation of genes
       using hierarchical text categorization. BioLINK, 2005.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.metrics import hierarchical_precision_recall_f1
    >>> h = Hierarchy.from_edges([("a", "b"), ("a", "c")])
    >>> # The truth is {a, b}; c was predicted, which implies a.
    >>> hierarchical_precision_recall_f1([[1, 1, 0]], [[0, 0, 1]], h)
    PrecisionRecallF1(precision=0.5, recall=0.5, f1=0.5)
    >>> hierarchical_precision_recall_f1([[0, 0, 0]], [[0, 0, 0]], h).f1
    1.0
    """
    if average not in ("micro", "samples"):
        raise ValueError(f"Expected average 'micro' or 'samples', got {average!r}.")
    true, known, predicted = known_labels_and_predictions(Y, labels, hierarchy)
    if hierarchy is not None:
        true, predicted = hierarchy.close(true), hierarchy.close(predicted)
    n_shared = (true & predicted & known).sum(axis=1)
    n_predicted = (predicted & known).sum(axis=1)
    n_true = (true & known).sum(axis=1)
    if average == "micro":
        counts = [np.sum(n, keepdims=True) for n in (n_shared, n_predicted, n_true)]
    else:
        rows = known.any(axis=1)
        counts = [n[rows] for n in (n_shared, n_predicted, n_true)]
    n_shared, n_predicted, n_true = counts
    both_empty = n_predicted + n_true == 0
    return PrecisionRecallF1(
        _mean_ratio(n_shared, n_predicted, both_empty),
        _mean_ratio(n_shared, n_true, both_empty),
        _mean_ratio(2 * n_shared, n_predicted + n_true, both_empty),
    )


def hierarchical_precision(
    Y: MatrixLike,
    labels: MatrixLike,
    hierarchy: Hierarchy | None = None,
    average: Literal["micro", "samples"] = "micro",
) -> float:
    """Return the fraction of predicted labels, including ancestors, that are true.

    Parameters, conventions and errors are those of
    :func:`hierarchical_precision_recall_f1`.

    Examples
    --------
    >>> from hilabel.metrics import hierarchical_precision
    >>> hierarchical_precision([[1, 1, 0], [-1, -1, -1]], [[1, 0, 1], [1, 1, 1]])
    0.5
    """
    return hierarchical_precision_recall_f1(Y, labels, hierarchy, average).precision


def hierarchical_recall(
    Y: MatrixLike,
    labels: MatrixLike,
    hierarchy: Hierarchy | None = None,
    average: Literal["micro", "samples"] = "micro",
) -> float:
    """Return the fraction of true labels, including ancestors, that are predicted.

    Parameters, conventions and errors are those of
    :func:`hierarchical_precision_recall_f1`.

    Examples
    --------
    >>> from hilabel.metrics import hierarchical_recall
    >>> hierarchical_recall([[1, 1, 0]], [[1, 1, 1]])
    1.0
    """
    return hierarchical_precision_recall_f1(Y, labels, hierarchy, average).recall


def hierarchical_f1(
    Y: MatrixLike,
    labels: MatrixLike,
    hierarchy: Hierarchy | None = None,
    average: Literal["micro", "samples"] = "micro",
) -> float:
    """Return the harmonic mean of hierarchical precision and recall.

    With ``average="samples"``, it is the mean F1 over rows. Parameters, conventions and
    errors are those of :func:`hierarchical_precision_recall_f1`.

    Examples
    --------
    >>> from hilabel.metrics import hierarchical_f1
    >>> hierarchical_f1([[1, 1, 0]], [[1, 1, 1]])
    0.8
    """
    return hierarchical_precision_recall_f1(Y, labels, hierarchy, average).f1


def exact_match(Y: MatrixLike, labels: MatrixLike) -> float:
    """Return the fraction of rows whose known cells are all predicted correctly.

    Rows without a known cell are ignored. ``Y``, ``labels`` and errors are as in
    :func:`hierarchical_precision_recall_f1`.

    Examples
    --------
    >>> from hilabel.metrics import exact_match
    >>> exact_match([[1, 0], [1, 1], [-1, -1]], [[1, 0], [1, 0], [0, 0]])
    0.5
    """
    true, known, predicted = known_labels_and_predictions(Y, labels)
    is_right = ((true == predicted) | ~known).all(axis=1)
    return float(is_right[known.any(axis=1)].mean())


def hamming_loss(Y: MatrixLike, labels: MatrixLike) -> float:
    """Return the fraction of known cells that are predicted incorrectly.

    ``Y``, ``labels`` and errors are as in :func:`hierarchical_precision_recall_f1`.

    Examples
    --------
    >>> from hilabel.metrics import hamming_loss
    >>> hamming_loss([[1, 0], [1, -1]], [[1, 0], [0, 1]])  # 1 of 3 known cells
    0.3333333333333333
    """
    true, known, predicted = known_labels_and_predictions(Y, labels)
    return float(((true != predicted) & known).sum() / known.sum())


def matthews_correlation(Y: MatrixLike, labels: MatrixLike) -> float:
    """Return the Matthews correlation coefficient, averaged over nodes.

    ``Y``, ``labels`` and errors are as in :func:`hierarchical_precision_recall_f1`.

    Returns
    -------
    float
        From -1 to 1. A node whose true or predicted labels are all equal counts as 0.

    Examples
    --------
    >>> from hilabel.metrics import matthews_correlation
    >>> matthews_correlation([[1, 0], [0, 1], [-1, -1]], [[1, 1], [0, 0], [0, 0]])
    0.0
    """
    true, known, predicted = known_labels_and_predictions(Y, labels)
    true_positive = (true & predicted & known).sum(axis=0).astype(np.float64)
    n_true = (true & known).sum(axis=0)
    n_predicted = (predicted & known).sum(axis=0)
    n_known = known.sum(axis=0)
    covariance = true_positive * n_known - n_true * n_predicted
    spread = np.sqrt(
        (n_true * (n_known - n_true)).astype(np.float64)
        * (n_predicted * (n_known - n_predicted))
    )
    return _mean_ratio(covariance, spread, np.zeros(covariance.shape, dtype=bool))


def _mean_ratio(parts: Any, wholes: Any, both_empty: BoolArray) -> float:
    """Return the mean of parts / wholes; 0 / 0 is 1 if both sets are empty, else 0."""
    ratio = np.divide(
        parts, wholes, out=both_empty.astype(np.float64), where=wholes > 0
    )
    return float(ratio.mean())
