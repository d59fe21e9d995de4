"""Arrays that are joined as they come."""

import numpy as np

from hilabel import _matrices
from hilabel._matrices import join_arrays


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
