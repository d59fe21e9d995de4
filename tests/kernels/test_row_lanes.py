"""Sums of rows of a table, beside a plain twin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hilabel._kernels import row_lanes


@pytest.mark.parametrize("n_steps", range(1, 14))
@given(seed=st.integers(0, 2**32 - 1), n_moved=st.integers(0, 30))
def test_rows_are_added_up_by_column(n_steps, seed, n_moved):
    rng = np.random.default_rng(seed)
    width = n_steps * row_lanes.AT_A_TIME
    table = rng.integers(0, 2000, size=(40, width)).astype(np.uint16)
    place = rng.permutation(40).astype(np.int32)
    order = rng.permutation(40).astype(np.int32)
    times = np.full(width, 7, dtype=np.uint16)
    row_lanes.add_rows(table.ravel(), width, place, order, n_moved, times)
    expected = table[place[order[:n_moved]]].sum(axis=0)
    assert times.tolist() == expected.tolist()
    plain = np.zeros_like(times)
    for first in range(0, width, row_lanes.AT_A_TIME):
        row_lanes._one_by_one(2)(
            table.ravel(), width, place, order, n_moved, first, plain
        )
    assert plain.tolist() == expected.tolist()
