"""Whether probabilities mean what they say."""

import numpy as np
import pytest
from sklearn.calibration import calibration_curve

from hilabel.report import CalibrationDisplay, Display


@pytest.fixture(scope="module")
def cells():
    random = np.random.default_rng(0)
    scores = random.random((200, 5))
    Y = (random.random(scores.shape) < scores).astype(np.int8)
    return Y, scores


def test_the_bins_are_those_of_scikit_learn(cells):
    Y, scores = cells
    observed, predicted = calibration_curve(Y.ravel(), scores.ravel(), n_bins=10)
    display = CalibrationDisplay.from_scores(Y, scores)
    np.testing.assert_allclose(display.observed, observed)
    np.testing.assert_allclose(display.predicted, predicted)
    assert display.n_cells.sum() == Y.size


def test_honest_probabilities_have_a_small_error_and_others_a_large_one(cells):
    Y, scores = cells
    assert CalibrationDisplay.from_scores(Y, scores).error < 0.05
    assert CalibrationDisplay.from_scores(Y, 1 - scores).error > 0.3


def test_unlabelled_cells_are_left_out():
    display = CalibrationDisplay.from_scores(
        [[1, -1], [0, -1]], [[1.0, 0.5], [0.0, 0.5]]
    )
    assert display.n_cells.sum() == 2
    assert display.error == 0


def test_it_is_a_display_that_draws_curve_and_counts(cells):
    display = CalibrationDisplay.from_scores(*cells)
    assert isinstance(display, Display)
    assert len(display.frame()) == 10
    curve, counts = display.plot().axes
    assert len(curve.lines) == 2
    assert len(counts.patches) == 10


def test_scores_that_are_no_probabilities_are_refused(cells):
    Y, scores = cells
    for wrong in (scores - 0.5, scores + 0.5):
        with pytest.raises(ValueError, match="Expected probabilities from 0 to 1, got"):
            CalibrationDisplay.from_scores(Y, wrong)
