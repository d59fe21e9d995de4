"""LocalClassifierPerLevel: independent levels and what makes them consistent."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier
from strategies import labelled_tables

from hilabel import Hierarchy
from hilabel.classifiers import LocalClassifierPerLevel
from hilabel.exceptions import HilabelWarning

H = Hierarchy.from_dict({"a": ["c", "d"], "b": []})
DUMMY = DummyClassifier(strategy="prior")  # the share of each class, for every row
MEMORY = KNeighborsClassifier(1)


def fit(hierarchy, Y, estimator=DUMMY):
    X = np.arange(float(len(Y)))[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HilabelWarning)  # DAGs, labels without a row
        return LocalClassifierPerLevel(hierarchy, estimator=estimator).fit(X, Y)


def scores_of(model):
    return dict(zip(model.hierarchy_.names, model.predict_proba([[0.0]])[0]))


def labels_of(model):
    names = model.hierarchy_.names
    return {names[node] for node in np.flatnonzero(model.predict([[0.0]])[0])}


def test_a_level_learns_from_the_rows_with_a_label_there_and_is_capped():
    model = fit(H, [{"c"}, {"c"}, {"d"}, *[{"b"}] * 5])
    assert model.multiclass_
    assert [group.rows.tolist() for group in model.groups_] == [[*range(8)], [0, 1, 2]]
    # The second level gives c 2/3 and d 1/3, but a has only 3/8.
    expected = {"a": 3 / 8, "b": 5 / 8, "c": 3 / 8, "d": 1 / 3}
    assert scores_of(model) == pytest.approx(expected)
    # It chooses c, which the first contradicts.
    assert labels_of(model) == {"b"}


def test_each_level_chooses_its_most_probable_node():
    model = fit(H, [{"c"}, {"c"}, {"d"}, {"b"}])
    assert labels_of(model) == {"a", "c"}


def test_rows_that_end_early_are_of_class_none_at_the_levels_below():
    model = fit(H, [{"c"}, {"a"}, {"a"}, {"d"}, {"b"}])
    assert [group.rows.size for group in model.groups_] == [5, 5]
    expected = {"a": 4 / 5, "b": 1 / 5, "c": 1 / 5, "d": 1 / 5}
    assert scores_of(model) == pytest.approx(expected)
    assert labels_of(model) == {"a"}


def test_several_labels_of_a_level_are_learned_one_against_the_rest():
    model = fit(H, [{"c", "d"}, {"c", "b"}, {"d"}, {"b"}])
    assert not model.multiclass_
    # c and d each have two of the three rows with a label of the second level.
    expected = {"a": 3 / 4, "b": 1 / 2, "c": 2 / 3, "d": 2 / 3}
    assert scores_of(model) == pytest.approx(expected)
    assert labels_of(model) == {"a", "b", "c", "d"}


def test_levels_of_a_dag_are_longest_paths_and_warned_of():
    dag = Hierarchy.from_edges([("a", "c"), ("c", "v"), ("a", "v")])
    X = np.arange(3.0)[:, None]
    model = LocalClassifierPerLevel(dag, estimator=MEMORY)
    with pytest.warns(HilabelWarning, match="not a tree: .* longest path from a root"):
        model.fit(X, [{"v"}, {"v"}, {"c"}])
    levels = [[dag.names[node] for node in group.nodes] for group in model.groups_]
    assert levels == [["a"], ["c"], ["v"]]
    # A row {a, c, v} has two paths, but one label at each level.
    assert model.multiclass_


def test_a_tree_is_not_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LocalClassifierPerLevel(H, estimator=MEMORY).fit(
            [[0.0], [1.0], [2.0]], [{"c"}, {"d"}, {"b"}]
        )


@given(labelled_tables(tree=True))
def test_a_nearest_neighbour_remembers_every_label_set(table):
    hierarchy, X, Y = table
    np.testing.assert_array_equal(fit(hierarchy, Y, MEMORY).predict(X), Y)


@given(labelled_tables())
def test_scores_are_the_least_share_of_a_level_on_the_way(table):
    hierarchy, X, Y = table
    with_none = hierarchy.problem_type(Y).depth == "PD"
    shares = np.zeros(hierarchy.n_nodes)
    for node in range(hierarchy.n_nodes):
        level = np.flatnonzero(hierarchy.depth == hierarchy.depth[node])
        used = Y[:, level].any(axis=1) | with_none
        shares[node] = Y[used, node].mean() if used.any() else 0
    scores = fit(hierarchy, Y).predict_proba(X)
    for node in range(hierarchy.n_nodes):
        least = shares[[node, *hierarchy.ancestors(node)]].min()
        np.testing.assert_allclose(scores[:, node], least, atol=1e-12)
