"""Nearest labelled rows: the vote by hand, choices, and what is kept."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from hilabel import Hierarchy
from hilabel._label_matrix import LabelMatrix
from hilabel.classifiers import NeighborsClassifier
from hilabel.metrics import average_precision
from hilabel.persistence import load_model, save_model
from hilabel.views import RowsByAngle

CHAIN = Hierarchy.from_edges([("a", "b")])
X = np.array([[0.0], [1.0], [4.0], [9.0]])
Y = np.array([[1, 0], [1, 1], [0, 0], [0, 0]])


def vote(distances, labels, prior):
    """One over the distance, and one vote at the farthest for the frequencies."""
    weights = max(distances) / np.array(distances)
    return (weights @ np.array(labels) + prior) / (weights.sum() + 1)


def test_neighbours_vote_by_distance_and_frequencies_like_the_farthest():
    model = NeighborsClassifier(CHAIN, n_neighbors=3, scale=False).fit(X, Y)
    expected = vote([0.5, 1.5, 2.5], [Y[1], Y[0], Y[2]], Y.mean(axis=0))
    np.testing.assert_allclose(model.predict_proba([[1.5]])[0], expected, rtol=1e-6)


def test_a_neighbour_whose_label_is_unknown_has_no_vote_on_it():
    labels = np.array([[1, -1], [1, 1], [0, 0], [0, 0]])
    model = NeighborsClassifier(CHAIN, n_neighbors=2, scale=False).fit(X, labels)
    weights = np.array([3.0, 1.0])  # of rows 0 and 1, from 0.25
    prior_a, prior_b = 2 / 4, 1 / 3
    expected = [
        (weights.sum() + prior_a) / (weights.sum() + 1),
        (weights[1] + prior_b) / (weights[1] + 1),
    ]
    np.testing.assert_allclose(model.predict_proba([[0.25]])[0], expected, rtol=1e-6)


def test_an_equal_row_outweighs_all_others_and_equal_rows_share_the_vote():
    rows, labels = np.vstack([X, X[:1]]), np.vstack([Y, [[0, 0]]])
    model = NeighborsClassifier(CHAIN, n_neighbors=3, scale=False).fit(rows, labels)
    found = model.predict_proba([[9.0], [0.0]])
    np.testing.assert_allclose(found, [[0, 0], [0.5, 0]], atol=1e-4)


def test_among_equal_rows_alone_all_count_the_same():
    labels = np.array([[1, 1], [1, 0], [0, 0]])
    model = NeighborsClassifier(CHAIN, n_neighbors=3).fit(
        [[2.0]] * 4, [*labels, [0, 0]]
    )
    prior = np.array([2, 1]) / 4
    found = model.predict_proba([[2.0]])[0]
    assert ((found >= prior / 4) & (found <= (2 + prior) / 4)).all()
    assert model.n_neighbors_ == 3


def test_a_single_labelled_row_and_its_frequencies_say_the_same():
    model = NeighborsClassifier(CHAIN).fit([[2.0]], [[1, 0]])
    assert model.n_neighbors_ == 1
    np.testing.assert_array_equal(model.predict_proba([[5.0], [2.0]]), [[1, 0]] * 2)


@pytest.fixture(scope="module")
def noisy():
    """A label that the first column tells; the second is noise, and far wider."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(80, 2))
    labels = np.column_stack([rows[:, 0] > 0, rows[:, 0] > 0.8]).astype(np.int8)
    flipped = rng.random(80) < 0.15
    labels[flipped] = 1 - labels[flipped][:, ::-1]
    labels[:, 1] &= labels[:, 0]
    return rows * [1, 100], labels


def score_by_the_others(rows, labels, number):
    """Average precision of rows that are scored one by one without their labels."""
    scores = []
    for row in range(len(rows)):
        others = np.arange(len(rows)) != row
        model = NeighborsClassifier(CHAIN, n_neighbors=number, scale=False)
        model.fit(rows[others], labels[others])
        model._voters = replace(
            model._voters, prior=labels.mean(axis=0, dtype=np.float32)
        )
        scores.append(model.predict_proba(rows[[row]])[0])
    return average_precision(labels, np.array(scores))


def test_scaling_and_the_number_of_neighbours_are_those_with_the_best_scores(noisy):
    rows, labels = noisy
    tried = {
        (number, is_scaled): score_by_the_others(
            rows / rows.std(axis=0) if is_scaled else rows, labels, number
        )
        for number in (3, 5, 10, 20, 40)
        for is_scaled in (True, False)
    }
    model = NeighborsClassifier(CHAIN).fit(rows, labels)
    assert model.scale_
    assert model.n_neighbors_ > 3
    assert tried[model.n_neighbors_, model.scale_] == max(tried.values())


def test_sparse_rows_that_are_not_scaled_get_the_scores_of_dense_ones(noisy):
    rows, labels = noisy
    rows = np.where(rows > 0, rows, 0)
    model = NeighborsClassifier(CHAIN, n_neighbors=5, scale=False)
    dense = model.fit(rows, labels).predict_proba(rows)
    sparse = model.fit(sp.csr_array(rows), labels).predict_proba(sp.csr_array(rows))
    np.testing.assert_allclose(sparse, dense, rtol=1e-5)


