"""Arrays that are joined as they come, and rows in one layout."""

import numpy as np
import pytest
import scipy.sparse as sp

from hilabel import _matrices
from hilabel._matrices import join_arrays, laid_out

ROWS = np.arange(12.0).reshape(4, 3)


def parts(n_parts):
    for number in range(n_parts):
        yield np.arange(number), np.array([number], dtype=np.int8)


def test_arrays_are_joined_by_place_in_the_order_in_which_they_come(monkeypatch):
    for n_bytes in (1, 50, 10**9):  # many blocks, some, none
        monkeypatch.setattr(_matrices, "_LARGE_BYTES", n_bytes)
        first, second = join_arrays(parts(9))
        np.testing.assert_array_equal(
            first, np.concatenate([np.arange(number) for number in range(9)])
        )
        np.testing.assert_array_equal(second, np.arange(9))
        assert second.dtype == np.int8


@pytest.mark.parametrize("X", [ROWS, ROWS[1:3], sp.csr_array(ROWS)])
def test_rows_that_lie_in_order_are_not_copied(X):
    got = laid_out(X)
    assert got is X


@pytest.mark.parametrize(
    "X",
    [np.asfortranarray(ROWS), np.repeat(ROWS, 2, axis=1)[:, ::2]],
    ids=["Fortran", "in a wider array"],
)
def test_an_array_comes_out_in_c_order(X):
    got = laid_out(X)
    assert got.flags.c_contiguous
    np.testing.assert_array_equal(got, ROWS)


def test_a_sparse_matrix_comes_out_sorted_and_without_duplicates_as_a_copy():
    # Row 0 is [3, 0, 4], written as 1 + 2 in column 0, after column 2.
    given = [4.0, 1.0, 2.0], [2, 0, 0], [0, 3]
    X = sp.csr_matrix(tuple(np.array(part) for part in given), shape=(1, 3))
    got = laid_out(X)
    assert isinstance(got, sp.csr_matrix)
    assert (got.data.tolist(), got.indices.tolist()) == ([3.0, 4.0], [0, 2])
    assert (X.data.tolist(), X.indices.tolist()) == given[:2]
