"""Linear classifiers beside a general optimiser, in all their forms."""

import numpy as np
import pytest
import scipy.sparse as sp
from oracles import linear as oracle
from scipy.special import expit
from sklearn.preprocessing import normalize

from hilabel import Hierarchy
from hilabel.classifiers import LinearClassifier
from hilabel.constraints import cap_by_parents
from hilabel.linear import LOSSES, NEGATIVES, LinearSettings
from hilabel.persistence import load_model, save_model

TREE = Hierarchy.from_edges([("a", "b"), ("a", "c")])


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).normal(size=(60, 4)) * [1, 20, 1, 0.1] + 3


@pytest.fixture(scope="module")
def labels(rows):
    noise = np.random.default_rng(1).normal(size=(60, 2))
    signal = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    b = signal[:, 0] + noise[:, 0] > 0.5
    c = signal[:, 1] + noise[:, 1] > 0.3
    return TREE.close(np.column_stack([b | c, b, c]).astype(np.int8))


def scaled(rows):
    """Missing values lie at the mean of their column."""
    apart = (rows - np.nanmean(rows, axis=0)) / np.nanstd(rows, axis=0)
    return np.nan_to_num(apart)


@pytest.mark.parametrize("C", [0.03, 1.0])
def test_probabilities_are_those_of_optimal_models(rows, labels, C):
    model = LinearClassifier(TREE, C=C, pruning=0, random_state=0).fit(rows, labels)
    weights, bias = oracle.train(scaled(rows), labels, TREE, LinearSettings(cost=C))
    chances = expit(scaled(rows) @ weights.T + bias)
    expected = oracle.multiply_by_parents(chances, TREE)
    np.testing.assert_allclose(model.predict_proba(rows), expected, atol=0.03)


def test_models_on_all_rows_are_capped(rows, labels):
    model = LinearClassifier(TREE, C=1.0, negatives="all", pruning=0, random_state=0)
    found = model.fit(rows, labels).predict_proba(rows)
    settings = LinearSettings(cost=1.0, negatives="all")
    weights, bias = oracle.train(scaled(rows), labels, TREE, settings)
    expected = cap_by_parents(expit(scaled(rows) @ weights.T + bias), TREE)
    np.testing.assert_allclose(found, expected, atol=0.03)


@pytest.mark.parametrize("negatives", NEGATIVES)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_all_forms_learn_and_respect_the_hierarchy(rows, labels, kind, loss, negatives):
    model = LinearClassifier(TREE, loss=loss, negatives=negatives, random_state=0)
    model.fit(kind(rows), labels)
    scores = model.predict_proba(kind(rows))
    assert (scores[:, 1:] <= scores[:, :1]).all()
    assert model.score(kind(rows), labels) > 0.6


@pytest.mark.parametrize("scale", [True, False])
def test_sparse_rows_give_nearly_the_model_of_dense_ones(rows, labels, scale):
    """Only the penalties of the biases differ, since sparse rows are not centred."""
    rows = np.where(rows > 3, rows, 0) / 10
    model = LinearClassifier(TREE, C=0.1, scale=scale, random_state=0)
    dense = model.fit(rows, labels).predict_proba(rows)
    sparse = model.fit(sp.csr_array(rows), labels).predict_proba(sp.csr_array(rows))
    np.testing.assert_allclose(sparse, dense, atol=0.1)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_contributions_sum_up_to_the_log_odds(rows, labels, scale, kind, loss):
    X = kind(np.where(rows > 3, rows, 0))
    model = LinearClassifier(TREE, loss=loss, C=0.1, scale=scale, random_state=0)
    model.fit(X, labels)
    slope = LinearSettings(loss).slope
    total = model.contributions(X, [0]).sum(axis=2)[:, 0] + slope * model.intercept_[0]
    np.testing.assert_allclose(expit(total), model.predict_proba(X)[:, 0], atol=1e-4)


