"""Rows described by the columns of their nearest rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks

from hilabel.classifiers import LinearClassifier
from hilabel.persistence import load_model, save_model
from hilabel.semi_supervised import ViewsClassifier
from hilabel.views import NeighborColumns


@pytest.fixture
def rows():
    random = np.random.default_rng(0)
    return random.poisson(0.5, (60, 15)) * random.random(15)


def slow_columns(train, queries, k, weight, n_columns, is_training=False):
    """The columns of the nearest rows, in plain NumPy."""

    def unit(rows):
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / np.where(lengths > 0, lengths, 1)

    described = []
    for number, query in enumerate(queries):
        cosines = unit(train) @ unit(query[None])[0]
        order = np.argsort(-cosines.round(7), kind="stable")
        if is_training:
            order = order[order != number]
        elif cosines[order[0]] > 1 - 1e-7:
            order = order[1:]
        near = order[:k]
        mean = cosines[near] @ unit(train)[near]
        least = np.sort(np.abs(mean))[::-1][min(n_columns, mean.size) - 1]
        mean[np.abs(mean) < least] = 0
        described.append(unit(mean[None])[0] * np.linalg.norm(query) * weight)
    return np.array(described)


@pytest.mark.parametrize("n_columns", [4, 15])
def test_columns_are_those_of_the_nearest_rows(rows, n_columns):
    train, new = sp.csr_array(rows[:40]), sp.csr_array(rows[40:])
    view = NeighborColumns(5, weight=0.5, max_columns=n_columns)
    found = view.fit_transform(train)
    expected = slow_columns(rows[:40], rows[:40], 5, 0.5, n_columns, is_training=True)
    np.testing.assert_allclose(found.toarray(), expected, atol=1e-6)
    expected = slow_columns(rows[:40], rows[40:], 5, 0.5, n_columns)
    np.testing.assert_allclose(view.transform(new).toarray(), expected, atol=1e-6)


@settings(max_examples=30)
@given(st.integers(0, 999), st.integers(1, 8), st.sampled_from([1, 3, None]))
def test_training_rows_get_the_same_columns_as_new_rows(seed, k, n_columns):
    random = np.random.default_rng(seed)
    X = random.normal(size=(random.integers(1, 30), 9))
    X *= random.random(X.shape) < random.random()
    view = NeighborColumns(k, max_columns=n_columns)
    found = view.fit_transform(sp.csr_array(X))
    again = view.transform(sp.csr_array(X))
    np.testing.assert_allclose(found.toarray(), again.toarray(), atol=1e-6)


def test_lengths_and_numbers_of_columns_are_bounded(rows):
    X = sp.csr_array(rows)
    means = NeighborColumns(8, weight=0.3, max_columns=3).fit_transform(X)
    assert np.diff(means.indptr).max() == 3
    lengths = np.sqrt((means * means).sum(axis=1))
    own = np.linalg.norm(rows, axis=1)
    assert (np.isclose(lengths, 0.3 * own) | (lengths == 0)).all()


def test_a_row_alone_or_without_shared_columns_has_no_neighbours():
    for X in (np.array([[1.0, 2]]), np.diag([1.0, 2, 3]), np.zeros((3, 2))):
        view = NeighborColumns(2)
        assert view.fit_transform(sp.csr_array(X)).nnz == 0
        assert view.transform(sp.csr_array(X)).nnz == 0


def test_rare_columns_decide_if_they_are_weighted():
    # The last row shares one column of two with the others, either common or rare.
    X = np.zeros((9, 4))
    X[:7, 0] = X[7, 1] = 1
    X[:8, 2] = 0.9
    X[7, 2] = 1.1  # by angle a little farther
    X[8, :2] = 1
    near = [
        NeighborColumns(1, by=by).fit(sp.csr_array(X)).neighbors(X[8:])[0][0, 0]
        for by in ("angle", "rarity")
    ]
    assert near == [0, 7]


def test_columns_of_whole_numbers_are_weighted_by_rarity():
    X = sp.csr_array(np.random.default_rng(0).poisson(0.4, (40, 9)).astype(float))
    for factor, by in ((1.0, "rarity"), (0.1, "angle")):
        given = NeighborColumns(by=by).fit_transform(X * factor)
        chosen = NeighborColumns().fit_transform(X * factor)
        np.testing.assert_array_equal(chosen.toarray(), given.toarray())


def test_dense_rows_get_the_same_columns_as_an_array(rows):
    view = NeighborColumns(4)
    dense = view.fit_transform(rows)
    assert isinstance(dense, np.ndarray)
    sparse = view.fit_transform(sp.csr_array(rows))
    np.testing.assert_array_equal(dense, sparse.toarray())


def test_a_missing_value_is_the_mean_of_its_column(rows):
    missing = sp.csr_array(rows)
    missing.data[5] = np.nan
    filled = rows.copy()
    place = np.isnan(missing.toarray())
    filled[place] = np.nanmean(missing.toarray(), axis=0)[place.nonzero()[1]]
    found = NeighborColumns(4).fit_transform(missing).toarray()
    expected = NeighborColumns(4).fit_transform(sp.csr_array(filled)).toarray()
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_repeated_and_unordered_entries_change_nothing(rows):
    X = sp.csr_array(rows)
    halves = sp.csr_array(
        (
            np.repeat(X.data / 2, 2),
            np.repeat(X.indices, 2),
            2 * X.indptr,
        ),
        shape=X.shape,
    )
    assert not halves.has_canonical_format
    found = NeighborColumns(4).fit_transform(halves)
    expected = NeighborColumns(4).fit_transform(X)
    np.testing.assert_array_equal(found.toarray(), expected.toarray())


def test_columns_do_not_depend_on_the_number_of_threads(rows):
    X = sp.csr_array(np.repeat(rows, 10, axis=0))
    one, four = (NeighborColumns(5, n_jobs=n).fit_transform(X) for n in (1, 4))
    np.testing.assert_array_equal(one.toarray(), four.toarray())


def test_a_classifier_with_these_columns_survives_a_file(rows, tmp_path):
    y = (rows[:20, :2] > 0).astype(np.int8)
    model = ViewsClassifier(
        estimator=LinearClassifier(C=1.0, scale=False), views=[NeighborColumns(5)]
    )
    model.fit(sp.csr_array(rows[:20]), y, sp.csr_array(rows[20:]))
    save_model(model, tmp_path / "model.hilabel")
    again = load_model(tmp_path / "model.hilabel")
    new = sp.csr_array(rows[30:])
    np.testing.assert_array_equal(again.predict_proba(new), model.predict_proba(new))
    assert again.views_[0]._rows.rows.dtype == np.float32


@parametrize_with_checks([NeighborColumns()])
def test_follows_the_conventions_of_scikit_learn(estimator, check):
    check(estimator)
