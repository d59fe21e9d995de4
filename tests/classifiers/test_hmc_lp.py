"""HMC-LP: decoding, stopping, marginals, and the problems it refuses."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier
from strategies import labelled_tables

from hilabel import Hierarchy
from hilabel.classifiers import HMCLP
from hilabel.exceptions import HierarchyError, HilabelWarning

H = Hierarchy.from_dict({"A": ["D", "F"], "E": ["G", "H"], "I": ["J", "K"]})
DUMMY = DummyClassifier(strategy="prior")  # the share of each class, for every row
MEMORY = KNeighborsClassifier(1)


def fit(hierarchy, Y, estimator=DUMMY, **parameters):
    X = np.arange(float(len(Y)))[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HilabelWarning)  # labels without a row
        return HMCLP(hierarchy, estimator=estimator, **parameters).fit(X, Y)


def named(labels, hierarchy=H):
    return {hierarchy.names[node] for node in np.flatnonzero(labels)}


@pytest.mark.parametrize(
    ("label_set", "decoded"),
    [
        ({"D", "F"}, {"A", "D", "F"}),
        ({"G", "H", "J", "K"}, {"E", "I", "G", "H", "J", "K"}),
        # A path that has ended adds nothing at the deeper level.
        ({"D", "E"}, {"A", "D", "E"}),
        ({"A"}, {"A"}),
        (set(), set()),
    ],
)
def test_combined_classes_are_decoded_to_the_labels_they_came_from(label_set, decoded):
    others = [{"D"}, {"G", "J"}, {"I"}]
    model = fit(H, [label_set, *others], MEMORY)
    assert named(model.predict([[0.0]])[0]) == decoded


@given(labelled_tables(tree=True))
def test_a_nearest_neighbour_remembers_every_label_set(table):
    hierarchy, X, Y = table
    np.testing.assert_array_equal(fit(hierarchy, Y, MEMORY).predict(X), Y)


@given(labelled_tables())
def test_the_marginals_of_shares_are_the_shares_of_the_labels(table):
    hierarchy, X, Y = table
    model = fit(hierarchy, Y, allow_dag=True)
    expected = np.broadcast_to(Y.mean(axis=0), Y.shape)
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-12)


@given(labelled_tables())
def test_only_combinations_that_occur_are_predicted(table):
    hierarchy, X, Y = table
    labels = fit(hierarchy, Y, allow_dag=True).predict(X) == 1
    assert hierarchy.is_consistent(labels)
    # Every step was seen, so the whole is a label set that occurs.
    assert {tuple(row) for row in labels} <= {tuple(row) for row in Y}


def test_prediction_follows_the_most_probable_class_not_the_marginals():
    # At the first level {A} 3 of 7, {E} 2, {A, E} 2; after {A}, D twice and F once.
    sets = [{"D"}, {"D"}, {"F"}, {"G"}, {"G"}, {"A", "E"}, {"A", "E"}]
    model = fit(H, sets)
    scores = model.predict_proba([[0.0]])[0]
    expected = {"A": 5 / 7, "E": 4 / 7, "D": 2 / 7, "F": 1 / 7, "G": 2 / 7}
    np.testing.assert_allclose(scores, [expected.get(name, 0) for name in H.names])
    # E is more probable than not, but {A} is the most probable combination.
    assert named(model.predict([[0.0]])[0]) == {"A", "D"}


def test_the_empty_combination_means_to_stop():
    model = fit(H, [{"A"}, {"A"}, {"D"}, {"F"}])
    np.testing.assert_allclose(
        model.predict_proba([[0.0]])[0], [1, 0.25, 0.25, *[0] * 6]
    )
    assert named(model.predict([[0.0]])[0]) == {"A"}


def test_ties_go_to_labels_rather_than_to_none():
    model = fit(H, [set(), {"A"}, {"E"}])
    assert named(model.predict([[0.0]])[0]) == {"A"}


def test_a_node_with_several_parents_is_refused_by_name():
    dag = Hierarchy.from_edges([("a", "c"), ("b", "c")])
    match = r"HMCLP needs a tree, but node 'c' .*'a', 'b'.* use HMCBR, or allow_dag"
    with pytest.raises(HierarchyError, match=match):
        fit(dag, [{"c"}, {"a"}])


def test_levels_of_a_dag_are_longest_paths_if_allowed():
    # v hangs from a and, through c, again from a: it is of the third level.
    dag = Hierarchy.from_edges([("a", "c"), ("c", "v"), ("a", "v"), ("b", "v")])
    model = fit(dag, [{"v"}, {"c"}, {"b"}], MEMORY, allow_dag=True)
    found = [{dag.names[n] for n in node.labels} for node in model.combined_tree_]
    assert found == [set(), {"a", "b"}, {"a"}, {"b"}, {"c"}, {"c"}, {"v"}]
    assert named(model.predict([[0.0]])[0], dag) == {"a", "b", "c", "v"}


def test_without_a_hierarchy_it_is_a_plain_label_powerset():
    Y = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 0]])
    model = fit(None, Y)
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[0.5, 0.5, 0.25]])
    assert model.predict([[0.0]]).tolist() == [[1, 1, 0]]
