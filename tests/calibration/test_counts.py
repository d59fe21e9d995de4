"""Cells counted by score, near enough to counting each."""

import numpy as np
import pytest

from hilabel.calibration import ScoreCounts
from hilabel.calibration._counts import N_CODES, codes_of, first_of_code
from hilabel.exceptions import ScoreError


def test_codes_ascend_with_scores_and_are_close_together():
    scores = np.sort(np.random.default_rng(0).random(10_000) ** 3)
    scores = np.concatenate([[-0.0, 0.0], scores, [1.0, 1.0 + 1e-6]])
    codes = codes_of(scores).astype(int)
    assert (np.diff(codes) >= 0).all()
    assert (codes[0], codes[-1]) == (0, N_CODES - 1)
    first = first_of_code(scores)
    assert (codes_of(first) == codes).all()
    assert (scores[2:] - first[2:] < 0.001 * scores[2:]).all()


def test_all_known_cells_are_counted_once():
    random = np.random.default_rng(0)
    scores = random.random((30, 4))
    Y = (random.random(scores.shape) < scores).astype(int)
    Y[:10, 1] = -1
    counts = ScoreCounts.of(Y, scores)
    assert counts.n_cells.sum() == 110
    assert counts.n_positive.sum() == (Y == 1).sum()
    assert counts.total.sum() == pytest.approx(scores[Y >= 0].sum())
    without = ScoreCounts.of(Y, scores, np.arange(4) != 1)
    assert without.n_cells.sum() == 90


def test_the_error_is_the_mean_distance_of_the_bins():
    Y, scores = [[0, 0, 1, 0]], [[0.1, 0.2, 0.6, 0.8]]
    mean, share, n_cells = ScoreCounts.of(Y, scores).bins(2)
    np.testing.assert_allclose(mean, [0.15, 0.7])
    np.testing.assert_allclose(share, [0, 0.5])
    assert n_cells.tolist() == [2, 2]
    assert ScoreCounts.of(Y, scores).error(2) == pytest.approx(0.175)
    assert ScoreCounts.of(Y, scores).error(1, floor=0.5) == pytest.approx(0.2)
    assert np.isnan(ScoreCounts.of(Y, scores).error(floor=0.9))


def test_other_scores_than_probabilities_are_refused():
    with pytest.raises(ScoreError, match="from 0 to 1, got scores from -1 to 2"):
        ScoreCounts.of([[0, 1]], [[-1, 2]])
