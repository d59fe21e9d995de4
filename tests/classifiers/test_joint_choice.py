"""Models of groups: multiclass where one node is right, else one against the rest."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.neighbors import KNeighborsClassifier

from hilabel.classifiers._joint_choice import (
    MulticlassGroups,
    OneVsRestGroups,
    fit_group_models,
    has_one_node_per_group,
)
from hilabel.classifiers._node_groups import NodeGroup
from hilabel.local_models import ClassForest, ForestModels

X = np.arange(4.0)[:, None]
# One of the nodes 0 and 1, or none; one of 2 and 3, or both.
Y = np.array([[1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 1, 1], [0, 0, 0, 0]], dtype=bool)
ONE = NodeGroup(np.array([0, 1]), np.arange(4))
SEVERAL = NodeGroup(np.array([2, 3]), np.arange(3))


def fit(estimator, *groups):
    return fit_group_models(estimator, X, Y, groups, n_jobs=None, random_state=0)


@pytest.mark.parametrize(
    ("groups", "expected"),
    [([ONE], True), ([SEVERAL], False), ([ONE, SEVERAL], False), ([], True)],
)
def test_one_row_with_two_nodes_of_a_group_is_enough(groups, expected):
    assert has_one_node_per_group(Y, groups) is expected


def test_rows_outside_a_group_do_not_count():
    assert has_one_node_per_group(Y, [SEVERAL._replace(rows=np.array([0, 1, 3]))])


def test_multiclass_models_choose_the_most_probable_node_or_none():
    models = fit(KNeighborsClassifier(1), ONE)
    assert isinstance(models, MulticlassGroups)
    (choice,) = models.predict(X, n_jobs=None)
    np.testing.assert_array_equal(choice.chosen, Y[:, :2])
    np.testing.assert_array_equal(choice.scores, Y[:, :2])


def test_ties_go_to_the_first_node_and_only_then_to_none():
    rows = np.array([2, 3])  # one row of node 1, one of none
    (choice,) = fit(DummyClassifier(), ONE._replace(rows=rows)).predict(X[:1], None)
    assert choice.scores.tolist() == [[0, 0.5]]
    assert choice.chosen.tolist() == [[False, True]]


def test_a_group_without_rows_chooses_nothing():
    (choice,) = fit(DummyClassifier(), ONE._replace(rows=np.arange(0))).predict(X, None)
    assert not choice.chosen.any()
    assert not choice.scores.any()


def test_nodes_are_learned_against_the_rest_of_their_group():
    models = fit(DummyClassifier(), ONE, SEVERAL)
    assert isinstance(models, OneVsRestGroups)
    one, several = models.predict(X[:1], n_jobs=None)
    np.testing.assert_allclose(one.scores, [[1 / 2, 1 / 4]])
    np.testing.assert_allclose(several.scores, [[2 / 3, 2 / 3]])
    assert one.chosen.tolist() == [[True, False]]  # half is enough
    assert several.chosen.tolist() == [[True, True]]


def test_by_default_all_forests_are_those_of_hilabel():
    assert isinstance(fit(None, SEVERAL).models, ForestModels)
    (model,) = fit(None, ONE).models
    assert isinstance(model.model, ClassForest)
