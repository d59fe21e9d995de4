"""Rows on the device: sparse ones are the dense ones, and room is never seen."""

import jax.numpy as jnp
import numpy as np
import pytest
import scipy.sparse as sp

from hilabel.networks import InputScaling
from hilabel.networks._rows import labels_on_device, rows_on_device

GENERATOR = np.random.default_rng(0)
X = GENERATOR.normal(size=(70, 9)) * (GENERATOR.random((70, 9)) < 0.4)
X[3] = 0
X[5, 2] = np.nan
SCALING = InputScaling.of_columns(X)


@pytest.mark.parametrize("shape", [(5,), (2, 3)])
def test_sparse_rows_are_the_dense_ones_bit_for_bit(shape):
    rows = jnp.asarray(GENERATOR.integers(70, size=shape))
    sparse = rows_on_device(sp.csr_array(X), SCALING).take(rows)
    dense = rows_on_device(X, SCALING).take(rows)
    np.testing.assert_array_equal(sparse, dense)
    np.testing.assert_array_equal(dense, SCALING.apply(X)[np.asarray(rows)])


def test_values_stored_twice_are_added_up_and_the_matrix_stays():
    twice = sp.csr_array(([1.0, 2, 5], [1, 1, 0], [0, 2, 3]), shape=(2, 2))
    scaling = InputScaling.of_columns(twice)
    found = rows_on_device(twice, scaling).take(jnp.arange(2))
    np.testing.assert_array_equal(found, scaling.apply(twice.toarray()))
    assert twice.nnz == 3


def test_zeros_that_are_stored_change_nothing():
    stored = sp.csr_array(X)
    stored.data[:4] = 0
    found = rows_on_device(stored, SCALING).take(jnp.arange(70))
    np.testing.assert_array_equal(found, SCALING.apply(stored.toarray()))


def test_matrices_of_about_as_many_rows_have_the_same_size_on_the_device():
    sizes = {
        rows_on_device(X[:n_rows], SCALING).values.shape for n_rows in range(1, 65)
    }
    assert sizes == {(64, 9)}
    for n_rows in (65, 1000, 12_345):
        room = labels_on_device(np.ones((n_rows, 1), bool)).shape[0]
        assert n_rows <= room < max(n_rows + 64, n_rows * 1.13)
