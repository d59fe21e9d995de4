import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from oracles import metrics as oracle
from sklearn import metrics as sklearn_metrics

from hilabel.exceptions import HilabelWarning, LabelError, ScoreError
from hilabel.metrics import average_precision, precision_recall_curve


@st.composite
def tables(draw):
    """Draw labels with a positive, and scores of either precision with many ties."""
    shape = draw(st.tuples(st.integers(1, 12), st.integers(1, 6)))
    Y = draw(hnp.arrays(np.int8, shape, elements=st.integers(0, 1)))
    Y[draw(st.integers(0, shape[0] - 1)), draw(st.integers(0, shape[1] - 1))] = 1
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    width = 32 if dtype is np.float32 else 64
    grid = st.sampled_from([-0.0, 0.0, 0.1, 0.2, 0.3, 0.7, 1.0]).map(dtype)
    free = st.floats(-1e6, 1e6, width=width)
    return Y, draw(hnp.arrays(dtype, shape, elements=st.one_of(grid, free)))


@given(tables())
def test_micro_equals_scikit_learn(table):
    Y, scores = table
    expected = sklearn_metrics.average_precision_score(
        Y.ravel(), scores.ravel(), average="micro"
    )
    assert average_precision(Y, scores) == pytest.approx(expected, abs=1e-12)


@given(tables())
def test_macro_and_weighted_equal_scikit_learn_on_nodes_with_positives(table):
    Y, scores = table
    nodes = Y.any(axis=0)
    for average in ("macro", "weighted"):
        # Column by column, since one column alone is no longer a label indicator.
        values = [
            sklearn_metrics.average_precision_score(Y[:, node], scores[:, node])
            for node in np.flatnonzero(nodes)
        ]
        weights = Y.sum(axis=0)[nodes] if average == "weighted" else None
        assert average_precision(Y, scores, average) == pytest.approx(
            np.average(values, weights=weights), abs=1e-12
        )


