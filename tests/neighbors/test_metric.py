"""Distances in blocks, pair by pair and between neighbours agree."""

import numpy as np
import pytest
import scipy.sparse as sp

from hilabel.neighbors import Metric


def largest_gap(a, b):
    return float(np.abs(a - b).max())


METRICS = ["euclidean", "l2", "manhattan", "cosine", "chebyshev", largest_gap]
SPARSE_METRICS = ["euclidean", "manhattan", "cosine"]


@pytest.fixture
def rows():
    """Small whole numbers: rows of zeros, duplicates and ties among them."""
    points = np.random.default_rng(0).integers(0, 3, size=(25, 3)).astype(float)
    points[[4, 9]] = 0
    points[11] = points[3]
    return points


def by_hand(name, a, b):
    if name in ("euclidean", "l2"):
        return np.sqrt(((a - b) ** 2).sum())
    if name == "manhattan":
        return np.abs(a - b).sum()
    if name == "cosine":
        lengths = np.sqrt((a @ a) * (b @ b))
        return 1 - a @ b / lengths if lengths else 1.0
    return np.abs(a - b).max()


@pytest.mark.parametrize("name", METRICS)
def test_block_of_distances_is_as_by_hand(name, rows):
    table = Metric(name).between(rows, rows[:7])
    expected = [[by_hand(name, a, b) for b in rows[:7]] for a in rows]
    np.testing.assert_allclose(table, expected, atol=1e-12)


@pytest.mark.parametrize("name", METRICS)
def test_paired_distances_are_the_diagonal_of_the_block(name, rows):
    metric = Metric(name)
    others = rows[::-1].copy()
    expected = np.diag(metric.between(rows, others))
    np.testing.assert_allclose(metric.paired(rows, others), expected, atol=1e-12)


@pytest.mark.parametrize("name", METRICS)
def test_equal_rows_that_are_not_zero_are_exactly_0_apart(name, rows):
    rows = rows[rows.any(axis=1)] / 3
    metric = Metric(name)
    assert (np.diag(metric.between(rows, rows.copy())) == 0).all()
    assert (metric.paired(rows, rows.copy()) == 0).all()


def test_rows_that_share_nothing_are_exactly_1_apart_by_cosine():
    rows = np.array([[0.3, 0.7, 0, 0], [0, 0, 0.9, 0.1], [0, 0, 0, 0]])
    for metric_rows in (rows, sp.csr_array(rows)):
        metric = Metric("cosine")
        assert (metric.between(metric_rows[:1], metric_rows[1:]) == 1).all()
        assert (metric.paired(metric_rows, metric_rows[[1, 2, 0]]) == 1).all()


@pytest.mark.parametrize("name", METRICS)
def test_distances_within_are_those_between_the_neighbours(name, rows):
    metric = Metric(name)
    neighbors = np.random.default_rng(1).permuted(
        np.tile(np.arange(25), (300, 1)), axis=1
    )[:, :4]
    result = metric.within(rows, neighbors)
    table = metric.between(rows, rows)
    np.fill_diagonal(table, 0)
    expected = table[neighbors[:, :, None], neighbors[:, None, :]]
    np.testing.assert_allclose(result, expected, atol=1e-12)


@pytest.mark.parametrize("name", METRICS)
def test_distances_within_may_be_asked_for_no_row_at_all(name, rows):
    nobody = np.empty((0, 4), dtype=np.int64)
    assert Metric(name).within(rows, nobody).shape == (0, 4, 4)


@pytest.mark.parametrize("name", SPARSE_METRICS)
@pytest.mark.parametrize("container", [sp.csr_array, sp.csr_matrix])
def test_sparse_rows_are_as_far_apart_as_dense_ones(name, container, rows):
    metric = Metric(name)
    sparse = container(rows)
    # Blocks of sparse rows use the expanded square, so only to half the digits.
    np.testing.assert_allclose(
        metric.between(sparse, sparse[:7]), metric.between(rows, rows[:7]), atol=1e-7
    )
    np.testing.assert_allclose(
        metric.paired(sparse, sparse[::-1]), metric.paired(rows, rows[::-1]), atol=1e-12
    )
    neighbors = np.array([[0, 4, 9], [3, 11, 20]])
    np.testing.assert_allclose(
        metric.within(sparse, neighbors), metric.within(rows, neighbors), atol=1e-12
    )


@pytest.mark.parametrize("name", ["chebyshev", largest_gap])
def test_metric_that_cannot_take_sparse_rows_says_what_can(name, rows):
    with pytest.raises(
        ValueError, match=r"does not support sparse X; use one of .*cosine"
    ):
        Metric(name).check_input(sp.csr_array(rows))
    Metric(name).check_input(rows)


def test_metric_without_a_value_for_some_rows_is_refused():
    constant = np.array([[1.0, 1.0], [2.0, 1.0]])
    with pytest.raises(
        ValueError, match=r"'correlation' returned NaN .* another metric"
    ):
        Metric("correlation").between(constant, constant)


@pytest.mark.parametrize("name", [*METRICS, "correlation"])
def test_distances_do_not_depend_on_the_memory_layout(name):
    A, B = np.random.default_rng(0).normal(size=(2, 30, 17))
    metric = Metric(name)
    for compare in (metric.between, metric.paired):
        for first, second in ((A, B), (A, A)):
            given = [np.asfortranarray(first)]
            given.append(given[0] if second is first else np.asfortranarray(second))
            np.testing.assert_array_equal(compare(*given), compare(first, second))
