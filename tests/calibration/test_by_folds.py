"""Each fold is calibrated by the others, in blocks as in one piece."""

import numpy as np
import pytest
from scipy.special import expit

from hilabel import Hierarchy
from hilabel._label_matrix import LabelMatrix
from hilabel._score_matrix import ScoreMatrix
from hilabel.calibration import ScoreCalibration, calibrate_by_folds
from hilabel.calibration._grouped_cells import GroupedCells
from hilabel.constraints import cap_by_parents
from hilabel.exceptions import LabelError, ScoreError
from hilabel.metrics import ScoreCounts

HIERARCHY = Hierarchy.from_edges([("a", "b"), ("a", "c"), ("c", "d"), ("b", "d")])


@pytest.fixture(scope="module")
def cells():
    """Return labels with unknown cells, scores that claim too much, and folds."""
    random = np.random.default_rng(0)
    odds = random.normal(-1, 2, (3000, 4))
    Y = (random.random(odds.shape) < expit(odds)).astype(np.int8)
    Y[random.random(3000) < 0.2, 1] = -1
    scores = cap_by_parents(expit(0.5 * odds + np.linspace(0, 2, 4)), HIERARCHY)
    return Y, scores.astype(np.float32), random.integers(0, 3, 3000)


def learned_from_others(cells, number):
    """Calibrate a fold on the counts of all other rows."""
    Y, scores, fold = cells
    grouped = GroupedCells(LabelMatrix.of(Y), ScoreMatrix.of(scores))
    counts = grouped.count(np.flatnonzero(fold != number))
    return ScoreCalibration(HIERARCHY).learn(grouped.score, *counts)


def test_a_fold_is_calibrated_by_the_others(cells):
    Y, scores, fold = cells
    calibration, made = calibrate_by_folds(Y, scores, fold, HIERARCHY)
    whole = ScoreCalibration(HIERARCHY).fit(Y, scores)
    np.testing.assert_array_equal(whole.offset_, calibration.offset_)
    np.testing.assert_array_equal(whole.log_odds_, calibration.log_odds_)
    for number in range(3):
        rows = fold == number
        expected = learned_from_others(cells, number).transform(scores[rows])
        np.testing.assert_array_equal(made[rows], expected)
    # Labels of its own change nothing in a fold.
    turned = np.where((fold == 1)[:, np.newaxis] & (Y >= 0), 1 - Y, Y)
    _, again = calibrate_by_folds(turned, scores, fold, HIERARCHY)
    np.testing.assert_array_equal(again[fold == 1], made[fold == 1])
    assert not np.array_equal(again[fold == 0], made[fold == 0])


def test_matrices_are_calibrated_like_arrays(cells):
    Y, scores, fold = cells
    expected_calibration, expected = calibrate_by_folds(Y, scores, fold, HIERARCHY)
    exact = ScoreMatrix.of(scores)
    calibration, found = calibrate_by_folds(LabelMatrix.of(Y), exact, fold, HIERARCHY)
    np.testing.assert_array_equal(found.read(), expected)
    np.testing.assert_array_equal(exact.read(), scores)
    np.testing.assert_array_equal(
        calibration.transform(scores), expected_calibration.transform(scores)
    )


def test_compact_scores_have_nearly_the_same_probabilities(cells):
    Y, scores, fold = cells
    _, expected = calibrate_by_folds(Y, scores, fold, HIERARCHY)
    compact = ScoreMatrix(scores.shape, exact=False)
    compact.write(slice(None), scores)
    _, found = calibrate_by_folds(LabelMatrix.of(Y), compact, fold, HIERARCHY)
    assert not found.exact
    assert np.abs(found.read() - expected).mean() < 2e-4
    error = ScoreCounts.of(Y, expected).error()
    assert ScoreCounts.of(Y, found).error() == pytest.approx(error, abs=2e-4)


def test_the_order_of_the_rows_does_not_matter(cells):
    Y, scores, fold = cells
    order = np.random.default_rng(1).permutation(len(Y))
    _, made = calibrate_by_folds(Y, scores, fold, HIERARCHY)
    _, again = calibrate_by_folds(Y[order], scores[order], fold[order], HIERARCHY)
    np.testing.assert_allclose(again, made[order], atol=1e-6)


def test_a_single_fold_keeps_its_scores(cells):
    Y, scores, _ = cells
    calibration, made = calibrate_by_folds(Y, scores, np.zeros(len(Y), int), HIERARCHY)
    np.testing.assert_array_equal(made, scores)
    assert not np.array_equal(calibration.transform(scores), scores)


def test_what_does_not_match_is_refused(cells):
    Y, scores, fold = cells
    with pytest.raises(LabelError, match="Expected Y with 1 columns"):
        calibrate_by_folds(Y, scores, fold, Hierarchy(["a"]))
    with pytest.raises(ScoreError, match="Expected probabilities from 0 to 1"):
        calibrate_by_folds(Y, scores - 2, fold, HIERARCHY)
    with pytest.raises(ValueError, match="each of 3000 rows, from 0 on, got 3000"):
        calibrate_by_folds(Y, scores, fold - 1, HIERARCHY)
