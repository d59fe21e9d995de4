"""Ranking measures: average precision and the precision-recall curve."""

from collections.abc import Callable
from functools import partial
from typing import Literal, overload

import numpy as np

from hilabel._typing import FloatArray, IntArray, MatrixLike
from hilabel._warning import warn_user
from hilabel.metrics._blocks import is_large
from hilabel.metrics._cells import Cells, count_at_least
from hilabel.metrics._inputs import cells_of
from hilabel.metrics._thresholds import distinct_scores

_AVERAGES = ("micro", "macro", "weighted", None)


@overload
def average_precision(
    Y: MatrixLike,
    scores: MatrixLike,
    average: Literal["micro", "macro", "weighted"] = "micro",
) -> float: ...


@overload
def average_precision(
    Y: MatrixLike, scores: MatrixLike, average: None
) -> FloatArray: ...


def average_precision(
    Y: MatrixLike,
    scores: MatrixLike,
    average: Literal["micro", "macro", "weighted"] | None = "micro",
) -> float | FloatArray:
    """Return the average precision, a summary of the precision-recall curve.

    It is the sum, over all distinct scores, of the precision times the increase in
    recall, both computed on the cells with at least that score. Cells with equal scores
    are counted together, so their order does not matter. The values are those of
    :func:`sklearn.metrics.average_precision_score` on the known cells.

    Parameters
    ----------
    Y : array-like, sparse matrix or DataFrame of shape (n_samples, n_nodes)
        1 or True, 0 or False; cells of -1 or NaN are ignored.
    scores : array-like of shape (n_samples, n_nodes)
        Higher means more likely. Any finite numbers.
    average : {"micro", "macro", "weighted"} or None, default="micro"
        - ``"micro"``: one ranking of all cells pooled, known as AU(PRC) in the
          literature on hierarchical classification [1]_;
        - ``"macro"``: the mean over the nodes with positives. Nodes without positives
          have no average precision and are ignored;
        - ``"weighted"``: the same, weighted by the number of positives of each node;
        - ``None``: the value of each node.

    Returns
    -------
    float, or ndarray of shape (n_nodes,) with NaN for nodes without positives
        Without any positive, a float result is 0.0 and a warning is issued.

    Raises
    ------
    LabelError
        If no cell of ``Y`` is labelled.
    ScoreError
        If ``scores`` does not have the shape of ``Y`` or is not finite.

    References
    ----------
    .. [1] C. Vens, J. Struyf, L. Schietgat, S. Džeroski, H. Blockeel. Decision trees
       for hierarchical multi-label classification. Machine Learning 73, 2008.

    Examples
    --------
    >>> from hilabel.metrics import average_precision
    >>> Y = [[1, 0], [1, 0], [-1, -1]]  # the last row is unlabelled
    >>> scores = [[0.9, 0.2], [0.3, 0.4], [0.0, 1.0]]
    >>> round(average_precision(Y, scores), 4)  # positives at ranks 1 and 3 of 4
    0.8333
    >>> average_precision(Y, scores, average=None)  # the second node has no positive
    array([ 1., nan])
    """
    if average not in _AVERAGES:
        raise ValueError(
            "Expected average to be 'micro', 'macro', 'weighted' or None, got "
            f"{average!r}."
        )
    cells = cells_of(Y, scores)
    if average is None:
        return average_precision_per_node(cells)
    n_positive = cells.n_positive
    if not n_positive.any():
        warn_user(
            "Average precision is undefined without positive labels; returning 0.0. "
            "Check that Y has a 1 in a labelled row."
        )
        return 0.0
    if average == "micro":
        return pooled_average_precision(cells)
    per_node = average_precision_per_node(cells)
    has_positives = n_positive > 0
    weights = n_positive[has_positives] if average == "weighted" else None
    return float(np.average(per_node[has_positives], weights=weights))


def precision_recall_curve(
    Y: MatrixLike, scores: MatrixLike, max_points: int | None = None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the precision-recall curve for all known cells, pooled over nodes.

    The conventions are those of :func:`sklearn.metrics.precision_recall_curve`.

    Parameters
    ----------
    Y, scores : array-like of shape (n_samples, n_nodes)
        As in :func:`average_precision`.
    max_points : int, optional
        Keep this many thresholds, evenly spaced among the distinct scores or, with more
        than ten million cells, among the scores of positives.

    Returns
    -------
    precision, recall : ndarray of shape (n_thresholds + 1,)
        Values if all cells with at least this score are predicted; the last values are
        1 and 0. Without positives, recall is 1 and a warning is issued.
    thresholds : ndarray of shape (n_thresholds,)
        The distinct scores, ascending.

    Raises
    ------
    LabelError, ScoreError
        As in :func:`average_precision`.

    Examples
    --------
    >>> from hilabel.metrics import precision_recall_curve
    >>> precision, recall, thresholds = precision_recall_curve(
    ...     [[1, 0, -1]], [[0.8, 0.5, 0.9]]  # the last cell is unlabelled
    ... )
    >>> precision, recall, thresholds
    (array([0.5, 1. , 1. ]), array([1., 1., 0.]), array([0.5, 0.8]))
    """
    cells = cells_of(Y, scores)
    found = np.sort(cells.found())
    is_coarse = max_points is not None and is_large(cells) and found.size > 0
    thresholds = np.unique(found) if is_coarse else distinct_scores(cells)
    if max_points is not None:
        kept = np.linspace(0, thresholds.size - 1, max_points).astype(np.int64)
        thresholds = thresholds[np.unique(kept)]
    n_true = found.size - np.searchsorted(found, thresholds)
    n_predicted = cells.count_at_least(thresholds)
    if found.size:
        recall = n_true / found.size
    else:
        warn_user(
            "Recall is undefined without positive labels; returning 1.0. Check that Y "
            "has a 1 in a labelled row."
        )
        recall = np.ones(thresholds.size)
    return np.append(n_true / n_predicted, 1.0), np.append(recall, 0.0), thresholds


# For the other modules of this folder, with validated input ---------------------


def pooled_average_precision(cells: Cells) -> float:
    """Return the average precision over all known cells; NaN if none is positive."""
    return average_precision_of(cells.found(), cells.count_at_least)


def average_precision_per_node(cells: Cells) -> FloatArray:
    """Return the average precision of each node; NaN if it has no positives."""
    return np.array(
        [
            average_precision_of(
                column[is_positive], partial(count_at_least, column[is_known])
            )
            for is_positive, is_known, column in cells.columns()
        ]
    )


def average_precision_of(
    found: FloatArray, count: Callable[[FloatArray], IntArray]
) -> float:
    """Return the sum, over all thresholds, of the gain in recall times the precision.

    ``found`` contains the scores of the positives; ``count`` returns the number of
    cells that reach each of the ascending thresholds. This only requires sorted values,
    and sorting values is several times faster than computing the indices that sort
    them.
    """
    if found.size == 0:
        return float("nan")
    found = np.sort(found)
    starts = _starts_of_runs(found)
    n_true = found.size - starts
    n_predicted = count(found[starts])
    n_gained = np.diff(starts, append=found.size)
    return float(np.sum(n_gained * (n_true / n_predicted)) / found.size)


def _starts_of_runs(ascending: FloatArray) -> IntArray:
    """Return the first position of each distinct value in a non-empty sorted array."""
    return np.flatnonzero(np.append(True, ascending[1:] != ascending[:-1]))