def test_a_missing_value_lies_at_the_mean_of_its_column(noisy):
    rows, labels = noisy
    rows = rows.copy()
    rows[3, 0] = np.nan
    filled = np.where(np.isnan(rows), np.nanmean(rows, axis=0), rows)
    model = NeighborsClassifier(CHAIN, n_neighbors=5, scale=False)
    expected = model.fit(filled, labels).predict_proba(rows)
    np.testing.assert_array_equal(model.fit(rows, labels).predict_proba(rows), expected)


def test_scores_that_measures_use_are_of_models_trained_without_the_rows(noisy):
    model = NeighborsClassifier(CHAIN).fit(*noisy)
    assert not [name for name in vars(model) if name.startswith("oof")]
    data = model.check_training_data(noisy[0], LabelMatrix.of(noisy[1]))
    assert not model.scores_itself(data)


# Sparse rows --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def texts():
    """Rows of words, of which two tell the labels; lengths tell nothing."""
    rng = np.random.default_rng(0)
    words = rng.poisson(0.3, (90, 25)) * 1.0
    labels = np.column_stack([words[:, 0] > 0, (words[:, :2] > 0).all(axis=1)])
    words[:, :2] *= 3
    words *= rng.uniform(1, 50, (90, 1))
    return sp.csr_array(words), labels.astype(np.int8)


def test_neighbours_by_angle_vote_with_their_squared_cosines():
    rows = np.array([[1.0, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1]])
    labels = np.array([[1, 1], [1, 0], [0, 0], [0, 0]])
    model = NeighborsClassifier(CHAIN, n_neighbors=2)
    model.fit(sp.csr_array(rows), labels)
    model._rows = RowsByAngle.of(sp.csr_array(rows), "angle")
    found = model.predict_proba(sp.csr_array([[2.0, 0, 0], [0, 0, 3.0]]))
    weights = np.array([1, 0.5]) / 0.5  # of rows 0 and 1
    expected = (weights @ labels[:2] + labels.mean(axis=0)) / (weights.sum() + 1)
    np.testing.assert_allclose(found[0], expected, rtol=1e-6)
    # Row 3 has a hundredfold weight, and row 0 shares no column.
    np.testing.assert_allclose(found[1], labels.mean(axis=0) / 101, rtol=1e-6)


def test_a_row_that_shares_no_column_gets_the_frequencies(texts):
    rows, labels = texts
    model = NeighborsClassifier(CHAIN, n_neighbors=3).fit(rows, labels)
    model._rows = RowsByAngle.of(rows, "rarity")
    found = model.predict_proba(sp.csr_array((1, 25)))
    np.testing.assert_allclose(found[0], labels.mean(axis=0), rtol=1e-6)


def test_sparse_rows_are_compared_in_the_best_of_four_ways(texts):
    rows, labels = texts
    model = NeighborsClassifier(CHAIN).fit(rows, labels)
    assert model.compared_by_ in ("angle", "rarity")
    assert not model.scale_
    assert NeighborsClassifier(CHAIN, scale=True).fit(rows, labels).scale_
    # Lengths alone tell these labels, and angles nothing.
    lengths = np.repeat(np.arange(1.0, 41), 2)[:, None]
    long = NeighborsClassifier(CHAIN).fit(
        sp.csr_array(lengths), np.repeat(lengths > 20, 2, axis=1).astype(np.int8)
    )
    assert long.compared_by_ in ("euclidean", "raw")


def test_repeated_entries_of_sparse_rows_change_nothing(texts):
    rows, labels = texts
    entries = np.repeat(rows.data / 2, 2), np.repeat(rows.indices, 2), 2 * rows.indptr
    halves = sp.csr_array(entries, rows.shape)
    model = NeighborsClassifier(CHAIN, n_neighbors=5)
    expected = model.fit(rows, labels).predict_proba(rows)
    found = model.fit(halves, labels).predict_proba(halves)
    np.testing.assert_array_equal(found, expected)


def test_sparse_rows_in_a_file_take_single_precision(texts, tmp_path):
    rows, labels = texts
    model = NeighborsClassifier(CHAIN).fit(rows, labels)
    save_model(model, tmp_path / "model.hilabel")
    again = load_model(tmp_path / "model.hilabel")
    assert again._rows.rows.dtype == np.float32
    expected = model.predict_proba(rows)
    np.testing.assert_array_equal(again.predict_proba(rows), expected)


def test_many_rows_and_nodes_are_judged_on_some_of_the_rows():
    rng = np.random.default_rng(0)
    rows = sp.csr_array((rng.random((700, 40)) < 0.1).astype(float))
    n_nodes = 30_000  # with 700 rows, more than are judged
    labels = sp.csr_array((np.ones(700), (np.arange(700), np.arange(700) % 9)))
    labels.resize(700, n_nodes)
    model = NeighborsClassifier(n_neighbors=3).fit(rows, labels.astype(np.int8))
    assert model.n_neighbors_ == 3
    assert model.predict_proba(rows[:2]).shape == (2, n_nodes)
