"""Exact search beside the sort of all distances."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from oracles import nearest as oracle
from scipy.spatial.distance import cdist

from hilabel.neighbors import ExactSearch, Metric, _exact

EUCLIDEAN = ExactSearch(Metric("euclidean"))


def grid_points(n_features, max_rows=12):
    return hnp.arrays(
        np.float64,
        st.tuples(st.integers(1, max_rows), st.just(n_features)),
        elements=st.integers(-2, 2).map(float),
    )


@given(grid_points(2), grid_points(2), st.integers(1, 15))
def test_nearest_points_of_a_grid_are_sorted_by_distance_then_index(queries, points, k):
    indices, distances = EUCLIDEAN.nearest(queries, points, k)
    expected, expected_distances = oracle.smallest_per_row(cdist(queries, points), k)
    np.testing.assert_array_equal(indices, expected)
    np.testing.assert_array_equal(distances, expected_distances)


@settings(max_examples=40)
@given(grid_points(3), grid_points(3), st.integers(1, 5))
def test_sparse_search_equals_dense_search(queries, points, k):
    for name in ("euclidean", "manhattan", "cosine"):
        search = ExactSearch(Metric(name))
        dense = search.nearest(queries, points, k)
        sparse = search.nearest(sp.csr_array(queries), sp.csr_array(points), k)
        np.testing.assert_allclose(sparse[1], dense[1], atol=1e-12)
        if name != "cosine":  # whose ties are subject to rounding
            np.testing.assert_array_equal(sparse[0], dense[0])


def test_duplicates_are_found_in_order_of_index_also_in_sparse_rows():
    point = np.random.default_rng(0).random(30)
    points = np.tile(point, (40, 1))
    for rows in (points, sp.csr_array(points)):
        indices, distances = EUCLIDEAN.nearest(rows, rows, 5)
        assert (indices == np.arange(5)).all()
        assert (distances == 0).all()


@pytest.mark.parametrize("as_rows", [np.asarray, sp.csr_array])
def test_result_does_not_depend_on_the_block_size(monkeypatch, as_rows):
    random = np.random.default_rng(0)
    queries, points = as_rows(random.random((50, 4))), as_rows(random.random((30, 4)))
    whole = EUCLIDEAN.nearest(queries, points, 6)
    for cells in (1, 95):  # one row at a time; three rows at a time
        monkeypatch.setattr(_exact, "_CELLS_PER_BLOCK", cells)
        blocks = EUCLIDEAN.nearest(queries, points, 6)
        np.testing.assert_array_equal(blocks[0], whole[0])
        np.testing.assert_array_equal(blocks[1], whole[1])


def test_no_points_give_empty_lists():
    indices, distances = EUCLIDEAN.nearest(np.ones((3, 2)), np.ones((0, 2)), 4)
    assert indices.shape == distances.shape == (3, 0)
