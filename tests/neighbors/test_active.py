"""Neighbours among a changing set of rows, beside a sort of all distances."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from oracles import nearest as oracle

from hilabel.neighbors import ActiveNeighbors, ExactSearch, Metric, _active


def largest_gap(a, b):
    return float(np.abs(a - b).max())


def expected_nearest(metric, fixed, pool, active, k, exclude_self):
    return oracle.nearest_counting(
        metric.between(pool, fixed), metric.between(pool, pool), active, k, exclude_self
    )


def assert_nearest(neighbors, metric, fixed, pool, active, k, exclude_self):
    indices, distances = neighbors.nearest(active, k, exclude_self=exclude_self)
    expected = expected_nearest(metric, fixed, pool, active, k, exclude_self)
    np.testing.assert_array_equal(indices, expected[0])
    np.testing.assert_allclose(distances, expected[1], rtol=1e-15)


def make_neighbors(fixed, pool, metric):
    return ActiveNeighbors(fixed, pool, ExactSearch(metric))


def grid(n_rows):
    return hnp.arrays(
        np.float64, (n_rows, 2), elements=st.integers(0, 3).map(float), fill=st.just(0)
    )


@st.composite
def changing_sets(draw):
    """Draw points of a grid, with duplicates, and several questions about them."""
    fixed = draw(grid(draw(st.integers(1, 5))))
    pool = draw(grid(draw(st.integers(1, 60))))
    questions = []
    for _ in range(draw(st.integers(1, 4))):
        # Chances from "few" to "all" make lists run out, and not.
        chance = draw(st.sampled_from([0.0, 0.05, 0.3, 1.0]))
        seed = draw(st.integers(0, 99))
        active = np.random.default_rng(seed).random(len(pool)) < chance
        exclude_self = draw(st.booleans())
        n_counting = len(fixed) + active.sum() - (exclude_self and active.any())
        k = draw(st.integers(1, max(1, int(n_counting))))
        questions.append((active, min(k, int(n_counting)), exclude_self))
    return fixed, pool, [question for question in questions if question[1] > 0]


@given(changing_sets())
def test_nearest_are_those_of_the_oracle_whatever_counts(case):
    fixed, pool, questions = case
    metric = Metric("euclidean")
    neighbors = make_neighbors(fixed, pool, metric)
    for active, k, exclude_self in questions:
        assert_nearest(neighbors, metric, fixed, pool, active, k, exclude_self)


@pytest.mark.parametrize("exclude_self", [True, False])
@pytest.mark.parametrize(
    ("n_active", "k"),
    [(0, 1), (0, 5), (1, 4), (3, 5), (3, 7), (40, 5), (40, 40), (500, 4), (500, 40)],
)
def test_lists_that_run_out_are_completed_by_a_search(n_active, k, exclude_self):
    random = np.random.default_rng(n_active)
    # The few rows that always count are far away, so that the lists of 32 end early.
    fixed, pool = random.random((5, 3)) + 2, random.random((500, 3))
    active = np.zeros(500, dtype=bool)
    active[random.choice(500, n_active, replace=False)] = True
    metric = Metric("euclidean")
    neighbors = make_neighbors(fixed, pool, metric)
    assert_nearest(neighbors, metric, fixed, pool, active, k, exclude_self)


def test_lists_do_run_out_where_few_rows_count():
    """Guards the test above: the lists must be shorter than what it asks about."""
    assert _active._LIST_WIDTH < 500 / 3


@pytest.mark.parametrize("exclude_self", [True, False])
def test_lists_made_for_many_active_rows_do_for_few_and_for_a_larger_k(exclude_self):
    random = np.random.default_rng(2)
    fixed, pool = random.random((40, 3)) + 0.5, random.random((500, 3))
    metric = Metric("euclidean")
    neighbors = make_neighbors(fixed, pool, metric)
    for share, k in [(1, 3), (1, 4), (1, 9), (0.7, 9), (0.1, 3), (1, 20), (1, 21)]:
        active = random.random(500) < share
        assert_nearest(neighbors, metric, fixed, pool, active, k, exclude_self)


@pytest.mark.parametrize("exclude_self", [True, False])
@pytest.mark.parametrize(
    "name", ["manhattan", "cosine", "chebyshev", "euclidean", largest_gap]
)
def test_every_metric_gives_the_neighbours_of_the_oracle(name, exclude_self):
    random = np.random.default_rng(3)
    fixed, pool = random.random((6, 4)), random.random((80, 4))
    metric = Metric(name)
    neighbors = make_neighbors(fixed, pool, metric)
    for share in (0, 0.04, 0.5, 1):
        active = random.random(80) < share
        assert_nearest(neighbors, metric, fixed, pool, active, 5, exclude_self)


@pytest.mark.parametrize("name", ["euclidean", "manhattan", "cosine"])
@pytest.mark.parametrize("container", [sp.csr_array, sp.csr_matrix])
def test_sparse_rows_have_the_neighbours_of_dense_ones(name, container):
    random = np.random.default_rng(4)
    X = random.random((90, 12)) * (random.random((90, 12)) < 0.4)
    metric = Metric(name)
    dense = make_neighbors(X[:6], X[6:], metric)
    sparse = make_neighbors(container(X[:6]), container(X[6:]), metric)
    for share in (0, 0.05, 0.6):
        active = random.random(84) < share
        expected = dense.nearest(active, 5, exclude_self=True)
        found = sparse.nearest(active, 5, exclude_self=True)
        np.testing.assert_array_equal(found[0], expected[0])
        np.testing.assert_allclose(found[1], expected[1], atol=1e-12)


def test_only_the_row_itself_is_excluded_not_its_duplicates():
    fixed, pool = np.array([[9.0]]), np.array([[1.0], [1.0], [1.0]])
    neighbors = make_neighbors(fixed, pool, Metric("euclidean"))
    active = np.ones(3, dtype=bool)
    indices, distances = neighbors.nearest(active, 2, exclude_self=True)
    assert indices.tolist() == [[2, 3], [1, 3], [1, 2]]
    assert (distances == 0).all()
    indices, _ = neighbors.nearest(active, 2, exclude_self=False)
    assert indices.tolist() == [[1, 2]] * 3


def test_a_growing_k_asks_for_longer_lists():
    random = np.random.default_rng(5)
    fixed, pool = random.random((30, 2)), random.random((200, 2))
    metric = Metric("euclidean")
    neighbors = make_neighbors(fixed, pool, metric)
    active = random.random(200) < 0.5
    for k in (2, 3, 20, 60, 3):
        assert_nearest(neighbors, metric, fixed, pool, active, k, True)


def test_one_row_one_feature():
    neighbors = make_neighbors(np.array([[1.0]]), np.array([[3.0]]), Metric("l2"))
    indices, distances = neighbors.nearest(np.array([True]), 1, exclude_self=True)
    assert indices.tolist() == [[0]]
    assert distances.tolist() == [[2.0]]
    indices, distances = neighbors.nearest(np.array([True]), 2, exclude_self=False)
    assert indices.tolist() == [[1, 0]]
    assert distances.tolist() == [[0.0, 2.0]]
