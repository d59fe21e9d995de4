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


SCAN = with_and_without_jit(splits.scan)
FEW = with_and_without_jit(splits.collect_few)
MANY = with_and_without_jit(splits.collect_many)
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
def rows(draw, min_size=1, max_size=splits.FEW):
    n = draw(st.integers(min_size, max_size))
    column = st.lists(CODES, min_size=n, max_size=n)
    weights = st.lists(st.integers(1, 4), min_size=n, max_size=n)
    positives = st.lists(st.booleans(), min_size=n, max_size=n)
    return Rows(
        np.array(draw(column), dtype=np.uint8),
        np.array(draw(weights), dtype=np.int64),
        np.array(draw(positives), dtype=np.bool_),
    )


class Counted(NamedTuple):
    """What the kernels that look for cuts are given."""

    bins: np.ndarray
    sums: np.ndarray
    counts: np.ndarray
    n_bins: int
    missing_sum: int
    missing_count: int


def expected_counts(rows):
    counted = oracle.count_bins(*rows)
    n_missing, *missing = counted.pop(oracle.MISSING, (0, 0, 0))
    table = np.array([(c, *n) for c, n in counted.items()], dtype=np.int64)
    bins, counts, weights, positives = table.reshape(-1, 4).T
    return Counted(
        bins.copy(),
        weights << 32 | positives,
        counts.copy(),
        bins.size,
        int(missing[0]) << 32 | int(missing[1]),
        int(n_missing),
    )


def scratch(rows):
    """Return rows that stand in a longer column, and arrays to count in."""
    n = rows.codes.size
    column = np.full(2 * n + 3, 77, dtype=np.uint8)
    order = np.arange(n, dtype=np.int32) * 2 + 1
    column[order] = rows.codes
    # Two rows of other nodes stand before these, and one after.
    order = np.concatenate([[0, 2], order, [4]]).astype(np.int32)
    packed = np.concatenate([[-1, -1], rows.packed, [-1]])
    return column, order, packed, 2, n + 2


def counting_arrays():
    return [np.full(256, -7, dtype=np.int64) for _ in range(3)]


def collect_few(kernel, rows):
    arrays = counting_arrays()
    keys = np.empty(256, dtype=np.int32)
    n_bins, *missing = kernel(*scratch(rows), *arrays, keys)
    return Counted(*(array[:n_bins] for array in arrays), n_bins, *missing)


def collect_many(kernel, rows, least):
    arrays = counting_arrays()
    histogram, tally = np.zeros((2, 256), dtype=np.int64)
    occupied = np.zeros(4, dtype=np.uint64)
    n_bins, *missing = kernel(
        *scratch(rows), least, *arrays, histogram, tally, occupied
    )
    for array in (histogram, tally, occupied):
        assert not array.any()
    return Counted(*(array[:n_bins] for array in arrays), n_bins, *missing)


def assert_counted(found, expected, *, with_counts=True):
    np.testing.assert_array_equal(found.bins, expected.bins)
    np.testing.assert_array_equal(found.sums, expected.sums)
    assert (found.n_bins, found.missing_sum) == (expected.n_bins, expected.missing_sum)
    if with_counts:
        np.testing.assert_array_equal(found.counts, expected.counts)
        assert found.missing_count == expected.missing_count
    else:
        assert (found.missing_count > 0) == (expected.missing_count > 0)


@pytest.mark.parametrize("kernel", FEW)
@given(rows=rows())
def test_few_rows_are_counted_in_their_bins(kernel, rows):
    assert_counted(collect_few(FEW[kernel], rows), expected_counts(rows))


@pytest.mark.parametrize("kernel", MANY)
@given(rows=rows(max_size=40))
def test_many_rows_are_counted_in_their_bins(kernel, rows):
    # Unsigned integers are meant to wrap around where the lowest bit is looked up.
    with np.errstate(over="ignore"):
        found = collect_many(MANY[kernel], rows, least=2)
        without = collect_many(MANY[kernel], rows, least=1)
    expected = expected_counts(rows)
    assert_counted(found, expected)
    # Numbers of rows are needed only to leave a least number in leaves.
    assert_counted(without, expected, with_counts=False)


