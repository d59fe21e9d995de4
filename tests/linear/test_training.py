"""Linear models beside a general optimiser, whatever the threads and the build."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings as hypothesis_settings, strategies as st
from oracles import linear as oracle

from hilabel import Hierarchy
from hilabel._label_matrix import LabelMatrix
from hilabel.linear import LOSSES, NEGATIVES, LinearRows, LinearSettings, train_models

DIAMOND = Hierarchy.from_edges([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
# Until the optimum, and without losing any weight.
EXACT = LinearSettings(cost=0.5, pruning=0, tolerance=1e-7, max_passes=10_000)


def problem(seed, n_rows=70, unknown=0.0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 5)) * (random.random((n_rows, 5)) < 0.6)
    signal = X @ random.normal(size=(5, 4)) + random.normal(size=(n_rows, 4))
    Y = DIAMOND.close((signal > 0.8).astype(np.int8))
    Y[random.random(n_rows) < unknown, 3] = -1
    return X, Y


def weights_of(models):
    return models.weights.toarray()


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("negatives", ["parents", "all"])
@given(seed=st.integers(0, 999))
@hypothesis_settings(max_examples=5)
def test_models_are_those_of_a_general_optimiser(kind, loss, negatives, seed):
    X, Y = problem(seed, unknown=0.3)
    weight = np.random.default_rng(seed).uniform(0.2, 3, size=len(X))
    settings = replace(EXACT, loss=loss, negatives=negatives)
    models = train_models(
        LinearRows(kind(X)), LabelMatrix.of(Y), DIAMOND, settings, weight
    )
    weights, bias = oracle.train(X, Y, DIAMOND, settings, weight)
    np.testing.assert_allclose(weights_of(models), weights, atol=1e-3)
    np.testing.assert_allclose(models.bias, bias, atol=1e-3)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_with_few_rows_all_that_change_a_hinge_are_mined(kind):
    X, Y = problem(0)
    labels, rows = LabelMatrix.of(Y), LinearRows(kind(X))
    of_all = replace(EXACT, loss="squared_hinge", negatives="all")
    mined = train_models(rows, labels, DIAMOND, replace(of_all, negatives="mined"))
    expected = train_models(rows, labels, DIAMOND, of_all)
    np.testing.assert_allclose(weights_of(mined), weights_of(expected), atol=1e-3)
    np.testing.assert_allclose(mined.bias, expected.bias, atol=1e-3)


def test_unknown_rows_are_never_mined():
    X, Y = problem(0)
    Y[::2, 3] = -1
    settings = replace(EXACT, loss="squared_hinge", negatives="mined")
    models = train_models(
        LinearRows(sp.csr_array(X)), LabelMatrix.of(Y), DIAMOND, settings
    )
    of_all = oracle.train(X, Y, DIAMOND, replace(settings, negatives="all"))
    np.testing.assert_allclose(weights_of(models)[3], of_all[0][3], atol=1e-3)


@pytest.mark.parametrize("negatives", NEGATIVES)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_the_number_of_threads_does_not_change_a_bit(kind, loss, negatives):
    X, Y = problem(1)
    rows, labels = LinearRows(kind(X)), LabelMatrix.of(Y)
    one = LinearSettings(loss, negatives, n_jobs=1)
    models = [
        train_models(rows, labels, DIAMOND, settings)
        for settings in (one, replace(one, n_jobs=4))
    ]
    assert weights_of(models[0]).tobytes() == weights_of(models[1]).tobytes()
    assert models[0].bias.tobytes() == models[1].bias.tobytes()
    outputs = [model.outputs(kind(X), n_jobs) for model, n_jobs in zip(models, (1, 4))]
    assert outputs[0].tobytes() == outputs[1].tobytes()


@given(seed=st.integers(0, 999))
@hypothesis_settings(max_examples=10)
def test_the_order_of_the_rows_changes_little(seed):
    X, Y = problem(seed)
    order = np.random.default_rng(seed).permutation(len(X))
    settings = replace(EXACT, tolerance=1e-3)
    found = [
        train_models(LinearRows(X[rows]), LabelMatrix.of(Y[rows]), DIAMOND, settings)
        for rows in (np.arange(len(X)), order)
    ]
    np.testing.assert_allclose(*map(weights_of, found), atol=0.01)


def test_pruning_drops_weights_but_no_bias():
    X, Y = problem(2, n_rows=300)
    X = np.hstack([X, np.random.default_rng(0).normal(size=(300, 40)) * 0.2])
    rows, labels = LinearRows(X), LabelMatrix.of(Y)
    whole, pruned, bare = (
        train_models(rows, labels, DIAMOND, replace(EXACT, pruning=pruning))
        for pruning in (0.0, 0.01, 0.99)
    )
    assert pruned.weights.nnz < 0.8 * whole.weights.nnz
    assert bare.weights.nnz < pruned.weights.nnz
    for other in (pruned, bare):
        np.testing.assert_array_equal(other.bias, whole.bias)
    # The strongest are kept, as they were.
    kept = weights_of(pruned) != 0
    assert np.array_equal(weights_of(pruned)[kept], weights_of(whole)[kept])


def test_a_node_without_examples_has_only_a_bias():
    X, Y = problem(3)
    Y[:] = 0
    models = train_models(LinearRows(X), LabelMatrix.of(Y), DIAMOND, EXACT)
    assert not weights_of(models)[1:].any()
    np.testing.assert_array_equal(models.bias[1:], 0)


def test_huge_values_are_clipped_and_models_stay_finite():
    X, Y = problem(4)
    models = train_models(
        LinearRows(X * 1e30), LabelMatrix.of(Y), DIAMOND, LinearSettings()
    )
    assert np.isfinite(weights_of(models)).all()
    assert np.isfinite(models.outputs(X * 1e30)).all()
