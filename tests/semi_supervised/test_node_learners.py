"""Learners: the examples of nodes with accepted rows, and paths as one label."""

import numpy as np

from hilabel import Hierarchy
from hilabel.semi_supervised._node_learners import NodeLearners, PathLearner, paths_to

H = Hierarchy.from_edges([("a", "c"), ("a", "d")], nodes=["a", "b", "c", "d"])


class Noting:
    """A trainer that notes what it is given and recites probabilities."""

    def __init__(self, scores=None):
        self.scores = scores  # (n_rows, n_nodes)
        self.given = {}

    def fit(self, nodes, examples):
        self.given = {
            int(node): [rows.tolist() for rows in own]
            for node, own in zip(nodes, examples)
        }

    def predict(self, nodes, rows):
        return [
            np.column_stack([1 - self.scores[own, node], self.scores[own, node]])
            for node, own in zip(nodes, rows)
        ]


def test_accepted_rows_join_the_examples_of_their_own_node_only():
    trainer = Noting()
    examples = [
        (np.array([0]), np.array([2])),
        (np.array([1]), np.array([0, 2])),
    ]
    learners = NodeLearners(trainer, examples, n_labeled=3)
    accepted = np.array([[1, -1], [-1, 0], [0, 1]], dtype=np.int8)
    learners.fit(np.array([0, 1]), accepted)
    assert trainer.given == {0: [[0, 3], [2, 5]], 1: [[1, 5], [0, 2, 4]]}
    learners.fit(np.array([1]), np.full((3, 2), -1, dtype=np.int8))
    assert trainer.given == {1: [[1], [0, 2]]}


def test_a_node_says_the_more_probable_label_and_no_where_both_are():
    scores = np.array([[0.0], [0.25], [0.5], [1.0]])
    learners = NodeLearners(Noting(scores), [(None, None)], n_labeled=1)
    (guess,) = learners.guess(np.array([0]), [np.array([0, 1, 2])])
    assert guess.label.tolist() == [0, 0, 1]
    assert guess.confidence.tolist() == [0.75, 0.5, 1.0]


def test_paths_to_leaves_are_closed():
    labels = paths_to(np.array([H.node("d"), H.node("b")]), H)
    assert labels.astype(int).tolist() == [[1, 0, 0, 1], [0, 1, 0, 0]]
    assert paths_to(np.empty(0, dtype=int), H).shape == (0, 4)


def path_learner(trainer):
    Y = paths_to(np.array([2, 3, 1]), H)
    examples = [
        (np.array([0, 1]), np.array([2])),
        (np.array([2]), np.array([0, 1])),
        (np.array([0]), np.array([1])),
        (np.array([1]), np.array([0])),
    ]
    return PathLearner(trainer, Y, H, "siblings", examples)


def test_a_path_is_as_sure_as_its_least_probable_node():
    #                   a    b    c    d
    scores = np.array([[0.9, 0.3, 0.4, 0.6], [0.6, 0.7, 1.0, 0.9], [0.8, 0.1, 0.9, 0]])
    learner = path_learner(Noting(np.concatenate([np.zeros((3, 4)), scores])))
    (guess,) = learner.guess(np.array([0]), [np.array([0, 1, 2])])
    assert [H.names[leaf] for leaf in guess.label] == ["d", "b", "c"]
    assert guess.confidence.tolist() == [0.6, 0.7, 0.8]


def test_accepted_paths_change_the_nodes_beside_them_alone():
    trainer = Noting()
    learner = path_learner(trainer)
    accepted = np.array([[-1], [H.node("b")]])
    learner.fit(np.array([0]), accepted)
    assert trainer.given == {0: [[0, 1], [2, 4]], 1: [[2, 4], [0, 1]]}
    accepted[0] = H.node("c")
    learner.fit(np.array([0]), accepted)
    assert trainer.given == {
        0: [[0, 1, 3], [2, 4]],
        1: [[2, 4], [0, 1, 3]],
        2: [[0, 3], [1]],
        3: [[1], [0, 3]],
    }


def test_without_learners_to_train_nothing_is_trained():
    trainer = Noting()
    path_learner(trainer).fit(np.empty(0, dtype=int), np.array([[1]]))
    assert trainer.given == {}
