"""HMC-RAkEL: sets of children, votes from the roots down, and what it refuses."""

import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier
from strategies import labelled_tables

from hilabel import Hierarchy
from hilabel.classifiers import HMCRAkEL
from hilabel.exceptions import HierarchyError, HilabelWarning

# One root of four children, the first of which has two.
H = Hierarchy.from_dict({"r": ["a", "b", "c", "d"], "a": ["e", "f"]})
DUMMY = DummyClassifier(strategy="prior")  # the share of each class, for every row
MEMORY = KNeighborsClassifier(1)


def fit(hierarchy, Y, estimator=DUMMY, **parameters):
    X = np.arange(float(len(Y)))[:, None]
    parameters.setdefault("random_state", 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HilabelWarning)  # labels without a row
        return HMCRAkEL(hierarchy, estimator=estimator, **parameters).fit(X, Y)


def test_every_parent_has_sets_of_its_children_and_small_families_one():
    model = fit(H, [{"e", "b"}, {"f"}, {"c", "d"}])
    assert model.parents_ == (-1, H.node("r"), H.node("a"))
    roots, four, two = model.estimators_
    assert [labels.tolist() for labels in roots.labelsets] == [[0]]
    assert len(four.labelsets) == 4
    assert np.bincount(np.concatenate(four.labelsets)).tolist() == [3, 3, 3, 3]
    assert [labels.tolist() for labels in two.labelsets] == [[0, 1]]


def test_a_parent_learns_from_its_rows_and_empty_families_are_a_combination():
    model = fit(H, [{"e", "f"}, {"e", "f"}, {"a"}, {"b"}], voting="soft")
    a = model.estimators_[2]
    assert a.combinations[0].tolist() == [[True, True], [False, False]]
    scores = model.predict_proba([[0.0]])[0]
    # r: all; a: 3 of 4; e and f: 2 of the 3 rows of a.
    expected = {"r": 1, "a": 3 / 4, "b": 1 / 4, "e": 2 / 3, "f": 2 / 3}
    np.testing.assert_allclose(scores, [expected.get(name, 0) for name in H.names])


def test_hard_votes_follow_the_most_probable_combination_of_each_set():
    # Pairs: {a} 2, {b} 1, {a, b} 2 rows: a is in all sets' winners but one.
    flat = Hierarchy(["a", "b", "c"])
    sets = [{"a"}, {"a"}, {"b"}, {"c"}, {"c"}, {"c"}, {"a", "b"}]
    model = fit(flat, sets, labelset_size=2)
    # (a, b): {} 3, {a} 2; (a, c): {c} 3, {a} 3, tie to a; (b, c): {c} 3, {b} 2.
    assert model.predict_proba([[0.0]]).tolist() == [[0.5, 0, 0.5]]
    assert model.predict([[0.0]]).tolist() == [[1, 0, 1]]  # one of two is enough


def test_what_is_below_a_child_without_votes_is_not_predicted():
    model = fit(H, [{"e"}, {"b"}, {"b"}, {"b"}])
    a, e = H.node("a"), H.node("e")
    assert model.estimators_[2].predict_scores(np.zeros((1, 1)), "hard")[0, 0] == 1
    assert model.predict_proba([[0.0]])[0, [a, e]].tolist() == [0, 0]
    assert model.predict([[0.0]])[0, [a, e]].tolist() == [0, 0]


@given(labelled_tables(tree=True), st.integers(1, 3), st.sampled_from(["hard", "soft"]))
def test_a_nearest_neighbour_remembers_every_label_set(table, size, voting):
    hierarchy, X, Y = table
    model = fit(hierarchy, Y, MEMORY, labelset_size=size, voting=voting)
    np.testing.assert_array_equal(model.predict(X), Y)
    np.testing.assert_array_equal(model.predict_proba(X), Y)


@given(labelled_tables(tree=True), st.integers(1, 3))
def test_soft_votes_of_shares_are_the_least_share_down_the_path(table, size):
    hierarchy, X, Y = table
    scores = fit(hierarchy, Y, labelset_size=size, voting="soft").predict_proba(X)
    for node in range(hierarchy.n_nodes):
        rows, least = np.ones(len(Y), dtype=bool), 1.0
        for step in [*_path_to(hierarchy, node), node]:
            least = min(least, Y[rows, step].mean() if rows.any() else 0.0)
            rows = Y[:, step]
        np.testing.assert_allclose(scores[:, node], least, atol=1e-12)


def _path_to(hierarchy, node):
    return sorted(hierarchy.ancestors(node).tolist(), key=lambda n: hierarchy.depth[n])


def test_sets_of_one_label_are_binary_relevance():
    flat = Hierarchy(["a", "b", "c"])
    sets = [{"a", "b"}, {"a"}, {"c"}, {"a", "c"}]
    model = fit(flat, sets, labelset_size=1)
    (rakel,) = model.estimators_
    assert [labels.tolist() for labels in rakel.labelsets] == [[0], [1], [2]]
    assert model.predict([[0.0]]).tolist() == [[1, 0, 1]]


def test_children_that_are_in_no_set_are_never_predicted():
    X = np.arange(4.0)[:, None]
    model = HMCRAkEL(None, labelset_size=1, n_labelsets=2, estimator=MEMORY)
    with pytest.warns(HilabelWarning, match="2 of 4 labels are in none of 2 sets"):
        model.fit(X, np.eye(4, dtype=int))
    assert model.predict(X).sum() == 2


def test_the_seed_decides_which_sets_are_drawn():
    Y = np.eye(12, dtype=int)
    drawn = [
        np.array(fit(None, Y, random_state=seed).estimators_[0].labelsets).tolist()
        for seed in (0, 0, 1)
    ]
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_node_with_several_parents_is_refused_by_name():
    dag = Hierarchy.from_edges([("a", "c"), ("b", "c")])
    match = r"HMCRAkEL needs a tree, but node 'c' .*'a', 'b'.* use HMCBR"
    with pytest.raises(HierarchyError, match=match):
        fit(dag, [{"c"}, {"a"}])
