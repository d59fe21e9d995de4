"""FlatClassifier: leaves alone, and what they say of the nodes above."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier
from strategies import labelled_tables

from hilabel import Hierarchy
from hilabel.classifiers import FlatClassifier
from hilabel.exceptions import HilabelWarning, LabelError

H = Hierarchy.from_dict({"a": ["c", "d"], "b": []})
DUMMY = DummyClassifier(strategy="prior")  # the share of each class, for every row
MEMORY = KNeighborsClassifier(1)


def fit(hierarchy, Y, estimator=DUMMY, **parameters):
    X = np.arange(float(len(Y)))[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HilabelWarning)  # labels without a row
        return FlatClassifier(hierarchy, estimator=estimator, **parameters).fit(X, Y)


def scores_of(model):
    return dict(zip(model.hierarchy_.names, model.predict_proba([[0.0]])[0]))


def labels_of(model):
    names = model.hierarchy_.names
    return {names[node] for node in np.flatnonzero(model.predict([[0.0]])[0])}


def test_an_inner_node_gets_the_largest_probability_of_a_leaf_below():
    model = fit(H, [{"c"}, {"c"}, {"d"}, {"b"}, {"b"}, {"b"}])
    assert model.multiclass_
    # Not the sum, which would be a half for a.
    expected = {"a": 2 / 6, "c": 2 / 6, "d": 1 / 6, "b": 3 / 6}
    assert scores_of(model) == pytest.approx(expected)
    assert labels_of(model) == {"b"}


def test_the_hierarchy_plays_no_part_in_the_choice():
    # Most rows are below a, but b is the commonest leaf.
    sets = [{"c"}, {"c"}, {"d"}, {"d"}, {"b"}, {"b"}, {"b"}]
    assert labels_of(fit(H, sets)) == {"b"}


def test_several_leaves_are_learned_each_against_all_other_rows():
    model = fit(H, [{"c", "d"}, {"c", "b"}, {"b"}])
    assert not model.multiclass_
    expected = {"a": 2 / 3, "c": 2 / 3, "d": 1 / 3, "b": 2 / 3}
    assert scores_of(model) == pytest.approx(expected)
    assert labels_of(model) == {"a", "b", "c"}


def test_a_row_gets_its_best_leaf_even_if_none_reaches_a_half():
    h = Hierarchy.from_dict({"a": ["c", "d"], "b": ["e", "f"]})
    model = fit(h, [{"c"}, {"d", "e"}, {"e"}, {"f"}, {"c"}, {"f", "e"}, {"d"}])
    assert max(scores_of(model).values()) < 0.5
    assert labels_of(model) == {"b", "e"}


@pytest.mark.parametrize(
    ("row", "match"),
    [
        ({"a"}, "row 2 of Y ends at the inner node 'a'; use targets='most_specific'"),
        (set(), "row 2 of Y has no label; use .* or LocalClassifierPerNode"),
    ],
)
def test_a_row_that_ends_early_is_refused_by_number(row, match):
    with pytest.raises(LabelError, match=match):
        fit(H, [{"c"}, {"b"}, row])


def test_most_specific_labels_may_be_the_classes():
    model = fit(H, [{"a"}, {"a"}, {"c"}, {"b"}, set()], targets="most_specific")
    assert scores_of(model) == pytest.approx({"a": 0.4, "c": 0.2, "b": 0.2, "d": 0})
    assert labels_of(model) == {"a"}


def test_a_row_may_get_no_label_if_rows_without_any_are_learned():
    assert labels_of(fit(H, [set(), set(), {"c"}], targets="most_specific")) == set()
    assert labels_of(fit(H, [set(), set()], targets="most_specific")) == set()


@given(labelled_tables())
def test_a_nearest_neighbour_remembers_every_label_set(table):
    hierarchy, X, Y = table
    model = fit(hierarchy, Y, MEMORY, targets="most_specific")
    np.testing.assert_array_equal(model.predict(X), Y)


@given(labelled_tables())
def test_predictions_reach_a_leaf_on_every_path(table):
    hierarchy, X, Y = table
    full = hierarchy.close(Y & np.isin(np.arange(hierarchy.n_nodes), hierarchy.leaves))
    assume(full.any(axis=1).all())
    labels = fit(hierarchy, full).predict(X) == 1
    assert hierarchy.is_consistent(labels)
    assert hierarchy.problem_type(labels).depth == "FD"
