"""Upper bounds of gains: never too low, seldom much too high, and no other trees."""

import numba
import numpy as np
import pytest
from clustering_cases import (
    assert_every_split_is_the_best,
    grow,
    make_case,
    problem_of,
)
from hypothesis import given
from hypothesis import strategies as st

from hilabel._kernels import unit_lanes
from hilabel._kernels.multi_label_bounds import make_bounds, sum_bounds, sum_node_bounds
from hilabel._kernels.multi_label_scratch import (
    FEW,
    LABELED_WEIGHT,
    WEIGHT,
    make_scratch,
)
from hilabel.forests import ClusteringTargets

# So many rows that the upper nodes of a tree are no blocks, and few labels per row.
MANY = 16  # candidates
MANY_ROWS = {"n_labeled": 3 * FEW, "n_labels": 40, "per_row": 6.0, "n_features": MANY}


def bounds_of(Y, label_weights, times):
    targets = ClusteringTargets.from_labels(Y, label_weights).arrays
    rows = np.arange(len(Y), dtype=np.int32)
    scratch = make_scratch(rows, times, targets, 0, False)
    scratch.row_sums[:, WEIGHT] = scratch.row_sums[:, LABELED_WEIGHT] = times
    return targets, rows, scratch, make_bounds(rows, times, targets, scratch, MANY)


@given(
    seed=st.integers(0, 2**32 - 1),
    n_steps=st.integers(1, 4),
    times=st.integers(0, 30),
)
def test_a_row_passes_as_in_plain_numbers(seed, n_steps, times):
    rng = np.random.default_rng(seed)
    width = n_steps * unit_lanes.AT_A_TIME
    table = rng.integers(0, 2**15, size=3 * width).astype(np.int16)
    table[rng.random(table.size) < 0.5] = 0
    counts = rng.integers(0, 500, size=width).astype(np.int16)
    plain = counts.copy()

    @numba.njit
    def passed(table, first, times, counts, width):
        return unit_lanes.pass_units(table, first, np.int16(times), counts, width)

    total = passed(table, width, times, counts, width)
    assert total == unit_lanes._pass_one_by_one(table, width, times, plain, width)
    assert (counts == plain).all()


@pytest.mark.parametrize("decay", [1.0, 0.5])
@pytest.mark.parametrize("seed", range(3))
def test_bounds_are_never_below_the_gains_and_close_to_them(seed, decay):
    _, Y, _ = make_case(seed, **MANY_ROWS)
    label_weights = decay ** (np.arange(Y.shape[1]) % 12)
    rng = np.random.default_rng(seed)
    times = rng.integers(1, 4, size=len(Y)).astype(float)
    _, rows, scratch, bounds = bounds_of(Y, label_weights, times)
    assert bounds.width > 0
    all_squares = sum_node_bounds(rows, times, bounds)
    order = rng.permutation(len(Y)).astype(np.int32)
    sides = scratch.squares, scratch.cross, scratch.labeled
    sum_bounds(order, len(Y) - 1, rows, scratch.row_sums, bounds, *sides)
    squares, cross, weight = (side[:-1] for side in sides)
    all_weight = times.sum()
    bound = bounds.unit * (
        squares / weight
        + (all_squares - 2 * cross + squares) / (all_weight - weight)
        - all_squares / all_weight
    )
    left = np.cumsum((Y * times[:, None])[order], axis=0)[:-1]
    both = (Y * times[:, None]).sum(axis=0)
    gain = (
        left**2 / weight[:, None]
        + (both - left) ** 2 / (all_weight - weight)[:, None]
        - both**2 / all_weight
    ) @ label_weights
    assert (bound >= gain - 1e-9).all()
    assert (bound <= gain * 1.05 + 1e-9).all()


@pytest.mark.parametrize("gaps", [0.0, 0.2])
@pytest.mark.parametrize("seed", range(2))
def test_every_split_is_still_the_best_of_all(seed, gaps):
    X, Y, weights = make_case(seed, gaps=gaps, **MANY_ROWS)
    assert bounds_of(Y, weights, np.ones(len(Y)))[-1].width > 0
    trees = grow(X, Y, weights)
    assert assert_every_split_is_the_best(trees, problem_of(trees, X, Y, weights)) > 20


def test_more_rows_than_16_bits_count_are_done_without():
    _, Y, weights = make_case(0, **MANY_ROWS)
    assert bounds_of(Y, weights, np.full(len(Y), 150.0))[-1].width > 0
    assert bounds_of(Y, weights, np.full(len(Y), 200.0))[-1].width == 0


def test_no_sum_overflows_where_units_are_many():
    # The most that fits: every row has every label, and rows are drawn often.
    Y = np.ones((100, 60), dtype=bool)
    Y[::2, 1::2] = False
    Y[1::2, 2::2] = False
    times = np.full(100, 300.0)
    _, rows, scratch, bounds = bounds_of(Y, np.full(60, 1 / 60), times)
    assert bounds.width > 0
    squares = sum_node_bounds(rows, times, bounds)
    counts = (bounds.table.reshape(100, -1) > 0).T @ times
    expected = bounds.unit * (counts**2) @ bounds.table.reshape(100, -1).max(axis=0)
    np.testing.assert_allclose(bounds.unit * squares, expected)
    assert squares > 2**31
    assert scratch.has_own_lists
