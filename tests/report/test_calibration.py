"""Whether probabilities mean what they say."""

import numpy as np
import pandas as pd
import pytest
from judgement_cases import HIERARCHY, out_of_fold, scored_rows
from sklearn.calibration import calibration_curve

from hilabel.judgement import judge
from hilabel.report import CalibrationDisplay, Display


@pytest.fixture(scope="module")
def cells():
    random = np.random.default_rng(0)
    # Most cells are near 0, as in practice.
    scores = random.random((200, 5)) ** 4
    Y = (random.random(scores.shape) < scores).astype(np.int8)
    return Y, scores


@pytest.mark.parametrize("floor", [0.0, 0.1])
def test_the_bins_are_those_of_scikit_learn(cells, floor):
    Y, scores = cells
    kept = scores >= floor
    kept.flat[np.flatnonzero(kept)[: kept.sum() % 10]] = False  # parts of equal size
    observed, predicted = calibration_curve(
        Y[kept], scores[kept], n_bins=10, strategy="quantile"
    )
    Y = np.where(kept, Y, -1)
    display = CalibrationDisplay.from_scores(Y, scores, floor=floor)
    np.testing.assert_allclose(display.observed, observed, atol=0.01)
    np.testing.assert_allclose(display.predicted, predicted, atol=0.001)
    np.testing.assert_allclose(display.n_cells, kept.sum() / 10, atol=1)


def test_honest_probabilities_have_a_small_error_and_others_a_large_one(cells):
    Y, scores = cells
    display = CalibrationDisplay.from_scores(Y, scores)
    assert display.error < 0.07
    assert display.n_below == (scores < 0.1).sum()
    assert CalibrationDisplay.from_scores(Y, 1 - scores).error > 0.3
    # Near 0 there is little to be wrong about, which must not hide the rest.
    flattering = CalibrationDisplay.from_scores(Y, scores / 2)
    assert flattering.overall_error < 0.5 * flattering.error


def test_without_any_prediction_there_is_no_error(cells):
    Y, scores = cells
    display = CalibrationDisplay.from_scores(Y, scores / 20)
    assert np.isnan(display.error)
    assert display.frame().empty
    assert display.n_below == Y.size
    display.plot()


def test_it_is_a_display_that_draws_the_curve(cells):
    display = CalibrationDisplay.from_scores(*cells)
    assert isinstance(display, Display)
    (axes,) = display.plot().axes
    assert "cells from 0.1 on in bins of equal count" in axes.get_title()


def test_scores_that_are_no_probabilities_are_refused(cells):
    Y, scores = cells
    for wrong in (scores - 0.5, scores + 0.5):
        with pytest.raises(ValueError, match="Expected probabilities from 0 to 1, got"):
            CalibrationDisplay.from_scores(Y, wrong)


def test_a_judgement_has_counted_the_same_bins():
    Y, scores = scored_rows(400)
    judged = judge(out_of_fold(Y, scores), HIERARCHY, method="m", calibrate=False)
    display = CalibrationDisplay.from_judgement(judged.judgement)
    informative = judged.judgement.informative
    expected = CalibrationDisplay.from_scores(Y[:, informative], scores[:, informative])
    pd.testing.assert_frame_equal(display.frame(), expected.frame())
    assert display.error == pytest.approx(judged.judgement.error)
    assert display.n_below == expected.n_below
    assert display.overall_error == pytest.approx(expected.overall_error)


def test_a_judgement_without_a_label_has_no_bins():
    Y, scores = scored_rows(30)
    judged = judge(out_of_fold(0 * Y, scores), HIERARCHY, method="m")
    display = CalibrationDisplay.from_judgement(judged.judgement)
    assert display.frame().empty
    assert np.isnan(display.error)
