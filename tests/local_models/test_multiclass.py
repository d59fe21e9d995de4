"""Many multiclass models: constants, class codes, binary classifiers, seeds."""

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier

from hilabel.forests import ForestClassifier
from hilabel.local_models._multiclass import (
    ClassExamples,
    ConstantClass,
    fit_multiclass_models,
)

X = np.repeat([0.0, 5.0, 9.0], 10)[:, None]
CODES = np.repeat([0, 2, 3], 10)


def fit(estimator, *problems, n_jobs=None):
    return fit_multiclass_models(estimator, X, problems, n_jobs=n_jobs, random_state=0)


def test_classes_that_do_not_occur_get_probability_zero():
    rows = np.arange(5, 30)
    (model,) = fit(DummyClassifier(), ClassExamples(rows, CODES[rows], 5))
    np.testing.assert_allclose(model.predict_proba(X[:1]), [[0.2, 0, 0.4, 0.4, 0]])


def test_one_class_is_a_constant_and_no_row_says_nothing():
    one, none = fit(
        DummyClassifier(),
        ClassExamples(np.arange(10), CODES[:10] + 1, 3),
        ClassExamples(np.arange(0), CODES[:0], 2),
    )
    assert (one.model, none.model) == (ConstantClass(1), ConstantClass(None))
    assert one.predict_proba(X[:2]).tolist() == [[0, 1, 0]] * 2
    assert none.predict_proba(X[:2]).tolist() == [[0, 0]] * 2


def test_a_classifier_of_two_classes_learns_more_of_them_one_against_the_rest():
    rows = np.arange(30)
    (model,) = fit(ForestClassifier(20), ClassExamples(rows, CODES, 4))
    np.testing.assert_array_equal(model.predict_proba(X).argmax(axis=1), CODES)


def test_no_rows_are_predicted_as_no_rows():
    (model,) = fit(DummyClassifier(), ClassExamples(np.arange(30), CODES, 4))
    assert model.predict_proba(X[:0]).shape == (0, 4)


def test_models_have_seeds_of_their_own_whatever_the_number_of_jobs():
    problem = ClassExamples(np.arange(30), CODES, 4)
    forest = RandomForestClassifier(3)
    first, second = fit(forest, problem, problem, n_jobs=1)
    again, _ = fit(forest, problem, problem, n_jobs=2)
    assert first.model.random_state == again.model.random_state
    assert first.model.random_state != second.model.random_state
