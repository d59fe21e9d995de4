import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from oracles import metrics as oracle
from sklearn import metrics as sklearn_metrics
from strategies import hierarchies, labels_over

from hilabel import Hierarchy
from hilabel.exceptions import HierarchyError, LabelError
from hilabel.metrics import (
    exact_match,
    hamming_loss,
    hierarchical_f1,
    hierarchical_precision,
    hierarchical_precision_recall_f1,
    hierarchical_recall,
    matthews_correlation,
)


@st.composite
def label_pairs(draw):
    """Draw (hierarchy, true labels with unlabelled rows, predicted labels)."""
    hierarchy = draw(hierarchies())
    Y = draw(labels_over(hierarchy)).astype(np.int8)
    labels = draw(labels_over(hierarchy))
    n_rows = min(len(Y), len(labels))
    Y, labels = Y[:n_rows], labels[:n_rows]
    Y[draw(st.integers(1, n_rows)) :] = -1
    return hierarchy, Y, labels


@given(label_pairs(), st.sampled_from(["micro", "samples"]))
def test_measures_equal_the_plain_comparison_of_closed_sets(drawn, average):
    hierarchy, Y, labels = drawn
    expected = oracle.precision_recall_f1(
        hierarchy.close(Y), hierarchy.close(labels), average
    )
    got = hierarchical_precision_recall_f1(Y, labels, hierarchy, average)
    np.testing.assert_allclose(got, expected)
    assert hierarchical_precision(Y, labels, hierarchy, average) == got.precision
    assert hierarchical_recall(Y, labels, hierarchy, average) == got.recall
    assert hierarchical_f1(Y, labels, hierarchy, average) == got.f1


@pytest.mark.parametrize("average", ["micro", "samples"])
def test_measures_leave_unlabeled_cells_out(table, average):
    Y, scores = table
    labels = scores > 0.5
    expected = oracle.precision_recall_f1(Y, labels, average)
    got = hierarchical_precision_recall_f1(Y, labels, average=average)
    np.testing.assert_allclose(got, expected)
    changed = np.where(Y == -1, ~labels, labels)
    assert hierarchical_precision_recall_f1(Y, changed, average=average) == got
    assert exact_match(Y, changed) == exact_match(Y, labels)
    assert hamming_loss(Y, changed) == hamming_loss(Y, labels)


def test_hand_computed_tree():
    # a > b > c, a > d. Truth {a, b, c} and {a, d}; predicted {c} and {b}, which
    # become {a, b, c} and {a, b}: 3 + 1 of 5 predicted and of 5 true are shared.
    hierarchy = Hierarchy.from_edges([("a", "b"), ("b", "c"), ("a", "d")])
    Y = [[1, 1, 1, 0], [1, 0, 0, 1]]
    labels = [[0, 0, 1, 0], [0, 1, 0, 0]]
    micro = hierarchical_precision_recall_f1(Y, labels, hierarchy)
    assert micro == pytest.approx((4 / 5, 4 / 5, 4 / 5))
    samples = hierarchical_precision_recall_f1(Y, labels, hierarchy, "samples")
    assert samples == pytest.approx((3 / 4, 3 / 4, 3 / 4))
    assert hierarchical_precision_recall_f1(Y, labels) == pytest.approx(
        (1 / 2, 1 / 5, 2 / 7)
    )


@pytest.mark.parametrize("average", ["micro", "samples"])
@pytest.mark.parametrize(
    ("true", "predicted", "expected"),
    [
        ([0, 0], [0, 0], (1, 1, 1)),
        ([1, 0], [0, 0], (0, 0, 0)),
        ([0, 0], [1, 0], (0, 0, 0)),
    ],
)
def test_empty_sets_follow_the_stated_convention(average, true, predicted, expected):
    got = hierarchical_precision_recall_f1([true], [predicted], average=average)
    assert got == expected


def test_an_unknown_cell_implied_by_a_label_is_left_out():
    hierarchy = Hierarchy.from_edges([("a", "b")])
    # Both sets are {b} once the unknown a is dropped.
    got = hierarchical_precision_recall_f1([[-1, 1]], [[0, 1]], hierarchy)
    assert got == (1, 1, 1)


