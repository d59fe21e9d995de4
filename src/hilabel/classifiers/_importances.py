"""Feature importances for each node, where its classifier provides them."""

from typing import Any

import numpy as np

from hilabel._typing import FloatArray
from hilabel.classifiers._predictive_clustering import BaseClusteringClassifier


def node_importances(estimator: Any) -> FloatArray | None:
    """Return the importance of each feature for each node, or None if unavailable.

    For forests and trees, the importance is the mean decrease in impurity. For linear
    classifiers, it is the absolute value of the coefficient, so columns should have the
    same scale. Each row sums to 1, or to 0 for a node without a classifier or without
    importances. For trees that predict all nodes together, the gain of each split is
    computed for each node separately.

    Parameters
    ----------
    estimator : fitted hierarchical classifier
        For a semi-supervised method, the final classifier is used.

    Returns
    -------
    ndarray of shape (n_nodes, n_features) or None
        None if no classifier has importances.

    Examples
    --------
    >>> from hilabel.classifiers import LocalClassifierPerNode, node_importances
    >>> from hilabel.datasets import make_artificial
    >>> data = make_artificial()
    >>> model = LocalClassifierPerNode(data.hierarchy, random_state=0)
    >>> _ = model.fit(data.X_labeled, data.Y_labeled)
    >>> node_importances(model).sum(axis=1)
    array([1., 1., 1., 1., 1., 1.])
    """
    estimator = getattr(estimator, "estimator_", estimator)
    if isinstance(estimator, BaseClusteringClassifier):
        return estimator.node_importances()
    forests = getattr(estimator, "forests_", None)
    if forests is not None and forests.importances is not None:
        return np.nan_to_num(forests.importances.astype(np.float64))
    models = getattr(estimator, "estimators_", None)
    if models is None:
        return None
    rows = [_of_classifier(model) for model in models]
    if all(row is None for row in rows):
        return None
    importances = np.zeros((len(rows), estimator.n_features_in_))
    for node, row in enumerate(rows):
        if row is not None and row.sum() > 0:
            importances[node] = row / row.sum()
    return importances


def _of_classifier(model: Any) -> FloatArray | None:
    importances = getattr(model, "feature_importances_", None)
    if importances is not None:
        return np.asarray(importances)
    coefficients = getattr(model, "coef_", None)
    return None if coefficients is None else np.abs(coefficients).ravel()
