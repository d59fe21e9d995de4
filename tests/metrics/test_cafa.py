import numpy as np
import pytest
from hypothesis import given, strategies as st
from oracles import metrics as oracle
from strategies import hierarchies_with_labels

from hilabel import Hierarchy
from hilabel.exceptions import HierarchyError, LabelError, ScoreError
from hilabel.metrics import fmax, information_accretion, smin

GRID = np.arange(1, 101) / 100


def _thresholds(Y, scores, thresholds):
    """Return as an array what ``thresholds`` stands for."""
    if isinstance(thresholds, str):
        rows = (Y == 1).any(axis=1)
        return np.unique(scores[rows][Y[rows] != -1])
    return GRID if thresholds is None else np.asarray(thresholds)


class TestFmax:
    @pytest.mark.parametrize("thresholds", [None, "all", [0.5], [0.9, 0.25, 0.55]])
    def test_it_is_the_best_of_all_thresholds(self, table, thresholds):
        Y, scores = table
        got = fmax(Y, scores, thresholds)
        values = [
            oracle.f_at(Y, scores, threshold)[0]
            for threshold in _thresholds(Y, scores, thresholds)
        ]
        assert got.value == pytest.approx(max(values), abs=1e-12)

    @pytest.mark.parametrize("thresholds", [None, "all", [0.5]])
    def test_its_parts_are_those_at_its_threshold(self, table, thresholds):
        Y, scores = table
        got = fmax(Y, scores, thresholds)
        assert (got.value, got.precision, got.recall, got.coverage) == pytest.approx(
            oracle.f_at(Y, scores, got.threshold), abs=1e-12
        )

    def test_hand_computed_case(self):
        # At 0.5 row 0 predicts {0, 1} (precision 1/2, recall 1), row 1 nothing: mean
        # precision 1/2 over one row, mean recall 1/2 over two.
        Y = [[1, 0, 0], [1, 1, 0]]
        scores = [[0.8, 0.6, 0.1], [0.4, 0.3, 0.2]]
        got = fmax(Y, scores, thresholds=[0.5])
        assert (got.value, got.precision, got.recall) == (0.5, 0.5, 0.5)
        assert (got.threshold, got.coverage) == (0.5, 0.5)
        # At 0.25 both predict two: precision (1/2 + 1) / 2, recall 1.
        best = fmax(Y, scores, thresholds=[0.25, 0.5])
        assert best.value == pytest.approx(2 * 0.75 / 1.75)
        assert best.threshold == 0.25

    @pytest.mark.parametrize("thresholds", [None, "all"])
    @given(drawn=hierarchies_with_labels())
    def test_perfect_scores_reach_one(self, thresholds, drawn):
        _, Y = drawn
        Y[0, 0] = True
        got = fmax(Y, Y.astype(np.float64), thresholds)
        assert got.value == 1.0
        assert got.coverage == 1.0

    def test_a_score_equal_to_a_threshold_is_predicted_in_either_precision(self):
        for threshold in GRID:
            for dtype in (np.float32, np.float64):
                scores = np.array([[threshold]], dtype=dtype)
                assert fmax([[1]], scores, [threshold]).value == 1.0

    def test_nothing_predicted_gives_zero(self):
        got = fmax([[1, 0]], [[0.0, 0.0]])
        assert (got.value, got.precision, got.recall, got.coverage) == (0, 0, 0, 0)

    def test_rows_without_labels_are_left_out(self):
        got = fmax([[1, 0], [0, 0]], [[0.9, 0.1], [0.9, 0.9]], [0.5])
        assert (got.value, got.coverage) == (1.0, 1.0)


class TestInformationAccretion:
    def test_hand_computed_diamond(self):
        # a > b, a > c, and d below both. Of 8 rows 4 have a, 2 b, 3 c, both in 2, d 1.
        hierarchy = Hierarchy.from_edges(
            [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]
        )
        Y = np.zeros((8, 4), dtype=int)
        Y[:4, 0] = 1
        Y[:2, 1] = 1
        Y[:3, 2] = 1
        Y[0, 3] = 1
        got = information_accretion(Y, hierarchy)
        np.testing.assert_allclose(got, [1, 1, -np.log2(3 / 4), 1])

    @given(hierarchies_with_labels(), st.sampled_from([0, 0.5, 1]))
    def test_it_equals_the_plain_count(self, drawn, pseudo_count):
        hierarchy, Y = drawn
        got = information_accretion(Y, hierarchy, pseudo_count)
        closed = hierarchy.close(Y).astype(int)
        expected = oracle.information_accretion(closed, hierarchy, pseudo_count)
        np.testing.assert_allclose(got, expected, atol=1e-12)
        assert np.isfinite(got).all()
        assert (got >= 0).all()

    @pytest.mark.parametrize("pseudo_count", [0, 0.5, 2])
    def test_unknown_cells_are_left_out_node_by_node(self, table, pseudo_count):
        Y, _ = table
        hierarchy = Hierarchy([str(i) for i in range(8)], [(0, 1), (0, 2), (1, 3)])
        closed = np.where(Y == -1, -1, hierarchy.close(Y))
        np.testing.assert_allclose(
            information_accretion(Y, hierarchy, pseudo_count),
            oracle.information_accretion(closed, hierarchy, pseudo_count),
            atol=1e-12,
        )

    def test_a_node_never_seen_is_rated_as_if_it_came_next(self):
        hierarchy = Hierarchy.from_edges([("a", "b"), ("b", "c")])
        Y = [[1, 0, 0]] * 3 + [[0, 0, 0]]
        got = information_accretion(Y, hierarchy)
        np.testing.assert_allclose(got, [-np.log2(3 / 4), 2, 0])

    def test_pseudo_count_adds_rows_with_node_and_parents(self):
        got = information_accretion([[0], [0], [1]], Hierarchy(["a"]), pseudo_count=1)
        np.testing.assert_allclose(got, [1])

    def test_bad_arguments_are_refused(self):
        hierarchy = Hierarchy(["a"])
        with pytest.raises(ValueError, match="pseudo_count of 0 or more, got -1"):
            information_accretion([[1]], hierarchy, pseudo_count=-1)
        with pytest.raises(HierarchyError, match="got NoneType"):
            information_accretion([[1]], None)
        with pytest.raises(LabelError, match="1 columns.* got 2"):
            information_accretion([[1, 0]], hierarchy)


