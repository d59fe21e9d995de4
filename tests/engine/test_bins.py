"""Bins of values beside their oracle."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from oracles import trees as oracle

from hilabel import _engine

# Values that are often on an edge, and the infinite ones.
VALUES = st.sampled_from(
    [-np.inf, -2.0, -1.0, -0.0, 0.0, 0.5, 1.0, 2.0, np.inf, np.nan]
)


@st.composite
def matrices_with_edges(draw):
    shape = (draw(st.integers(0, 5)), draw(st.integers(1, 4)))
    X = draw(hnp.arrays(np.float64, shape, elements=VALUES))
    some = st.lists(VALUES.filter(lambda x: x == x), max_size=5, unique=True)
    return X, [sorted(draw(some)) for _ in range(shape[1])]


def flat(edges):
    ptr = np.cumsum([0, *map(len, edges)])
    return ptr, np.array([edge for e in edges for edge in e], dtype=np.float64)


def check(X, edges):
    expected = oracle.bin_matrix(X, edges)
    by_row = _engine.bin_columns(X, *flat(edges), False)
    by_feature = _engine.bin_columns(X, *flat(edges), True)
    features = np.tile(np.arange(X.shape[1]), X.shape[0])
    single = _engine.bin_codes(X.ravel(), features, *flat(edges))
    assert by_row.dtype == by_feature.dtype == single.dtype == np.uint8
    np.testing.assert_array_equal(by_row, expected)
    np.testing.assert_array_equal(by_feature, expected.T)
    np.testing.assert_array_equal(single.reshape(X.shape), expected)


@given(case=matrices_with_edges())
def test_codes_count_the_edges_below(case):
    check(*case)


def test_codes_of_any_number_of_edges_and_of_many_rows():
    random = np.random.default_rng(0)
    edges = [range(n) for n in (0, 1, 2, 3, 7, 8, 9, 63, 64, 65, 127, 128, 253, 254)]
    for n_rows in (1, 63, 64, 65, 150):
        X = random.integers(-2, 256, (n_rows, len(edges))) / 2
        X[random.random(X.shape) < 0.1] = np.nan
        check(X, edges)


def test_254_edges_leave_room_for_missing_values():
    edges = np.arange(254.0)
    values = np.array([-1.0, 0.0, 0.5, 253.0, 254.0, np.inf, np.nan])
    codes = _engine.bin_codes(
        values, np.zeros(7, dtype=np.int64), np.array([0, 254]), edges
    )
    assert codes.tolist() == [0, 0, 1, 253, 254, 254, 255]


def test_edges_that_do_not_fit_are_refused():
    X, edges = np.zeros((4, 2)), np.arange(3.0)
    one = np.zeros(1, dtype=np.int64)
    for ptr, message in (
        ([0, 3], "must fit the columns of X"),
        ([0, 1, 2, 3], "must fit the columns of X"),
        ([], "must rise from 0"),
        ([0, 1, 2], "must rise from 0"),
        ([1, 1, 3], "must rise from 0"),
        ([0, 4, 3], "must rise from 0"),
        ([0, -1, 3], "must rise from 0"),
    ):
        with pytest.raises(ValueError, match=message):
            _engine.bin_columns(X, np.array(ptr, dtype=np.int64), edges, True)
    many = np.array([0, 255]), np.arange(255.0)
    with pytest.raises(ValueError, match="at most 254 edges"):
        _engine.bin_columns(X[:, :1].copy(), *many, True)
    with pytest.raises(ValueError, match="at most 254 edges"):
        _engine.bin_codes(np.zeros(1), one, *many)
    ptr = np.array([0, 1, 3])
    for features in (one + 2, one - 1):
        with pytest.raises(ValueError, match="features must have edges"):
            _engine.bin_codes(np.zeros(1), features, ptr, edges)
    with pytest.raises(ValueError, match="an entry per value"):
        _engine.bin_codes(np.zeros(2), one, ptr, edges)


def test_values_of_another_kind_are_refused():
    ptr, edges = np.array([0, 1, 3]), np.arange(3.0)
    X = np.zeros((4, 2))
    for wrong in (X.astype(np.float32), np.asfortranarray(X), X[::2], X[0]):
        with pytest.raises(TypeError, match="incompatible function arguments"):
            _engine.bin_columns(wrong, ptr, edges, True)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _engine.bin_columns(X, ptr.astype(np.int32), edges, True)
