"""The most important features for each term."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from hilabel._typing import FloatArray, IntArray, LabelArray
from hilabel.classifiers import LinearClassifier, node_importances
from hilabel.models import TableModel
from hilabel.report.page._bounds import FEATURES_PER_TERM, MOST_TERMS_WITH_FEATURES
from hilabel.report.page._given_rows import GivenRows

# With fewer rows, any feature may seem important by chance.
_FEWEST_POSITIVES: Final = 3
# A larger matrix of terms and features would take too long.
_MOST_CELLS: Final = 50_000_000
_NODES_AT_ONCE: Final = 500

COEFFICIENTS: Final = "coefficients"
SCALED_COEFFICIENTS: Final = "coefficients of scaled columns"
IMPORTANCES: Final = "feature importance (sum 1)"
DIFFERENCES: Final = (
    "difference between the means of rows with and without the term, in standard "
    "deviations; computed from the labelled rows, not from the model"
)


@dataclass(frozen=True, eq=False)
class ImportantFeatures:
    """The most important features for each term.

    Attributes
    ----------
    kind : str
        A short description of the weights.
    of_node : mapping of int to list of (str, float)
        The features of each node with their weights, strongest first.
    """

    kind: str
    of_node: Mapping[int, Sequence[tuple[str, float]]]


def important_features(
    model: TableModel, rows: GivenRows | None
) -> ImportantFeatures | None:
    """Return the most important features for each term, from the model if possible.

    Parameters
    ----------
    model : TableModel
    rows : GivenRows or None
        With labelled training rows, for models without coefficients or importances.
    """
    estimator, names = model.estimator, model.feature_names
    nodes = _frequent(model.n_positive)
    if isinstance(estimator, LinearClassifier):
        kind = SCALED_COEFFICIENTS if estimator.scale else COEFFICIENTS
        largest: dict[int, Any] = {}
        for part in gen_batches(nodes.size, _NODES_AT_ONCE):
            weights = estimator.coef_[nodes[part]].toarray()
            largest |= _strongest(kind, names, nodes[part], weights).of_node
        return ImportantFeatures(kind, largest)
    if model.hierarchy.n_nodes * len(names) <= _MOST_CELLS:
        weights = node_importances(estimator)
        # A classifier with views has more columns than the table.
        if weights is not None and weights.shape[1] == len(names):
            return _strongest(IMPORTANCES, names, nodes, weights[nodes])
    training = None if rows is None else rows.training_rows
    if training is None:
        return None
    positive = model.marks[training.numbers]
    found: dict[int, Any] = {}
    for part in gen_batches(nodes.size, _NODES_AT_ONCE):
        Y = (positive[:, nodes[part]].toarray() > 0).view(np.int8)
        weights = mean_differences(training.X, Y)
        found |= _strongest(DIFFERENCES, names, nodes[part], weights).of_node
    return ImportantFeatures(DIFFERENCES, found)


def mean_differences(X: Any, Y: LabelArray) -> FloatArray:
    """Return the differences between column means in units of standard deviations.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_rows, n_features)
        Missing values count as the mean of their column.
    Y : int8 array of shape (n_rows, n_nodes)
        1, 0, and -1 where unknown.

    Returns
    -------
    ndarray of shape (n_nodes, n_features)
        Mean of the rows with the label minus that of the rows without it. 0 where a
        column does not vary, or all known labels of a node are equal.
    """
    X, spread = _filled(X)
    has, lacks = (Y == 1).astype(np.float64), (Y == 0).astype(np.float64)
    difference = _means(has, X) - _means(lacks, X)
    np.divide(difference, spread, out=difference, where=spread > 0)
    difference[:, spread == 0] = 0
    difference[~(has.any(axis=0) & lacks.any(axis=0))] = 0
    return difference


def _means(which: FloatArray, X: Any) -> FloatArray:
    """Return the means of the rows selected by each column of a 0/1 matrix."""
    count = np.maximum(which.sum(axis=0), 1)[:, None]
    return np.asarray(which.T @ X) / count


def _filled(X: Any) -> tuple[Any, FloatArray]:
    """Return X with missing values filled, and the columns' standard deviations."""
    if sp.issparse(X):
        X = sp.csr_array(X, copy=True)
        X.data = np.nan_to_num(X.data)
        square = np.asarray(X.multiply(X).mean(axis=0)).ravel()
        mean = np.asarray(X.mean(axis=0)).ravel()
        return X, np.sqrt(np.maximum(square - mean**2, 0))
    X = np.asarray(X, dtype=np.float64)
    is_known = ~np.isnan(X)
    n_known = np.maximum(is_known.sum(axis=0), 1)
    mean = np.where(is_known, X, 0).sum(axis=0) / n_known
    X = np.where(is_known, X - mean, 0)  # centring changes no difference
    return X, np.sqrt((X**2).sum(axis=0) / n_known)


def _frequent(n_positive: IntArray) -> IntArray:
    """Return the most frequent nodes, without very rare ones."""
    nodes = np.argsort(-n_positive, kind="stable")[:MOST_TERMS_WITH_FEATURES]
    return nodes[n_positive[nodes] >= _FEWEST_POSITIVES]


def _strongest(
    kind: str, names: Sequence[str], nodes: IntArray, weights: FloatArray
) -> ImportantFeatures:
    """Return the columns with the largest absolute weights for each node."""
    order = np.argsort(-np.abs(weights), axis=1, kind="stable")[:, :FEATURES_PER_TERM]
    return ImportantFeatures(
        kind,
        {
            int(node): [
                (names[column], float(row[column]))
                for column in best
                if row[column] != 0
            ]
            for node, best, row in zip(nodes, order, weights, strict=True)
        },
    )
