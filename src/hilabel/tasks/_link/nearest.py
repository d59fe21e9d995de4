"""Links from each row of a table to its nearest rows."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.utils import gen_batches

from hilabel._typing import FloatArray, IntArray
from hilabel.datasets import FeatureTable, TablePreparation
from hilabel.neighbors import make_search
from hilabel.tasks._link.choices import LinkChoices

N_NEAREST: Final = 10
_ROWS_AT_ONCE: Final = 2**16


def nearest_rows(
    rows: FeatureTable, targets: FeatureTable, choices: LinkChoices
) -> Iterator[pd.DataFrame]:
    """Yield the links of blocks of rows, as source, target and weight.

    The weight falls with the distance: it is 1 minus the distance of angles or
    correlations, and otherwise 1 / (1 + distance / median distance).

    Parameters
    ----------
    rows : FeatureTable
    targets : FeatureTable
        The rows that may be linked to, or ``rows`` itself. No row is linked to one
        with the same id.
    choices : LinkChoices
    """
    # Columns are scaled as those of the targets, which do not change with new rows.
    preparation = TablePreparation("mean", "standard").fit(targets)
    points = preparation.transform(targets)
    queries = points if rows is targets else preparation.transform(rows)
    metric = choices.metric
    if metric == "auto":
        metric = "cosine" if sp.issparse(points) else "euclidean"
    if metric == "correlation":
        points, queries, metric = _centered(points), _centered(queries), "cosine"
    own = pd.Index(targets.ids).get_indexer(pd.Index(rows.ids))
    is_among = bool((own >= 0).any())
    k = min(choices.n_links or N_NEAREST, points.shape[0] - is_among)
    if k < 1:
        return
    search = make_search("auto", metric, choices.n_jobs, random_state=0)
    indices, distances = search.nearest(queries, points, k + is_among)
    if is_among:
        indices, distances = _without_self(indices, distances, own)
    weights = _weights(distances, metric)
    ids, target_ids = (np.array(table.ids, dtype=object) for table in (rows, targets))
    for block in gen_batches(len(ids), _ROWS_AT_ONCE):
        near = weights[block] > 0
        yield pd.DataFrame(
            {
                "source": np.repeat(ids[block], near.sum(axis=1)),
                "target": target_ids[indices[block][near]],
                "weight": weights[block][near],
            }
        )


def _centered(X: Any) -> Any:
    """Return rows with mean 0; those of sparse matrices stay as they are."""
    return X if sp.issparse(X) else X - X.mean(axis=1, keepdims=True)


def _without_self(
    indices: IntArray, distances: FloatArray, own: IntArray
) -> tuple[IntArray, FloatArray]:
    """Return lists without the target with the id of the row, or else the last."""
    is_self = indices == own[:, None]
    # Among many equal rows, a row may not be in its own list.
    is_self[~is_self.any(axis=1), -1] = True
    shape = len(indices), indices.shape[1] - 1
    return indices[~is_self].reshape(shape), distances[~is_self].reshape(shape)


def _weights(distances: FloatArray, metric: str) -> FloatArray:
    if metric == "cosine":
        return np.clip(1 - distances, 0, None)
    median = float(np.median(distances)) or 1.0
    return 1 / (1 + distances / median)
