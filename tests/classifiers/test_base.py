"""What all classifiers share: dividing the data, and the forms of input and output."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone

from hilabel import Hierarchy
from hilabel._matrices import stack_rows
from hilabel.classifiers import (
    PredictiveClusteringTree,
    PriorClassifier,
    TrainingData,
)
from hilabel.exceptions import HilabelWarning, LabelError

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
    with pytest.raises(ValueError, match="requires y to be passed.* label matrix"):
        PriorClassifier(H).fit([[0.0]], None)


def test_an_unknown_output_is_refused():
    with pytest.raises(ValueError, match="one of .*'pandas', 'polars'.*, got 'xarray'"):
        PriorClassifier(H).set_output(transform="xarray")


def test_output_can_be_switched_and_none_changes_nothing():
    model = PriorClassifier(H).fit([[0.0]], [[1, 1]])
    assert isinstance(model.predict([[0.0]]), np.ndarray)
    model.set_output(transform="pandas").set_output(transform=None)
    assert isinstance(model.predict([[0.0]]), pd.DataFrame)
    copy = clone(model).fit([[0.0]], [[1, 1]])
    assert isinstance(copy.predict([[0.0]]), pd.DataFrame)
    model.set_output(transform="default")
    assert isinstance(model.predict([[0.0]]), np.ndarray)


def test_the_global_output_setting_counts_unless_the_model_has_its_own():
    model = PriorClassifier(H).fit([[0.0]], [[1, 1]])
    with sklearn.config_context(transform_output="pandas"):
        frame = model.predict_proba(pd.DataFrame([[0.0]], index=["row"]))
        assert isinstance(frame, pd.DataFrame)
        assert (list(frame.columns), list(frame.index)) == (["a", "b"], ["row"])
        assert model.score([[0.0]], [[1, 0]]) == 0.5
        model.set_output(transform="default")
        assert isinstance(model.predict([[0.0]]), np.ndarray)


def test_polars_frames_go_in_and_out():
    polars = pytest.importorskip("polars")
    X = polars.DataFrame({"x": [0.0, 1.0]})
    y = polars.DataFrame({"b": [0, 1], "a": [1, 1]})
    model = PriorClassifier(H).set_output(transform="polars").fit(X, y)
    scores = model.predict_proba(X)
    assert isinstance(scores, polars.DataFrame)
    assert scores.columns == ["a", "b"]
    assert scores.row(0) == (1.0, 0.5)


@pytest.mark.parametrize("dtype", ["int64", "int8", "bool", "float64"])
def test_predictions_have_the_dtype_of_the_labels(dtype):
    model = PriorClassifier(H).fit([[0.0]], np.ones((1, 2), dtype=dtype))
    assert model.predict([[0.0]]).dtype == dtype
    assert model.fit([[0.0]], [{"b"}]).predict([[0.0]]).dtype == np.int8


def test_a_single_column_may_hold_any_two_numbers():
    X, y = np.arange(4.0)[:, None], np.array([[1], [2], [2], [-1]])
    model = PriorClassifier().fit(X, y)
    assert model.predict(X[:1]).tolist() == [[2]]
    assert model.predict_proba(X[:1]).tolist() == [[2 / 3]]
    assert model.score(X, y) == model.score(X, np.array([[0], [1], [1], [-1]]))
    with pytest.raises(LabelError, match="Expected 0, 1, -1 or NaN in Y, got 2"):
        model.fit(X, np.hstack([y, y]))


def test_classes_are_the_names_of_the_columns():
    model = PriorClassifier(H).fit([[0.0]], [[1, 1]])
    assert model.classes_.tolist() == ["a", "b"]


def test_without_a_hierarchy_a_frame_names_the_nodes():
    y = pd.DataFrame({"x": [1, 1], "y": [0, 1]})
    model = PriorClassifier().fit([[0.0], [1.0]], y)
    assert model.classes_.tolist() == ["x", "y"]
    assert model.score([[0.0], [1.0]], y[["y", "x"]]) == model.score(
        [[0.0], [1.0]], y.to_numpy()
    )


def test_a_method_that_cannot_weigh_rows_says_who_can():
    with pytest.raises(
        TypeError, match=r"PredictiveClusteringTree.*'sample_weight'.* LocalClass"
    ):
        PredictiveClusteringTree().fit([[0.0]], [[1]], sample_weight=[1.0])
    with pytest.raises(
        TypeError, match="does not accept the argument 'Y'; the label matrix is y"
    ):
        PriorClassifier(H).fit([[0.0]], Y=[[1, 1]], y=None)


def test_weights_are_those_of_labelled_rows_and_zero_leaves_out():
    X, y = np.arange(4.0)[:, None], [[1, 1], [-1, -1], [1, 0], [0, 0]]
    model = PriorClassifier(H).fit(X, y, sample_weight=[3, 9, 1, 0])
    np.testing.assert_allclose(model.prior_, [1.0, 0.75])
    with pytest.raises(ValueError, match="sample_weight above 0, got only zeros"):
        model.fit(X, y, sample_weight=[0, 1, 0, 0])
    with pytest.raises(ValueError, match="Negative values"):
        model.fit(X, y, sample_weight=[-1, 1, 1, 1])


def test_score_with_weights_is_that_of_repeated_rows():
    X, y = np.arange(3.0)[:, None], np.array([[1, 1], [1, 0], [0, 0]])
    model = PriorClassifier(H).fit(X, y)
    repeated = np.repeat([0, 1, 2], [1, 3, 2])
    assert model.score(X, y, sample_weight=[1, 3, 2]) == pytest.approx(
        model.score(X[repeated], y[repeated])
    )
    assert model.score(X=X, y=y, sample_weight=[1, 1, 1]) == pytest.approx(
        model.score(X, y)
    )


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_unlabelled_rows_of_another_scale_are_told_with_the_remedy(kind):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(20, 3)), np.ones((20, 2))
    with pytest.warns(HilabelWarning, match='transform_input=."X_unlabeled".* of -1'):
        check(kind(X), y, kind(X + 7))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check(kind(X), y, kind(random.normal(size=(50, 3))))


@pytest.mark.parametrize("given", [{"a": ["b"]}, [("a", "b")], "go.obo"])
def test_what_is_no_hierarchy_is_refused_with_the_way_to_make_one(given):
    with pytest.raises(ValueError, match=r"Got a .* with Hierarchy.from_edges") as told:
        PriorClassifier(given).fit([[0.0]], [[1, 1]])
    assert type(given).__name__ in str(told.value)


class SeesRows(PriorClassifier):
    """Keeps the rows that arrive at the private methods."""

    def _fit(self, data):
        super()._fit(data)
        self.fitted_ = data

    def _predict_scores(self, X):
        self.predicted_ = X
        return super()._predict_scores(X)


def as_polars(X):
    return pytest.importorskip("polars").DataFrame(X)


@pytest.mark.parametrize(
    "store",
    [
        np.asarray,
        np.asfortranarray,
        lambda X: X.astype(np.float32, order="F"),
        lambda X: X.tolist(),
        pd.DataFrame,
        as_polars,
    ],
    ids=["C", "Fortran", "float32", "list", "pandas", "polars"],
)
def test_rows_are_laid_out_in_c_order_whatever_form_they_come_in(store):
    X = np.arange(24.0).reshape(6, 4)
    model = SeesRows().fit(store(X), np.eye(6, 2, dtype=int), store(X + 1))
    model.predict_proba(store(X))
    data = model.fitted_
    for rows, expected in [
        (data.X_labeled, X),
        (data.X_unlabeled, X + 1),
        (model.predicted_, X),
    ]:
        assert rows.flags.c_contiguous
        np.testing.assert_array_equal(rows, expected)


def test_rows_in_c_order_are_not_copied():
    X = np.arange(24.0).reshape(6, 4)
    model = SeesRows().fit(X, np.eye(6, 2, dtype=int), X)
    model.predict_proba(X)
    data = model.fitted_
    for rows in (data.X_labeled, data.X_unlabeled, model.predicted_):
        assert np.shares_memory(rows, X)


def test_the_most_probable_nodes_are_those_of_all_probabilities():
    wide = Hierarchy.from_edges([("a", "b"), ("a", "c"), ("c", "d")])
    rng = np.random.default_rng(0)
    X, Y = rng.random((40, 3)), rng.random((40, 4)) < 0.4
    model = PredictiveClusteringTree(wide).fit(X, Y.astype(int))
    scores, found = model.predict_proba(X), model.predict_top(X, 4)
    np.testing.assert_array_equal(found.toarray(), scores.astype(np.float32))
    kept = model.predict_top(X, 2, least=0.3)
    assert np.diff(kept.indptr).max() == 2
    assert kept.data.min() >= 0.3
