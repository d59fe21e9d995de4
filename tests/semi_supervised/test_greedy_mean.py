"""Which models are averaged: rounds by hand, and scores that saw no choice."""

import numpy as np
import pytest

from hilabel import Hierarchy
from hilabel._label_matrix import LabelMatrix
from hilabel._score_matrix import RepeatedScores, ScoreMatrix
from hilabel.metrics import average_precision
from hilabel.semi_supervised._greedy_mean import (
    greedy_shares,
    mean_scores,
    nested_shares,
    stable_shares,
    write_mean,
)

LABELS = np.array([[1], [1], [0], [0]], np.int8)
ONE_NODE = Hierarchy(["a"])


def column(*scores):
    return np.array(scores, np.float32)[:, None]


# Each has one positive row at the top and the other at the bottom: .75 alone, 1 in
# their mean, and (1 + 2/3) / 2 if one of them counts twice.
LEFT, RIGHT = column(0.9, 0.1, 0.5, 0.2), column(0.1, 0.9, 0.2, 0.5)
WRONG = column(0.1, 0.2, 0.8, 0.9)


def stored(labels, models):
    """Labels, scores and rows as they are stored."""
    rows = np.arange(len(labels))
    return LabelMatrix.of(labels), [ScoreMatrix.of(one) for one in models], rows


def greedy(labels, models, *n_rounds):
    return greedy_shares(*stored(labels, models), *n_rounds)


def stable(labels, models, *n_rounds):
    return stable_shares(*stored(labels, models), *n_rounds)


def test_each_round_adds_the_model_that_makes_the_mean_best():
    models = [WRONG, LEFT, RIGHT]
    expected = {1: [0, 1, 0], 2: [0, 1 / 2, 1 / 2], 3: [0, 2 / 3, 1 / 3]}
    for n_rounds, shares in expected.items():
        np.testing.assert_allclose(greedy(LABELS, models, n_rounds), shares)


def test_of_equal_means_the_model_that_is_better_alone_wins():
    # Both leave the second round at 1, and the first round chose the perfect one.
    perfect, good = column(9, 8, 1, 0), column(0.4, 0.2, 0.3, 0.1)
    assert average_precision(LABELS, good) < 1
    np.testing.assert_array_equal(greedy(LABELS, [good, perfect], 2), [0, 1])


def test_one_model_or_nothing_to_find_takes_the_first():
    np.testing.assert_array_equal(greedy(LABELS, [WRONG]), [1])
    nothing = np.zeros_like(LABELS)
    np.testing.assert_array_equal(greedy(nothing, [WRONG, LEFT]), [1, 0])


def test_cells_that_are_unknown_have_no_say():
    labels = np.vstack([LABELS, [[-1]]])
    models = [np.vstack([one, [[5.0]]]) for one in (WRONG, LEFT, RIGHT)]
    np.testing.assert_allclose(greedy(labels, models, 2), [0, 0.5, 0.5])


def test_only_the_given_rows_have_a_say():
    labels = np.vstack([LABELS, 1 - LABELS])
    models = [np.vstack([one, one]) for one in (WRONG, LEFT, RIGHT)]
    known, scores, _ = stored(labels, models)
    found = greedy_shares(known, scores, np.arange(4), 2)
    np.testing.assert_allclose(found, [0, 0.5, 0.5])


def test_scores_that_are_stored_once_or_in_codes_are_models_like_others():
    repeated = RepeatedScores(np.array([[0.4], [0.5]]), np.array([0, 1, 0, 1]))
    coded = ScoreMatrix((4, 1), exact=False)
    coded.write(slice(None), column(0.9, 0.8, 0.2, 0.1))
    labels, rows = LabelMatrix.of(LABELS), np.arange(4)
    found = greedy_shares(labels, [repeated, coded], rows, 2)
    np.testing.assert_array_equal(found, [0, 1])


def test_shares_of_halves_add_up_and_leave_out_the_useless():
    rng = np.random.default_rng(0)
    labels = (rng.random((60, 4)) < 0.4).astype(np.int8)
    good, fair, useless = (
        labels + noise * rng.random((60, 4)) for noise in (1.2, 2, 99)
    )
    shares = stable(labels, [useless, fair, good])
    assert shares.sum() == pytest.approx(1)
    assert shares[0] == 0
    assert shares[2] > shares[1]
    np.testing.assert_array_equal(stable(labels, [fair, good], 1), [0, 1])


def test_halves_without_a_positive_have_no_say():
    labels = np.zeros((60, 1), np.int8)
    labels[7] = 1
    good, bad = labels + 0.5, 1.5 - labels
    np.testing.assert_array_equal(stable(labels, [bad, good]), [0, 1])


def test_the_mean_counts_each_by_its_share():
    found = mean_scores([LEFT, RIGHT], [0.75, 0.25], ONE_NODE)
    np.testing.assert_allclose(found, 0.75 * LEFT + 0.25 * RIGHT)


def test_a_mean_of_consistent_scores_is_consistent_whatever_is_rounded():
    chain = Hierarchy.from_edges([("a", "b")])
    rng = np.random.default_rng(0)
    models = [np.repeat(rng.random((50, 1), np.float32), 2, axis=1) for _ in range(3)]
    models.append(np.ones((50, 2), np.float32))
    shares = [0.3, 0.3, 0.3, 0.1]
    found = mean_scores(models, shares, chain)
    assert (found[:, 1] <= found[:, 0]).all()
    assert mean_scores(models[3:] * 3, [1 / 3] * 3, chain).max() <= 1


def test_shares_in_a_fold_do_not_depend_on_its_labels():
    rng = np.random.default_rng(0)
    labels = (rng.random((40, 3)) < 0.4).astype(np.int8)
    # Noise that follows the labels, so that the choice is not always the same.
    models = [0.3 * labels + rng.random((40, 3), np.float32) for _ in range(4)]
    fold = np.arange(40) % 4
    found = nested_shares(*stored(labels, models), fold)
    for number in range(4):
        inside = fold == number
        changed = labels.copy()
        changed[inside] = 1 - changed[inside]
        again = nested_shares(*stored(changed, models), fold)
        np.testing.assert_array_equal(again[number], found[number])
        assert not np.array_equal(again, found)


@pytest.mark.parametrize("exact", [True, False])
def test_the_mean_of_a_fold_has_its_shares_and_may_take_the_place_of_a_score(exact):
    fold = np.array([0, 1, 0, 1])
    shares = [np.array([1.0, 0.0]), np.array([0.25, 0.75])]
    mixed = 0.25 * LEFT + 0.75 * RIGHT
    expected = np.where(fold[:, None] == 0, LEFT, mixed)
    first = ScoreMatrix(LEFT.shape, exact)
    first.write(slice(None), LEFT)
    scores = [first, ScoreMatrix.of(RIGHT)]
    assert write_mean(scores, shares, fold, ONE_NODE, first) is first
    np.testing.assert_allclose(first.read(), expected, rtol=1e-6 if exact else 1e-3)
