"""The features that say most about each term."""

import numpy as np
import pytest
import scipy.sparse as sp

from hilabel import Hierarchy
from hilabel.classifiers import (
    LinearClassifier,
    NeighborsClassifier,
    PredictiveClusteringForest,
    node_importances,
)
from hilabel.models import model_of_estimator
from hilabel.report.page import GivenRows
from hilabel.report.page._features import important_features, mean_differences

NAMES = ["noise", "signal", "constant"]


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    Y = (np.arange(60)[:, None] < [[30, 20]]).astype(np.int8)
    X = random.normal(size=(60, 3))
    X[:, 1] += 3 * Y[:, 0] - 3 * Y[:, 1]
    X[:, 2] = 7
    return X, Y


def test_differences_of_means_are_those_of_the_definition(rows):
    X, Y = rows
    Y = Y.copy()
    Y[5, 0] = -1  # a row that nobody knows of
    X = X.copy()
    X[6, 1] = np.nan
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    found = mean_differences(X, Y)
    has, lacks = filled[Y[:, 0] == 1], filled[Y[:, 0] == 0]
    expected = (has.mean(axis=0) - lacks.mean(axis=0))[:2] / np.nanstd(X, axis=0)[:2]
    np.testing.assert_allclose(found[0, :2], expected)
    assert found[0, 2] == 0


def test_sparse_rows_differ_as_dense_ones_do(rows):
    X, Y = rows
    dense = np.where(X > 0.5, X, 0)
    np.testing.assert_allclose(
        mean_differences(sp.csr_array(dense), Y), mean_differences(dense, Y), atol=1e-9
    )


def test_a_term_that_all_rows_have_has_no_telling_feature(rows):
    X, Y = rows
    assert not mean_differences(X, np.ones_like(Y)).any()


@pytest.mark.parametrize(
    ("method", "kind"),
    [
        (LinearClassifier, "coefficients"),
        (PredictiveClusteringForest, "feature importance"),
        (NeighborsClassifier, "difference between the means of rows"),
    ],
)
def test_it_is_said_where_the_weights_come_from(method, kind, rows):
    X, Y = rows
    estimator = method(Hierarchy.from_edges([("a", "b")])).fit(X, Y)
    model, given = shown(estimator, X, Y)
    found = important_features(model, given)
    assert found.kind.startswith(kind)
    name, weight = found.of_node[0][0]
    assert name == "signal"
    if method is PredictiveClusteringForest:
        assert weight == node_importances(estimator)[0].max()
    if method is LinearClassifier:
        assert weight == estimator.coef_[0, 1] > 0


def shown(estimator, X, Y):
    model = model_of_estimator(estimator, X, Y, feature_names=NAMES)
    return model, GivenRows(model, model.sample_ids, X)


def test_rare_terms_have_none_and_without_rows_nor_does_a_model_that_cannot_say(rows):
    X, Y = rows
    few = np.zeros_like(Y)
    few[:2] = 1
    forest = PredictiveClusteringForest(n_estimators=5).fit(X, few)
    assert important_features(*shown(forest, X, few)).of_node == {}
    neighbors = NeighborsClassifier().fit(X, Y)
    assert important_features(shown(neighbors, X, Y)[0], None) is None
