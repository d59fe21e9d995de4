"""Data frames of measures by node and by depth."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from hilabel._typing import ArrayLike, FloatArray, MatrixLike
from hilabel.hierarchy import Hierarchy
from hilabel.metrics._cells import Cells, count_at_least
from hilabel.metrics._inputs import cells_of, check_required_hierarchy
from hilabel.metrics._ranking import (
    average_precision_of,
    average_precision_per_node,
    pooled_average_precision,
)


def per_node_table(
    Y: MatrixLike, scores: MatrixLike, hierarchy: Hierarchy
) -> pd.DataFrame:
    """Return a table of measures with one row per node.

    Parameters
    ----------
    Y, scores : array-like of shape (n_samples, n_nodes)
        As in :func:`average_precision`.
    hierarchy : Hierarchy

    Returns
    -------
    DataFrame with one row per node and the columns
        ``node``, ``name``, ``title``, ``depth``; ``n_known`` and ``n_positive``, the
        number of known and of positive cells; ``prevalence``, their ratio, which is the
        average precision of a constant score; ``average_precision``, NaN without
        positives; ``roc_auc``, NaN without positives or without negatives.

    Raises
    ------
    LabelError, ScoreError
        As in :func:`average_precision`, or if ``Y`` does not match the hierarchy.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.metrics import per_node_table
    >>> h = Hierarchy.from_edges([("a", "b")])
    >>> table = per_node_table([[1, 0], [0, 0]], [[0.9, 0.1], [0.2, 0.1]], h)
    >>> table[["name", "depth", "n_positive", "prevalence", "average_precision"]]
      name  depth  n_positive  prevalence  average_precision
    0    a      1           1         0.5                1.0
    1    b      2           0         0.0                NaN
    """
    hierarchy = check_required_hierarchy(hierarchy)
    cells = cells_of(Y, scores, hierarchy)
    n_known, n_positive = cells.n_known, cells.n_positive
    prevalence = np.full(hierarchy.n_nodes, np.nan)
    np.divide(n_positive, n_known, out=prevalence, where=n_known > 0)
    return pd.DataFrame(
        {
            "node": np.arange(hierarchy.n_nodes),
            "name": hierarchy.names,
            "title": hierarchy.titles,
            "depth": hierarchy.depth,
            "n_known": n_known,
            "n_positive": n_positive,
            "prevalence": prevalence,
            **_ranking_per_node(cells),
        }
    )


def per_depth_table(
    Y: MatrixLike,
    scores: MatrixLike,
    hierarchy: Hierarchy,
    prior: ArrayLike | None = None,
) -> pd.DataFrame:
    """Return a table of measures with one row per depth of the hierarchy.

    Parameters
    ----------
    Y, scores : array-like of shape (n_samples, n_nodes)
        As in :func:`average_precision`.
    hierarchy : Hierarchy
    prior : array-like of shape (n_nodes,), optional
        Frequency of each node in the training rows. A classifier should at least score
        higher than these frequencies do for every row.

    Returns
    -------
    DataFrame with one row per depth and the columns
        ``depth``, ``n_nodes``, ``n_nodes_with_positives``, ``n_positive``;
        ``micro_average_precision``, over the pooled cells of the depth;
        ``macro_average_precision``, the mean over its nodes with positives; with
        ``prior``, also ``constant_average_precision``, the value of ``prior`` alone
        over the pooled cells. All three are NaN at depths without positives.

    Raises
    ------
    LabelError, ScoreError
        As in :func:`average_precision`, or if ``Y`` does not match the hierarchy.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.metrics import per_depth_table
    >>> h = Hierarchy.from_edges([("a", "b")])
    >>> table = per_depth_table([[1, 1], [0, 0]], [[0.9, 0.1], [0.2, 0.3]], h)
    >>> table[["depth", "n_nodes", "micro_average_precision"]]
       depth  n_nodes  micro_average_precision
    0      1        1                      1.0
    1      2        1                      0.5
    """
    hierarchy = check_required_hierarchy(hierarchy)
    cells = cells_of(Y, scores, hierarchy)
    constant = None if prior is None else _check_prior(prior, hierarchy.n_nodes)
    per_node = average_precision_per_node(cells)
    rows = []
    for depth in range(1, hierarchy.max_depth + 1):
        nodes = np.flatnonzero(hierarchy.depth == depth)
        here = cells.of_nodes(nodes)
        values = per_node[nodes]
        values = values[~np.isnan(values)]
        row: dict[str, Any] = {
            "depth": depth,
            "n_nodes": nodes.size,
            "n_nodes_with_positives": values.size,
            "n_positive": int(here.n_positive.sum()),
            "micro_average_precision": pooled_average_precision(here),
            "macro_average_precision": values.mean() if values.size else np.nan,
        }
        if constant is not None:
            row["constant_average_precision"] = _average_precision_of_constant(
                constant[nodes], here
            )
        rows.append(row)
    return pd.DataFrame(rows)


def _average_precision_of_constant(constant: FloatArray, cells: Cells) -> float:
    """Return the average precision if each node has one score in all rows."""
    score, which = np.unique(constant, return_inverse=True)
    n_known = np.bincount(which, cells.n_known, score.size)
    n_known = np.append(np.cumsum(n_known[::-1])[::-1], 0)
    found = np.repeat(constant, cells.n_positive)
    return average_precision_of(found, lambda at: n_known[np.searchsorted(score, at)])


def _check_prior(prior: ArrayLike, n_nodes: int) -> FloatArray:
    values = np.asarray(prior, dtype=np.float64)
    if values.shape != (n_nodes,) or not np.isfinite(values).all():
        raise ValueError(
            f"Expected prior of shape ({n_nodes},), one finite frequency per node, got "
            f"shape {values.shape}."
        )
    return values


def _ranking_per_node(cells: Cells) -> dict[str, FloatArray]:
    precision, area = [], []
    for is_positive, is_known, column in cells.columns():
        found = column[is_positive]
        count = partial(count_at_least, column[is_known])
        precision.append(average_precision_of(found, count))
        area.append(_roc_auc(found, column[is_known & ~is_positive]))
    return {"average_precision": np.array(precision), "roc_auc": np.array(area)}


def _roc_auc(positive_scores: FloatArray, negative_scores: FloatArray) -> float:
    """Return the probability that a positive outscores a negative; ties count half."""
    if not positive_scores.size or not negative_scores.size:
        return float("nan")
    # Negatives below all positives, usually most of them, need not be sorted.
    ranked = np.sort(negative_scores[negative_scores >= positive_scores.min()])
    n_lower = negative_scores.size - ranked.size
    n_below = n_lower + np.searchsorted(ranked, positive_scores, side="left")
    n_not_above = n_lower + np.searchsorted(ranked, positive_scores, side="right")
    return float((n_below + n_not_above).mean() / (2 * negative_scores.size))
