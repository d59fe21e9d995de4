"""Which models are averaged: rounds by hand, and scores that saw no choice."""

import numpy as np
import pytest

from hilabel.metrics import average_precision
from hilabel.semi_supervised._greedy_mean import (
    greedy_shares,
    mean_by_fold,
    mean_scores,
    nested_shares,
    stable_shares,
)

LABELS = np.array([[1], [1], [0], [0]], np.int8)


def column(*scores):
    return np.array(scores, np.float32)[:, None]


# Each has one positive row at the top and the other at the bottom: .75 alone, 1 in
# their mean, and (1 + 2/3) / 2 if one of them counts twice.
LEFT, RIGHT = column(0.9, 0.1, 0.5, 0.2), column(0.1, 0.9, 0.2, 0.5)
WRONG = column(0.1, 0.2, 0.8, 0.9)


def test_each_round_adds_the_model_that_makes_the_mean_best():
    models = [WRONG, LEFT, RIGHT]
    expected = {1: [0, 1, 0], 2: [0, 1 / 2, 1 / 2], 3: [0, 2 / 3, 1 / 3]}
    for n_rounds, shares in expected.items():
        found = greedy_shares(LABELS, models, n_rounds)
        np.testing.assert_allclose(found, shares)


def test_of_equal_means_the_model_that_is_better_alone_wins():
    # Both leave the second round at 1, and the first round chose the perfect one.
    perfect, good = column(9, 8, 1, 0), column(0.4, 0.2, 0.3, 0.1)
    assert average_precision(LABELS, good) < 1
    np.testing.assert_array_equal(greedy_shares(LABELS, [good, perfect], 2), [0, 1])


def test_one_model_or_nothing_to_find_takes_the_first():
    np.testing.assert_array_equal(greedy_shares(LABELS, [WRONG]), [1])
    nothing = np.zeros_like(LABELS)
    np.testing.assert_array_equal(greedy_shares(nothing, [WRONG, LEFT]), [1, 0])


def test_cells_that_are_unknown_have_no_say():
    labels = np.vstack([LABELS, [[-1]]])
    models = [np.vstack([one, [[5.0]]]) for one in (WRONG, LEFT, RIGHT)]
    np.testing.assert_allclose(greedy_shares(labels, models, 2), [0, 0.5, 0.5])


def test_shares_of_halves_add_up_and_leave_out_the_useless():
    rng = np.random.default_rng(0)
    labels = (rng.random((60, 4)) < 0.4).astype(np.int8)
    good, fair, useless = (
        labels + noise * rng.random((60, 4)) for noise in (1.2, 2, 99)
    )
    shares = stable_shares(labels, [useless, fair, good])
    assert shares.sum() == pytest.approx(1)
    assert shares[0] == 0
    assert shares[2] > shares[1]
    np.testing.assert_array_equal(stable_shares(labels, [fair, good], 1), [0, 1])


def test_halves_without_a_positive_have_no_say():
    labels = np.zeros((60, 1), np.int8)
    labels[7] = 1
    good, bad = labels + 0.5, 1.5 - labels
    np.testing.assert_array_equal(stable_shares(labels, [bad, good]), [0, 1])


def test_the_mean_counts_each_by_its_share():
    found = mean_scores([LEFT, WRONG, RIGHT], np.array([0.75, 0, 0.25]))
    np.testing.assert_allclose(found, 0.75 * LEFT + 0.25 * RIGHT)


def test_shares_in_a_fold_do_not_depend_on_its_labels():
    rng = np.random.default_rng(0)
    labels = (rng.random((40, 3)) < 0.4).astype(np.int8)
    # Noise that follows the labels, so that the choice is not always the same.
    models = [0.3 * labels + rng.random((40, 3), np.float32) for _ in range(4)]
    fold = np.arange(40) % 4
    found = nested_shares(labels, models, fold, 4)
    for number in range(4):
        inside = fold == number
        changed = labels.copy()
        changed[inside] = 1 - changed[inside]
        again = nested_shares(changed, models, fold, 4)
        np.testing.assert_array_equal(again[number], found[number])
        assert not np.array_equal(again, found)


def test_the_mean_of_a_fold_has_its_shares_and_may_take_the_place_of_a_score():
    fold = np.array([0, 1, 0, 1])
    shares = [np.array([1.0, 0.0]), np.array([0.25, 0.75])]
    mixed = 0.25 * LEFT + 0.75 * RIGHT
    expected = np.where(fold[:, None] == 0, LEFT, mixed)
    scores = [LEFT.copy(), RIGHT]
    assert mean_by_fold(scores, shares, fold, scores[0]) is scores[0]
    np.testing.assert_allclose(scores[0], expected)
