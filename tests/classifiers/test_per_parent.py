"""LocalClassifierPerParentNode: products down the paths, stops, walks."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier
from strategies import labelled_tables

from hilabel import Hierarchy
from hilabel.classifiers import LocalClassifierPerParentNode
from hilabel.exceptions import HilabelWarning

H = Hierarchy.from_dict({"a": ["c", "d"], "b": []})
DUMMY = DummyClassifier(strategy="prior")  # the share of each class, for every row
MEMORY = KNeighborsClassifier(1)
ONE_PATH = [*[{"c"}] * 3, {"d"}, {"a"}, *[{"b"}] * 5]


def fit(hierarchy, Y, estimator=DUMMY, **parameters):
    X = np.arange(float(len(Y)))[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HilabelWarning)  # labels without a row
        return LocalClassifierPerParentNode(
            hierarchy, estimator=estimator, **parameters
        ).fit(X, Y)


def scores_of(model):
    return dict(zip(model.hierarchy_.names, model.predict_proba([[0.0]])[0]))


def labels_of(model, x=0.0):
    names = model.hierarchy_.names
    return {names[node] for node in np.flatnonzero(model.predict([[x]])[0])}


def test_one_path_per_row_is_learned_by_multiclass_models_with_a_stop():
    model = fit(H, ONE_PATH)
    assert model.multiclass_
    # Half the rows have a; of these 3 go on to c, 1 to d and 1 stops.
    expected = {"a": 0.5, "b": 0.5, "c": 0.5 * 3 / 5, "d": 0.5 * 1 / 5}
    assert scores_of(model) == pytest.approx(expected)
    assert labels_of(model) == {"a", "c"}  # the tie goes to the lower root


def test_prediction_stops_where_stopping_is_most_probable():
    assert labels_of(fit(H, [{"a"}, {"a"}, {"c"}, {"d"}])) == {"a"}
    assert labels_of(fit(H, [set(), set(), {"c"}, {"b"}])) == set()


def test_without_a_stop_every_prediction_reaches_a_leaf():
    model = fit(H, [*ONE_PATH, set(), *[{"a"}] * 9], stop=False)
    # The rows that stop at a still have a root, but teach nothing about its children.
    expected = {"a": 14 / 19, "b": 5 / 19, "c": 14 / 19 * 3 / 4, "d": 14 / 19 / 4}
    assert scores_of(model) == pytest.approx(expected)
    assert labels_of(model) == {"a", "c"}


def test_an_only_child_is_as_probable_as_its_parent():
    chain = Hierarchy.from_edges([("a", "c"), ("c", "e")], nodes=["a", "b", "c", "e"])
    model = fit(chain, [{"e"}, {"b"}, {"b"}])
    assert scores_of(model) == pytest.approx(
        {"a": 1 / 3, "b": 2 / 3, "c": 1 / 3, "e": 1 / 3}
    )


def test_several_paths_are_learned_one_child_against_the_rest():
    model = fit(H, [{"c", "d"}, {"c"}, {"a"}, {"b"}, {"b"}])
    assert not model.multiclass_
    expected = {"a": 3 / 5, "b": 2 / 5, "c": 3 / 5 * 2 / 3, "d": 3 / 5 * 1 / 3}
    assert scores_of(model) == pytest.approx(expected)
    # c has two of three rows of a: it is chosen, though its product is below a half.
    assert labels_of(model) == {"a", "c"}


# Whichever parent is asked first.
@pytest.mark.parametrize(("common", "rare"), [("a", "b"), ("b", "a")])
def test_the_least_product_over_the_parents_counts_in_a_dag(common, rare):
    dag = Hierarchy.from_edges([("a", "v"), ("b", "v")])
    model = fit(dag, [{"v"}, {common}, {common}, {rare}], stop=False)
    # Through the one 3/4 times 1, through the other 2/4 times 1.
    assert scores_of(model) == pytest.approx({common: 3 / 4, rare: 1 / 2, "v": 1 / 2})
    assert labels_of(model) == {"a", "b", "v"}


@pytest.mark.parametrize(("common", "rare"), [("a", "b"), ("b", "a")])
def test_a_node_of_a_dag_is_reached_through_all_its_parents(common, rare):
    dag = Hierarchy.from_edges([("a", "v"), ("b", "v")])
    model = fit(dag, [{"v"}, {"v"}, {common}, {common}, {common}], stop=False)
    # Certain below both, but only 2 of 5 rows have the rare one.
    assert scores_of(model) == pytest.approx({common: 1, rare: 0.4, "v": 0.4})
    assert labels_of(model) == {common}


def test_children_of_a_node_that_no_row_has_get_probability_zero():
    deep = Hierarchy.from_dict({"a": ["c", "d"], "c": ["e"], "b": []})
    for sets in ([{"d"}, {"b"}], [{"d", "b"}, {"b"}]):
        model = fit(deep, sets)
        assert scores_of(model)["c"] == scores_of(model)["e"] == 0
        assert labels_of(model).isdisjoint({"c", "e"})


@given(labelled_tables())
def test_products_of_shares_are_the_shares_of_the_labels(table):
    hierarchy, X, Y = table
    expected = np.broadcast_to(Y.mean(axis=0), Y.shape)
    scores = fit(hierarchy, Y).predict_proba(X)
    np.testing.assert_allclose(scores, expected, atol=1e-12)


@given(labelled_tables())
def test_a_nearest_neighbour_remembers_every_label_set(table):
    hierarchy, X, Y = table
    model = fit(hierarchy, Y, MEMORY)
    np.testing.assert_array_equal(model.predict(X), Y)
    np.testing.assert_array_equal(model.predict_proba(X), Y)


@given(labelled_tables())
def test_models_are_multiclass_exactly_if_every_row_has_one_path(table):
    hierarchy, _, Y = table
    is_single = hierarchy.problem_type(Y).paths == "SPL"
    assert fit(hierarchy, Y).multiclass_ == is_single
