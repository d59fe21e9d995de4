"""The loop: who is accepted, when a learner stops, what it is trained on."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from hilabel._progress import Progress
from hilabel.semi_supervised._rounds import (
    Acceptance,
    Guess,
    RoundsState,
    run_rounds,
)

CONFIDENCES = hnp.arrays(
    np.float64, st.integers(0, 30), elements=st.integers(0, 20).map(lambda i: i / 20)
)


class Reciting:
    """Learners that are as sure in every round as they were told to be."""

    def __init__(self, confidence):
        self.confidence = np.asarray(confidence)  # (n_rounds, n_rows, n_learners)
        self.trained = []
        self.round = 0

    def fit(self, learners, accepted):
        self.trained.append(learners.tolist())

    def guess(self, learners, rows):
        now = self.confidence[min(self.round, len(self.confidence) - 1)]
        self.round += 1
        return [
            Guess(own % 2, now[own, learner]) for learner, own in zip(learners, rows)
        ]


def run(confidence, max_iter=10, pool=None, **rule):
    learners = Reciting(confidence)
    shape = learners.confidence.shape[1:]
    state = RoundsState.before(*shape)
    pool = np.ones(shape, dtype=bool) if pool is None else np.asarray(pool, dtype=bool)
    nodes = np.arange(shape[1])
    run_rounds(learners, nodes, pool, Acceptance(**rule), max_iter, state, Progress(0))
    return state, learners


@given(CONFIDENCES, st.sampled_from([0.0, 0.5, 0.75, 1.0]))
def test_only_confidences_above_the_threshold_are_accepted(confidence, threshold):
    chosen = Acceptance(threshold=threshold).choose(confidence)
    np.testing.assert_array_equal(chosen, np.flatnonzero(confidence > threshold))


@given(CONFIDENCES, st.integers(1, 40))
def test_the_k_best_are_accepted_whatever_the_threshold(confidence, k):
    chosen = Acceptance("k_best", threshold=1.0, k_best=k).choose(confidence)
    assert len(set(chosen)) == min(k, confidence.size)
    expected = np.sort(confidence)[::-1][: chosen.size]
    np.testing.assert_array_equal(np.sort(confidence[chosen])[::-1], expected)


def test_every_learner_stops_by_itself_and_is_trained_only_where_it_changed():
    # The first accepts all at once, the second a row per round, the third nothing.
    confidence = [
        [[0.9, 0.9, 0.1], [0.9, 0.1, 0.1], [0.9, 0.1, 0.1]],
        [[0.0, 0.0, 0.1], [0.0, 0.9, 0.1], [0.0, 0.1, 0.1]],
        [[0.0, 0.0, 0.1], [0.0, 0.0, 0.1], [0.0, 0.1, 0.1]],
    ]
    state, learners = run(confidence)
    assert learners.trained == [[0, 1], [1], []]
    assert state.n_iter.tolist() == [1, 3, 1]
    assert state.termination.tolist() == ["all_labeled", "unchanged", "unchanged"]
    assert state.labeled_iter.tolist() == [[1, 1, -1], [1, 2, -1], [1, -1, -1]]
    assert state.accepted.tolist() == [[0, 0, -1], [1, 1, -1], [0, -1, -1]]
    expected = np.array([[0.9, 0.9, 0], [0.9, 0.9, 0], [0.9, 0, 0]])
    np.testing.assert_allclose(state.confidence, expected, rtol=1e-6)


def test_rounds_are_limited_and_those_still_going_say_so():
    state, learners = run(
        [[[0.5], [0.6], [0.7]]], max_iter=2, criterion="k_best", k_best=1
    )
    assert state.termination.tolist() == ["max_iter"]
    assert state.n_iter.tolist() == [2]
    assert state.labeled_iter[:, 0].tolist() == [-1, 2, 1]
    # The row accepted in the last round is learned from too.
    assert learners.trained == [[0], [0]]


@pytest.mark.parametrize("max_iter", [1, 2])
def test_whoever_accepts_the_last_row_in_the_last_round_has_labelled_all(max_iter):
    state, _ = run([[[0.9]]], max_iter=max_iter)
    assert state.termination.tolist() == ["all_labeled"]


def test_rows_outside_the_pool_are_never_labelled():
    pool = [[True, False], [False, False]]
    state, learners = run([[[0.9, 0.9], [0.9, 0.9]]], pool=pool)
    assert state.accepted.tolist() == [[0, -1], [-1, -1]]
    assert state.n_iter.tolist() == [1, 0]
    assert state.termination.tolist() == ["all_labeled", "all_labeled"]
    assert learners.trained == [[0]]


def test_learners_that_are_not_asked_for_are_constants():
    state = RoundsState.before(2, 2)
    learners = Reciting([[[0.9, 0.9], [0.9, 0.9]]])
    pool = np.ones((2, 2), dtype=bool)
    run_rounds(learners, np.array([1]), pool, Acceptance(), 10, state, Progress(0))
    assert state.termination.tolist() == ["constant", "all_labeled"]
    assert state.accepted[:, 0].tolist() == [-1, -1]


def test_rounds_are_reported(capsys):
    learners = Reciting([[[0.9], [0.1]]])
    state = RoundsState.before(2, 1)
    pool = np.ones((2, 1), dtype=bool)
    run_rounds(learners, np.array([0]), pool, Acceptance(), 10, state, Progress(2))
    lines = capsys.readouterr().err.splitlines()
    assert "round 1: 1 of 1 classifiers accepted labels" in lines[0]
    assert "round 2: 0 of 1 classifiers accepted labels" in lines[1]
