"""HMC-BR: top-down with a stop, and what its policy leaves out."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from strategies import labelled_tables

from hilabel import Hierarchy
from hilabel.classifiers import HMCBR, LocalClassifierPerNode
from hilabel.exceptions import HilabelWarning

H = Hierarchy.from_dict({"a": ["c", "d"], "b": ["e", "f"]})
DUMMY = DummyClassifier(strategy="prior")  # the share of positives, for every row


def fit(hierarchy, label_sets, estimator=DUMMY, **parameters):
    X = np.arange(float(len(label_sets)))[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HilabelWarning)  # nodes of one kind
        return HMCBR(hierarchy, estimator=estimator, **parameters).fit(X, label_sets)


def named(hierarchy, labels):
    return {hierarchy.names[node] for node in np.flatnonzero(labels)}


def test_nodes_are_learned_against_their_siblings():
    # c against d: three to one; rows that stop at a, or are below b, do not count.
    model = fit(H, [{"c"}, {"c"}, {"c"}, {"d"}, {"a"}, {"e"}, {"f"}, set()])
    # a: 5 of the 7 rows with a or b; e and f one of two each, capped by b.
    expected = {"a": 5 / 7, "c": 3 / 4, "d": 1 / 4, "b": 2 / 7, "e": 1 / 2, "f": 1 / 2}
    local = model._local_scores(np.zeros((1, 1)))[0]
    np.testing.assert_allclose(local, [expected[name] for name in H.names])


def test_descent_stops_where_no_child_reaches_a_half():
    h = Hierarchy.from_dict({"a": ["c", "d", "e"], "c": ["g", "h"], "b": []})
    sets = [{"g"}, {"d"}, {"e"}, {"b"}]
    model = fit(h, sets)
    # a has 3 of 4; c, d and e one of three each; g is certain, but below c.
    assert named(h, model.predict([[0.0]])[0]) == {"a"}


def test_descent_goes_on_along_every_path_that_reaches_a_half():
    model = fit(H, [{"c", "e"}, {"c", "d", "e"}, {"d", "e"}, {"f"}])
    # a: 3 of 4, b: all; c and d: 2 of 3 each; e: 3 of 4; f: 1 of 4.
    assert named(H, model.predict([[0.0]])[0]) == {"a", "b", "c", "d", "e"}


def test_a_half_is_enough_and_nothing_may_be_predicted():
    halves = fit(H, [{"c"}, {"e"}])
    assert named(H, halves.predict([[0.0]])[0]) == {"a", "b", "c", "e"}
    thirds = fit(None, [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert not thirds.predict([[0.0]]).any()


def test_a_node_of_a_dag_is_reached_through_all_its_parents():
    dag = Hierarchy.from_edges([("a", "v"), ("b", "v")], nodes=["a", "b", "c", "v"])
    model = fit(dag, [{"v"}, {"a"}, {"a"}, {"c"}])
    # a: 3 of 4; b: 1 of 4; v alone below both, so it is certain there.
    assert named(dag, model.predict([[0.0]])[0]) == {"a"}


@given(labelled_tables())
def test_predictions_are_where_the_capped_scores_reach_a_half(table):
    hierarchy, X, Y = table
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HilabelWarning)
        model = HMCBR(hierarchy, estimator=DUMMY).fit(X, Y)
    labels = model.predict(X) == 1
    local = model._local_scores(X) >= 0.5
    # Top-down, one node after another.
    expected = local.copy()
    for node in hierarchy.order:
        for parent in hierarchy.parents(node):
            expected[:, node] &= expected[:, parent]
    np.testing.assert_array_equal(labels, expected)
    np.testing.assert_array_equal(labels, model.predict_proba(X) >= 0.5)


def test_another_policy_learns_from_rows_that_stop_at_the_parent():
    sets = [{"c"}, {"a"}, {"a"}, {"e"}]
    assert named(H, fit(H, sets[:3]).predict([[0.0]])[0]) == {"a", "c"}
    model = fit(H, sets, policy="less_inclusive")
    assert named(H, model.predict([[0.0]])[0]) == {"a"}


def test_it_is_the_local_classifier_per_node_with_the_siblings_policy():
    X = np.arange(8.0)[:, None]
    sets = [{"c"}, {"c"}, {"d"}, {"c", "d"}, {"e"}, {"f"}, {"f"}, {"a"}]
    per_node = LocalClassifierPerNode(
        H, estimator=LogisticRegression(), policy="siblings"
    ).fit(X, sets)
    model = fit(H, sets, LogisticRegression())
    np.testing.assert_array_equal(model.predict_proba(X), per_node.predict_proba(X))


def test_nodes_without_examples_may_be_refused():
    with pytest.raises(ValueError, match="no positive or no negative rows: 'c', 'd'"):
        fit(H, [{"c"}, {"e"}, {"f"}, {"c"}], on_empty="raise")
