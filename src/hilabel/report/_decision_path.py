"""The path of one row through trees that predict the whole hierarchy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
import pandas as pd
import scipy.sparse as sp

from hilabel._typing import FloatArray
from hilabel.forests import ClusteringTrees
from hilabel.semi_supervised import inner_classifier

FEATURES_SHOWN: Final = 10


@dataclass(frozen=True, eq=False)
class RowReading:
    """The names and scaling of the columns that a classifier uses.

    Attributes
    ----------
    names : sequence of str
    center, spread : ndarray of shape (n_features,)
        The value subtracted from each column in preprocessing, and its divisor.

    Examples
    --------
    >>> from hilabel.report import RowReading
    >>> RowReading.as_seen(["length", "weight"]).spread
    array([1., 1.])
    """

    names: Sequence[str]
    center: FloatArray
    spread: FloatArray

    @classmethod
    def as_seen(cls, names: Sequence[str]) -> Self:
        """Create an instance for columns that were not scaled."""
        return cls(names, np.zeros(len(names)), np.ones(len(names)))


def decision_path(estimator: Any, X: Any, reading: RowReading) -> pd.DataFrame:
    """Return the splits on the path of a row through the trees of a classifier.

    Parameters
    ----------
    estimator : fitted hierarchical classifier
    X : array or sparse matrix of shape (1, n_features)
        The row as passed to the classifier; the values returned are those before
        scaling.
    reading : RowReading

    Returns
    -------
    DataFrame
        For one tree, its decisions from the root down: ``decision``, ``value`` of the
        row, and ``rows``, the number of training rows at the split. For a forest:
        ``feature``, ``value``, ``share`` of the trees with the feature on the path, and
        ``median_threshold``. Empty if the classifier is not a tree or forest for the
        whole hierarchy, or uses columns that the table does not have.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.classifiers import PredictiveClusteringTree
    >>> from hilabel.report import RowReading, decision_path
    >>> X, y = np.arange(8.0)[:, None], np.arange(8)[:, None] > 3
    >>> tree = PredictiveClusteringTree().fit(X, y)
    >>> decision_path(tree, X[:1], RowReading.as_seen(["length"])).decision[0]
    'length <= 3.5'
    """
    trees = getattr(inner_classifier(estimator), "trees_", None)
    if not isinstance(trees, ClusteringTrees):
        return pd.DataFrame()
    row = X.toarray() if sp.issparse(X) else X
    values = row[0] * reading.spread + reading.center
    passed = trees.splits_passed(X)
    if trees.n_trees == 1:
        return _decisions(reading, trees, passed, trees.apply(X)[0, 0], values)
    return _features_asked(reading, trees, passed, values)


def _decisions(
    reading: RowReading, trees: ClusteringTrees, passed: Any, leaf: Any, values: Any
) -> pd.DataFrame:
    """Return the decisions for the row in one tree, from the root down."""
    names = np.array(reading.names, dtype=object)
    is_right = np.append(passed, leaf)[1:] != trees.left[passed]
    feature = trees.feature[passed]
    cases = zip(
        names[feature],
        values[feature],
        np.where(is_right, ">", "<="),
        _thresholds(reading, trees, passed),
        strict=True,
    )
    return pd.DataFrame(
        {
            "decision": [_decision(*case) for case in cases],
            "value": values[feature],
            "rows": trees.weight[passed].astype(np.int64),
        }
    )


def _decision(name: str, value: float, sign: str, threshold: float) -> str:
    if np.isnan(threshold):  # a split between known and missing values
        return f"{name} {'missing' if np.isnan(value) else 'known'}"
    if np.isnan(value):
        return f"{name} missing, as {sign} {threshold:.6g}"
    return f"{name} {sign} {threshold:.6g}"


def _features_asked(
    reading: RowReading, trees: ClusteringTrees, passed: Any, values: Any
) -> pd.DataFrame:
    """Return the features that occur on the row's path in the most trees."""
    feature, threshold = trees.feature[passed], _thresholds(reading, trees, passed)
    asked = np.unique(np.column_stack([feature, trees.tree_of(passed)]), axis=0)
    names, n_trees = np.unique(asked[:, 0], return_counts=True)
    best = np.argsort(-n_trees, kind="stable")[:FEATURES_SHOWN]
    shown = names[best].astype(np.intp)
    return pd.DataFrame(
        {
            "feature": [reading.names[number] for number in shown],
            "value": values[shown],
            "share": n_trees[best] / trees.n_trees,
            "median_threshold": [
                _median(threshold[feature == number]) for number in shown
            ],
        }
    )


def _median(values: FloatArray) -> float:
    """Return the median of the values that are not NaN, or NaN if there are none."""
    known = values[~np.isnan(values)]
    return float(np.median(known)) if known.size else float("nan")


def _thresholds(reading: RowReading, trees: ClusteringTrees, passed: Any) -> FloatArray:
    """Return the thresholds of splits in the original units, with scaling undone."""
    feature = trees.feature[passed]
    spread, center = reading.spread[feature], reading.center[feature]
    return np.asarray(trees.threshold_of(passed) * spread + center)
