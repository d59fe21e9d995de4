"""The search of sparse rows by columns beside the sort of all distances."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from oracles import nearest as oracle
from sklearn.preprocessing import normalize

from hilabel import _engine
from hilabel.neighbors import ColumnSearch, ExactSearch, Metric, make_search, n_steps

METRICS = ("euclidean", "cosine")


@st.composite
def sparse_rows(draw):
    """Draw sparse rows with ties, multiples of each other, and values that cancel."""
    random = np.random.default_rng(draw(st.integers(0, 9_999)))
    shape = draw(st.integers(1, 150)), draw(st.sampled_from([1, 3, 12, 40]))
    kind = draw(st.sampled_from(["grid", "normal", "multiples", "words", "far"]))
    rows = random.normal(size=shape)
    if kind in ("grid", "multiples"):
        rows = random.integers(-2, 3, size=shape).astype(float)
    if kind == "multiples":
        rows = rows[random.integers(0, 1 + shape[0] // 8, size=shape[0])]
        rows *= random.choice([1, 2, 3], size=(shape[0], 1))
    if kind == "words":
        rows = np.abs(rows) * (random.random(shape) < 0.1)
    if kind == "far":  # products that cancel in the distance
        rows = random.integers(0, 2, size=shape) * 1e-7 + 1e3
    rows *= random.random(shape) < draw(st.sampled_from([0.3, 0.8, 1.0]))
    return rows * draw(st.sampled_from([1.0, 1 / 3, 1e-8, 1e100]))


def by_sorting(queries, points, k, metric):
    if metric == "cosine":
        queries, points = (
            normalize(sp.csr_array(rows)).toarray() for rows in (queries, points)
        )
    distances = oracle.distances_by_column(queries, points, metric == "cosine")
    return oracle.smallest_per_row(distances, k)


def assert_same(found, expected):
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


@settings(max_examples=150)
@given(sparse_rows(), st.integers(1, 12), st.sampled_from(METRICS))
def test_nearest_rows_are_those_of_a_sort_bit_for_bit(rows, k, metric):
    queries, points = sp.csr_array(rows[::2]), sp.csr_array(rows)
    search = ExactSearch(Metric(metric))
    expected = by_sorting(rows[::2], rows, k, metric)
    assert_same(search.nearest(queries, points, k), expected)
    among = search.nearest(points, points, k)
    assert_same(among, by_sorting(rows, rows, k, metric))


@pytest.mark.parametrize("metric", METRICS)
def test_result_does_not_depend_on_the_number_of_threads(metric):
    rows = sp.random_array((1_500, 200), density=0.03, rng=np.random.default_rng(0))
    rows = sp.csr_array(rows)
    one, four = (ColumnSearch(Metric(metric), n).nearest(rows, rows, 9) for n in (1, 4))
    assert_same(one, four)


@pytest.mark.parametrize("metric", METRICS)
def test_entries_that_are_repeated_or_out_of_order_are_summed(metric):
    entries = [1.0, 2.0, 0.5, 1.0, 1.0], [2, 0, 0, 1, 1], [0, 3, 5]
    loose = sp.csr_array(entries, shape=(2, 3))
    tidy = sp.csr_array(loose.toarray())
    for queries, points in ((loose, tidy), (tidy, loose), (loose, loose)):
        found = ExactSearch(Metric(metric)).nearest(queries, points, 2)
        assert_same(found, by_sorting(tidy.toarray(), tidy.toarray(), 2, metric))
    assert loose.nnz == 5


def test_rows_that_share_no_column_are_found_in_order_at_distance_1():
    points = sp.csr_array(np.diag([1.0, 2, 0, 4, 5]))
    found = ColumnSearch(Metric("cosine")).nearest(points[[3, 2]], points, 4)
    np.testing.assert_array_equal(found[0], [[3, 0, 1, 2], [0, 1, 2, 3]])
    np.testing.assert_array_equal(found[1], [[0, 1, 1, 1], [1, 1, 1, 1]])


def test_lists_that_were_prepared_are_used_for_queries():
    rows = sp.csr_array(np.random.default_rng(0).random((30, 5)).round(1))
    plain = ColumnSearch(Metric("cosine"))
    prepared = ColumnSearch(Metric("cosine"), prepared=plain.prepare(rows))
    assert_same(prepared.nearest(rows[:7], rows, 4), plain.nearest(rows[:7], rows, 4))


@pytest.mark.parametrize("metric", METRICS)
def test_no_queries_and_no_points_give_empty_lists(metric):
    rows = sp.csr_array(np.eye(3))
    search = make_search("auto", metric)
    assert search.nearest(rows[:0], rows, 2)[0].shape == (0, 2)
    assert search.nearest(rows, rows[:0], 2)[1].shape == (3, 0)


@pytest.mark.parametrize("metric", METRICS)
def test_auto_and_exact_find_the_same_sparse_rows(metric):
    rows = sp.csr_array(np.random.default_rng(0).poisson(0.2, (200, 30)).astype(float))
    expected = make_search("exact", metric).nearest(rows, rows, 5)
    assert_same(make_search("auto", metric).nearest(rows, rows, 5), expected)


def test_steps_are_the_shared_entries_and_a_quarter_of_the_pairs():
    queries = sp.csr_array(np.array([[1.0, 1, 0], [1, 0, 0]]))
    points = sp.csr_array(np.array([[1.0, 0, 1], [1, 1, 1], [0, 0, 1], [1, 0, 0]]))
    assert n_steps(queries, points) == 2 * 3 + 1 * 1 + 0 * 3 + 2 * 4 / 4


def parts_of(rows):
    rows = sp.csr_array(rows)
    return rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (1, np.array([0, 9], np.int32), "indices must name"),
        (0, np.array([0, 2, 1]), "pointers must ascend"),
        (3, np.zeros(1), "query must have a slack"),
        (5, np.array([0, 2], np.int32), "indices must name"),
        (10, np.zeros(3), "offset and a slack"),
        (12, 0, "k must be from 1"),
        (12, 3, "k must be from 1"),
    ],
)
def test_engine_refuses_what_would_be_out_of_bounds(place, value, message):
    rows = np.eye(2)
    arguments = [*parts_of(rows), np.zeros(2), *parts_of(rows.T), *parts_of(rows)]
    arguments += [np.zeros(2), np.zeros(2), 1, True]
    _engine.nearest_by_columns(*arguments)
    arguments[place] = value
    with pytest.raises(ValueError, match=message):
        _engine.nearest_by_columns(*arguments)
