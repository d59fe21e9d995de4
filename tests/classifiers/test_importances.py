"""Which features each node's classifier looks at."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from hilabel import Hierarchy
from hilabel.classifiers import (
    LocalClassifierPerNode,
    PredictiveClusteringForest,
    PredictiveClusteringTree,
    PriorClassifier,
    node_importances,
)
from hilabel.semi_supervised import SSHMCBLI, SSLPCT, SSLPCTForest

# Node a depends on the first column alone, node b on the second.
X = np.random.default_rng(0).normal(size=(60, 3))
Y = (X[:, :2] > 0).astype(np.int8)
FLAT = Hierarchy(["a", "b"])


@pytest.mark.parametrize(
    "base", [None, DecisionTreeClassifier(random_state=0), LogisticRegression(C=100)]
)
@pytest.mark.parametrize("method", [LocalClassifierPerNode, SSHMCBLI])
def test_each_node_names_its_own_column(method, base):
    model = method(FLAT, estimator=base, random_state=0).fit(X, Y)
    importances = node_importances(model)
    assert importances.argmax(axis=1).tolist() == [0, 1]
    np.testing.assert_allclose(importances.sum(axis=1), 1)


@pytest.mark.parametrize(
    "model",
    [PriorClassifier(FLAT), LocalClassifierPerNode(FLAT, estimator=GaussianNB())],
)
def test_there_are_none_where_nobody_can_say(model):
    assert node_importances(model.fit(X, Y)) is None


def test_a_constant_node_has_none():
    always = np.column_stack([np.ones(60, dtype=np.int8), Y[:, 1]])
    model = LocalClassifierPerNode(FLAT, estimator=DecisionTreeClassifier())
    with pytest.warns(UserWarning, match="no positive or no negative"):
        model.fit(X, always)
    assert node_importances(model)[0].tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    "model",
    [
        PredictiveClusteringTree(FLAT),
        PredictiveClusteringForest(FLAT, n_estimators=10, random_state=0),
        SSLPCT(FLAT, w=0.5),
        SSLPCTForest(FLAT, w=0.5, n_estimators=10, random_state=0),
        SSHMCBLI(FLAT, estimator=PredictiveClusteringTree(), n_neighbors=2),
    ],
    ids=repr,
)
def test_trees_of_all_nodes_say_what_each_node_looks_at(model):
    importances = node_importances(model.fit(X, Y))
    assert importances.argmax(axis=1).tolist() == [0, 1]
    np.testing.assert_allclose(importances.sum(axis=1), 1)
