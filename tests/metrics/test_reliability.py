"""Precision from a probability on, and the nodes that can be relied on."""

import numpy as np
import pytest

from hilabel import Hierarchy
from hilabel.metrics import (
    PrecisionByProbability,
    ScoreCounts,
    per_node_table,
    reliable_nodes,
)

HIERARCHY = Hierarchy([str(node) for node in range(60)])


@pytest.fixture(scope="module")
def measured():
    """Return 60 nodes, of which the scores know every second."""
    random = np.random.default_rng(0)
    scores = random.random((600, 60)) ** 3
    share = np.where(np.arange(60) % 2, 0.1, scores)
    Y = (random.random(scores.shape) < share).astype(np.int8)
    return Y, scores


def test_precision_is_that_of_all_at_least_as_probable(measured):
    Y, scores = measured
    found = PrecisionByProbability.of_counts(ScoreCounts.of(Y, scores))
    for probability in (0.01, 0.2, 0.5, 0.8):
        expected = Y[scores >= probability].mean()
        assert found.precision_from([probability]) == pytest.approx(expected, abs=0.02)
    assert (np.diff(found.precision) >= 0).all()
    assert found.probability.size <= 201
    assert found.is_sound()


def test_nodes_left_out_do_not_count(measured):
    Y, scores = measured
    counts = ScoreCounts.of(Y, scores, np.arange(60) % 2 == 0)
    found = PrecisionByProbability.of_counts(counts)
    assert found.precision_from([0.8]) == pytest.approx(
        Y[:, ::2][scores[:, ::2] >= 0.8].mean(), abs=0.02
    )


def test_without_cells_no_prediction_is_right():
    nothing = ScoreCounts.of([[-1]], [[0.5]])
    found = PrecisionByProbability.of_counts(nothing)
    assert found.precision_from([0.9]) == 0
    assert found.is_sound()


def test_nodes_that_scores_know_nothing_of_are_unreliable(measured):
    reliable = reliable_nodes(per_node_table(*measured, HIERARCHY))
    assert reliable[::2].all()
    assert reliable[1::2].sum() <= 2  # one in a hundred, by chance


def test_one_positive_row_makes_no_node_reliable():
    Y = np.eye(4, 3, dtype=np.int8)
    table = per_node_table(Y, 1.0 * Y, Hierarchy(["a", "b", "c"]))
    assert table["average_precision"].tolist() == [1, 1, 1]
    assert not reliable_nodes(table).any()
