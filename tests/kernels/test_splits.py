"""Cuts of one feature beside brute force, with the jit and without."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import trees as oracle

from hilabel._kernels import random_stream, splits


def with_and_without_jit(kernel):
    return {"jit": kernel, "python": kernel.py_func}


BEST = with_and_without_jit(splits.best_cut)
RANDOM = with_and_without_jit(splits.random_cut)
IMPURITY = with_and_without_jit(splits.impurity_of)
# The ends of each of the four words that mark occupied bins, and some between.
CODES = st.sampled_from([0, 1, 2, 62, 63, 64, 127, 128, 191, 192, 253, 254, 255])


class Rows(NamedTuple):
    codes: np.ndarray
    weights: np.ndarray
    positives: np.ndarray

    @property
    def packed(self):
        return self.weights << 32 | np.where(self.positives, self.weights, 0)


@st.composite
def rows(draw, min_size=1, max_size=16):
    n = draw(st.integers(min_size, max_size))
    column = st.lists(CODES, min_size=n, max_size=n)
    weights = st.lists(st.integers(1, 4), min_size=n, max_size=n)
    positives = st.lists(st.booleans(), min_size=n, max_size=n)
    return Rows(
        np.array(draw(column), dtype=np.uint8),
        np.array(draw(weights), dtype=np.int64),
        np.array(draw(positives), dtype=np.bool_),
    )


def in_a_column(rows):
    """Return rows that stand in a longer column, among rows of other nodes."""
    n = rows.codes.size
    column = np.full(2 * n + 3, 77, dtype=np.uint8)
    order = np.arange(n, dtype=np.int32) * 2 + 1
    column[order] = rows.codes
    # Two rows of other nodes stand before these, and one after.
    order = np.concatenate([[0, 2], order, [4]]).astype(np.int32)
    packed = np.concatenate([[-1, -1], rows.packed, [-1]])
    return column, order, packed, 2, n + 2, rows.packed.sum()


def best_cut(kernel, rows, least=1):
    histogram, tally = np.zeros((2, 256), dtype=np.int64)
    occupied = np.zeros(4, dtype=np.uint64)
    # Unsigned integers are meant to wrap around where the lowest bit is looked up.
    with np.errstate(over="ignore"):
        found = kernel(*in_a_column(rows), least, histogram, tally, occupied)
    for array in (histogram, tally, occupied):
        assert not array.any()  # ready for the next feature
    return found


def side_of(rows, missing_left):
    """Return what the kernels say of missing values: -1 where there are none."""
    return missing_left if oracle.MISSING in rows.codes else -1


@pytest.mark.parametrize("kernel", BEST)
@given(rows=rows(max_size=40), least=st.integers(1, 4))
def test_best_cut_has_the_least_impurity_of_all(kernel, rows, least):
    varies, impurity, cut, missing_left = best_cut(BEST[kernel], rows, least)
    assert varies == (len(set(rows.codes.tolist())) > 1)
    possible = oracle.all_splits(*rows, least) if varies else []
    if not possible:
        assert impurity == np.inf
        return
    best = min(possible, key=lambda split: split[0])
    assert impurity == pytest.approx(float(best[0]), rel=1e-12, abs=1e-12)
    # The first of the best, so that ties depend on nothing else.
    assert (cut, missing_left) == (best[1], side_of(rows, best[2]))
    left = oracle.goes_left(rows.codes, cut, missing_left)
    assert min(left.sum(), (~left).sum()) >= least


@pytest.mark.parametrize("kernel", BEST)
@pytest.mark.parametrize("place", range(254))
def test_each_of_the_bins_is_found(kernel, place):
    codes = np.arange(255).astype(np.uint8)
    rows = Rows(codes, np.ones(255, dtype=np.int64), codes > place)
    assert best_cut(BEST[kernel], rows) == (True, 0.0, place, -1)


@pytest.mark.parametrize("kernel", RANDOM)
@given(rows=rows(max_size=24), least=st.integers(1, 4), seed=st.integers(0, 999))
def test_random_cut_leaves_rows_on_both_sides(kernel, rows, least, seed):
    state = np.zeros(1, dtype=np.uint64)
    random_stream.seed_stream(state, seed, 0, 0)
    varies, impurity, cut, missing_left = RANDOM[kernel](
        *in_a_column(rows), least, state
    )
    assert varies == (len(set(rows.codes.tolist())) > 1)
    if not varies:
        return
    left = oracle.goes_left(rows.codes, cut, missing_left)
    assert left.any()
    assert not left.all()
    expected = oracle.random_split(*rows, least, oracle.Stream(seed, 0, 0))
    if expected is None:
        assert impurity == np.inf
        assert min(left.sum(), (~left).sum()) < least
    else:
        assert (cut, missing_left) == (expected[1], side_of(rows, expected[2]))
        assert impurity == pytest.approx(float(expected[0]), rel=1e-12, abs=1e-12)


def test_random_cuts_fall_on_every_bin_but_the_highest():
    rows = Rows(np.uint8([3, 6, 255]), np.int64([1, 1, 1]), np.bool_([0, 1, 1]))
    state = np.zeros(1, dtype=np.uint64)
    drawn = {RANDOM["jit"](*in_a_column(rows), 1, state)[2:] for _ in range(200)}
    assert drawn == {(cut, side) for cut in (3, 4, 5) for side in (0, 1)}


@pytest.mark.parametrize("kernel", IMPURITY)
@given(rows=rows())
def test_impurity_is_half_the_weighted_gini(kernel, rows):
    weight = float(rows.weights.sum())
    positive = float(rows.weights[rows.positives].sum())
    share = positive / weight
    gini = 1 - share**2 - (1 - share) ** 2
    found = IMPURITY[kernel](weight, positive)
    assert found == pytest.approx(weight * gini / 2, abs=1e-12)
    expected = oracle.impurity(rows.weights, rows.positives)
    assert found == pytest.approx(float(expected), rel=1e-12)


def test_a_cut_by_hand():
    """Bins 1, 3 and 9 with classes 0, 1 and 1: the pure cut is between 1 and 3."""
    rows = Rows(np.uint8([1, 3, 9]), np.int64([2, 1, 1]), np.bool_([0, 1, 1]))
    assert best_cut(BEST["jit"], rows) == (True, 0.0, 2, -1)


def test_missing_values_go_with_their_class():
    codes = np.uint8([1, 9, 255, 255])
    weights = np.ones(4, dtype=np.int64)
    for positives, side in (([0, 1, 1, 1], 0), ([1, 0, 1, 1], 1)):
        rows = Rows(codes, weights, np.array(positives, dtype=bool))
        assert best_cut(BEST["jit"], rows) == (True, 0.0, 5, side)


def test_missing_values_may_part_from_all_others():
    rows = Rows(
        np.uint8([1, 9, 255, 255]), np.ones(4, dtype=np.int64), np.bool_([0, 0, 1, 1])
    )
    assert best_cut(BEST["jit"], rows) == (True, 0.0, 254, 0)
