"""Rows described by the mean of their neighbours."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from hilabel.classifiers import PredictiveClusteringForest
from hilabel.testing import make_problem
from hilabel.views import ColumnScaling, ComparableRows, NeighborhoodMeans


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(60, 5)) * [1, 10, 100, 1, 1]


def slow_distances(rows, queries, metric):
    """All distances, in plain NumPy."""
    scale = rows.std(axis=0)
    a, b = (queries - rows.mean(axis=0)) / scale, (rows - rows.mean(axis=0)) / scale
    if metric == "euclidean":
        return np.linalg.norm(a[:, None] - b[None], axis=2)
    return np.sqrt([[2 - 2 * np.corrcoef(x, y)[0, 1] for y in b] for x in a])


def slow_means(rows, queries, k, metric, skip_self=False, local_scaling=False):
    table = slow_distances(rows, queries, metric)
    if local_scaling:
        reach = np.sort(slow_distances(rows, rows, metric), axis=1)[:, 7]
        table /= np.sqrt(reach)
    if skip_self:
        np.fill_diagonal(table, np.inf)
    return rows[np.argsort(table, axis=1, kind="stable")[:, :k]].mean(axis=1)


@pytest.mark.parametrize("metric", ["euclidean", "correlation"])
def test_means_are_those_of_the_nearest_rows(rows, metric):
    train, new = rows[:40], rows[40:]
    view = NeighborhoodMeans(n_neighbors=4, metric=metric).fit(train)
    found = view.transform(new)
    np.testing.assert_allclose(found, slow_means(train, new, 4, metric))


@pytest.mark.parametrize("metric", ["euclidean", "correlation"])
def test_a_row_can_be_left_out_of_its_own_neighbourhood(rows, metric):
    view = NeighborhoodMeans(n_neighbors=4, metric=metric, include_self=False)
    found = view.fit_transform(rows)
    np.testing.assert_allclose(found, slow_means(rows, rows, 4, metric, skip_self=True))


@pytest.mark.parametrize("metric", ["euclidean", "correlation"])
def test_distances_may_be_relative_to_those_around_the_neighbour(rows, metric):
    rows[:20] /= 5  # dense
    train, new = rows[:40], rows[40:]
    view = NeighborhoodMeans(10, metric=metric, include_self=False, local_scaling=True)
    options = {"metric": metric, "local_scaling": True}
    found = view.fit_transform(train)
    expected = slow_means(train, train, 10, skip_self=True, **options)
    np.testing.assert_allclose(found, expected)
    found, expected = view.transform(new), slow_means(train, new, 10, **options)
    np.testing.assert_allclose(found, expected)
    assert not np.allclose(expected, slow_means(train, new, 10, metric))


@pytest.mark.parametrize("n_rows", [1, 2, 30])
def test_equal_rows_have_a_local_scale_too(n_rows):
    view = NeighborhoodMeans(3, local_scaling=True)
    np.testing.assert_array_equal(view.fit_transform([[2.0]] * n_rows), 2.0)


def test_of_equal_rows_one_is_left_out():
    found = NeighborhoodMeans(2, include_self=False).fit_transform([[3.0]] * 5)
    np.testing.assert_array_equal(found, [[3.0]] * 5)


def test_sparse_rows_stay_sparse_and_have_the_means_of_dense_ones(rows):
    rows[rows < 0] = 0
    dense = NeighborhoodMeans(n_neighbors=3).fit_transform(rows)
    found = NeighborhoodMeans(n_neighbors=3).fit_transform(sp.csr_array(rows))
    assert sp.issparse(found)
    np.testing.assert_allclose(found.toarray(), dense)


def test_missing_values_lie_at_the_mean(rows):
    rows[3, 1] = np.nan
    filled = np.where(np.isnan(rows), np.nanmean(rows, axis=0), rows)
    view = NeighborhoodMeans(n_neighbors=1).fit(rows)
    np.testing.assert_allclose(view.rows_, filled)
    for some in (rows, sp.csr_array(rows)):
        means = NeighborhoodMeans(n_neighbors=5).fit_transform(some)
        assert np.isfinite(means.toarray() if sp.issparse(means) else means).all()


def test_in_a_pipeline_it_sees_unlabelled_rows():
    problem = make_problem("T", "MPL", "PD")
    X, Y = problem.mixed()
    model = make_pipeline(
        NeighborhoodMeans(n_neighbors=3),
        PredictiveClusteringForest(problem.hierarchy, n_estimators=5, random_state=0),
    )
    model.fit(X, Y)
    assert model[0].rows_.shape[0] == len(X)
    assert model.predict_proba(X).shape == Y.shape


@parametrize_with_checks([NeighborhoodMeans(n_neighbors=2)])
def test_it_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("store", [np.asfortranarray, pd.DataFrame], ids=["F", "frame"])
@pytest.mark.parametrize("metric", ["euclidean", "correlation"])
def test_means_do_not_depend_on_the_memory_layout(rows, metric, store):
    train, new = rows[:40], rows[40:]
    view = NeighborhoodMeans(n_neighbors=4, metric=metric, local_scaling=True)
    expected = view.fit(train).transform(new)
    np.testing.assert_array_equal(
        view.fit(store(train)).transform(store(new)), expected
    )


@pytest.mark.parametrize("by", ["raw", "euclidean", "correlation"])
def test_comparable_rows_and_scaled_columns_do_not_depend_on_the_memory_layout(by):
    X = np.random.default_rng(0).normal(size=(60, 16))
    F = np.asfortranarray(X)
    np.testing.assert_array_equal(
        ComparableRows.of(X, by).values, ComparableRows.of(F, by).values
    )
    for scales in (True, False):
        scaled = ColumnScaling.of(F, scales).apply(F)
        assert scaled.flags.c_contiguous
        np.testing.assert_array_equal(scaled, ColumnScaling.of(X, scales).apply(X))
