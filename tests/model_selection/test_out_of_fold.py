"""Scores of labelled rows from models that have not seen their labels."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from hilabel._validation import check_labels
from hilabel.classifiers import LocalClassifierPerNode, PriorClassifier
from hilabel.exceptions import LabelError
from hilabel.forests import ForestClassifier
from hilabel.model_selection import (
    LabeledKFold,
    draw_folds,
    mask_labels,
    out_of_fold_scores,
    score_out_of_fold,
)
from hilabel.semi_supervised import SSHMCBLI
from hilabel.testing import make_problem


@pytest.fixture(scope="module")
def problem():
    data = make_problem("DAG", "MPL", "PD")
    Y = mask_labels(data.Y, 0.6, random_state=0)
    return data.X, Y, data.hierarchy


def model_over(hierarchy):
    return LocalClassifierPerNode(
        hierarchy, estimator=ForestClassifier(5), random_state=0
    )


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_each_row_is_scored_by_a_model_trained_without_its_fold(problem, container):
    X, Y, hierarchy = problem
    X = container(X)
    model = model_over(hierarchy)
    scores = out_of_fold_scores(model, X, Y, n_splits=3, random_state=1)
    for train, test in LabeledKFold(3, random_state=1).split(X, Y):
        expected = clone(model).fit(X[train], Y[train]).predict_proba(X[test])
        np.testing.assert_array_equal(scores[test], expected)
    assert not hasattr(model, "hierarchy_")


def test_rows_of_a_fold_can_stay_in_training_without_their_labels(problem):
    X, Y, hierarchy = problem
    model = SSHMCBLI(hierarchy, estimator=ForestClassifier(5), random_state=0)
    scores = out_of_fold_scores(
        model, X, Y, n_splits=2, random_state=1, as_unlabeled=True
    )
    for train, test in LabeledKFold(2, random_state=1).split(X, Y):
        hidden = np.full_like(Y[test], -1)
        fitted = clone(model).fit(
            X[np.r_[train, test]], np.concatenate([Y[train], hidden])
        )
        np.testing.assert_array_equal(scores[test], fitted.predict_proba(X[test]))


def checked(model, X, Y, fold):
    """Return training data with the folds of its labelled rows."""
    labels = check_labels(Y, model.hierarchy).table
    data = model.check_training_data(X, labels)
    return replace(data, fold=fold[data.labeled_rows])


@pytest.mark.parametrize("hide", [False, True])
def test_tables_are_scored_like_arrays(problem, hide):
    X, Y, hierarchy = problem
    model = SSHMCBLI(hierarchy, estimator=ForestClassifier(5), random_state=0)
    fold = draw_folds(Y, 2, 1)
    found = score_out_of_fold(model, checked(model, X, Y, fold), hide=hide)
    expected = out_of_fold_scores(model, X, Y, fold=fold, as_unlabeled=hide)
    labeled = fold >= 0
    np.testing.assert_allclose(found.scores.read(), expected[labeled], atol=1e-6)
    np.testing.assert_array_equal(found.fold, fold[labeled])
    np.testing.assert_array_equal(found.labels.to_array(), Y[labeled])
    assert (found.n_folds, found.model) == (2, None)


def test_a_method_that_scores_itself_is_trained_once(problem):
    X, Y, hierarchy = problem
    prior, fold = PriorClassifier(hierarchy), draw_folds(Y, 3)
    told = []
    found = score_out_of_fold(
        prior, checked(prior, X, Y, fold), report=lambda *one: told.append(one[0])
    )
    expected = out_of_fold_scores(prior, X, Y, fold=fold)[fold >= 0]
    np.testing.assert_array_equal(found.scores.read(), expected)
    np.testing.assert_array_equal(found.model.prior_, prior.fit(X, Y).prior_)
    assert told == ["Training PriorClassifier"]


def test_unlabelled_rows_have_no_scores(problem):
    X, Y, hierarchy = problem
    scores = out_of_fold_scores(PriorClassifier(hierarchy), X, Y, random_state=0)
    np.testing.assert_array_equal(np.isnan(scores).all(axis=1), (Y < 0).all(axis=1))
    assert not np.isnan(scores[(Y >= 0).all(axis=1)]).any()


def test_progress_is_told_before_each_fold(problem):
    X, Y, hierarchy = problem
    told = []
    out_of_fold_scores(
        PriorClassifier(hierarchy),
        X,
        Y,
        n_splits=2,
        report=lambda *report: told.append(report),
    )
    assert told == [
        ("Training without fold 1 of 2", 0, 2),
        ("Training without fold 2 of 2", 1, 2),
    ]


def test_more_folds_than_labelled_rows_are_refused():
    with pytest.raises(LabelError, match="at least one labelled row for each of 5"):
        out_of_fold_scores(PriorClassifier(), [[0]] * 3, [[1], [0], [-1]], n_splits=5)


def test_folds_made_before_are_used_as_they_are(problem):
    X, Y, hierarchy = problem
    fold = draw_folds(Y, 3, 5)
    prior = PriorClassifier(hierarchy)
    np.testing.assert_array_equal(
        out_of_fold_scores(prior, X, Y, fold=fold),
        out_of_fold_scores(prior, X, Y, n_splits=3, random_state=5),
    )


def test_rows_in_no_fold_are_trained_on_but_not_scored():
    Y = np.array([[1], [0], [1], [-1]])
    fold = [0, 1, -1, 0]  # the last row is unlabelled, whatever its fold
    scores = out_of_fold_scores(PriorClassifier(), [[0]] * 4, Y, fold=fold)
    np.testing.assert_array_equal(scores, [[0.5], [1], [np.nan], [np.nan]])


@pytest.mark.parametrize("fold", [[0, 1], [0.5, 0, 1]])
def test_folds_that_are_not_one_number_for_each_row_are_refused(fold):
    with pytest.raises(ValueError, match="one integer for each of 3 rows, got"):
        out_of_fold_scores(
            PriorClassifier(), [[0]] * 3, [[1], [0], [-1]], fold=np.array(fold)
        )


def test_more_than_ten_million_scores_are_held_in_single_precision():
    Y = np.zeros((3_400, 3_000), dtype=np.int8)
    Y[::2, :5] = 1
    scores = out_of_fold_scores(PriorClassifier(), np.zeros((len(Y), 1)), Y, n_splits=2)
    assert scores.dtype == np.float32
    assert scores[:, 0].mean() == 0.5


def test_cells_are_scored_by_what_the_other_folds_know():
    Y = np.array([[1, -1], [0, 1], [-1, 0], [1, 0]])
    fold = np.array([0, 0, 1, 1])
    scores = out_of_fold_scores(PriorClassifier(), [[0]] * 4, Y, fold=fold)
    np.testing.assert_array_equal(scores, [[1, 0], [1, 0], [0.5, 1], [0.5, 1]])
