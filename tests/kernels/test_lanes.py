"""Sums over pairs of rows, beside a plain twin."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hilabel._kernels import lanes

ITEMS = st.lists(
    st.tuples(st.integers(0, 255), st.integers(0, 500)), min_size=1, max_size=130
)


def padded(values, dtype):
    room = np.full(len(values) + 4 * lanes.LANES, lanes.BEYOND, dtype=dtype)
    room[: len(values)] = values
    return room


@given(items=ITEMS)
def test_each_row_gets_the_sum_of_the_rows_not_above_it(items):
    codes, addends = zip(*items)
    n = len(items)
    arrays = (
        padded(codes, np.uint16),
        padded(codes, np.uint32) * lanes.TWICE,
        padded(addends, np.uint32) * lanes.TWICE,
    )
    expected = [
        sum(other for code_there, other in items if code_there <= code)
        for code in codes
    ]
    sums = np.zeros_like(arrays[0])
    lanes.left_sums(*arrays, n, sums)
    assert sums[:n].tolist() == expected
    n_computed = -(-n // lanes.LANES) * lanes.LANES
    assert set(sums[n:n_computed].tolist()) <= {sum(addends)}  # as if above all
    plain = np.zeros_like(sums)
    lanes._one_by_one(n)(*arrays, 0, n, plain)
    assert plain[:n].tolist() == expected
