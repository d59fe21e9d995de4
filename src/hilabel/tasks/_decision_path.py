"""The way of one row through trees that predict the whole hierarchy."""

from typing import Any, Final

import numpy as np
import pandas as pd
import scipy.sparse as sp

from hilabel._typing import FloatArray
from hilabel.forests import ClusteringTrees
from hilabel.persistence import TableModel

FEATURES_SHOWN: Final = 10


def decision_path(model: TableModel, X: Any) -> pd.DataFrame:
    """Return what trees ask on a row's way; see :class:`Explanation`.

    ``X``, (1, n_features), is the row as the classifier sees it; values are shown as
    they were before scaling. The table is empty if the classifier is not a tree or
    forest for the whole hierarchy, or sees columns that the table does not have.
    """
    trees = getattr(inner_classifier(model), "trees_", None)
    if not isinstance(trees, ClusteringTrees):
        return pd.DataFrame()
    center, spread = model.preparation.scaling()
    row = X.toarray() if sp.issparse(X) else X
    values = row[0] * spread + center
    passed = trees.splits_passed(X)
    if trees.n_trees == 1:
        return _decisions(model, trees, passed, trees.apply(X)[0, 0], values)
    return _features_asked(model, trees, passed, values)


def inner_classifier(model: TableModel) -> Any:
    """Return the classifier that sees the columns of the table."""
    if hasattr(model.estimator, "views_"):  # its classifier sees those of views too
        return model.estimator
    return getattr(model.estimator, "estimator_", model.estimator)


def _decisions(
    model: TableModel, trees: ClusteringTrees, passed: Any, leaf: Any, values: Any
) -> pd.DataFrame:
    """Return the decisions of one tree, from its root down."""
    names = np.array(model.feature_names, dtype=object)
    is_right = np.append(passed, leaf)[1:] != trees.left[passed]
    feature = trees.feature[passed]
    cases = zip(
        names[feature],
        values[feature],
        np.where(is_right, ">", "<="),
        _thresholds(model, trees, passed),
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
    model: TableModel, trees: ClusteringTrees, passed: Any, values: Any
) -> pd.DataFrame:
    """Return the features that most trees of a forest ask on the way."""
    asked = pd.DataFrame(
        {
            "feature": trees.feature[passed],
            "tree": trees.tree_of(passed),
            "threshold": _thresholds(model, trees, passed),
        }
    )
    found = asked.groupby("feature").agg({"tree": "nunique", "threshold": "median"})
    found = found.sort_values("tree", ascending=False, kind="stable")
    found = found.head(FEATURES_SHOWN)
    shown = found.index.to_numpy(dtype=np.intp)
    return pd.DataFrame(
        {
            "feature": [model.feature_names[number] for number in shown],
            "value": values[shown],
            "share": found["tree"].to_numpy() / trees.n_trees,
            "median_threshold": found["threshold"].to_numpy(),
        }
    )


def _thresholds(model: TableModel, trees: ClusteringTrees, passed: Any) -> FloatArray:
    """Return the thresholds of splits as they would be before scaling."""
    feature = trees.feature[passed]
    center, spread = model.preparation.scaling()
    return np.asarray(trees.threshold_of(passed) * spread[feature] + center[feature])
