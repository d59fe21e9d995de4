"""The neighbour kernels beside their oracles, with the jit and without."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracles import nearest as oracle

from hilabel import _kernels

SMALLEST = {
    "jit": _kernels.nearest.smallest_per_row,
    "python": _kernels.nearest.smallest_per_row.py_func,
}
MERGE = {
    "jit": _kernels.nearest.merge_lists,
    "python": _kernels.nearest.merge_lists.py_func,
}


@st.composite
def tables(draw, min_rows=0, max_rows=6):
    """Draw distances with many ties."""
    shape = (draw(st.integers(min_rows, max_rows)), draw(st.integers(1, 9)))
    return draw(hnp.arrays(np.float64, shape, elements=st.integers(0, 4).map(float)))


@pytest.mark.parametrize("kernel", SMALLEST)
@given(table=tables(), data=st.data())
def test_smallest_per_row_is_a_cut_sort_by_distance_then_index(kernel, table, data):
    k = data.draw(st.integers(1, table.shape[1]))
    indices, values = SMALLEST[kernel](table, k)
    expected_indices, expected_values = oracle.smallest_per_row(table, k)
    np.testing.assert_array_equal(indices, expected_indices)
    np.testing.assert_array_equal(values, expected_values)


@pytest.mark.parametrize("kernel", SMALLEST)
@pytest.mark.parametrize(
    "points",
    [np.array([[3.0, 1.0]]), np.arange(5.0)[:, None], np.full((6, 2), 7.0)],
    ids=["one row", "one feature", "constant points"],
)
def test_smallest_per_row_of_degenerate_points(kernel, points):
    table = np.abs(points[:, None] - points[None]).sum(axis=2)
    for k in range(1, len(points) + 1):
        indices, values = SMALLEST[kernel](table, k)
        expected_indices, expected_values = oracle.smallest_per_row(table, k)
        np.testing.assert_array_equal(indices, expected_indices)
        np.testing.assert_array_equal(values, expected_values)


@st.composite
def merge_cases(draw):
    """Draw distances of pool rows to fixed rows and to each other, and who counts."""
    n_pool = draw(st.integers(1, 8))
    n_fixed = draw(st.integers(1, 4))
    ties = st.integers(0, 4).map(float)
    to_fixed = draw(hnp.arrays(np.float64, (n_pool, n_fixed), elements=ties))
    to_pool = draw(hnp.arrays(np.float64, (n_pool, n_pool), elements=ties))
    active = draw(hnp.arrays(bool, n_pool))
    exclude_self = draw(st.booleans())
    n_counting = n_fixed + active.sum() - (exclude_self and active.any())
    k = draw(st.integers(1, int(n_counting)))
    width = draw(st.integers(1, n_pool))
    return to_fixed, to_pool, active, exclude_self, k, width


@pytest.mark.parametrize("kernel", MERGE)
@given(case=merge_cases())
def test_merged_lists_are_the_nearest_that_count_unless_short(kernel, case):
    to_fixed, to_pool, active, exclude_self, k, width = case
    n_pool, n_fixed = to_fixed.shape
    own = np.arange(n_pool) if exclude_self else np.full(n_pool, -1)
    fixed_lists = oracle.smallest_per_row(to_fixed, min(k, n_fixed))
    pool_lists = oracle.smallest_per_row(to_pool, width)
    indices, distances, is_short = MERGE[kernel](
        *fixed_lists, *pool_lists, active, own, k, width == n_pool
    )
    expected, expected_distances = oracle.nearest_counting(
        to_fixed, to_pool, active, k, exclude_self
    )
    # A list of all pool rows never ends too soon.
    assert not (width == n_pool and is_short.any())
    numbers = np.where(indices < 0, n_fixed - 1 - indices, indices)
    np.testing.assert_array_equal(numbers[~is_short], expected[~is_short])
    np.testing.assert_array_equal(distances[~is_short], expected_distances[~is_short])


@pytest.mark.parametrize("kernel", MERGE)
def test_a_list_that_ends_before_the_answer_is_certain_is_short(kernel):
    fixed_idx, fixed_dist = np.array([[0], [0]]), np.array([[1.0], [2.0]])
    # Each row lists one pool row, at distance 1, that does not count. Beyond it lies
    # something at distance 1 or more: only the first row can be sure of its fixed row.
    pool_idx, pool_dist = np.array([[1], [0]]), np.array([[1.0], [1.0]])
    active, own = np.array([False, False]), np.array([-1, -1])
    indices, _, is_short = MERGE[kernel](
        fixed_idx, fixed_dist, pool_idx, pool_dist, active, own, 1, False
    )
    assert is_short.tolist() == [False, True]
    assert indices[0, 0] == 0


@pytest.mark.parametrize("kernel", MERGE)
def test_at_equal_distance_the_fixed_row_comes_first(kernel):
    indices, distances, is_short = MERGE[kernel](
        np.array([[0]]),
        np.array([[1.0]]),
        np.array([[0]]),
        np.array([[1.0]]),
        np.array([True]),
        np.array([-1]),
        2,
        True,
    )
    assert indices.tolist() == [[0, -1]]
    assert distances.tolist() == [[1.0, 1.0]]
    assert not is_short.any()
