"""Scores in compact form: in order, close, and readable in any blocks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hilabel import _score_matrix
from hilabel._score_matrix import ScoreMatrix, codes_of
from hilabel.metrics import average_precision

SCORES = hnp.arrays(np.float32, (7, 5), elements=st.floats(0, 1, width=32))


@given(hnp.arrays(np.float32, 50, elements=st.floats(0, 1, width=32)))
def test_codes_keep_the_order(scores):
    ordered = np.sort(scores)
    assert (np.diff(codes_of(ordered).astype(int)) >= 0).all()


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
