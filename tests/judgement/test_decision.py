"""One rule decides which nodes a row gets, chosen on all rows."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from judgement_cases import HIERARCHY, compact, scored_rows
from oracles import metrics as oracle
from strategies import hierarchies

from hilabel import Hierarchy
from hilabel._label_matrix import LabelMatrix
from hilabel._score_matrix import ScoreMatrix
from hilabel.constraints import cap_by_parents
from hilabel.judgement import Decision, choose_decision, measure_decision
from hilabel.metrics import choose_thresholds, fmax

MEASURES = ("precision", "recall", "f1", "wrong", "exact")


def choose(Y, scores, fold, hierarchy, **options):
    labels = LabelMatrix.of(np.asarray(Y, dtype=np.int8))
    return choose_decision(
        labels, ScoreMatrix.of(scores), np.asarray(fold), hierarchy, **options
    )


@st.composite
def problems(draw):
    """Draw a hierarchy, labels of 1, 0 and -1, scores in order, and folds."""
    hierarchy = draw(hierarchies(max_nodes=6))
    shape = draw(st.integers(1, 9)), hierarchy.n_nodes
    Y = draw(hnp.arrays(np.int8, shape, elements=st.integers(-1, 1)))
    grid = st.integers(0, 8).map(lambda step: step / 8)
    scores = cap_by_parents(draw(hnp.arrays(float, shape, elements=grid)), hierarchy)
    fold = draw(hnp.arrays(np.int64, shape[0], elements=st.integers(0, 2)))
    return hierarchy, Y, scores, fold


def measured_cell_by_cell(Y, decided):
    """Return the measures of decisions, counted in loops."""
    right = predicted = positive = wrong = known = exact = rows = 0
    for labels, own in zip(Y, decided, strict=True):
        pairs = [(y == 1, bool(d)) for y, d in zip(labels, own, strict=True) if y >= 0]
        right += sum(y and d for y, d in pairs)
        predicted += sum(d for _, d in pairs)
        positive += sum(y for y, _ in pairs)
        wrong += sum(y != d for y, d in pairs)
        known += len(pairs)
        exact += bool(pairs) and all(y == d for y, d in pairs)
        rows += bool(pairs)

    def share(part, whole):
        return part / whole if whole else np.nan

    return {
        "precision": share(right, predicted),
        "recall": share(right, positive),
        "f1": share(2 * right, predicted + positive),
        "wrong": share(wrong, known),
        "exact": share(exact, rows),
    }


def test_rows_without_a_label_count():
    Y = [[1], [1], [0], [0], [0], [0]]
    scores = np.array([[0.9], [0.3], [0.4], [0.5], [0.4], [0.1]])
    flat = Hierarchy(["a"])
    found = choose(Y, scores, np.zeros(6, int), flat)
    assert found.overall == pytest.approx(0.9)
    assert (found.precision, found.recall) == (1, 0.5)
    # Fmax ignores rows without a label, so that nothing that they get is wrong.
    assert fmax(Y, scores).threshold == pytest.approx(0.01)


def test_the_overall_threshold_is_the_best_of_all_cells():
    Y, scores = scored_rows(60)
    found = choose(Y, scores, np.zeros(60, int), HIERARCHY, per_node=False)
    best, value = oracle.best_pooled_f1(Y, scores)
    assert found.overall == pytest.approx(float(best), abs=1e-7)
    assert found.f1 == pytest.approx(value)
    assert (found.threshold == found.overall).all()
    assert found.n_own == 0


@given(problems())
def test_a_rule_is_measured_as_counted_cell_by_cell(problem):
    hierarchy, Y, scores, fold = problem
    found = choose(Y, scores, fold, hierarchy, per_node=False)
    decided = np.zeros(Y.shape, dtype=bool)
    for number in range(fold.max() + 1):
        others = np.where((fold == number)[:, np.newaxis], np.int8(-1), Y)
        if fold.max() == 0:
            others = Y
        chosen = choose_thresholds(
            LabelMatrix.of(others), scores, hierarchy, objective="f1", min_positives=99
        )
        rows = fold == number
        decided[rows] = hierarchy.close(scores[rows] >= chosen.overall)
    for name, value in measured_cell_by_cell(Y, decided).items():
        assert getattr(found, name) == pytest.approx(value, nan_ok=True), name


@given(problems(), st.integers(0, 8))
def test_what_a_row_gets_is_closed_under_the_hierarchy(problem, step):
    hierarchy, Y, scores, fold = problem
    found = choose(Y, scores, fold, hierarchy)
    assert hierarchy.is_consistent(found.labels(scores, hierarchy))
    low = np.full_like(scores, step / 8)  # not even the scores need to be
    assert hierarchy.is_consistent(found.labels(low * scores, hierarchy))


@given(problems(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(problem, random):
    hierarchy, Y, scores, fold = problem
    order = list(range(len(Y)))
    random.shuffle(order)
    one = choose(Y, scores, fold, hierarchy)
    other = choose(Y[order], scores[order], fold[order], hierarchy)
    np.testing.assert_array_equal(other.threshold, one.threshold)
    for name in MEASURES:
        assert getattr(other, name) == pytest.approx(getattr(one, name), nan_ok=True)


def test_a_rule_is_measured_on_other_folds_than_it_was_chosen_on():
    # In each fold, another threshold is right: what the other fold says is wrong.
    Y = np.array([[1], [0], [1], [0]])
    scores = np.array([[0.9], [0.8], [0.3], [0.2]])
    found = choose(Y, scores, [0, 0, 1, 1], Hierarchy(["a"]))
    assert (found.precision, found.recall) == (0.5, 0.5)
    again = choose(Y, scores, [0, 0, 0, 0], Hierarchy(["a"]))
    assert again.f1 > found.f1


def shifted(n_rows):
    """Return two nodes whose scores are right at thresholds far apart."""
    random = np.random.default_rng(0)
    Y = (random.random((n_rows, 2)) < 0.4).astype(np.int8)
    scores = random.random(Y.shape) * 0.2 + 0.15 * Y + [0, 0.6]
    return Y, scores, np.arange(n_rows) % 4


def test_nodes_have_their_own_thresholds_if_that_helps():
    Y, scores, fold = shifted(4_000)
    flat = Hierarchy(["low", "high"])
    found = choose(Y, scores, fold, flat)
    single = choose(Y, scores, fold, flat, per_node=False)
    assert found.n_own == 2
    assert found.threshold[0] < 0.3 < 0.6 < found.threshold[1]
    assert found.f1 > single.f1
    assert found.overall == single.overall
    for node in range(2):
        decided = scores[:, node] >= found.threshold[node]
        right = (decided & (Y[:, node] == 1)).sum()
        assert found.node_precision[node] == pytest.approx(
            right / decided.sum(), abs=0.05
        )
        assert found.node_recall[node] == pytest.approx(
            right / Y[:, node].sum(), abs=0.05
        )


def test_nodes_share_a_threshold_if_their_own_would_only_fit_noise():
    random = np.random.default_rng(1)
    scores = random.random((60, 8))
    Y = (random.random(scores.shape) < 0.15 + 0.5 * (scores > 0.7)).astype(np.int8)
    flat = Hierarchy([str(node) for node in range(8)])
    found = choose(Y, scores, np.arange(60) % 3, flat)
    assert found.n_own == 0
    assert (found.threshold == found.overall).all()


def test_scores_in_single_precision_still_reach_their_thresholds():
    random = np.random.default_rng(0)
    scores = random.random((200, 3))
    Y = (random.random(scores.shape) < scores).astype(np.int8)
    flat = Hierarchy(["a", "b", "c"])
    found = choose(Y, scores, np.arange(200) % 2, flat)
    exactly = found.labels(scores, flat)
    np.testing.assert_array_equal(
        found.labels(scores.astype(np.float32), flat), exactly
    )


def test_compact_scores_are_decided_like_others():
    Y, scores = scored_rows(2_000)
    labels, fold = LabelMatrix.of(Y), np.arange(2_000) % 5
    one = choose_decision(labels, ScoreMatrix.of(scores), fold, HIERARCHY)
    other = choose_decision(labels, compact(scores), fold, HIERARCHY)
    # Where F1 is flat, another threshold may be the best by a hair.
    assert other.f1 == pytest.approx(one.f1, abs=1e-3)
    again = measure_decision(one, labels, compact(scores), HIERARCHY)
    expected = measure_decision(one, labels, ScoreMatrix.of(scores), HIERARCHY)
    for name in MEASURES:
        measured = getattr(expected, name)
        assert getattr(again, name) == pytest.approx(measured, abs=1e-3)


def test_the_same_rule_can_be_measured_on_other_rows():
    Y, scores = scored_rows(300)
    rule = choose(Y, scores, np.arange(300) % 5, HIERARCHY)
    Y, scores = scored_rows(100, seed=1)
    found = measure_decision(rule, LabelMatrix.of(Y), ScoreMatrix.of(scores), HIERARCHY)
    np.testing.assert_array_equal(found.threshold, rule.threshold)
    assert (found.overall, found.n_own) == (rule.overall, rule.n_own)
    expected = measured_cell_by_cell(Y, rule.labels(scores, HIERARCHY))
    for name, value in expected.items():
        assert getattr(found, name) == pytest.approx(value)


def test_without_labels_nothing_is_measured():
    found = choose([[0], [0]], np.array([[0.2], [0.4]]), [0, 1], Hierarchy(["a"]))
    assert not found.is_measured
    assert found.overall == 1
    assert np.isnan([found.precision, found.recall, found.f1]).all()
    assert not Decision.unmeasured(3).is_measured
    assert Decision.unmeasured(3).threshold.tolist() == [0.5] * 3
