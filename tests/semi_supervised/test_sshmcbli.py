"""SSHMCBLI: the problems it handles and its default classifier."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from hilabel import Hierarchy
from hilabel.classifiers import LocalClassifierPerNode
from hilabel.datasets import make_artificial
from hilabel.semi_supervised import SSHMCBLI


@pytest.mark.parametrize(
    "hierarchy",
    [
        Hierarchy.from_edges([("a", "b"), ("b", "d")], nodes=["a", "b", "c", "d"]),
        Hierarchy.from_edges([("a", "c"), ("b", "c"), ("c", "d")]),
        Hierarchy(["a", "b", "c", "d"]),
    ],
    ids=["tree", "DAG", "no edges"],
)
def test_every_kind_of_hierarchy_gives_consistent_predictions(hierarchy):
    random = np.random.default_rng(0)
    X = random.random((80, 2))
    corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    nearest = ((X[:, None] - corners[None]) ** 2).sum(axis=2).argmin(axis=1)
    Y = hierarchy.close(np.eye(4, dtype=bool)[nearest]).astype(int)
    Y[30:] = -1
    model = SSHMCBLI(hierarchy, estimator=LogisticRegression()).fit(X, Y)
    labels = model.predict(X)
    scores = model.predict_proba(X)
    assert hierarchy.is_consistent(labels == 1)
    for node in range(4):
        for parent in hierarchy.parents(node):
            assert (scores[:, node] <= scores[:, parent]).all()
    assert (model.labeled_iter_[30:] > 0).sum() > 25


def test_no_hierarchy_means_no_edges():
    data = make_artificial()
    model = SSHMCBLI(estimator=LogisticRegression()).fit(
        data.X_labeled, data.Y_labeled, data.X_unlabeled
    )
    assert model.hierarchy_ == Hierarchy([str(node) for node in range(6)])
    assert model.predict(data.X_test).shape == (300, 6)


def test_default_classifier_is_one_per_node_with_the_same_seed():
    data = make_artificial()
    problem = data.X_labeled, data.Y_labeled, data.X_unlabeled
    model = SSHMCBLI(data.hierarchy, random_state=3).fit(*problem)
    assert type(model.estimator_) is LocalClassifierPerNode
    assert model.estimator_.policy == "balanced_bottom_up"
    again = SSHMCBLI(data.hierarchy, random_state=3).fit(*problem)
    np.testing.assert_array_equal(
        model.predict_proba(data.X_test), again.predict_proba(data.X_test)
    )
