"""The binning kernels beside their oracle, with the jit and without."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracles import trees as oracle

from hilabel import _kernels

COLUMNS = {
    "jit": _kernels.binning.bin_columns,
    "python": _kernels.binning.bin_columns.py_func,
}
CODES = {
    "jit": _kernels.binning.bin_codes,
    "python": _kernels.binning.bin_codes.py_func,
}
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


@pytest.mark.parametrize("kernel", COLUMNS)
@given(case=matrices_with_edges())
def test_codes_of_a_matrix_count_the_edges_below(kernel, case):
    X, edges = case
    by_row = COLUMNS[kernel](X, *flat(edges), False)
    by_feature = COLUMNS[kernel](X, *flat(edges), True)
    assert by_row.dtype == by_feature.dtype == np.uint8
    np.testing.assert_array_equal(by_row, oracle.bin_matrix(X, edges))
    np.testing.assert_array_equal(by_feature, by_row.T)


@pytest.mark.parametrize("kernel", CODES)
@given(case=matrices_with_edges())
def test_codes_of_single_values_are_those_of_the_matrix(kernel, case):
    X, edges = case
    features = np.tile(np.arange(X.shape[1]), X.shape[0])
    codes = CODES[kernel](X.ravel(), features, *flat(edges))
    assert codes.dtype == np.uint8
    np.testing.assert_array_equal(codes.reshape(X.shape), oracle.bin_matrix(X, edges))


def test_254_edges_leave_room_for_missing_values():
    edges = np.arange(254.0)
    values = np.array([-1.0, 0.0, 0.5, 253.0, 254.0, np.inf, np.nan])
    codes = _kernels.binning.bin_codes(
        values, np.zeros(7, dtype=np.int64), np.array([0, 254]), edges
    )
    assert codes.tolist() == [0, 0, 1, 253, 254, 254, 255]
