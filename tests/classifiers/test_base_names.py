"""Names in and out of all classifiers, and one path to a leaf on demand."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from hilabel import Hierarchy
from hilabel._validation import check_labels
from hilabel.classifiers import LocalClassifierPerNode, PriorClassifier
from hilabel.constraints import path_from_scores
from hilabel.datasets import make_artificial

PETS = np.array([["pet", "cat"], ["pet", "other"], ["other", ""]] * 4)
WEIGHTS = np.array([[0.0], [1.0], [9.0]] * 4)


def test_names_that_went_in_come_out():
    model = LocalClassifierPerNode(estimator=GaussianNB(), policy="less_inclusive")
    model.fit(WEIGHTS, PETS)
    assert model.hierarchy_ == Hierarchy.from_labels(PETS)
    np.testing.assert_array_equal(model.predict_names(WEIGHTS, decode="path"), PETS)
    sets = model.predict_names(WEIGHTS)
    assert sets[:3] == [{"pet", "pet/cat"}, {"pet", "pet/other"}, {"other"}]
    assert model.score(WEIGHTS, PETS) == model.score(WEIGHTS, sets) == 1
    # The matrix of scikit-learn's tools stays what predict gives.
    np.testing.assert_array_equal(
        model.predict(WEIGHTS), check_labels(PETS, model.hierarchy_).matrix
    )


def test_one_path_to_a_leaf_is_given_on_demand():
    data = make_artificial()
    model = PriorClassifier(data.hierarchy).fit(data.X_labeled, data.Y_labeled)
    path = model.predict(data.X_test, decode="path")
    assert (path[:, data.hierarchy.leaves].sum(axis=1) == 1).all()
    assert data.hierarchy.is_consistent(path)
    np.testing.assert_array_equal(
        path, path_from_scores(model.predict_proba(data.X_test), data.hierarchy)
    )
    with pytest.raises(ValueError, match="decode 'labels' or 'path', got 'leaf'"):
        model.predict(data.X_test, decode="leaf")


def test_one_name_per_row_is_a_label_of_the_hierarchy():
    names = np.array(["a", "b", "a", "b"])
    model = PriorClassifier(Hierarchy(["a", "b"])).fit(np.zeros((4, 1)), names)
    assert model.prior_.tolist() == [0.5, 0.5]
