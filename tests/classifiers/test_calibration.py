"""Prior correction against odds computed by hand."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hilabel.classifiers._calibration import correct_prior

shares = st.floats(0.01, 0.99)


@given(st.floats(0.01, 0.99), shares, shares)
def test_odds_are_multiplied_by_the_ratio_of_prior_odds(score, trained, true):
    result = correct_prior(np.array([[score]]), np.array([trained]), np.array([true]))
    odds = score / (1 - score) * (true / (1 - true)) / (trained / (1 - trained))
    assert result[0, 0] == pytest.approx(odds / (1 + odds), rel=1e-9)


@given(shares, shares)
def test_a_score_at_the_trained_share_becomes_the_true_share(trained, true):
    result = correct_prior(np.array([[trained]]), np.array([trained]), np.array([true]))
    assert result[0, 0] == pytest.approx(true, rel=1e-9)


def test_worked_value():
    # Trained half and half, true share 1 in 5: odds 3 times 1/4 are 3/4, that is 3/7.
    result = correct_prior(np.array([[0.75]]), np.array([0.5]), np.array([0.2]))
    assert result[0, 0] == pytest.approx(3 / 7)


def test_certain_scores_and_the_order_of_scores_stay():
    scores = np.linspace(0, 1, 11)[:, None]
    result = correct_prior(scores, np.array([0.5]), np.array([0.03]))
    assert result[0, 0] == 0
    assert result[-1, 0] == 1
    assert (np.diff(result[:, 0]) > 0).all()


@pytest.mark.parametrize(
    ("trained", "true"),
    [(np.nan, 0.3), (0.5, 1.0)],
    ids=["constant node", "all have it"],
)
def test_nodes_without_a_ratio_are_left_alone(trained, true):
    scores = np.array([[0.0], [0.4], [1.0]])
    result = correct_prior(scores, np.array([trained]), np.array([true]))
    np.testing.assert_array_equal(result, scores)