@given(tables())
def test_curve_equals_scikit_learn(table):
    Y, scores = table
    expected = sklearn_metrics.precision_recall_curve(Y.ravel(), scores.ravel())
    for ours, theirs in zip(precision_recall_curve(Y, scores), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


def test_all_averages_equal_scikit_learn_on_a_large_table():
    random = np.random.default_rng(0)
    Y = random.random((200, 50)) < 0.1
    Y[0] = True
    scores = np.round(random.random(Y.shape), 2).astype(np.float32)
    for average in ("micro", "macro", "weighted", None):
        np.testing.assert_allclose(
            average_precision(Y, scores, average),
            sklearn_metrics.average_precision_score(Y, scores, average=average),
            rtol=0,
            atol=1e-12,
        )


def test_micro_equals_the_plain_definition_on_known_cells(table):
    Y, scores = table
    assert average_precision(Y, scores) == pytest.approx(
        oracle.average_precision(Y, scores), abs=1e-12
    )


def test_per_node_equals_the_plain_definition_on_known_cells(table):
    Y, scores = table
    expected = [
        oracle.average_precision(Y[:, [node]], scores[:, [node]])
        for node in range(Y.shape[1])
    ]
    np.testing.assert_allclose(average_precision(Y, scores, None), expected)


def test_hand_computed_ranking_with_a_tie():
    # Ranks: 0.9 positive; 0.5 positive and 0.5 negative together; 0.1 positive.
    Y = [[1, 1], [0, 1]]
    scores = [[0.9, 0.5], [0.5, 0.1]]
    assert average_precision(Y, scores) == pytest.approx((1 + 2 / 3 + 3 / 4) / 3)


def test_constant_scores_give_the_share_of_positives():
    Y = np.array([[1, 0], [0, 0], [0, -1]])
    assert average_precision(Y, np.zeros(Y.shape)) == pytest.approx(1 / 5)


@pytest.mark.parametrize("average", ["micro", "macro", "weighted", None])
def test_scores_of_unlabeled_cells_do_not_matter(table, average):
    Y, scores = table
    changed = np.where(Y == -1, 1e9, scores)
    np.testing.assert_array_equal(
        average_precision(Y, scores, average), average_precision(Y, changed, average)
    )


@pytest.mark.parametrize("average", ["micro", "macro", "weighted", None])
def test_unlabeled_rows_and_row_order_do_not_matter(table, average):
    Y, scores = table
    more_Y = np.vstack([np.full((5, Y.shape[1]), -1), Y[::-1]])
    more_scores = np.vstack([np.ones((5, Y.shape[1])), scores[::-1]])
    np.testing.assert_allclose(
        average_precision(more_Y, more_scores, average),
        average_precision(Y, scores, average),
        rtol=0,
        atol=1e-15,
    )


def test_curve_leaves_unlabeled_cells_out(table):
    Y, scores = table
    known = Y != -1
    expected = sklearn_metrics.precision_recall_curve(Y[known], scores[known])
    for ours, theirs in zip(precision_recall_curve(Y, scores), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "convert",
    [
        np.asfortranarray,
        sp.csr_array,
        sp.csc_matrix,
        pd.DataFrame,
        np.ndarray.tolist,
        lambda Y: np.where(Y == -1, np.nan, Y),
    ],
    ids=["fortran", "csr", "csc", "frame", "list", "nan"],
)
def test_every_container_of_labels_gives_the_same(table, convert):
    Y, scores = table
    assert average_precision(convert(Y), scores) == average_precision(Y, scores)


def test_boolean_labels_and_integer_scores_are_accepted():
    Y = np.array([[True, False], [False, True]])
    assert average_precision(Y, [[3, 1], [1, 2]]) == 1.0


def test_data_frames_are_matched_by_column():
    Y = pd.DataFrame({"a": [1, 0, 1], "b": [0, 1, 0]})
    scores = pd.DataFrame({"b": [0.2, 0.9, 0.1], "a": [0.8, 0.3, 0.7]})
    assert average_precision(Y, scores) == 1.0
    with pytest.raises(ScoreError, match=r"columns of scores .* such as 'c'"):
        average_precision(Y, scores.rename(columns={"b": "c"}))


def test_names_on_one_side_alone_are_not_matched_by_position():
    Y = pd.DataFrame({"b": [0, 1], "a": [1, 0]})
    scores = np.array([[0.8, 0.2], [0.3, 0.9]])
    with pytest.raises(
        ScoreError, match=r"names for Y and none for scores.* Y.to_numpy"
    ):
        average_precision(Y, scores)
    with pytest.raises(ScoreError, match="names for scores and none for Y"):
        average_precision(Y.to_numpy(), pd.DataFrame(scores, columns=["a", "b"]))
    assert average_precision(Y[["a", "b"]].to_numpy(), scores) == 1.0


def test_inputs_are_not_changed(table):
    Y, scores = table
    Y_before, scores_before = Y.copy(), scores.copy()
    average_precision(Y, scores)
    average_precision(Y, scores, None)
    precision_recall_curve(Y, scores)
    np.testing.assert_array_equal(Y, Y_before)
    np.testing.assert_array_equal(scores, scores_before)


def test_nodes_without_positives_are_left_out_of_the_mean():
    Y = np.array([[1, 0], [0, 0]])
    scores = np.array([[0.9, 0.1], [0.2, 0.3]])
    assert average_precision(Y, scores, "macro") == 1.0
    np.testing.assert_array_equal(average_precision(Y, scores, None), [1.0, np.nan])


@pytest.mark.parametrize("average", ["micro", "macro", "weighted"])
def test_no_positive_gives_zero_and_a_warning(average):
    with pytest.warns(HilabelWarning, match="undefined without positive"):
        assert average_precision([[0, -1]], [[0.5, 0.5]], average) == 0.0


def test_curve_without_positives_has_full_recall_and_a_warning():
    with pytest.warns(HilabelWarning, match="Recall is undefined"):
        precision, recall, _ = precision_recall_curve([[0, 0]], [[0.5, 0.7]])
    np.testing.assert_array_equal(precision, [0, 0, 1])
    np.testing.assert_array_equal(recall, [1, 1, 0])


@pytest.mark.parametrize("measure", [average_precision, precision_recall_curve])
class TestErrors:
    def test_shapes_must_agree_and_both_are_said(self, measure):
        with pytest.raises(ScoreError, match=r"shape \(2, 3\), got \(3, 2\)"):
            measure(np.ones((2, 3)), np.ones((3, 2)))

    @pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
    def test_scores_must_be_finite(self, measure, bad):
        with pytest.raises(ScoreError, match="finite scores, got .* in row 1"):
            measure([[1], [0]], [[0.5], [bad]])

    def test_some_cell_must_be_labeled(self, measure):
        with pytest.raises(LabelError, match="at least one labelled cell"):
            measure([[-1, -1]], [[0.5, 0.5]])

    def test_labels_must_be_zero_or_one(self, measure):
        with pytest.raises(LabelError, match=r"0, 1, -1 or NaN in Y, got 2"):
            measure([[2, 0]], [[0.5, 0.5]])


def test_average_must_be_known():
    with pytest.raises(ValueError, match=r"Expected average .* got 'samples'"):
        average_precision([[1]], [[0.5]], "samples")
