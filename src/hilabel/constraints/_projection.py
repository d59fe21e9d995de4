"""Adjust scores so that no child scores higher than a parent."""

from typing import Any

import numpy as np

from hilabel import _engine
from hilabel._typing import FloatArray, MatrixLike
from hilabel._validation import check_scores
from hilabel.hierarchy import Hierarchy


def cap_by_parents(scores: MatrixLike, hierarchy: Hierarchy) -> FloatArray:
    """Lower each score to the minimum over the node and its ancestors.

    This is the post-processing step of the paper [1]_, whose formula mentions only
    parents. Visiting parents first propagates the cap from the roots to the leaves.

    Parameters
    ----------
    scores : array-like of shape (n_samples, n_nodes)
    hierarchy : Hierarchy

    Returns
    -------
    ndarray of shape (n_samples, n_nodes)
        A new array, nowhere higher than ``scores``.

    References
    ----------
    .. [1] Serrano-Pérez and Sucar, "Semi-Supervised Hierarchical Multi-Label
       Classifier Based on Local Information", the equation for f*.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.constraints import cap_by_parents
    >>> chain = Hierarchy.from_edges([("a", "b"), ("b", "c")])
    >>> cap_by_parents([[0.4, 0.9, 0.6]], chain)
    array([[0.4, 0.4, 0.4]])
    """
    capped = _writable_copy(scores, hierarchy)
    _engine.cap_rows(capped, hierarchy.edges_in_order)
    return capped


def cap_in_place(scores: FloatArray, hierarchy: Hierarchy) -> FloatArray:
    """Return scores capped as by :func:`cap_by_parents`, overwriting them if possible.

    Parameters
    ----------
    scores : float ndarray of shape (n_samples, n_nodes)
    hierarchy : Hierarchy
    """
    is_usual = scores.dtype in (np.float32, np.float64)
    if not (is_usual and scores.flags.c_contiguous and scores.flags.writeable):
        return cap_by_parents(scores, hierarchy)
    _engine.cap_rows(scores, hierarchy.edges_in_order)
    return scores


def raise_to_children(scores: MatrixLike, hierarchy: Hierarchy) -> FloatArray:
    """Raise each score to the maximum over the node and its descendants.

    This is the counterpart of :func:`cap_by_parents`: high scores of children take
    precedence over low scores of parents.

    Parameters
    ----------
    scores : array-like of shape (n_samples, n_nodes)
    hierarchy : Hierarchy

    Returns
    -------
    ndarray of shape (n_samples, n_nodes)
        A new array, nowhere lower than ``scores``.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.constraints import raise_to_children
    >>> chain = Hierarchy.from_edges([("a", "b"), ("b", "c")])
    >>> raise_to_children([[0.4, 0.9, 0.6]], chain)
    array([[0.9, 0.9, 0.6]])
    """
    raised = _writable_copy(scores, hierarchy)
    _engine.raise_rows(raised, hierarchy.edges_in_order)
    return raised


def _writable_copy(scores: MatrixLike, hierarchy: Hierarchy) -> Any:
    checked = check_scores(scores, (None, hierarchy.n_nodes))
    is_usual = checked.dtype in (np.float32, np.float64)
    return np.array(checked, dtype=None if is_usual else np.float64, order="C")
