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


SCREEN = with_and_without_jit(splits.screen_feature)
BEST = {
    name: (SCREEN[name], kernel)
    for name, kernel in with_and_without_jit(splits.best_cut).items()
}
RANDOM = with_and_without_jit(splits.random_cut)
IMPURITY = with_and_without_jit(splits.impurity_of)
CODES = st.sampled_from([0, 1, 2, 62, 63, 64, 127, 128, 191, 192, 253, 254, 255])


class Rows(NamedTuple):
    codes: np.ndarray
    weights: np.ndarray
    positives: np.ndarray

    @property
    def packed(self):
        return self.weights << 32 | np.where(self.positives, self.weights, 0)


@st.composite
def rows(draw, min_size=2, max_size=16):
    """Rows that differ; few and light ones are compared in pairs, others counted."""
    n = draw(st.integers(min_size, max_size))
    column = st.lists(CODES, min_size=n, max_size=n).filter(lambda c: len(set(c)) > 1)
    scale = draw(st.sampled_from([1, 1, 100, 10**6]))
    weights = st.lists(st.integers(1, 4), min_size=n, max_size=n)
    positives = st.lists(st.booleans(), min_size=n, max_size=n)
    return Rows(
        np.array(draw(column), dtype=np.uint8),
        np.array(draw(weights), dtype=np.int64) * scale,
        np.array(draw(positives), dtype=np.bool_),
    )


def on_the_bench(rows):
    """Return the rows as kernels take them, among rows of other nodes."""
    n = rows.codes.size
    bench = splits.make_bench(n + 5)
    bench.codes[:n] = rows.codes
    bench.codes[n:] = 77  # left behind by another node
    packed = np.concatenate([[-1, -1], rows.packed, [-1]])
    total = rows.packed.sum()
    splits.lay_out_rows(packed, 2, n, total, bench)
    return bench, (packed, 2, n, total)


def best_cut(kernels, rows, least=1):
    screen_feature, choose = kernels
    bench, case = on_the_bench(rows)
    lowest, missing = screen_feature(*case, least, bench)
    _, _, n, total = case
    return choose(n, total, missing, lowest + splits.DOUBT, bench)


def random_cut(kernel, rows, least, state):
    bench, case = on_the_bench(rows)
    return kernel(*case, least, state, bench)


def side_of(rows, missing_left):
    """Return what the kernels say of missing values: -1 where there are none."""
    return missing_left if oracle.MISSING in rows.codes else -1


@pytest.mark.parametrize("kernel", BEST)
@given(rows=rows(max_size=60), least=st.integers(1, 4))
def test_best_cut_has_the_least_impurity_of_all(kernel, rows, least):
    impurity, cut, missing_left = best_cut(BEST[kernel], rows, least)
    possible = oracle.all_splits(*rows, least)
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
    assert best_cut(BEST[kernel], rows) == (0.0, place, -1)


@pytest.mark.parametrize("kernel", BEST)
@given(rows=rows(max_size=60), least=st.integers(1, 3))
def test_screening_finds_the_least_impurity_up_to_doubt(kernel, rows, least):
    bench, case = on_the_bench(rows)
    lowest, missing = SCREEN[kernel](*case, least, bench)
    exact = best_cut(BEST[kernel], rows, least)[0]
    assert missing == rows.packed[rows.codes == oracle.MISSING].sum()
    if np.isinf(exact):
        assert lowest >= np.float32(np.finfo(np.float32).max).view(np.int32)
    else:
        assert abs(lowest - np.float32(exact).view(np.int32)) <= splits.DOUBT // 4


def test_nearly_equal_cuts_are_told_apart():
    """Two cuts that differ by less than single precision can tell."""
    weights = np.array([20_001, 20_000, 20_000, 20_001 + 1], dtype=np.int64)
    rows = Rows(np.uint8([0, 1, 2, 3]), weights, np.bool_([0, 1, 0, 1]))
    best = min(oracle.all_splits(*rows), key=lambda split: split[0])
    assert best_cut(BEST["jit"], rows)[1] == best[1]


@pytest.mark.parametrize("kernel", RANDOM)
@given(rows=rows(max_size=24), least=st.integers(1, 4), seed=st.integers(0, 999))
def test_random_cut_leaves_rows_on_both_sides(kernel, rows, least, seed):
    state = np.zeros(1, dtype=np.uint64)
    random_stream.seed_stream(state, seed, 0, 0)
    impurity, cut, missing_left = random_cut(RANDOM[kernel], rows, least, state)
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
    drawn = {random_cut(RANDOM["jit"], rows, 1, state)[1:] for _ in range(200)}
    assert drawn == {(cut, side) for cut in (3, 4, 5) for side in (0, 1)}


@pytest.mark.parametrize("kernel", IMPURITY)
@given(rows=rows())
def test_impurity_is_half_the_weighted_gini(kernel, rows):
    weight = float(rows.weights.sum())
    positive = float(rows.weights[rows.positives].sum())
    share = positive / weight
    gini = 1 - share**2 - (1 - share) ** 2
    found = IMPURITY[kernel](weight, positive)
    assert found == pytest.approx(weight * gini / 2, rel=1e-12, abs=1e-12)
    expected = oracle.impurity(rows.weights, rows.positives)
    assert found == pytest.approx(float(expected), rel=1e-12)


def test_a_cut_by_hand():
    """Bins 1, 3 and 9 with classes 0, 1 and 1: the pure cut is between 1 and 3."""
    rows = Rows(np.uint8([1, 3, 9]), np.int64([2, 1, 1]), np.bool_([0, 1, 1]))
    assert best_cut(BEST["jit"], rows) == (0.0, 2, -1)


def test_missing_values_go_with_their_class():
    codes = np.uint8([1, 9, 255, 255])
    weights = np.ones(4, dtype=np.int64)
    for positives, side in (([0, 1, 1, 1], 0), ([1, 0, 1, 1], 1)):
        rows = Rows(codes, weights, np.array(positives, dtype=bool))
        assert best_cut(BEST["jit"], rows) == (0.0, 5, side)


def test_missing_values_may_part_from_all_others():
    rows = Rows(
        np.uint8([1, 9, 255, 255]), np.ones(4, dtype=np.int64), np.bool_([0, 0, 1, 1])
    )
    assert best_cut(BEST["jit"], rows) == (0.0, 254, 0)
