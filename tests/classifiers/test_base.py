"""What all classifiers share: dividing the data, and the forms of input and output."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from hilabel import Hierarchy
from hilabel._matrices import stack_rows
from hilabel.classifiers import PriorClassifier, TrainingData

H = Hierarchy.from_edges([("a", "b")])


def check(X, Y, X_unlabeled=None):
    return PriorClassifier(H)._check_training_data(X, Y, X_unlabeled)


def test_rows_are_divided_and_keep_their_numbers():
    X = [[0.0], [1.0], [2.0], [3.0]]
    data = check(X, [[0, 1], [-1, -1], [1, 0], [-1, -1]], [[8.0], [9.0]])
    assert data.labeled_rows.tolist() == [0, 2]
    assert data.transduction[:, 0].tolist() == [1, -1, 1, -1, -1, -1]
    assert data.unlabeled_rows.tolist() == [1, 3, 4, 5]
    assert data.X_unlabeled.ravel().tolist() == [1, 3, 8, 9]
    assert data.Y_labeled.tolist() == [[True, True], [True, False]]  # closed
    assert data.n_rows == 6


def test_rows_move_to_the_labelled_ones_and_stay_in_order():
    data = check([[0.0], [1.0]], [[1, 0], [-1, -1]], [[2.0], [3.0]])
    labels = np.array([[True, True], [True, False]])
    moved = data.with_rows(np.array([True, False, True]), labels)
    assert isinstance(moved, TrainingData)
    assert moved.X_labeled.ravel().tolist() == [0, 1, 3]
    assert moved.labeled_rows.tolist() == [0, 1, 3]
    assert moved.unlabeled_rows.tolist() == [2]
    assert moved.Y_labeled.tolist() == [[True, False], [True, True], [True, False]]
    assert data.labeled_rows.tolist() == [0]


@pytest.mark.parametrize("labeled", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("unlabeled", [np.asarray, sp.csr_array, sp.csc_matrix])
def test_labelled_and_unlabelled_rows_may_be_of_different_kinds(labeled, unlabeled):
    data = check(labeled([[0.0, 1.0]]), [[1, 1]], unlabeled([[2.0, 0.0]]))
    assert sp.issparse(data.X_unlabeled) == sp.issparse(data.X_labeled)
    together = stack_rows(data.X_labeled, data.X_unlabeled)
    dense = together.toarray() if sp.issparse(together) else together
    assert dense.tolist() == [[0, 1], [2, 0]]


def test_unlabelled_rows_need_the_same_features():
    with pytest.raises(ValueError, match="X has 2 features, .* expecting 1 features"):
        check([[0.0]], [[1, 1]], [[2.0, 0.0]])


def test_missing_labels_are_asked_for():
    with pytest.raises(ValueError, match="requires y to be passed.* label matrix Y"):
        PriorClassifier(H).fit([[0.0]], None)


def test_an_unknown_output_is_refused():
    with pytest.raises(ValueError, match="Expected transform 'default', 'pandas'"):
        PriorClassifier(H).set_output(transform="polars")


def test_output_can_be_switched_and_none_changes_nothing():
    model = PriorClassifier(H).fit([[0.0]], [[1, 1]])
    assert isinstance(model.predict([[0.0]]), np.ndarray)
    model.set_output(transform="pandas").set_output(transform=None)
    assert isinstance(model.predict([[0.0]]), pd.DataFrame)
    copy = clone(model).fit([[0.0]], [[1, 1]])
    assert isinstance(copy.predict([[0.0]]), pd.DataFrame)
    model.set_output(transform="default")
    assert isinstance(model.predict([[0.0]]), np.ndarray)


@pytest.mark.parametrize("given", [{"a": ["b"]}, [("a", "b")], "go.obo"])
def test_what_is_no_hierarchy_is_refused_with_the_way_to_make_one(given):
    with pytest.raises(ValueError, match=r"Got a .* with Hierarchy.from_edges") as told:
        PriorClassifier(given).fit([[0.0]], [[1, 1]])
    assert type(given).__name__ in str(told.value)
