"""The learners used in self-training: one per node, or one that predicts paths."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hilabel._typing import IntArray, LabelArray
from hilabel.classifiers import walk_down
from hilabel.hierarchy import Hierarchy
from hilabel.local_models import Examples, NodeTrainer, select_examples
from hilabel.semi_supervised._rounds import Guess


class NodeLearners:
    """One binary learner per node, each with its own accepted rows.

    A learner is trained on the labelled rows that the policy chooses, and on all rows
    accepted for its node.
    """

    def __init__(
        self, trainer: NodeTrainer, examples: Sequence[Examples], n_labeled: int
    ) -> None:
        self._trainer = trainer
        self._examples = examples
        self._n_labeled = n_labeled

    def fit(self, learners: IntArray, accepted: LabelArray) -> None:
        """Train the classifiers of the given nodes on labelled and accepted rows."""
        rows = [self._with_accepted(node, accepted[:, node]) for node in learners]
        self._trainer.fit(learners, rows)

    def guess(self, learners: IntArray, rows: Sequence[IntArray]) -> Sequence[Guess]:
        """Return the more probable class of each row, or 0 if tied."""
        own = [self._n_labeled + some for some in rows]
        return [
            Guess(probability.argmax(axis=1), probability.max(axis=1))
            for probability in self._trainer.predict(learners, own)
        ]

    def _with_accepted(self, node: int, accepted: LabelArray) -> Examples:
        positive, negative = self._examples[node]
        return (
            np.concatenate([positive, self._n_labeled + np.flatnonzero(accepted == 1)]),
            np.concatenate([negative, self._n_labeled + np.flatnonzero(accepted == 0)]),
        )


class PathLearner:
    """A single learner that predicts leaves: the top-down classifier over all nodes.

    Its confidence in a path is the lowest probability of any node on the path. The
    policy chooses the training rows for each node from both labelled and accepted rows.
    """

    def __init__(
        self,
        trainer: NodeTrainer,
        Y_labeled: Any,
        hierarchy: Hierarchy,
        policy: Any,
        examples: Sequence[Examples],
    ) -> None:
        self._trainer = trainer
        self._Y_labeled = Y_labeled
        self._hierarchy = hierarchy
        self._policy = policy
        self._examples = examples

    def fit(self, learners: IntArray, accepted: LabelArray) -> None:
        """Train the classifiers of all nodes whose training rows have changed."""
        if learners.size == 0:
            return
        rows = np.flatnonzero(accepted[:, 0] >= 0)
        labels = paths_to(accepted[rows, 0], self._hierarchy)
        Y = np.concatenate([self._Y_labeled, labels])
        numbers = np.concatenate(
            [np.arange(len(self._Y_labeled)), len(self._Y_labeled) + rows]
        )
        examples = [
            (numbers[positive], numbers[negative])
            for positive, negative in select_examples(
                Y, self._hierarchy, self._policy, "index", None
            )
        ]
        changed = np.flatnonzero(
            [not _same(old, new) for old, new in zip(self._examples, examples)]
        )
        self._trainer.fit(changed, [examples[node] for node in changed])
        self._examples = examples

    def guess(self, learners: IntArray, rows: Sequence[IntArray]) -> Sequence[Guess]:
        """Return the leaf at the end of the top-down path for each row."""
        nodes = np.arange(self._hierarchy.n_nodes)
        own = len(self._Y_labeled) + rows[0]
        predicted = self._trainer.predict(nodes, [own] * nodes.size)
        scores = np.column_stack([probability[:, 1] for probability in predicted])
        path = walk_down(scores, self._hierarchy)
        leaves = self._hierarchy.leaves
        return [
            Guess(
                leaves[path[:, leaves].argmax(axis=1)],
                np.where(path, scores, np.inf).min(axis=1),
            )
        ]


def paths_to(leaves: IntArray, hierarchy: Hierarchy) -> Any:
    """Return the labels on the path to each leaf, in one row per leaf."""
    labels = np.zeros((leaves.size, hierarchy.n_nodes), dtype=bool)
    labels[np.arange(leaves.size), leaves] = True
    return hierarchy.close(labels)


def _same(old: Examples, new: Examples) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(old, new))
