"""The candidate kernels beside their oracles, with the jit and without."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracles import candidates as oracle
from oracles import nearest as nearest_oracle
from scipy.spatial.distance import cdist

from hilabel import _kernels


def both_ways(kernel):
    return pytest.mark.parametrize(
        "kernel", [kernel, kernel.py_func], ids=["jit", "python"]
    )


def whole_numbers(shape, low=-3, high=3):
    return hnp.arrays(np.float64, shape, elements=st.integers(low, high).map(float))


@both_ways(_kernels.candidates.keep_nearest)
@given(data=st.data())
@settings(max_examples=40)
def test_lists_keep_the_least_values_of_all_tables_shown(kernel, data):
    n_lists, width = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 6))
    n_points = data.draw(st.integers(1, 150))
    tables = data.draw(st.integers(1, 3))
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    indices = np.full((n_lists, width), -1)
    values = np.full((n_lists, width), np.inf)
    seen = []
    for number in range(tables):
        table = random.integers(0, 20, size=(n_lists, n_points)).astype(float)
        lengths = random.integers(0, 5, size=n_points).astype(float)
        rows = random.permutation(n_lists)
        numbers = np.arange(n_points) + number * n_points
        kernel(table, lengths, numbers, rows, indices, values)
        seen.append((table + lengths)[np.argsort(rows)])
    seen = np.hstack(seen)
    expected = oracle.keep_nearest(seen, 0, range(n_lists), width, n_lists)
    np.testing.assert_array_equal(values, expected)
    for row in range(n_lists):
        kept = indices[row][indices[row] >= 0]
        assert len(set(kept.tolist())) == len(kept) == min(width, seen.shape[1])
        np.testing.assert_array_equal(seen[row, kept], values[row, : len(kept)])


@both_ways(_kernels.candidates.recheck)
@pytest.mark.parametrize("is_squared", [True, False])
@given(data=st.data())
@settings(max_examples=40)
def test_rechecked_candidates_are_a_cut_sort_of_the_distinct_ones(
    kernel, is_squared, data
):
    n_features = data.draw(st.integers(1, 3))
    queries = data.draw(whole_numbers((data.draw(st.integers(1, 4)), n_features))) / 3
    points = data.draw(whole_numbers((data.draw(st.integers(1, 6)), n_features))) / 3
    shape = (len(queries), data.draw(st.integers(1, 8)))
    candidates = data.draw(
        hnp.arrays(np.int64, shape, elements=st.integers(-1, len(points) - 1))
    )
    k = data.draw(st.integers(1, 5))
    found = kernel(queries, points, candidates, k, is_squared)
    expected = oracle.recheck(queries, points, candidates, k, is_squared)
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


@both_ways(_kernels.candidates.scan_points)
@given(data=st.data())
@settings(max_examples=40)
def test_scanned_points_are_a_cut_sort_of_all_distances(kernel, data):
    n_features = data.draw(st.integers(1, 40))
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    scale = data.draw(st.sampled_from([1.0, 1 / 3, 1e-161, 1e200]))
    queries = random.integers(0, 3, size=(3, n_features)) * scale
    points = random.integers(0, 3, size=(20, n_features)) * scale
    k, cut = data.draw(st.integers(1, 20)), data.draw(st.integers(0, 20))
    indices, distances = np.full((3, k), -1), np.full((3, k), np.inf)
    with np.errstate(over="ignore", under="ignore"):
        kernel(queries, points[:cut], 0, indices, distances)
        kernel(queries, points[cut:], cut, indices, distances)
        expected = nearest_oracle.smallest_per_row(cdist(queries, points), k)
    np.testing.assert_array_equal(indices, expected[0])
    np.testing.assert_array_equal(distances, expected[1])
