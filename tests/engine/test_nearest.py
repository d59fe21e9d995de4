"""Short lists of neighbours beside their oracles."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from oracles import nearest as oracle

from hilabel import _engine
from hilabel.neighbors._lists import smallest_per_row


@st.composite
def tables(draw):
    """Draw distances with many ties, some of them beyond one chunk of 64."""
    shape = (draw(st.integers(0, 6)), draw(st.sampled_from([1, 2, 5, 9, 70, 150])))
    random = np.random.default_rng(draw(st.integers(0, 99)))
    return random.integers(0, draw(st.sampled_from([1, 4, 99])), shape).astype(float)


@given(table=tables(), data=st.data())
def test_smallest_per_row_is_a_cut_sort_by_distance_then_index(table, data):
    k = data.draw(st.integers(1, table.shape[1]))
    for found, expected in zip(
        smallest_per_row(table, k), oracle.smallest_per_row(table, k)
    ):
        np.testing.assert_array_equal(found, expected)


def test_smallest_per_row_of_degenerate_points():
    for points in (
        np.array([[3.0, 1.0]]),
        np.arange(5.0)[:, None],
        np.full((6, 2), 7.0),
        np.array([[0.0], [np.inf], [-np.inf], [1e308]]),
    ):
        with np.errstate(invalid="ignore"):
            table = np.abs(points[:, None] - points[None]).sum(axis=2)
        table[np.isnan(table)] = 0
        for k in range(1, len(points) + 1):
            for found, expected in zip(
                smallest_per_row(table, k), oracle.smallest_per_row(table, k)
            ):
                np.testing.assert_array_equal(found, expected)


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


@given(case=merge_cases())
def test_merged_lists_are_the_nearest_that_count_unless_short(case):
    to_fixed, to_pool, active, exclude_self, k, width = case
    n_pool, n_fixed = to_fixed.shape
    own = np.arange(n_pool) if exclude_self else np.full(n_pool, -1)
    fixed_idx, fixed_dist = oracle.smallest_per_row(to_fixed, min(k, n_fixed))
    pool_idx, pool_dist = oracle.smallest_per_row(to_pool, width)
    indices, distances, is_short = _engine.merge_lists(
        np.ascontiguousarray(fixed_idx),
        fixed_dist,
        np.ascontiguousarray(pool_idx, dtype=np.int32),
        pool_dist,
        active,
        own,
        k,
        width == n_pool,
    )
    expected, expected_distances = oracle.nearest_counting(
        to_fixed, to_pool, active, k, exclude_self
    )
    # A list of all pool rows never ends too soon.
    assert is_short.dtype == bool
    assert not (width == n_pool and is_short.any())
    numbers = np.where(indices < 0, n_fixed - 1 - indices, indices)
    np.testing.assert_array_equal(numbers[~is_short], expected[~is_short])
    np.testing.assert_array_equal(distances[~is_short], expected_distances[~is_short])


def pair_of_lists(**changes):
    """Two rows with a fixed point and a point of the pool each, changed as told."""
    lists = {
        "fixed_idx": np.array([[0], [0]]),
        "fixed_dist": np.array([[1.0], [2.0]]),
        "pool_idx": np.array([[1], [0]], dtype=np.int32),
        "pool_dist": np.array([[1.0], [1.0]]),
        "active": np.array([False, False]),
        "own": np.array([-1, -1]),
        "k": 1,
        "pool_is_complete": False,
    }
    return _engine.merge_lists(*{**lists, **changes}.values())


def test_a_list_that_ends_before_the_answer_is_certain_is_short():
    # Each row lists one pool row, at distance 1, that does not count. Beyond it lies
    # something at distance 1 or more: only the first row can be sure of its fixed row.
    indices, _, is_short = pair_of_lists()
    assert is_short.tolist() == [False, True]
    assert indices[0, 0] == 0


def test_at_equal_distance_the_fixed_row_comes_first():
    indices, distances, is_short = pair_of_lists(
        active=np.array([True, True]), k=2, pool_is_complete=True
    )
    assert indices.tolist() == [[0, -2], [-1, 0]]
    assert distances.tolist() == [[1.0, 1.0], [1.0, 2.0]]
    assert not is_short.any()


def test_lists_that_do_not_fit_are_refused():
    for changes, message in (
        ({"fixed_dist": np.zeros((2, 2))}, "lists must fit"),
        ({"fixed_idx": np.zeros((1, 1), dtype=np.int64)}, "lists must fit"),
        ({"pool_dist": np.zeros((1, 1))}, "lists must fit"),
        ({"pool_dist": np.zeros((2, 2))}, "lists must fit"),
        ({"own": np.array([0])}, "lists must fit"),
        ({"active": np.array([True])}, "pool_idx must name entries of active"),
        ({"pool_idx": np.array([[-1], [0]], dtype=np.int32)}, "pool_idx must name"),
    ):
        with pytest.raises(ValueError, match=message):
            pair_of_lists(**changes)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        pair_of_lists(pool_idx=np.array([[1], [0]]))
    with pytest.raises(TypeError, match="incompatible function arguments"):
        pair_of_lists(k=-1)
