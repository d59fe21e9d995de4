"""Candidates, and exact distances to them, beside their oracles."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from oracles import candidates as oracle, nearest as nearest_oracle
from scipy.spatial.distance import cdist

from hilabel import _engine
from hilabel.neighbors._lists import empty_lists

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
    found = empty_lists(n_queries, k)
    _engine.recheck(queries, points, candidates, is_squared, *found)
    expected = oracle.recheck(queries, points, candidates, k, is_squared)
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


@given(data=st.data())
def test_candidates_of_all_queries_are_a_cut_sort_of_all_distances(data):
    n_features, n_points = data.draw(st.integers(1, 70)), data.draw(st.integers(20, 70))
    random = random_of(data)
    scale = data.draw(st.sampled_from([1.0, 1 / 3, 1e-161, 1e200]))
    queries = random.integers(0, 3, size=(3, n_features)) * scale
    points = random.integers(0, 3, size=(n_points, n_features)) * scale
    k, cut = data.draw(st.integers(1, 20)), data.draw(st.integers(0, n_points))
    indices, distances = empty_lists(3, k)
    for part in (np.arange(cut), np.arange(cut, n_points)):
        _engine.recheck(queries, points, part[None], True, indices, distances)
    with np.errstate(over="ignore", under="ignore"):
        expected = nearest_oracle.smallest_per_row(cdist(queries, points), k)
    np.testing.assert_array_equal(indices, expected[0])
    np.testing.assert_array_equal(distances, expected[1])


def test_distances_are_sums_over_the_features_in_order():
    random = np.random.default_rng(0)
    queries, points = random.normal(size=(5, 77)), random.normal(size=(40, 77))
    for rows in (points, points.astype(np.float32)):
        _, distances = lists = empty_lists(5, 7)
        _engine.recheck(queries, rows, np.arange(40)[None], True, *lists)
        totals = np.zeros(40)
        for feature in range(77):  # in double precision
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
        ({"lengths": 2}, "table must fit"),
        ({"numbers": 4}, "table must fit"),
        ({"rows": [0]}, "table must fit"),
        ({"rows": [0, 2]}, "rows must name lists"),
        ({"rows": [-1, 0]}, "rows must name lists"),
        ({"width": 3}, "indices must fit values"),
        ({"lists": (2, 0), "width": 0}, "room for a point"),
    ):
        with pytest.raises(ValueError, match=message):
            keep(**changes)
    lists = np.full((2, 4), -1), np.full((2, 4), np.inf)
    single = np.zeros((2, 3), dtype=np.float32)
    with pytest.raises(TypeError, match=REFUSED):
        _engine.keep_nearest(single, np.zeros(3), np.arange(3), np.arange(2), *lists)


def test_points_that_do_not_fit_are_refused():
    def check(queries=(2, 3), points=(4, 3), candidates=((0,), (1,)), lists=(2, 1)):
        _engine.recheck(
            np.zeros(queries),
            np.zeros(points),
            np.array(candidates, dtype=np.int64),
            True,
            *empty_lists(*lists),
        )

    check()
    for changes, message in (
        ({"points": (4, 2)}, "as wide"),
        ({"candidates": ((0,), (0,), (0,))}, "each query must have"),
        ({"queries": (1, 3)}, "each query must have"),
        ({"lists": (3, 1)}, "each query must have"),
        ({"lists": (2, 0)}, "room for a point"),
        ({"candidates": ((4,), (0,))}, "candidates must name points"),
        ({"candidates": ((-2,), (0,))}, "candidates must name points"),
    ):
        with pytest.raises(ValueError, match=message):
            check(**changes)
    points = np.zeros((4, 3))
    for wrong in (points.astype(int), np.asfortranarray(points), points[0]):
        with pytest.raises(TypeError, match=REFUSED):
            _engine.recheck(
                points[:2], wrong, np.zeros((2, 1), int), True, *empty_lists(2, 1)
            )
