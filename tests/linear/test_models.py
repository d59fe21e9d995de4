"""Outputs of linear models, and probabilities of nodes."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from oracles import linear as oracle
from scipy.special import expit
from strategies import hierarchies_with_scores

from hilabel import Hierarchy
from hilabel.constraints import cap_by_parents
from hilabel.linear import LinearModels, LinearSettings, node_probabilities


@pytest.fixture
def models():
    weights = sp.random_array((7, 30), density=0.3, rng=0, dtype=np.float32)
    bias = np.linspace(-1, 1, 7, dtype=np.float32)
    return LinearModels(sp.csr_array(weights), bias)


def test_outputs_of_sparse_and_dense_rows_are_products(models):
    X = sp.random_array((50, 30), density=0.2, rng=1).toarray()
    expected = X @ models.weights.toarray().T + models.bias
    for rows in (X, sp.csr_array(X), sp.csr_matrix(X)):
        np.testing.assert_allclose(models.outputs(rows), expected, rtol=1e-4, atol=1e-5)


def test_no_rows_have_no_outputs(models):
    assert models.outputs(np.empty((0, 30))).shape == (0, 7)
    assert models.outputs(sp.csr_array((0, 30))).shape == (0, 7)


def test_models_of_tasks_are_put_in_the_order_of_nodes():
    tasks = [[2, 0], [1]]
    first = np.array([0, 1, 3]), np.array([4, 0, 1], np.int32)
    second = np.array([0, 0]), np.empty(0, np.int32)
    found = [
        (*first, np.array([1, 2, 3], np.float32), np.array([20, 0], np.float32)),
        (*second, np.empty(0, np.float32), np.array([10], np.float32)),
    ]
    models = LinearModels.assembled(tasks, found, 5)
    np.testing.assert_array_equal(models.bias, [0, 10, 20])
    expected = [[2, 3, 0, 0, 0], [0] * 5, [0, 0, 0, 0, 1]]
    np.testing.assert_array_equal(models.weights.toarray(), expected)


@given(hierarchies_with_scores())
def test_probabilities_are_products_or_capped(case):
    hierarchy, scores = case
    outputs = np.asarray(scores, dtype=np.float32)
    settings = LinearSettings()
    found = node_probabilities(outputs.copy(), hierarchy, settings)
    expected = oracle.multiply_by_parents(expit(outputs), hierarchy)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    settings = LinearSettings("squared_hinge", "mined")
    found = node_probabilities(outputs.copy(), hierarchy, settings)
    expected = cap_by_parents(expit(3 * outputs), hierarchy)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_a_node_with_two_parents_follows_the_lower_one():
    h = Hierarchy.from_edges([("a", "c"), ("b", "c")])
    outputs = np.array([[np.log(9), 0.0, 0.0]], dtype=np.float32)
    order = [h.node(name) for name in "abc"]
    found = node_probabilities(outputs[:, np.argsort(order)], h, LinearSettings())
    np.testing.assert_allclose(found[:, order], [[0.9, 0.5, 0.25]], rtol=1e-6)
