"""Measures of many cells are computed in blocks, and come out the same."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hilabel import Hierarchy
from hilabel.constraints import labels_from_scores
from hilabel.metrics import (
    ScoreCounts,
    _blocks,
    average_precision,
    choose_thresholds,
    fmax,
    per_node_table,
    precision_recall_curve,
    smin,
)


def problem(n_rows, n_nodes, seed=0, decimals=2):
    random = np.random.default_rng(seed)
    scores = np.round(random.random((n_rows, n_nodes)), decimals)
    Y = random.random(scores.shape) < 0.3 * scores
    Y[:, 0] = True
    return Y, scores


@pytest.fixture(scope="module")
def once_and_twice():
    """Return 0.7 million cells, and the same rows twice: more than one block."""
    Y, scores = problem(700, 1000)
    return (Y, scores), (np.tile(Y, (2, 1)), np.tile(scores, (2, 1)))


@pytest.mark.parametrize(
    "measure",
    [
        lambda Y, scores: fmax(Y, scores, "all"),
        lambda Y, scores: smin(Y, scores, np.linspace(0, 3, Y.shape[1]), "all"),
    ],
)
def test_rows_given_twice_change_no_mean(once_and_twice, measure):
    once, twice = (vars(measure(*given)) for given in once_and_twice)
    assert twice == pytest.approx(once, rel=1e-12)


def test_rows_given_twice_change_no_node_and_no_bin(once_and_twice):
    flat = Hierarchy([str(node) for node in range(1000)])
    once, twice = (per_node_table(*given, flat) for given in once_and_twice)
    for column in ("prevalence", "average_precision", "roc_auc"):
        np.testing.assert_allclose(twice[column], once[column], rtol=1e-12)
    once, twice = (ScoreCounts.of(*given).bins(10, 0.1) for given in once_and_twice)
    np.testing.assert_array_equal(twice[2], 2 * once[2])
    np.testing.assert_allclose(twice[0], once[0])
    np.testing.assert_array_equal(twice[1], once[1])


@given(st.integers(0, 1000), st.integers(1, 3))
def test_the_best_threshold_is_the_score_of_a_positive_or_the_highest(seed, decimals):
    Y, scores = problem(12, 6, seed, decimals)
    few = np.append(scores[Y], scores.max())
    assert fmax(Y, scores, few).value == pytest.approx(fmax(Y, scores, "all").value)
    bits = np.arange(6.0)
    best = smin(Y, scores, bits, "all").value
    assert smin(Y, scores, bits, few).value == pytest.approx(best)


def test_more_than_ten_million_cells_have_the_best_value_of_all_thresholds():
    Y, scores = problem(3, 100)
    many = (np.tile(matrix, (34_000, 1)) for matrix in (Y, scores))
    assert fmax(*many, "all").value == pytest.approx(fmax(Y, scores, "all").value)


def test_perfect_scores_of_many_cells_lose_the_lowest_percent(monkeypatch):
    Y, noise = problem(100, 20, decimals=9)
    monkeypatch.setattr(_blocks, "_MANY_CELLS", 0)
    assert 0.99 < fmax(Y, Y + noise / 2, "all").value < 1


def test_negatives_above_all_positives_need_not_be_predicted(monkeypatch):
    Y, noise = problem(100, 20, decimals=9)
    bits = np.arange(20.0)
    few = smin(Y, noise - Y, bits, "all").value
    monkeypatch.setattr(_blocks, "_MANY_CELLS", 0)
    assert smin(Y, noise - Y, bits, "all").value == pytest.approx(few, rel=0.01)


def test_cells_counted_in_blocks_are_those_counted_at_once(monkeypatch):
    Y, scores = problem(50, 20)
    Y = np.where(np.arange(50)[:, None] < 5, -1, Y)
    once = average_precision(Y, scores)
    monkeypatch.setattr(_blocks, "CELLS_TO_COUNT", 60)
    assert average_precision(Y, scores) == once


def test_a_curve_of_few_points_has_those_of_the_whole_curve():
    Y, scores = problem(50, 20)
    whole = precision_recall_curve(Y, scores)
    precision, recall, thresholds = precision_recall_curve(Y, scores, max_points=7)
    places = np.searchsorted(whole[2], thresholds)
    assert thresholds.size == 7
    np.testing.assert_array_equal(precision[:-1], whole[0][places])
    np.testing.assert_array_equal(recall[:-1], whole[1][places])


@pytest.mark.parametrize("unknown", [0.0, 0.2])
def test_what_is_quick_for_many_cells_finds_the_same_for_few(unknown, monkeypatch):
    Y, scores = problem(60, 12, decimals=1)
    scores[scores < 0.4] = 0  # as of a forest: most cells have the lowest score
    Y = Y.astype(np.int8)
    Y[np.random.default_rng(1).random(Y.shape) < unknown] = -1
    tree = Hierarchy.from_edges([(str(n // 2), str(n)) for n in range(1, 12)])
    bits = np.arange(12.0)

    def measured():
        chosen = choose_thresholds(Y, scores, tree)
        labels = labels_from_scores(scores, tree, chosen.per_node, on_conflict="close")
        return {
            **vars(fmax(Y, scores, "all")),
            **{f"S {k}": v for k, v in vars(smin(Y, scores, bits, "all")).items()},
            "overall": chosen.overall,
            "predicted": labels[Y >= 0].tolist(),
        }

    slow = measured()
    monkeypatch.setattr(_blocks, "_MANY_CELLS", 0)
    quick = measured()
    assert quick.pop("predicted") == slow.pop("predicted")
    assert quick == pytest.approx(slow)


def test_a_threshold_that_all_reach_can_be_the_best(monkeypatch):
    monkeypatch.setattr(_blocks, "_MANY_CELLS", 0)
    Y, scores = [[1, 1, 0], [1, 1, 1]], [[0.1, 0.1, 0.2], [0.1, 0.1, 0.3]]
    found = fmax(Y, scores, "all")
    assert found.threshold == pytest.approx(0.1)
    assert (found.precision, found.recall) == (pytest.approx(5 / 6), 1.0)
    assert smin(Y, scores, [1, 1, 1], "all").misinformation == 0.5
