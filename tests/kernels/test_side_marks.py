"""Rows on one side of a cut, beside a plain twin."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hilabel._kernels import side_marks

MISSING = 255


@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(1, 200),
    cut=st.integers(0, 254),
    missing_left=st.sampled_from([-1, 0, 1]),
)
def test_smaller_side_of_a_cut_is_listed(seed, n_rows, cut, missing_left):
    rng = np.random.default_rng(seed)
    # What lies behind the rows must not matter.
    codes = rng.integers(0, 256, size=256).astype(np.uint8)
    is_missing = codes[:n_rows] == MISSING
    is_left = np.where(is_missing, missing_left == 1, codes[:n_rows] <= cut)
    marks = np.empty(4, dtype=np.uint64)
    moved = np.full(n_rows, -1, dtype=np.int32)

    n_left = side_marks.mark_left_side(codes, n_rows, cut, missing_left, marks)
    n_moved = side_marks.list_smaller_side(marks, n_rows, n_left, moved)

    assert n_left == is_left.sum()
    is_moved = is_left if 2 * n_left <= n_rows else ~is_left
    assert moved[:n_moved].tolist() == np.flatnonzero(is_moved).tolist()
    assert (moved[n_moved:] == -1).all()


@given(
    seed=st.integers(0, 2**32 - 1),
    turn=st.sampled_from([0, 1]),
    limit=st.integers(0, 255),
)
def test_words_are_those_of_the_plain_twins(seed, turn, limit):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 256, size=128).astype(np.uint8)
    marks = np.empty(1, dtype=np.uint64)
    cut, missing_left = (limit - turn) % 256, 1 if turn else 0
    n_left = side_marks.mark_left_side(codes, 64, cut, missing_left, marks)
    word = side_marks._compare_one_by_one(codes, 0, turn, np.uint8(limit))
    assert word == marks[0]
    assert side_marks._count_bits_plainly(word) == n_left
    if word:
        bits = [place for place in range(64) if int(word) >> place & 1]
        assert side_marks._lowest_bit_plainly(word) == bits[0]
