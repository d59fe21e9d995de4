"""Missing values filled, columns scaled, the same way for every table."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from hilabel.datasets import NumericPreparation

VALUES = st.one_of(st.just(np.nan), st.integers(-5, 5).map(float))
TABLES = hnp.arrays(np.float64, (6, 3), elements=VALUES)


@given(TABLES, st.sampled_from(["mean", "median"]))
def test_filling_is_that_of_scikit_learn(X, strategy):
    X[0] = 1.0  # scikit-learn drops columns without a value
    expected = SimpleImputer(strategy=strategy).fit_transform(X)
    got = NumericPreparation(strategy, None).fit_transform(X)
    np.testing.assert_allclose(got, expected)


@given(TABLES)
def test_scaling_is_that_of_scikit_learn(X):
    X[0] = 1.0
    for scale, scaler in (("standard", StandardScaler()), ("range", MinMaxScaler())):
        got = NumericPreparation(None, scale).fit_transform(X)
        expected = scaler.fit_transform(X)
        np.testing.assert_allclose(got, expected, atol=1e-12)


def test_new_rows_are_treated_as_the_old_ones_were():
    preparation = NumericPreparation("mean", "standard").fit([[0.0], [2.0], [np.nan]])
    spread = np.std([0.0, 2.0, 1.0])
    np.testing.assert_allclose(
        preparation.transform([[np.nan], [5.0]]), [[0.0], [4.0 / spread]]
    )


def test_a_column_without_values_becomes_zero():
    got = NumericPreparation("mean", "standard").fit_transform([[np.nan], [np.nan]])
    np.testing.assert_array_equal(got, [[0.0], [0.0]])


def test_a_column_without_values_stays_so_if_nothing_is_filled():
    got = NumericPreparation(None, "standard").fit_transform([[np.nan], [np.nan]])
    assert np.isnan(got).all()


def test_columns_to_keep_are_not_scaled():
    X = np.array([[0.0, 0.0], [10.0, 1.0]])
    got = NumericPreparation(None, "standard", keep=[1]).fit_transform(X)
    np.testing.assert_array_equal(got, [[-1.0, 0.0], [1.0, 1.0]])


def test_a_range_holds_for_new_rows_too():
    preparation = NumericPreparation(None, "range", keep=[1]).fit([[1.0, 1], [3.0, 0]])
    np.testing.assert_array_equal(
        preparation.transform([[0.0, 5.0], [9.0, -5.0], [np.nan, 0.0]]),
        [[0.0, 5.0], [1.0, -5.0], [np.nan, 0.0]],
    )


def test_another_number_of_columns_is_refused():
    preparation = NumericPreparation().fit([[1.0]])
    with pytest.raises(ValueError, match="X has 2 features, but .* expecting 1"):
        preparation.transform([[1.0, 2.0]])


def test_an_unknown_way_is_refused():
    with pytest.raises(ValueError, match="'impute' parameter"):
        NumericPreparation(impute="mode").fit([[1.0]])