def test_a_missing_value_lies_at_the_mean_in_training_and_after(rows, labels):
    gappy = rows.copy()
    gappy[::7, 1] = np.nan
    filled = np.where(np.isnan(gappy), np.nanmean(gappy, axis=0), gappy)
    model = LinearClassifier(TREE, C=1.0, scale=False, random_state=0)
    expected = model.fit(filled, labels).predict_proba(filled)
    found = model.fit(gappy, labels).predict_proba(gappy)
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_weights_of_rows_count_like_repetitions(rows, labels):
    model = LinearClassifier(TREE, C=1.0, scale=False, pruning=0, random_state=0)
    rows, counts = scaled(rows), 1 + np.arange(60) % 3
    weighted = model.fit(rows, labels, sample_weight=counts).predict_proba(rows)
    repeated = np.repeat(rows, counts, axis=0), np.repeat(labels, counts, axis=0)
    found = model.fit(*repeated).predict_proba(rows)
    np.testing.assert_allclose(weighted, found, atol=0.03)


def test_a_node_that_all_rows_have_or_lack_gets_scores_near_1_or_0(rows):
    labels = np.tile([1, 0, 1], (60, 1))
    model = LinearClassifier(TREE, random_state=0).fit(rows, labels)
    scores = model.predict_proba(rows)
    assert (scores[:, 0] > 0.98).all()
    assert (scores[:, 1] < 0.02).all()


def test_c_is_chosen_on_rows_left_out_and_is_part_of_the_result(rows, labels):
    model = LinearClassifier(TREE, random_state=0).fit(rows, labels)
    again = LinearClassifier(TREE, C=model.C_, random_state=0).fit(rows, labels)
    np.testing.assert_array_equal(model.predict_proba(rows), again.predict_proba(rows))


def test_a_single_row_is_enough():
    model = LinearClassifier(TREE, random_state=0).fit([[1.0, 2.0]], [[1, 1, 0]])
    scores = model.predict_proba([[1.0, 2.0]])
    assert scores[0, 1] > 0.5 > scores[0, 2]


def test_weights_stay_sparse_in_the_model_and_its_file(rows, labels, tmp_path):
    X = sp.csr_array(np.where(rows > 3, rows, 0))
    model = LinearClassifier(TREE, random_state=0).fit(X, labels)
    assert sp.issparse(model.coef_)
    save_model(model, tmp_path / "model.hilabel")
    loaded = load_model(tmp_path / "model.hilabel")
    found, expected = loaded.predict_proba(X), model.predict_proba(X)
    assert found.tobytes() == expected.tobytes()


def test_many_rows_and_nodes_never_make_a_cell_for_each():
    """Of 40,000 rows and 2,000 nodes, all that is dense are 100 rows of scores."""
    n_rows, n_nodes = 40_000, 2_000
    h = Hierarchy.from_edges([(0, node) for node in range(1, n_nodes)])
    leaf = 1 + np.arange(n_rows) % (n_nodes - 1)
    every = np.arange(n_rows)
    X = sp.csr_array((np.ones(n_rows), (every, leaf)), shape=(n_rows, n_nodes))
    Y = sp.csr_array((np.ones(n_rows, np.int8), (every, leaf)), shape=(n_rows, n_nodes))
    model = LinearClassifier(
        h, C=10.0, loss="squared_hinge", negatives="mined", scale=False, random_state=0
    )
    model.fit(X, h.close(Y))
    scores = model.predict_proba(X[:100])
    np.testing.assert_array_equal(scores[:, 1:].argmax(axis=1), leaf[:100] - 1)


@pytest.mark.parametrize("as_rows", [np.asarray, sp.csr_array])
def test_rows_scaled_to_length_1_are_those_of_scikit_learn(as_rows):
    random = np.random.default_rng(0)
    X = random.random((40, 6)) * random.integers(1, 90, 40)[:, None]
    X[3] = 0
    Y = (X[:, :3] > X[:, 3:]).astype(int)
    settings = {"C": 3.0, "random_state": 0, "n_jobs": 1}
    model = LinearClassifier(scale="rows", **settings).fit(as_rows(X), Y)
    found = model.predict_proba(as_rows(X))
    longer = model.predict_proba(as_rows(7 * X))  # only directions count
    np.testing.assert_allclose(longer, found, atol=1e-6)
    if as_rows is sp.csr_array:
        same = LinearClassifier(scale=False, **settings)
        same.fit(as_rows(normalize(X)), Y)
        np.testing.assert_array_equal(found, same.predict_proba(as_rows(normalize(X))))
