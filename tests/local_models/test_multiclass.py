"""Many multiclass models: constants, class codes, binary classifiers, seeds."""

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.tree import DecisionTreeClassifier

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
    forest = ForestClassifier(20, criterion="entropy")
    (model,) = fit(forest, ClassExamples(rows, CODES, 4))
    assert isinstance(model.model, OneVsRestClassifier)
    np.testing.assert_array_equal(model.predict_proba(X).argmax(axis=1), CODES)


def test_a_forest_of_hilabel_learns_more_than_two_classes_at_once():
    problem = ClassExamples(np.arange(30), CODES, 5)
    (model,) = fit(ForestClassifier(20), problem)
    scores = model.predict_proba(X)
    np.testing.assert_array_equal(scores.argmax(axis=1), CODES)
    np.testing.assert_allclose(scores.sum(axis=1), 1, rtol=1e-6)
    assert not scores[:, [1, 4]].any()
    (again,) = fit(ForestClassifier(20, n_jobs=2), problem, n_jobs=2)
    np.testing.assert_array_equal(again.predict_proba(X), scores)


def test_a_single_tree_of_several_classes_splits_by_gini_impurity():
    # Few distinct values, so that codes lose nothing; every tree tries all features.
    generator = np.random.default_rng(0)
    rows = generator.integers(8, size=(60, 2)).astype(float)
    codes = generator.integers(4, size=60)
    ours = ForestClassifier(1, bootstrap=False, max_features=None, max_depth=1)
    (model,) = fit_multiclass_models(
        ours, rows, [ClassExamples(np.arange(60), codes, 4)], n_jobs=1, random_state=0
    )
    stump = DecisionTreeClassifier(max_depth=1).fit(rows, codes)
    np.testing.assert_allclose(
        model.predict_proba(rows), stump.predict_proba(rows), rtol=1e-6
    )


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
