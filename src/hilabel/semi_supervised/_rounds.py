"""The self-training loop: train, label confident rows, train again.

The loop can train several learners together, such as the binary classifiers of all
nodes, or a single classifier that predicts paths. A method provides the learners
(models that predict labels with a confidence), an :class:`Acceptance` rule (which rows
are accepted) and the rows that each learner may label.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from hilabel._progress import Progress
from hilabel._typing import UNLABELED, BoolArray, FloatArray, IntArray, LabelArray


class Guess(NamedTuple):
    """The predictions of a learner for the given rows."""

    label: IntArray
    confidence: FloatArray


class Learners(Protocol):
    """Classifiers that can be retrained on accepted rows."""

    def fit(self, learners: IntArray, accepted: LabelArray) -> None:
        """Train learners on labelled rows and on their columns of ``accepted``."""

    def guess(self, learners: IntArray, rows: Sequence[IntArray]) -> Sequence[Guess]:
        """Return the predictions of each learner for its unlabelled rows."""


@dataclass(frozen=True)
class Acceptance:
    """The rule for accepting rows: all confident rows, or the k most confident rows.

    The rules and the handling of ties are those of
    ``sklearn.semi_supervised.SelfTrainingClassifier``.
    """

    criterion: str = "threshold"
    threshold: float = 0.75
    k_best: int = 10

    def choose(self, confidence: FloatArray) -> IntArray:
        """Return the positions of the accepted rows."""
        if self.criterion == "threshold":
            return np.flatnonzero(confidence > self.threshold)
        if self.k_best >= confidence.size:
            return np.arange(confidence.size)
        return np.argpartition(-confidence, self.k_best)[: self.k_best]


@dataclass
class RoundsState:
    """The state of self-training, with one column per learner."""

    # Labels, UNLABELED where none was accepted; (n_unlabeled, n_learners).
    accepted: LabelArray
    labeled_iter: IntArray  # the round in which each was accepted, -1 where none was
    confidence: FloatArray  # of each accepted label, 0 where none was
    n_iter: IntArray  # rounds in which unlabelled rows were predicted
    # "all_labeled", "unchanged", "max_iter", or "constant" without self-training.
    termination: Any

    @classmethod
    def before(
        cls, n_unlabeled: int, n_learners: int, dtype: type = np.int8
    ) -> "RoundsState":
        """Return the initial state, in which no labels have been accepted."""
        shape = n_unlabeled, n_learners
        return cls(
            accepted=np.full(shape, UNLABELED, dtype=dtype),
            labeled_iter=np.full(shape, -1, dtype=np.int32),
            confidence=np.zeros(shape, dtype=np.float32),
            n_iter=np.zeros(n_learners, dtype=np.int64),
            termination=np.full(n_learners, "constant", dtype=object),
        )

    def left(self, learner: int, pool: BoolArray) -> IntArray:
        """Return the rows in the pool that the learner has not labelled yet."""
        return np.flatnonzero(
            pool[:, learner] & (self.accepted[:, learner] == UNLABELED)
        )

    def accept(self, learner: int, rows: IntArray, guess: Guess) -> None:
        """Record the labels that a learner accepted; without any, the learner stops."""
        if rows.size == 0:
            self.termination[learner] = "unchanged"
        self.accepted[rows, learner] = guess.label
        self.confidence[rows, learner] = guess.confidence
        self.labeled_iter[rows, learner] = self.n_iter[learner]


def run_rounds(
    learners: Learners,
    numbers: IntArray,
    pool: BoolArray,
    acceptance: Acceptance,
    max_iter: int,
    state: RoundsState,
    progress: Progress,
) -> None:
    """Self-train learners that have been fitted on labelled rows, and update ``state``.

    A learner stops when it accepts no row, when no row is left, or after ``max_iter``
    rounds. Learners that accepted rows are trained again, so that each is finally
    trained on all rows that it accepted. Accepted labels are never revised. ``numbers``
    contains the learners to train; ``pool``, of shape (n_unlabeled, n_learners), marks
    the rows that each learner may label.
    """
    state.termination[numbers] = "all_labeled"
    left = {int(number): state.left(number, pool) for number in numbers}
    going = [number for number in left if left[number].size]
    for iteration in range(1, max_iter + 1):
        if not going:
            return
        state.n_iter[going] = iteration
        guesses = learners.guess(np.array(going), [left[number] for number in going])
        for number, guess in zip(going, guesses):
            chosen = acceptance.choose(guess.confidence)
            accepted = Guess(guess.label[chosen], guess.confidence[chosen])
            state.accept(number, left[number][chosen], accepted)
            left[number] = np.delete(left[number], chosen)
        changed = [n for n in going if state.termination[n] != "unchanged"]
        progress.report(
            f"round {iteration}: {len(changed)} of {len(going)} classifiers "
            "accepted labels"
        )
        learners.fit(np.array(changed, dtype=np.int64), state.accepted)
        going = [number for number in changed if left[number].size]
    state.termination[going] = "max_iter"
