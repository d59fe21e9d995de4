"""SISI: the similarity of a row to a set of rows."""

from typing import Any, Literal

import numpy as np

from hilabel._typing import BoolArray, FloatArray, MatrixLike
from hilabel.neighbors import Metric

Average = Literal["pairs", "members"]


def set_similarity(
    distances: FloatArray,
    pair_distances: FloatArray,
    members: BoolArray,
    span: float,
    average: Average,
) -> FloatArray:
    """Return the SISI of each row with respect to its own set of neighbours.

    Let *u* be the mean distance of the row to the members and *l* the mean distance
    between members. The similarity is 1 for u <= l and 0 for u >= span * l, and falls
    linearly in between (the paper's equation for SISI).

    Parameters
    ----------
    distances : ndarray of shape (n_rows, k)
        Distances from the row to each of its neighbours.
    pair_distances : ndarray of shape (n_rows, k, k)
        Distances between those neighbours.
    members : bool array of shape (n_rows, k)
        Which neighbours are in the set.
    span : float
        The paper's n, above 1.
    average : {"pairs", "members"}
        Divide the summed pair distances by the number of pairs, as in the paper, or
        by the number of members, as for the published scores. Both agree for three
        members.

    Returns
    -------
    ndarray of shape (n_rows,)
        0 for sets of fewer than two members, which have no pair distances.
    """
    size = members.sum(axis=1)
    both = members[:, :, None] & members[:, None, :]
    pair_sum = np.where(both, pair_distances, 0.0).sum(axis=(1, 2)) / 2
    n_pairs = size * (size - 1) / 2
    divisor = n_pairs if average == "pairs" else size
    u = np.where(members, distances, 0.0).sum(axis=1) / np.maximum(size, 1)
    l = pair_sum / np.maximum(divisor, 1)  # noqa: E741 - the paper's letter
    slope = np.divide(l - u, (span - 1) * l, out=np.zeros_like(l), where=l > 0)
    score = np.where(u <= l, 1.0, np.where(u >= span * l, 0.0, 1.0 + slope))
    return np.where(size < 2, 0.0, score)


def similarity_to_set(
    p: MatrixLike,
    A: MatrixLike,
    *,
    span: float = 3.0,
    average: Average = "pairs",
    metric: Any = "euclidean",
) -> float:
    """Return SISI(p, A), the similarity of one row to a set of rows.

    Parameters
    ----------
    p : array-like of shape (n_features,)
    A : array-like of shape (k, n_features)
        At least one row. A single row scores 0.
    span, average
        As for pseudo-labelling; see :class:`PseudoLabelSettings`.
    metric : str or callable, default="euclidean"

    Returns
    -------
    float
        1 if the row is as near as the others are to each other, 0 if it is far away.

    Examples
    --------
    >>> from hilabel.pseudo_labeling import similarity_to_set
    >>> similarity_to_set([4, 0], [[0, 0], [2, 0]])
    0.75
    >>> similarity_to_set([1, 1], [[1, 1], [1, 1]])  # all coincide
    1.0
    """
    row = np.atleast_2d(np.asarray(p, dtype=np.float64))
    others = np.asarray(A, dtype=np.float64)
    if others.ndim != 2 or others.shape[0] == 0 or others.shape[1] != row.shape[1]:
        raise ValueError(
            f"Expected A of shape (k, {row.shape[1]}) with at least one row, "
            f"got {others.shape}."
        )
    compare = Metric(metric)
    scores = set_similarity(
        compare.between(row, others),
        compare.between(others, others)[None],
        np.ones((1, others.shape[0]), dtype=bool),
        span,
        average,
    )
    return float(scores[0])
