"""Bins of features: their number, their edges, dense and sparse alike."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from oracles import trees as oracle

from hilabel.forests import FeatureBins

NUMBERS = st.floats(allow_nan=True, allow_infinity=False)
FEW_NUMBERS = st.sampled_from([0.0, -1.0, 0.5, 2.0, np.nan])


def edges_of(bins, feature=0):
    return bins.edges[bins.edges_ptr[feature] : bins.edges_ptr[feature + 1]]


def column(*values):
    return np.array(values, dtype=np.float64).reshape(-1, 1)


@st.composite
def matrices(draw, elements=NUMBERS):
    shape = (draw(st.integers(1, 12)), draw(st.integers(1, 4)))
    return draw(hnp.arrays(np.float64, shape, elements=elements))


@given(X=matrices())
def test_different_values_have_different_bins_in_their_order(X):
    bins = FeatureBins.from_matrix(X)
    assert bins.n_features == X.shape[1]
    codes = bins.code(X).codes.T
    for values, found in zip(X.T, codes.T):
        present = ~np.isnan(values)
        _, ranks = np.unique(values[present], return_inverse=True)
        np.testing.assert_array_equal(found[present], ranks)
        assert (found[~present] == oracle.MISSING).all()


@given(X=matrices())
def test_codes_count_the_edges_below_the_value(X):
    bins = FeatureBins.from_matrix(X)
    edges = [edges_of(bins, feature) for feature in range(X.shape[1])]
    coded = bins.code(X)
    np.testing.assert_array_equal(coded.codes.T, oracle.bin_matrix(X, edges))
    ((rows, codes),) = bins.row_blocks(X)
    assert rows == slice(0, X.shape[0])
    np.testing.assert_array_equal(codes, coded.codes.T)
    assert coded.n_features == X.shape[1]


def test_edges_stand_half_way():
    X = column(4.0, 1.0, np.nan, 2.0, 1.0)
    assert edges_of(FeatureBins.from_matrix(X)).tolist() == [1.5, 3.0]


@pytest.mark.parametrize(
    ("lower", "upper"),
    [
        (1.0, np.nextafter(1.0, 2.0)),
        (0.0, 5e-324),
        (-1.7e308, 1.7e308),
        (1.6e308, 1.7e308),
        (-np.inf, np.inf),
        (-np.inf, 0.0),
        (0.0, np.inf),
    ],
)
def test_neighbouring_huge_and_infinite_values_are_kept_apart(lower, upper):
    bins = FeatureBins.from_matrix(column(upper, lower))
    assert bins.code(column(lower, upper)).codes.tolist() == [[0, 1]]
    assert not np.isnan(bins.edges).any()


def test_half_way_between_huge_values_is_between_them():
    bins = FeatureBins.from_matrix(column(-1.5e308, 1.7e308))
    assert edges_of(bins)[0] == pytest.approx(0.1e308)


def test_constant_and_missing_columns_have_no_edges():
    X = np.array([[3.0, np.nan], [3.0, np.nan]])
    bins = FeatureBins.from_matrix(X)
    assert bins.edges.size == 0
    assert bins.code(X).codes.tolist() == [[0, 0], [255, 255]]
    # Values never seen in training still have a bin.
    assert bins.code(np.array([[9.0, 9.0]])).codes.tolist() == [[0], [0]]


def test_255_values_have_a_bin_each():
    X = column(*np.random.default_rng(0).permutation(255))
    codes = FeatureBins.from_matrix(X).code(X).codes[0]
    np.testing.assert_array_equal(codes, X[:, 0])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_300_values_fall_in_bins_of_equal_shares(form):
    values = np.random.default_rng(0).exponential(size=300) + 1
    bins = FeatureBins.from_matrix(form(values.reshape(-1, 1)))
    assert edges_of(bins).size == 254
    assert np.isin(edges_of(bins), values).all()
    codes = bins.code(values.reshape(-1, 1)).codes[0]
    counts = np.bincount(codes, minlength=255)
    assert counts.size == 255
    assert set(counts.tolist()) == {1, 2}
    assert (np.diff(codes[np.argsort(values)].astype(int)) >= 0).all()


def test_quantiles_of_many_equal_values_are_used_once():
    values = np.concatenate([np.zeros(3000), np.arange(1.0, 301.0)])
    bins = FeatureBins.from_matrix(values.reshape(-1, 1))
    edges = edges_of(bins)
    assert (np.diff(edges) > 0).all()
    codes = bins.code(column(0.0, 1.0, 300.0)).codes[0]
    assert codes[0] == 0
    assert codes[1] > 0
    assert codes[2] == edges.size


@given(X=matrices(elements=FEW_NUMBERS), step=st.integers(1, 12))
def test_sparse_and_dense_matrices_have_the_same_codes(X, step):
    bins = FeatureBins.from_matrix(X)
    sparse = sp.csr_array(X)
    from_sparse = FeatureBins.from_matrix(sparse)
    np.testing.assert_array_equal(from_sparse.edges, bins.edges)
    np.testing.assert_array_equal(from_sparse.edges_ptr, bins.edges_ptr)
    expected = bins.code(X).codes.T
    coded = bins.code(sparse)
    laid_out = np.tile(coded.zero_codes, (X.shape[0], 1))
    features = np.repeat(np.arange(X.shape[1]), np.diff(coded.indptr))
    laid_out[coded.indices, features] = coded.stored
    np.testing.assert_array_equal(laid_out, expected)
    assert coded.n_features == X.shape[1]
    ((_, codes),) = bins.row_blocks(sparse)
    np.testing.assert_array_equal(codes, expected)


def with_duplicates():
    """Return a csr matrix of [[3, 0], [1, 4]] whose 3 is stored as 1 + 2."""
    data = np.array([1.0, 2.0, 4.0, 1.0])
    indices, indptr = np.array([0, 0, 1, 0]), np.array([0, 2, 4])
    return sp.csr_array((data, indices, indptr), shape=(2, 2))


def test_values_stored_twice_are_added():
    dense = np.array([[3.0, 0.0], [1.0, 4.0]])
    bins = FeatureBins.from_matrix(with_duplicates())
    np.testing.assert_array_equal(bins.edges, FeatureBins.from_matrix(dense).edges)
    assert bins.code(with_duplicates()).indptr.tolist() == [0, 2, 3]
    ((_, codes),) = bins.row_blocks(with_duplicates())
    assert codes.tolist() == [[1, 0], [0, 1]]


def test_the_matrix_is_not_changed():
    X = with_duplicates()
    # Arrays that are kept in a file, or shared, cannot be written at all.
    for array in (X.data, X.indices, X.indptr):
        array.flags.writeable = False
    bins = FeatureBins.from_matrix(X)
    bins.code(X)
    list(bins.row_blocks(X))
    assert X.data.tolist() == [1.0, 2.0, 4.0, 1.0]
    assert X.indices.tolist() == [0, 0, 1, 0]
    assert X.indptr.tolist() == [0, 2, 4]


def test_stored_zeros_are_zeros():
    X = sp.csr_array((np.array([0.0, 1.0]), ([0, 1], [0, 0])), shape=(3, 1))
    assert X.nnz == 2
    bins = FeatureBins.from_matrix(X)
    assert bins.edges.tolist() == [0.5]
    assert bins.code(X).stored.tolist() == [0, 1]


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint16, np.float32])
def test_other_numbers_have_the_codes_of_floats(dtype):
    X = np.array([[0, 1], [1, 1], [1, 0]])
    expected = FeatureBins.from_matrix(X.astype(float)).code(X.astype(float)).codes
    for form in (np.asarray, sp.csr_array):
        typed = form(X.astype(dtype))
        bins = FeatureBins.from_matrix(typed)
        ((_, codes),) = bins.row_blocks(typed)
        np.testing.assert_array_equal(codes.T, expected)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_blocks_cover_all_rows_of_a_wide_matrix(form):
    n_features, n_varying = 2**22, 50
    X = np.zeros((5, n_features), dtype=np.int8)
    X[:, :n_varying] = np.random.default_rng(0).integers(0, 3, (5, n_varying))
    ptr = np.minimum(2 * np.arange(n_features + 1), 2 * n_varying)
    bins = FeatureBins(ptr, np.tile([0.5, 1.5], n_varying))
    blocks = list(bins.row_blocks(form(X)))
    assert [rows for rows, _ in blocks] == [slice(0, 4), slice(4, 5)]
    for rows, codes in blocks:
        assert codes.shape == (rows.stop - rows.start, n_features)
        np.testing.assert_array_equal(codes[:, :n_varying], X[rows, :n_varying])


def test_no_rows_give_no_blocks():
    bins = FeatureBins.from_matrix(column(1.0, 2.0))
    assert list(bins.row_blocks(np.empty((0, 1)))) == []


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@given(rows=st.lists(st.integers(0, 29), max_size=40), most=st.integers(1, 50))
def test_coded_rows_come_in_blocks_in_the_order_asked_for(form, rows, most):
    random = np.random.default_rng(0)
    X = form(random.normal(size=(30, 4)) * (random.random((30, 4)) < 0.5))
    bins = FeatureBins.from_matrix(X)
    ((_, expected),) = bins.row_blocks(X)
    blocks = list(bins.code(X).row_blocks(np.array(rows, dtype=np.int64), most))
    assert all(0 < len(block) <= most for block in blocks)
    codes = np.concatenate([*blocks, np.empty((0, 4), dtype=np.uint8)])
    np.testing.assert_array_equal(codes, expected[rows])
