"""Sums over the left sides of many cuts, beside a plain twin."""

import numba
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hilabel._kernels import pair_lanes
from hilabel._kernels.multi_label_scratch import (
    FEW,
)


@numba.njit
def summed(codes, width, first, n, turn, limit, near, row_sums, side, sums):
    pair_lanes.sum_left_sides(
        codes, width, first, n, turn, limit, near, row_sums, side, sums
    )


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, FEW),
    n_batches=st.integers(1, 3),
)
def test_every_lane_gets_the_sums_of_its_own_left_side(seed, n, n_batches):
    rng = np.random.default_rng(seed)
    width = n_batches * pair_lanes.LANES
    codes = rng.integers(0, 256, size=n * width).astype(np.uint8)
    codes[rng.random(codes.size) < 0.2] = 255  # missing
    turn = rng.integers(0, 2, size=width).astype(np.uint8)
    limit = (rng.integers(0, 255, size=width) + turn).astype(np.uint8)
    near = rng.random((FEW, FEW))
    near = (near + near.T).ravel()
    row_sums = rng.random((n, 7))
    sums = np.zeros(4 * width)
    plain = np.zeros(4 * width)
    side = np.zeros(FEW * pair_lanes.LANES)
    for first in range(0, width, pair_lanes.LANES):
        arguments = codes, width, first, n, turn, limit, near, row_sums, side
        summed(*arguments, sums)
        pair_lanes._sum_one_by_one(*arguments, plain)
    np.testing.assert_allclose(sums, plain, rtol=1e-12)
    # By the definition: missing values go left where the codes are turned.
    lanes = codes.reshape(n, width)
    cut = limit.astype(int) - turn
    is_left = np.where(lanes == 255, turn == 1, lanes.astype(int) <= cut)
    assert sums[3 * width :].tolist() == is_left.sum(axis=0).tolist()
