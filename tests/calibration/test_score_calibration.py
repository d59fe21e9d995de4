"""Probabilities that mean what they say, in the order of the scores."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.exceptions import NotFittedError

from hilabel import Hierarchy
from hilabel.calibration import ScoreCalibration, calibrate_by_folds
from hilabel.calibration._score_calibration import _lines_of_nodes
from hilabel.classifiers import PredictiveClusteringForest
from hilabel.datasets import make_hierarchical_classification
from hilabel.exceptions import LabelError
from hilabel.metrics import ScoreCounts, average_precision, hierarchy_violations
from hilabel.model_selection import draw_folds, out_of_fold_scores
from hilabel.semi_supervised import SSHMCBLI

FLAT = Hierarchy([str(node) for node in range(6)])


@pytest.fixture(scope="module")
def cells():
    """Return labels and scores that claim too much, by another amount in each node."""
    random = np.random.default_rng(0)
    odds = random.normal(-1, 2, (3000, 6))
    Y = (random.random(odds.shape) < expit(odds)).astype(np.int8)
    return Y, expit(0.5 * odds + np.linspace(0, 2, 6))


def test_probabilities_of_new_rows_mean_what_they_say(cells):
    Y, scores = cells
    half = slice(0, 1500), slice(1500, None)
    calibration = ScoreCalibration(FLAT).fit(Y[half[0]], scores[half[0]])
    new = calibration.transform(scores[half[1]])
    assert ScoreCounts.of(Y[half[1]], new).error() < 0.02
    for node in range(6):
        only = np.arange(6) == node
        before = ScoreCounts.of(Y[half[1]], scores[half[1]], only).error()
        after = ScoreCounts.of(Y[half[1]], new, only).error()
        assert after < 0.07 < before


def test_the_order_within_a_node_stays(cells):
    Y, scores = cells
    calibration = ScoreCalibration(FLAT).fit(Y, scores)
    grid = np.repeat(np.linspace(0, 1, 2001)[:, np.newaxis], 6, axis=1)
    assert (np.diff(calibration.transform(grid), axis=0) > 0).all()


@pytest.mark.parametrize("seed", range(3))
def test_no_child_is_above_a_parent_and_none_outside_0_to_1(seed):
    hierarchy = make_hierarchical_classification(
        8, 2, n_nodes=12, structure="dag", random_state=seed
    ).hierarchy
    random = np.random.default_rng(seed)
    scores = np.round(random.random((8, hierarchy.n_nodes)), 1)
    Y = random.integers(-1, 2, scores.shape)
    made = ScoreCalibration(hierarchy).fit(Y, scores).transform(scores)
    assert hierarchy_violations(made, hierarchy).n_edges == 0
    assert ((made >= 0) & (made <= 1)).all()


def test_unknown_cells_do_not_count(cells):
    Y, scores = cells
    few = ScoreCalibration(FLAT).fit(Y[:100], scores[:100])
    more = np.vstack([Y[:100], np.full((50, 6), -1)])
    again = ScoreCalibration(FLAT).fit(more, np.vstack([scores[:100], scores[-50:]]))
    np.testing.assert_allclose(again.transform(scores), few.transform(scores))


def test_lines_of_nodes_are_penalised_logistic_regressions():
    random = np.random.default_rng(0)
    odds = random.normal(0, 1, 12)
    n_cells = random.integers(1, 30, (2, 12)).astype(float)
    n_positive = np.floor(n_cells * random.random((2, 12)))
    for offset, slope, cells, positive in zip(
        *_lines_of_nodes(odds, n_cells, n_positive), n_cells, n_positive, strict=True
    ):
        missing = positive - cells * expit(offset + slope * odds)
        # The gradient is that of the penalty: offset / 2**2 and (slope - 1) / 0.5**2.
        assert missing.sum() == pytest.approx(offset / 4, abs=1e-4)
        assert missing @ odds == pytest.approx(4 * (slope - 1), abs=1e-4)


def test_a_node_without_rows_follows_the_others(cells):
    Y, scores = cells
    Y = Y.copy()
    Y[:, 2] = -1
    calibration = ScoreCalibration(FLAT).fit(Y, scores)
    assert (calibration.offset_[2], calibration.slope_[2]) == (0, 1)


def test_scores_are_overwritten_only_if_told_so(cells):
    Y, scores = cells
    given = scores.copy()
    calibration, _ = calibrate_by_folds(Y, given, np.arange(len(Y)) % 2, FLAT)
    transformed = calibration.transform(given)
    np.testing.assert_array_equal(given, scores)
    assert transformed is not given
    assert calibration.transform(given, copy=False) is given
    np.testing.assert_array_equal(given, transformed)


@pytest.mark.filterwarnings("ignore:1 of 25 nodes have no positive")
@pytest.mark.parametrize("method", [PredictiveClusteringForest, SSHMCBLI])
def test_methods_are_calibrated_in_folds_and_on_hidden_rows(method):
    data = make_hierarchical_classification(
        900, 10, n_nodes=25, structure="dag", labels_per_row=3, random_state=1
    )
    seen, hidden = slice(0, 500), slice(500, None)
    Y = data.Y[seen].astype(np.int8)
    model = method(data.hierarchy, random_state=0)
    fold = draw_folds(Y, 3)
    scores = out_of_fold_scores(model, data.X[seen], Y, fold=fold)
    calibration, nested = calibrate_by_folds(Y, scores, fold, data.hierarchy)
    raw = model.fit(data.X[seen], Y).predict_proba(data.X[hidden])
    new = calibration.transform(raw)
    for labels, probabilities, most in ((Y, nested, 0.03), (data.Y[hidden], new, 0.05)):
        counts = ScoreCounts.of(labels, probabilities)
        assert counts.error() < most
        assert counts.error(floor=0.1) < most
    before = average_precision(data.Y[hidden], raw)
    assert average_precision(data.Y[hidden], new) > before - 0.002


def test_what_cannot_be_learned_from_is_refused():
    with pytest.raises(LabelError, match="Expected Y with 6 columns"):
        ScoreCalibration(FLAT).fit([[1, 0]], [[0.5, 0.5]])
    with pytest.raises(LabelError, match="0 known cells"):
        ScoreCalibration(FLAT).fit([[-1] * 6], [[0.5] * 6])
    with pytest.raises(NotFittedError, match="call fit first"):
        ScoreCalibration(FLAT).transform([[0.5] * 6])
