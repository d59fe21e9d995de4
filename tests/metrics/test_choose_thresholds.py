"""Thresholds: the best there are, and consistent with the hierarchy."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from oracles import metrics as oracle
from strategies import hierarchies, labels_over, scores_over

from hilabel import Hierarchy
from hilabel.constraints import labels_from_scores
from hilabel.metrics import choose_thresholds, fmax

CHAIN = Hierarchy.from_edges([("a", "b")])


@st.composite
def labelled_scores(draw):
    hierarchy = draw(hierarchies(max_nodes=6))
    scores = draw(scores_over(hierarchy, max_rows=6))
    Y = hierarchy.close(draw(labels_over(hierarchy, max_rows=6)).astype(np.int8))
    n_rows = min(len(Y), len(scores))
    Y, scores = Y[:n_rows], scores[:n_rows]
    unknown = draw(st.lists(st.integers(0, Y.size - 1), max_size=3))
    Y.flat[unknown] = -1
    return hierarchy, Y, scores


@given(labelled_scores(), st.integers(0, 3))
def test_no_threshold_of_a_node_is_better(drawn, min_positives):
    hierarchy, Y, scores = drawn
    if not (Y == 1).any():
        return
    chosen = choose_thresholds(
        Y, scores, hierarchy, objective="f1", min_positives=min_positives
    )
    overall, value = oracle.best_pooled_f1(Y, scores)
    assert (chosen.overall, chosen.value) == (overall, pytest.approx(value))
    expected, predicted = oracle.best_thresholds(
        Y, scores, hierarchy, min_positives, overall
    )
    np.testing.assert_array_equal(chosen.per_node, expected)
    labels = labels_from_scores(scores, hierarchy, chosen.per_node, on_conflict="close")
    np.testing.assert_array_equal(labels, predicted)
    assert hierarchy.is_consistent(labels)


def test_the_threshold_for_fmax_is_that_of_fmax(table):
    Y, scores = table
    hierarchy = Hierarchy([str(node) for node in range(Y.shape[1])])
    chosen = choose_thresholds(Y, scores, hierarchy)
    best = fmax(Y, scores, thresholds="all")
    assert (chosen.overall, chosen.value) == (best.threshold, best.value)
    assert chosen.objective == "fmax"


def test_a_child_brings_its_parent_along():
    # The row with b scores 0.4 for a, less than the row without a.
    chosen = choose_thresholds(
        [[1, 1], [1, 0], [0, 0]],
        [[0.4, 0.3], [0.7, 0.1], [0.5, 0.2]],
        CHAIN,
        min_positives=1,
    )
    assert chosen.per_node.tolist() == [0.7, 0.3]
    assert chosen.n_chosen == 2


def test_nodes_with_few_positives_take_the_threshold_of_all():
    Y = [[1, 1], [1, 0], [1, 0], [0, 0]]
    scores = [[0.9, 0.1], [0.8, 0.0], [0.7, 0.0], [0.1, 0.0]]
    chosen = choose_thresholds(Y, scores, CHAIN, min_positives=2)
    assert chosen.n_chosen == 1
    assert chosen.per_node[1] == chosen.overall


def test_shrinkage_pulls_nodes_to_what_all_have_in_common():
    random = np.random.default_rng(0)
    scores = random.random((400, 8))
    Y = (random.random(scores.shape) < scores).astype(np.int8)
    Y[:, 0] = random.random(400) < 0.02  # hard to tell: its best is to take all
    hierarchy = Hierarchy([str(node) for node in range(8)])
    alone, pulled, same = (
        choose_thresholds(Y, scores, hierarchy, objective="f1", shrinkage=shrinkage)
        for shrinkage in (0, 50, 1e9)
    )
    assert alone.overall == pulled.overall
    assert alone.per_node[0] < pulled.per_node[0]
    np.testing.assert_allclose(same.per_node, same.overall, atol=0.02)
    with pytest.raises(ValueError, match="Expected shrinkage of 0 or more, got -1"):
        choose_thresholds(Y, scores, hierarchy, shrinkage=-1)


def test_an_unknown_objective_is_refused():
    with pytest.raises(
        ValueError, match="Expected objective 'fmax' or 'f1', got 'mcc'"
    ):
        choose_thresholds([[1, 0]], [[0.5, 0.5]], CHAIN, objective="mcc")