class TestSmin:
    @pytest.mark.parametrize("thresholds", [None, "all", [0.5], [0.9, 0.25, 0.55]])
    def test_it_is_the_least_of_all_thresholds(self, table, thresholds):
        Y, scores = table
        bits = np.linspace(0, 3, Y.shape[1])
        got = smin(Y, scores, bits, thresholds)
        values = [
            oracle.semantic_distance_at(Y, scores, bits, threshold)[0]
            for threshold in _thresholds(Y, scores, thresholds)
        ]
        assert got.value == pytest.approx(min(values), abs=1e-12)
        parts = (got.value, got.remaining_uncertainty, got.misinformation)
        assert parts == pytest.approx(
            oracle.semantic_distance_at(Y, scores, bits, got.threshold), abs=1e-12
        )

    def test_hand_computed_case(self):
        # At 0.5 row 0 misses node 1 (4 bits), row 1 wrongly gets node 2 (6 bits).
        Y = [[1, 1, 0], [1, 0, 0]]
        scores = [[0.9, 0.2, 0.1], [0.7, 0.3, 0.6]]
        got = smin(Y, scores, [1, 4, 6], thresholds=[0.5])
        assert (got.remaining_uncertainty, got.misinformation) == (2.0, 3.0)
        assert got.value == pytest.approx(np.sqrt(13))
        assert got.threshold == 0.5

    def test_perfect_scores_have_no_distance(self):
        Y = np.eye(3)
        assert smin(Y, Y, [0.1, 0.2, 0.3]).value == 0.0

    def test_information_must_fit_the_nodes(self):
        with pytest.raises(ValueError, match=r"shape \(2,\), .* got \(3,\)"):
            smin([[1, 0]], [[0.5, 0.5]], [1, 2, 3])
        with pytest.raises(ValueError, match="not negative, got values from -1"):
            smin([[1, 0]], [[0.5, 0.5]], [1, -1])


def _smin_of_ones(Y, scores, thresholds=None):
    return smin(Y, scores, np.ones(np.shape(Y)[1]), thresholds)


@pytest.mark.parametrize("measure", [fmax, _smin_of_ones], ids=["fmax", "smin"])
class TestBoth:
    @pytest.mark.parametrize("thresholds", [None, "all"])
    def test_scores_of_unlabeled_cells_do_not_matter(self, table, measure, thresholds):
        Y, scores = table
        changed = np.where(Y == -1, 7.0, scores)
        assert measure(Y, scores, thresholds) == measure(Y, changed, thresholds)

    def test_unlabeled_rows_and_row_order_do_not_matter(self, table, measure):
        Y, scores = table
        more_Y = np.vstack([np.full((5, Y.shape[1]), -1), Y[::-1]])
        more_scores = np.vstack([np.ones((5, Y.shape[1])), scores[::-1]])
        assert measure(more_Y, more_scores).value == pytest.approx(
            measure(Y, scores).value, abs=1e-12
        )

    def test_input_is_not_changed(self, table, measure):
        Y, scores = table
        before = Y.copy(), scores.copy()
        measure(Y, scores)
        np.testing.assert_array_equal(Y, before[0])
        np.testing.assert_array_equal(scores, before[1])

    def test_some_row_must_have_a_label(self, measure):
        with pytest.raises(LabelError, match="at least one row of Y with a label"):
            measure([[0, 0], [-1, -1]], [[0.5, 0.5], [0.5, 0.5]])

    def test_shapes_must_agree(self, measure):
        with pytest.raises(ScoreError, match=r"shape \(1, 2\), got \(1, 3\)"):
            measure([[1, 0]], [[0.5, 0.5, 0.5]])

    @pytest.mark.parametrize("thresholds", [[], [np.nan]])
    def test_thresholds_must_be_finite_numbers(self, measure, thresholds):
        with pytest.raises(ValueError, match="one or more finite thresholds"):
            measure([[1]], [[0.5]], thresholds)

    def test_a_hierarchy_is_not_taken_for_thresholds(self, measure):
        with pytest.raises(ValueError, match="numbers, 'all' or None, got a Hierarchy"):
            measure([[1]], [[0.5]], Hierarchy(["a"]))

    def test_thresholds_in_words_must_be_all(self, measure):
        with pytest.raises(ValueError, match="'all' or None, got 'every'"):
            measure([[1]], [[0.5]], "every")


@pytest.mark.parametrize("n_labels", [3, 11])
def test_rounding_does_not_raise_a_perfect_result_above_one(n_labels):
    Y = np.zeros((1000, n_labels + 3), int)
    Y[:, :n_labels] = 1
    scores = np.random.default_rng(0).uniform(0, 0.4, Y.shape) + 0.6 * Y
    best = fmax(Y, scores, thresholds="all")
    assert (best.value, best.precision, best.recall) == (1, 1, 1)
