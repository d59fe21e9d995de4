"""SSHCBLI: single paths, and the problems it refuses."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from hilabel import Hierarchy
from hilabel.classifiers import PriorClassifier, TopDownClassifier
from hilabel.exceptions import HierarchyError, LabelError
from hilabel.semi_supervised import SSHCBLI, Profile

H = Hierarchy.from_edges([("a", "c"), ("a", "d")], nodes=["a", "b", "c", "d"])
X = np.array([[0.0], [0.2], [1.0], [1.2], [9.0], [9.2]])
Y = [{"c"}, {"c"}, {"d"}, {"d"}, {"b"}, {"b"}]


def make(**parameters):
    parameters.setdefault("estimator", LogisticRegression())
    return SSHCBLI(H, n_neighbors=2, **parameters)


def names(labels):
    return [H.names[node] for node in np.flatnonzero(labels == 1)]


@pytest.mark.parametrize("profile", ["paper", "authors"])
def test_predictions_are_one_path_to_a_leaf(profile):
    model = make(profile={"base": profile, "similarity_average": "pairs"})
    model.fit(X, Y, [[0.1], [1.1], [9.1]])
    labels = model.predict([[0.05], [1.15], [8.0]])
    assert [names(row) for row in labels] == [["a", "c"], ["a", "d"], ["b"]]


def test_a_split_vote_is_cut_to_the_nearer_path_in_the_profile_paper():
    # Nearest to 0.58 are 0.2 (c) and 1.0 (d), the former by a little.
    model = make().fit(X, Y, [[0.58]])
    assert names(model.transduction_[6]) == ["a", "c"]
    model = make(profile=Profile.authors(similarity_average="pairs"))
    model.fit(X, Y, [[0.58]])
    assert names(model.transduction_[6]) == ["a", "c", "d"]


def test_neighbours_that_agree_on_an_inner_node_only_do_not_stop_the_fit():
    model = make(label_threshold=0.51).fit(X, Y, [[0.58]])
    assert names(model.transduction_[6]) == ["a"]
    assert H.most_specific(model.predict(X) == 1).sum() == len(X)


def test_default_classifier_is_top_down_with_all_other_rows_as_negatives():
    model = make().fit(X, Y, [[0.1]])
    assert type(model.estimator_) is TopDownClassifier
    assert model.estimator_.policy == "less_inclusive"


def test_a_top_down_classifier_given_is_not_changed():
    given = TopDownClassifier(estimator=LogisticRegression(), policy="less_inclusive")
    make(estimator=given, label_threshold=0.51).fit(X, Y, [[0.58]])
    assert given.check_paths


def test_a_node_with_several_parents_is_refused_by_name():
    dag = Hierarchy.from_edges([("a", "c"), ("b", "c")])
    match = r"SSHCBLI needs a tree, but node 'c' .*\('a', 'b'\); use SSHMCBLI"
    with pytest.raises(HierarchyError, match=match):
        SSHCBLI(dag).fit([[0.0], [1.0]], [{"c"}, {"a"}])


def test_a_row_with_several_paths_is_refused_by_number():
    with pytest.raises(LabelError, match="SSHCBLI needs one path .* row 4 of Y has 2"):
        make().fit(X, [*Y[:4], {"b", "c"}, Y[5]])


def test_a_row_that_ends_early_is_refused_by_number():
    match = r"SSHCBLI needs rows .* row 1 of Y ends at the inner node 'a'; use SSHMCBLI"
    with pytest.raises(LabelError, match=match):
        make().fit(X, [Y[0], {"a"}, *Y[2:]])


def test_a_row_without_labels_is_refused_by_number():
    with pytest.raises(LabelError, match="row 3 of Y has no label"):
        make().fit(X, [*Y[:3], set(), *Y[4:]])


def test_another_hierarchy_of_the_classifier_is_refused():
    other = PriorClassifier(Hierarchy(["a", "b", "c", "d"]))
    with pytest.raises(HierarchyError, match="differs from that of SSHCBLI"):
        make(estimator=other).fit(X, Y, [[0.1]])
