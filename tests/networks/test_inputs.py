"""InputScaling beside a slow twin: dense, sparse, missing, constant and huge values."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from hilabel.networks import InputScaling
from hilabel.networks._inputs import MAX_INPUT

VALUES = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, np.nan, 1e-300]),
    st.floats(-100, 100),
    st.floats(-8e307, 8e307),
)
MATRICES = hnp.arrays(
    np.float64, st.tuples(st.integers(1, 6), st.integers(1, 3)), elements=VALUES
)


def slow_scaled(X, rows):
    """Scale column by column, with numbers of a wider range."""
    result = np.zeros(rows.shape)
    for column in range(X.shape[1]):
        known = X[~np.isnan(X[:, column]), column].astype(np.longdouble)
        mean = known.mean() if known.size else np.longdouble(0)
        spread = np.sqrt(((known - mean) ** 2).mean()) if known.size else 0
        if spread <= 1e-12 * np.abs(known).max(initial=0):
            spread = np.longdouble(1)
        apart = (rows[:, column].astype(np.longdouble) - mean) / spread
        result[:, column] = np.nan_to_num(np.clip(apart, -4, 4))
    return result


def is_clear(X):
    """Say of each column whether it varies by more than rounding, or not at all."""
    known = [column[~np.isnan(column)] for column in X.T]
    return np.array(
        [
            np.ptp(column) == 0 or np.ptp(column) > 1e-9 * np.abs(column).max()
            if column.size
            else True
            for column in known
        ]
    )


@given(MATRICES)
def test_rows_are_scaled_as_by_the_slow_twin(X):
    scaled = InputScaling.of_columns(X).apply(X)
    assert scaled.dtype == np.float32
    assert np.isfinite(scaled).all()
    clear = is_clear(X)
    np.testing.assert_allclose(
        scaled[:, clear], slow_scaled(X, X)[:, clear], rtol=1e-5, atol=1e-5
    )


@given(MATRICES)
def test_sparse_rows_are_scaled_as_dense_ones(X):
    dense, sparse = InputScaling.of_columns(X), InputScaling.of_columns(sp.csr_array(X))
    np.testing.assert_allclose(sparse.mean, dense.mean, rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(sparse.spread, dense.spread, rtol=1e-9, atol=1e-300)
    stored, zeros = dense.apply_to_stored(sp.csr_array(X))
    expected = dense.apply(X)
    rows, columns = sp.csr_array(X).nonzero()
    np.testing.assert_array_equal(stored, expected[rows, columns])
    is_zero = X == 0
    np.testing.assert_array_equal(
        expected[is_zero], np.broadcast_to(zeros, X.shape)[is_zero]
    )
    np.testing.assert_array_equal(dense.apply(sp.csr_array(X)), expected)


@pytest.mark.parametrize("largest", [4.0, MAX_INPUT])
@pytest.mark.parametrize("size", [5e-324, 1e-300, 1.0, 1e300, np.finfo(float).max])
def test_values_of_any_size_give_finite_rows_without_a_warning(size, largest):
    X = np.array([[size, size, 0.0], [-size, size, 0.0], [np.nan, size, 0.0]])
    for rows in (X, sp.csr_array(X)):
        scaling = InputScaling.of_columns(rows, largest=largest)
        assert np.isfinite(scaling.mean).all()
        assert (scaling.spread > 0).all()
        np.testing.assert_array_equal(
            scaling.apply(rows), [[1, 0, 0], [-1, 0, 0], [0, 0, 0]]
        )
        far = scaling.apply(np.full((1, 3), np.finfo(float).max))
        assert np.isfinite(far).all()
        assert np.abs(far).max() <= largest


def test_columns_without_a_value_and_constant_ones_become_zero():
    X = np.array([[np.nan, 3.0, 1.0], [np.nan, 3.0, 2.0]])
    scaling = InputScaling.of_columns(X)
    np.testing.assert_array_equal(scaling.apply(X)[:, :2], np.zeros((2, 2)))
    # New rows may have values there; they stand apart by as much as they say.
    np.testing.assert_array_equal(scaling.apply([[2.0, 2.5, 1.5]]), [[2.0, -0.5, 0.0]])


def test_values_stored_twice_are_added_up():
    X = sp.csr_array(([1.0, 2, 5, 1], [1, 1, 0, 1], [0, 2, 3, 4]), shape=(3, 2))
    before = X.data.copy()
    scaling = InputScaling.of_columns(X)
    expected = InputScaling.of_columns(X.toarray())
    np.testing.assert_allclose(scaling.mean, expected.mean)
    np.testing.assert_allclose(scaling.spread, expected.spread)
    np.testing.assert_array_equal(X.data, before)


def test_all_values_together_have_one_mean_and_one_spread():
    X = np.random.default_rng(0).normal(3.0, 2.0, (20, 4, 4))
    X[0, 0, 0] = np.nan
    scaling = InputScaling.of_values(X)
    assert scaling.mean == pytest.approx(np.nanmean(X))
    assert scaling.spread == pytest.approx(np.nanstd(X))
    assert scaling.apply(X).shape == X.shape
    assert scaling.apply(X)[0, 0, 0] == 0
