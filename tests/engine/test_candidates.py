"""Candidates, and exact distances to them, beside their oracles."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import candidates as oracle
from oracles import nearest as nearest_oracle
from scipy.spatial.distance import cdist

from hilabel import _engine

PRECISIONS = st.sampled_from([np.float32, np.float64])
REFUSED = "incompatible function arguments"


def random_of(data):
    return np.random.default_rng(data.draw(st.integers(0, 999)))


@given(data=st.data())
def test_lists_keep_the_least_values_of_all_tables_shown(data):
    n_lists, width = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 6))
    n_points = data.draw(st.integers(1, 150))
    random, dtype = random_of(data), data.draw(PRECISIONS)
    indices = np.full((n_lists, width), -1)
    values = np.full((n_lists, width), np.inf, dtype=dtype)
    seen = []
    for number in range(data.draw(st.integers(1, 3))):
        table = random.integers(0, 20, size=(n_lists, n_points)).astype(dtype)
        lengths = random.integers(0, 5, size=n_points).astype(dtype)
        rows = random.permutation(n_lists)
        numbers = np.arange(n_points) + number * n_points
        _engine.keep_nearest(table, lengths, numbers, rows, indices, values)
        seen.append((table + lengths)[np.argsort(rows)])
    seen = np.hstack(seen)
    expected = oracle.keep_nearest(seen, 0, range(n_lists), width, n_lists)
    np.testing.assert_array_equal(values, expected)
    for row in range(n_lists):
        kept = indices[row][indices[row] >= 0]
        assert len(set(kept.tolist())) == len(kept) == min(width, seen.shape[1])
        np.testing.assert_array_equal(seen[row, kept], values[row, : len(kept)])


@given(data=st.data(), is_squared=st.booleans())
def test_rechecked_candidates_are_a_cut_sort_of_the_distinct_ones(data, is_squared):
    n_features = data.draw(st.sampled_from([0, 1, 3, 15, 16, 63, 64, 65, 130]))
    n_queries, n_points = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 20))
    random = random_of(data)
    queries = random.integers(-3, 4, (n_queries, n_features)) / 3
    points = (random.integers(-3, 4, (n_points, n_features)) / 3).astype(
        data.draw(PRECISIONS)
    )
    width, k = data.draw(st.integers(0, 20)), data.draw(st.integers(1, 5))
    candidates = random.integers(-1, n_points, (n_queries, width))
    found = _engine.recheck(queries, points, candidates, k, is_squared)
    expected = oracle.recheck(queries, points, candidates, k, is_squared)
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


@given(data=st.data())
def test_scanned_points_are_a_cut_sort_of_all_distances(data):
    n_features, n_points = data.draw(st.integers(1, 70)), data.draw(st.integers(20, 70))
    random = random_of(data)
    scale = data.draw(st.sampled_from([1.0, 1 / 3, 1e-161, 1e200]))
    queries = random.integers(0, 3, size=(3, n_features)) * scale
    points = random.integers(0, 3, size=(n_points, n_features)) * scale
    k, cut = data.draw(st.integers(1, 20)), data.draw(st.integers(0, n_points))
    indices, distances = np.full((3, k), -1), np.full((3, k), np.inf)
    _engine.scan_points(queries, points[:cut], 0, indices, distances)
    _engine.scan_points(queries, points[cut:], cut, indices, distances)
    with np.errstate(over="ignore", under="ignore"):
        expected = nearest_oracle.smallest_per_row(cdist(queries, points), k)
    np.testing.assert_array_equal(indices, expected[0])
    np.testing.assert_array_equal(distances, expected[1])


def test_a_scan_and_a_recheck_give_the_same_bits():
    random = np.random.default_rng(0)
    queries, points = random.normal(size=(5, 77)), random.normal(size=(40, 77))
    for rows in (points, points.astype(np.float32)):
        everything = np.tile(np.arange(40), (5, 1))
        expected = _engine.recheck(queries, rows, everything, 7, True)
        indices, distances = np.full((5, 7), -1), np.full((5, 7), np.inf)
        _engine.scan_points(queries, rows, 0, indices, distances)
        np.testing.assert_array_equal(indices, expected[0])
        np.testing.assert_array_equal(distances, expected[1])
        totals = np.zeros(40)
        for feature in range(77):  # in the order of the features, in double precision
            totals += (queries[0, feature] - rows[:, feature].astype(np.float64)) ** 2
        assert distances[0].tolist() == np.sort(np.sqrt(totals))[:7].tolist()


def test_lists_to_keep_that_do_not_fit_are_refused():
    def keep(table=(2, 3), lengths=3, numbers=3, rows=(0, 1), lists=(2, 4), width=4):
        _engine.keep_nearest(
            np.zeros(table),
            np.zeros(lengths),
            np.arange(numbers),
            np.array(rows),
            np.full(lists, -1),
            np.full((2, width), np.inf),
        )

    keep()
    for changes, message in (
        ({"lengths": 2}, "an entry per column"),
        ({"numbers": 4}, "an entry per column"),
        ({"rows": [0]}, "an entry per row"),
        ({"rows": [0, 2]}, "rows must name lists"),
        ({"rows": [-1, 0]}, "rows must name lists"),
        ({"width": 3}, "indices and values must match"),
        ({"lists": (2, 0), "width": 0}, "room for a point"),
    ):
        with pytest.raises(ValueError, match=message):
            keep(**changes)
    lists = np.full((2, 4), -1), np.full((2, 4), np.inf)
    single = np.zeros((2, 3), dtype=np.float32)
    with pytest.raises(TypeError, match=REFUSED):
        _engine.keep_nearest(single, np.zeros(3), np.arange(3), np.arange(2), *lists)


def test_points_that_do_not_fit_are_refused():
    queries, points = np.zeros((2, 3)), np.zeros((4, 3))
    none = np.zeros((2, 1), dtype=np.int64)
    for wrong, message in (
        ((queries, np.zeros((4, 2)), none, 1), "as wide"),
        ((queries, points, none[:1], 1), "a row per query"),
        ((queries, points, none, 0), "k must be at least 1"),
        ((queries, points, none + 4, 1), "candidates must name points"),
        ((queries, points, none - 2, 1), "candidates must name points"),
    ):
        with pytest.raises(ValueError, match=message):
            _engine.recheck(*wrong, True)
    for wrong, message in (
        ((queries, np.zeros((4, 2)), 0, none, np.zeros((2, 1))), "as wide"),
        ((queries, points, 0, none, np.zeros((2, 2))), "must match"),
        ((queries[:1], points, 0, none, np.zeros((2, 1))), "a row per query"),
        ((queries, points, 0, none[:, :0].copy(), np.zeros((2, 0))), "room for a"),
    ):
        with pytest.raises(ValueError, match=message):
            _engine.scan_points(*wrong)
    for wrong in (points.astype(int), np.asfortranarray(points), points[0]):
        with pytest.raises(TypeError, match=REFUSED):
            _engine.recheck(queries, wrong, none, 1, True)
