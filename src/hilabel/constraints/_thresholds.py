"""Convert scores to label sets that are consistent by construction."""

from typing import Literal

import numpy as np

from hilabel import _engine
from hilabel._typing import BoolArray, FloatArray, MatrixLike
from hilabel._validation import check_scores
from hilabel.exceptions import ScoreError
from hilabel.hierarchy import Hierarchy


def labels_from_scores(
    scores: MatrixLike,
    hierarchy: Hierarchy,
    threshold: float | MatrixLike = 0.5,
    *,
    on_conflict: Literal["drop", "close"] = "drop",
) -> BoolArray:
    """Return consistent label sets, based on which scores reach a threshold.

    With a single threshold and consistent scores, conflicts cannot occur. With one
    threshold per node, a child may reach its threshold although its parent does not.

    Parameters
    ----------
    scores : array-like of shape (n_samples, n_nodes)
    hierarchy : Hierarchy
    threshold : float or array-like of shape (n_nodes,), default=0.5
        A score equal to the threshold counts as reaching it.
    on_conflict : {"drop", "close"}, default="drop"
        ``"drop"`` keeps a label only if all its ancestors are kept; ``"close"`` adds
        all ancestors of every label that reaches its threshold.

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


def path_from_scores(scores: MatrixLike, hierarchy: Hierarchy) -> BoolArray:
    """Return each row's highest-scoring leaf and all ancestors of that leaf.

    Use this function if each row has one path to a leaf. With a threshold, a row with
    only low scores would get no label, and a row with two high scores would get two
    paths.

    Parameters
    ----------
    scores : array-like of shape (n_samples, n_nodes)
    hierarchy : Hierarchy
        In a DAG, several paths may lead to the leaf; all of them are included.

    Returns
    -------
    bool ndarray of shape (n_samples, n_nodes)
        Among leaves with equal scores, the one whose ancestors have the higher sum of
        scores is chosen, then the first.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.constraints import path_from_scores
    >>> tree = Hierarchy.from_dict({"a": ["b", "c"]})
    >>> path_from_scores([[0.4, 0.1, 0.3]], tree)
    array([[ True, False,  True]])
    """
    values = check_scores(scores, (None, hierarchy.n_nodes))
    leaves = hierarchy.leaves
    of_leaves = values[:, leaves]
    is_best = of_leaves == of_leaves.max(axis=1, keepdims=True)
    above = values @ hierarchy.ancestor_matrix[leaves].T.astype(values.dtype)
    best = leaves[np.where(is_best, above, -np.inf).argmax(axis=1)]
    chosen = np.zeros(values.shape, dtype=bool)
    chosen[np.arange(best.size), best] = True
    return hierarchy.close(chosen)


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
