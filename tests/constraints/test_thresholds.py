import numpy as np
import pytest
from hypothesis import given, strategies as st
from oracles import hierarchy as oracle
from strategies import hierarchies_with_scores

from hilabel import Hierarchy
from hilabel.constraints import cap_by_parents, labels_from_scores, path_from_scores
from hilabel.exceptions import ScoreError

CHAIN = Hierarchy.from_edges([("a", "b"), ("b", "c")])


@given(hierarchies_with_scores(), st.data())
def test_label_sets_are_consistent_for_any_thresholds(case, data):
    hierarchy, scores = case
    thresholds = np.array(
        data.draw(
            st.lists(
                st.floats(0, 1),
                min_size=hierarchy.n_nodes,
                max_size=hierarchy.n_nodes,
            )
        )
    )
    reached = scores >= thresholds
    dropped = labels_from_scores(scores, hierarchy, thresholds)
    closed = labels_from_scores(scores, hierarchy, thresholds, on_conflict="close")
    assert hierarchy.is_consistent(dropped)
    assert hierarchy.is_consistent(closed)
    np.testing.assert_array_equal(dropped, oracle.keep_supported(reached, hierarchy))
    np.testing.assert_array_equal(closed, oracle.close(reached, hierarchy))


@given(hierarchies_with_scores())
def test_consistent_scores_and_one_threshold_never_conflict(case):
    hierarchy, scores = case
    capped = cap_by_parents(scores, hierarchy)
    np.testing.assert_array_equal(labels_from_scores(capped, hierarchy), capped >= 0.5)


def test_a_score_on_the_threshold_is_in():
    assert labels_from_scores([[0.5, 0.5, 0.4]], CHAIN).tolist() == [
        [True, True, False]
    ]


def test_bad_thresholds_are_refused():
    with pytest.raises(ScoreError, match=r"or 3, one per node, got .* shape \(2,\)"):
        labels_from_scores(np.zeros((1, 3)), CHAIN, [0.1, 0.2])
    with pytest.raises(ScoreError, match="got NaN"):
        labels_from_scores(np.zeros((1, 3)), CHAIN, np.nan)
    with pytest.raises(ValueError, match="'drop' or 'close', got 'keep'"):
        labels_from_scores(np.zeros((1, 3)), CHAIN, on_conflict="keep")


def test_the_path_is_that_of_the_best_leaf_in_tree_and_dag():
    tree = Hierarchy.from_dict({"a": ["b", "c"], "d": []})
    scores = [[0.9, 0.2, 0.1, 0.3], [0.4, 0.1, 0.4, 0.3]]
    expected = [[0, 0, 0, 1], [1, 0, 1, 0]]
    np.testing.assert_array_equal(path_from_scores(scores, tree), expected)
    diamond = Hierarchy.from_edges([("a", "c"), ("b", "c")])
    assert path_from_scores([[0.0, 0.0, 0.0]], diamond).all()


def test_of_leaves_with_equal_scores_the_better_supported_wins():
    tree = Hierarchy.from_dict({"a": ["b"], "c": ["d"]})
    chosen = path_from_scores([[0.5, 0.4, 0.9, 0.4], [0.5, 0.4, 0.5, 0.4]], tree)
    np.testing.assert_array_equal(chosen, [[0, 0, 1, 1], [1, 1, 0, 0]])
