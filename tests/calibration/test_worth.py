"""What a prediction is worth: precision from its probability on, and its term."""

import numpy as np
import pytest

from hilabel import Hierarchy
from hilabel.calibration import PredictionWorth
from hilabel.metrics import per_node_table


@pytest.fixture(scope="module")
def measured():
    """Return 60 nodes, of which the scores know every second."""
    random = np.random.default_rng(0)
    scores = random.random((600, 60)) ** 3
    share = np.where(np.arange(60) % 2, 0.1, scores)
    Y = (random.random(scores.shape) < share).astype(np.int8)
    table = per_node_table(Y, scores, Hierarchy([str(node) for node in range(60)]))
    return Y, scores, PredictionWorth.measure(Y, scores, table)


def test_precision_is_that_of_all_at_least_as_probable(measured):
    Y, scores, worth = measured
    for probability in (0.01, 0.2, 0.5, 0.8):
        expected = Y[scores >= probability].mean()
        found = worth.precision_from([probability])
        assert found == pytest.approx(expected, abs=0.02)
    assert (np.diff(worth.precision) >= 0).all()
    assert worth.probability.size <= 201


def test_nodes_that_scores_know_nothing_of_are_marked(measured):
    *_, worth = measured
    assert worth.reliable[::2].all()
    assert worth.reliable[1::2].sum() <= 2  # one in a hundred, by chance


def test_one_positive_row_makes_no_node_reliable():
    Y = np.eye(4, 3, dtype=np.int8)
    hierarchy = Hierarchy(["a", "b", "c"])
    worth = PredictionWorth.measure(Y, 1.0 * Y, per_node_table(Y, 1.0 * Y, hierarchy))
    assert not worth.reliable.any()
    assert worth.quality.tolist() == [1, 1, 1]


def test_nodes_left_out_do_not_count(measured):
    Y, scores, _ = measured
    table = per_node_table(Y, scores, Hierarchy([str(node) for node in range(60)]))
    known = PredictionWorth.measure(Y, scores, table, np.arange(60) % 2 == 0)
    assert known.precision_from([0.8]) == pytest.approx(
        Y[:, ::2][scores[:, ::2] >= 0.8].mean(), abs=0.02
    )
