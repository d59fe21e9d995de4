"""TopDownClassifier: one path to a leaf, and the problems it refuses."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.linear_model import LogisticRegression
from strategies import hierarchies, scores_over

from hilabel import Hierarchy
from hilabel.classifiers import TopDownClassifier
from hilabel.classifiers._top_down import walk_down
from hilabel.exceptions import HierarchyError, LabelError

H = Hierarchy.from_edges([("a", "c"), ("a", "d"), ("b", "e"), ("b", "f")])
X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0]])
Y = [{"c"}, {"c"}, {"d"}, {"d"}, {"e"}, {"e"}, {"f"}, {"f"}]


def make(**parameters):
    return TopDownClassifier(H, estimator=LogisticRegression(), **parameters)


@given(hierarchies(tree=True), st.data())
def test_every_walk_is_one_path_from_a_root_to_a_leaf(hierarchy, data):
    scores = data.draw(scores_over(hierarchy))
    labels = walk_down(scores, hierarchy)
    assert hierarchy.is_consistent(labels)
    ends = hierarchy.most_specific(labels)
    assert (ends.sum(axis=1) == 1).all()
    assert set(ends.argmax(axis=1).tolist()) <= set(hierarchy.leaves.tolist())
    # At every step the child with the best score is taken, the lower node of several.
    for row, node in np.argwhere(labels):
        parents = hierarchy.parents(node)
        beside = hierarchy.children(parents[0]) if parents.size else hierarchy.roots
        best = max(beside.tolist(), key=lambda other: (scores[row, other], -other))
        assert node == best


def test_walk_goes_on_below_a_parent_that_scores_less_than_its_child():
    scores = np.zeros((1, H.n_nodes))
    scores[0, H.node("a")], scores[0, H.node("e")] = 0.1, 0.9
    names = [H.names[node] for node in np.flatnonzero(walk_down(scores, H)[0])]
    assert names == ["a", "c"]


def test_predictions_are_the_walk_over_the_local_scores():
    model = make().fit(X, Y)
    labels = model.predict(X)
    assert [H.names[node] for node in H.most_specific(labels == 1).argmax(axis=1)] == [
        name for names in Y for name in names
    ]
    scores = make(constraint=None).fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(labels, walk_down(scores, H))


def test_a_node_with_several_parents_is_refused_by_name():
    dag = Hierarchy.from_edges([("a", "c"), ("b", "c")])
    match = r"TopDownClassifier needs a tree, but node 'c' .*'a', 'b'.*LocalClassifier"
    with pytest.raises(HierarchyError, match=match):
        TopDownClassifier(dag).fit([[0.0], [1.0]], [{"c"}, {"a"}])


def test_a_row_with_several_paths_is_refused_by_number():
    with pytest.raises(LabelError, match=r"one path .* row 5 of Y has 2; use Local"):
        make().fit(X, [*Y[:5], {"c", "f"}, *Y[6:]])


@pytest.mark.parametrize(
    ("row", "match"),
    [
        ({"b"}, r"row 6 of Y ends at the inner node 'b'"),
        (set(), "row 6 of Y has no label"),
    ],
)
def test_a_row_that_ends_early_is_refused_by_number(row, match):
    with pytest.raises(LabelError, match=match):
        make().fit(X, [*Y[:6], row, Y[7]])


def test_the_row_number_counts_unlabelled_rows_too():
    with pytest.raises(LabelError, match="row 6 of Y ends"):
        make().fit(X, [None, None, *Y[2:6], {"b"}, Y[7]])


def test_check_paths_false_learns_from_rows_of_any_kind():
    model = make(check_paths=False).fit(X, [*Y[:6], {"b"}, {"c", "f"}])
    assert H.most_specific(model.predict(X) == 1).sum() == len(X)


def test_unlabelled_rows_change_nothing():
    supervised = make().fit(X, Y)
    also_unlabeled = make().fit(X, Y, X_unlabeled=[[9.0]])
    np.testing.assert_array_equal(supervised.predict(X), also_unlabeled.predict(X))
