"""Scores in compact form: in order, close, and readable in any blocks."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from hilabel import _score_matrix
from hilabel._score_matrix import (
    N_CODES,
    RepeatedScores,
    ScoreMatrix,
    codes_of,
    first_of_code,
)
from hilabel.metrics import average_precision

SCORES = hnp.arrays(np.float32, (7, 5), elements=st.floats(0, 1, width=32))


@given(hnp.arrays(np.float32, 50, elements=st.floats(0, 1, width=32)))
def test_codes_keep_the_order(scores):
    ordered = np.sort(scores)
    assert (np.diff(codes_of(ordered).astype(int)) >= 0).all()


def test_codes_ascend_with_scores_and_are_close_together():
    scores = np.sort(np.random.default_rng(0).random(10_000) ** 3)
    scores = np.concatenate([[-0.0, 0.0], scores, [1.0, 1.0 + 1e-6]])
    codes = codes_of(scores).astype(int)
    assert (np.diff(codes) >= 0).all()
    assert (codes[0], codes[-1]) == (0, N_CODES - 1)
    first = first_of_code(scores)
    assert (codes_of(first) == codes).all()
    kept = scores > 1e-6  # far smaller scores have the code of 0
    assert (scores[kept] - first[kept] < 0.001 * scores[kept]).all()


def test_decoding_gives_the_same_code_again():
    codes = np.arange(codes_of(np.float32(1)) + 1, dtype=np.uint16)
    np.testing.assert_array_equal(codes_of(_score_matrix._SCORE_OF[codes]), codes)


@given(SCORES)
def test_compact_scores_are_close(scores):
    compact = ScoreMatrix(scores.shape, exact=False)
    compact.write(slice(None), scores)
    np.testing.assert_allclose(compact.read(), scores, rtol=2.5e-4, atol=1.3e-7)


@given(SCORES)
@pytest.mark.parametrize("exact", [True, False])
def test_blocks_of_rows_and_columns_agree(exact, scores):
    matrix = ScoreMatrix(scores.shape, exact=exact)
    for rows in (slice(0, 3), np.array([6, 3, 5]), np.arange(7) == 4):
        matrix.write(rows, scores[rows])
    whole = matrix.read()
    np.testing.assert_array_equal(matrix.columns(np.array([4, 0])), whole[:, [4, 0]].T)
    np.testing.assert_array_equal(matrix[1:3].read(), whole[1:3])
    if exact:
        np.testing.assert_array_equal(whole, scores)
    other = matrix.copy()
    other.write(slice(None), np.zeros_like(scores))
    np.testing.assert_array_equal(matrix.read(), whole)


def test_a_wrapped_array_is_read_as_it_is():
    scores = np.random.default_rng(0).random((3, 2))
    np.testing.assert_array_equal(ScoreMatrix.of(scores).read(), scores)


@given(SCORES, st.data())
def test_repeated_scores_are_read_like_those_of_each_row(of_group, data):
    group = data.draw(hnp.arrays(np.int64, 9, elements=st.integers(0, 6)))
    repeated, dense = RepeatedScores(of_group, group), of_group[group]
    assert (repeated.shape, repeated.size, len(repeated)) == ((9, 5), 45, 9)
    np.testing.assert_array_equal(repeated.read(), dense)
    np.testing.assert_array_equal(
        repeated.read(slice(2, 4), np.array([3, 0])), dense[2:4][:, [3, 0]]
    )
    np.testing.assert_array_equal(
        repeated.columns(np.array([4, 1])), dense[:, [4, 1]].T
    )
    np.testing.assert_array_equal(repeated[np.array([8, 0])].read(), dense[[8, 0]])
    np.testing.assert_array_equal(repeated.codes(), codes_of(dense))
    np.testing.assert_array_equal(repeated.copy().read(), dense)
    assert repeated.blank().shape == repeated.shape


def test_repeated_scores_cannot_be_overwritten():
    with pytest.raises(TypeError, match="cannot be overwritten"):
        RepeatedScores(np.ones((1, 2)), np.zeros(3, int)).write(slice(0, 1), 0)


def test_scarce_memory_puts_codes_into_a_file(monkeypatch):
    monkeypatch.setattr(_score_matrix, "available_memory", lambda: 100)
    scores = np.random.default_rng(0).random((40, 30))
    in_file = ScoreMatrix(scores.shape, exact=False)
    in_file.write(slice(None), scores)
    assert isinstance(in_file._values, np.memmap)
    np.testing.assert_allclose(in_file.read(), scores, rtol=2.5e-4)


@pytest.mark.parametrize("seed", range(3))
def test_ranking_measures_hardly_change(seed):
    random = np.random.default_rng(seed)
    scores = random.random((2_000, 40)) ** random.integers(1, 12, 40)
    Y = (random.random(scores.shape) < scores).astype(np.int8)
    compact = ScoreMatrix(scores.shape, exact=False)
    compact.write(slice(None), scores)
    for average in ("micro", "macro"):
        exactly = average_precision(Y, scores, average)
        assert abs(average_precision(Y, compact.read(), average) - exactly) < 1e-4
