"""Turn scores into label sets that are consistent by construction."""

from typing import Literal

import numpy as np

from hilabel import _engine
from hilabel._typing import BoolArray, FloatArray, MatrixLike
from hilabel._validation import check_scores
from hilabel.exceptions import ScoreError
from hilabel.hierarchy import Hierarchy

__all__ = ["labels_from_scores"]


def labels_from_scores(
    scores: MatrixLike,
    hierarchy: Hierarchy,
    threshold: float | MatrixLike = 0.5,
    *,
    on_conflict: Literal["drop", "close"] = "drop",
) -> BoolArray:
    """Choose the labels whose score reaches a threshold, kept consistent.

    With one threshold for all nodes and consistent scores there is never a conflict.
    Thresholds per node can put a child in and its parent out.

    Parameters
    ----------
    scores : array-like of shape (n_samples, n_nodes)
    hierarchy : Hierarchy
    threshold : float or array-like of shape (n_nodes,), default=0.5
        A score equal to the threshold is in.
    on_conflict : {"drop", "close"}, default="drop"
        ``"drop"`` takes a label only if all its ancestors are taken; ``"close"``
        takes all the ancestors of every label that reaches its threshold.

    Returns
    -------
    bool ndarray of shape (n_samples, n_nodes)

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.constraints import labels_from_scores
    >>> chain = Hierarchy.from_edges([("a", "b")])
    >>> labels_from_scores([[0.6, 0.4]], chain, threshold=[0.7, 0.3])
    array([[False, False]])
    >>> labels_from_scores([[0.6, 0.4]], chain, [0.7, 0.3], on_conflict="close")
    array([[ True,  True]])
    """
    if on_conflict not in ("drop", "close"):
        raise ValueError(
            f"Expected on_conflict 'drop' or 'close', got {on_conflict!r}."
        )
    values = check_scores(scores, (None, hierarchy.n_nodes))
    labels = np.ascontiguousarray(values >= _check_threshold(threshold, hierarchy))
    if on_conflict == "close":
        return hierarchy.close(labels)
    _engine.keep_supported(labels, hierarchy.edges_in_order)
    return labels


def _check_threshold(threshold: float | MatrixLike, hierarchy: Hierarchy) -> FloatArray:
    array = np.asarray(threshold, dtype=np.float64)
    if array.ndim and array.shape != (hierarchy.n_nodes,):
        raise ScoreError(
            f"Expected one threshold, or {hierarchy.n_nodes}, one per node, "
            f"got an array of shape {array.shape}."
        )
    if np.isnan(array).any():
        raise ScoreError("Expected thresholds to be numbers, got NaN.")
    return array