@pytest.mark.parametrize("kernel", MANY)
def test_each_of_the_bins_is_found(kernel):
    codes = np.arange(256).astype(np.uint8)
    rows = Rows(codes, np.ones(256, dtype=np.int64), codes % 3 == 0)
    with np.errstate(over="ignore"):
        found = collect_many(MANY[kernel], rows, least=2)
    assert_counted(found, expected_counts(rows))
    assert found.bins.tolist() == list(range(255))


@pytest.mark.parametrize("kernel", SCAN)
@given(rows=rows(max_size=24), least=st.integers(1, 4))
def test_scan_finds_the_least_impurity_of_all_cuts(kernel, rows, least):
    counted = expected_counts(rows)
    total = rows.packed.sum()
    impurity, cut, missing_left = SCAN[kernel](*counted, total, rows.codes.size, least)
    possible = oracle.all_splits(*rows, least)
    if not possible:
        assert impurity == np.inf
        return
    best = min(possible, key=lambda split: split[0])
    assert impurity == pytest.approx(float(best[0]), rel=1e-12, abs=1e-12)
    # The first of the best, so that ties depend on nothing else.
    assert (cut, missing_left) == best[1:]
    left = oracle.goes_left(rows.codes, cut, missing_left)
    assert min(left.sum(), (~left).sum()) >= least
    assert oracle.split_impurity(*rows, cut, missing_left) == best[0]


@pytest.mark.parametrize("kernel", RANDOM)
@given(rows=rows(max_size=24), least=st.integers(1, 4), seed=st.integers(0, 999))
def test_random_cut_leaves_rows_on_both_sides(kernel, rows, least, seed):
    counted = expected_counts(rows)
    if len(set(rows.codes.tolist())) < 2:  # never asked for a cut
        return
    state = np.zeros(1, dtype=np.uint64)
    random_stream.seed_stream(state, seed, 0, 0)
    impurity, cut, missing_left = RANDOM[kernel](
        *counted, rows.packed.sum(), rows.codes.size, least, state
    )
    left = oracle.goes_left(rows.codes, cut, missing_left)
    assert left.any()
    assert not left.all()
    expected = oracle.random_split(*rows, least, oracle.Stream(seed, 0, 0))
    if expected is None:
        assert impurity == np.inf
        assert min(left.sum(), (~left).sum()) < least
    else:
        assert (cut, missing_left) == expected[1:]
        assert impurity == pytest.approx(float(expected[0]), rel=1e-12, abs=1e-12)


def test_random_cuts_fall_on_every_bin_but_the_highest():
    rows = Rows(np.uint8([3, 6, 255]), np.int64([1, 1, 1]), np.bool_([0, 1, 1]))
    state = np.zeros(1, dtype=np.uint64)
    drawn = {
        splits.random_cut(*expected_counts(rows), rows.packed.sum(), 3, 1, state)[1:]
        for _ in range(200)
    }
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


def test_scan_by_hand():
    """Bins 1, 3 and 9 with classes 0, 1 and 1: the pure cut is between 1 and 3."""
    rows = Rows(np.uint8([1, 3, 9]), np.int64([2, 1, 1]), np.bool_([0, 1, 1]))
    found = splits.scan(*expected_counts(rows), rows.packed.sum(), 3, 1)
    assert found == (0.0, 2, 0)


def test_scan_sends_missing_values_with_their_class():
    codes = np.uint8([1, 9, 255, 255])
    weights = np.ones(4, dtype=np.int64)
    for positives, side in (([0, 1, 1, 1], 0), ([1, 0, 1, 1], 1)):
        rows = Rows(codes, weights, np.array(positives, dtype=bool))
        found = splits.scan(*expected_counts(rows), rows.packed.sum(), 4, 1)
        assert found == (0.0, 5, side)


def test_scan_parts_missing_values_from_all_others():
    rows = Rows(
        np.uint8([1, 9, 255, 255]), np.ones(4, dtype=np.int64), np.bool_([0, 0, 1, 1])
    )
    found = splits.scan(*expected_counts(rows), rows.packed.sum(), 4, 1)
    assert found == (0.0, 254, 0)