def test_matthews_correlation_is_scikit_learns_mean_over_nodes():
    random = np.random.default_rng(2)
    Y = random.integers(0, 2, (60, 4))
    labels = np.where(random.random(Y.shape) < 0.3, 1 - Y, Y)
    labels[:, 3] = 1  # predicted alike for all rows: counts 0
    expected = [
        sklearn_metrics.matthews_corrcoef(Y[:, j], labels[:, j]) for j in range(4)
    ]
    assert matthews_correlation(Y, labels) == pytest.approx(np.mean(expected))
    with_gaps = np.vstack([Y, np.full((5, 4), -1)])
    padded = np.vstack([labels, np.ones((5, 4), dtype=int)])
    assert matthews_correlation(with_gaps, padded) == pytest.approx(np.mean(expected))


def test_exact_match_and_hamming_equal_scikit_learn_without_gaps():
    random = np.random.default_rng(1)
    Y = random.integers(0, 2, (50, 3))
    labels = random.integers(0, 2, Y.shape)
    assert exact_match(Y, labels) == pytest.approx(
        sklearn_metrics.accuracy_score(Y, labels)
    )
    assert hamming_loss(Y, labels) == pytest.approx(
        sklearn_metrics.hamming_loss(Y, labels)
    )


def test_exact_match_looks_at_known_cells_only():
    Y = [[1, -1], [1, 0], [-1, -1]]
    assert exact_match(Y, [[1, 1], [1, 1], [1, 1]]) == 0.5
    assert hamming_loss(Y, [[1, 1], [1, 1], [1, 1]]) == pytest.approx(1 / 3)


@pytest.mark.parametrize("convert", [sp.csr_array, pd.DataFrame, np.ndarray.tolist])
def test_every_container_gives_the_same(table, convert):
    Y, scores = table
    labels = (scores > 0.5).astype(np.int8)
    assert hierarchical_f1(convert(Y), convert(labels)) == hierarchical_f1(Y, labels)


def test_data_frames_are_put_in_the_order_of_the_hierarchy():
    hierarchy = Hierarchy.from_edges([("a", "b")])
    Y = pd.DataFrame({"b": [0], "a": [1]})
    labels = pd.DataFrame({"b": [1], "a": [0]})
    assert hierarchical_recall(Y, labels, hierarchy) == 1.0
    assert hierarchical_precision(Y, labels, hierarchy) == 0.5
    with pytest.raises(LabelError, match=r"columns of Y .* such as 'x'"):
        hierarchical_f1(Y.rename(columns={"a": "x"}), labels, hierarchy)


@pytest.mark.parametrize("measure", [hierarchical_f1, exact_match, hamming_loss])
class TestErrors:
    def test_shapes_must_agree_and_both_are_said(self, measure):
        with pytest.raises(LabelError, match=r"\(2, 3\), got \(3, 2\)"):
            measure(np.ones((2, 3)), np.ones((3, 2)))

    def test_predictions_must_be_decided(self, measure):
        with pytest.raises(LabelError, match="only Y may have unlabelled"):
            measure([[1, 0]], [[1, -1]])

    def test_some_cell_must_be_labeled(self, measure):
        with pytest.raises(LabelError, match="at least one labelled cell"):
            measure([[-1, -1]], [[1, 0]])


def test_hierarchy_must_fit_the_labels():
    with pytest.raises(LabelError, match="Y with 2 columns.* got 3"):
        hierarchical_f1([[1, 0, 0]], [[1, 0, 0]], Hierarchy.from_edges([("a", "b")]))
    with pytest.raises(HierarchyError, match=r"Expected a hilabel.Hierarchy, got list"):
        hierarchical_f1([[1, 0]], [[1, 0]], [(0, 1)])


def test_average_must_be_known():
    with pytest.raises(ValueError, match="'micro' or 'samples', got 'macro'"):
        hierarchical_f1([[1]], [[1]], average="macro")
