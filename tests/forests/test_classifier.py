"""ForestClassifier: scikit-learn's contract, weights, and the same bits always."""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from forest_cases import classification, halves
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from hilabel.forests import ForestClassifier

WEIGHTS_IN_A_BOOTSTRAP = (
    "a row is drawn as often whatever its weight, so that a row of weight 2 is not two "
    "rows; without bootstrap the check passes"
)
PURE_LEAVES = (
    "leaves grow pure here, so that weights hardly matter; scikit-learn's trees are "
    "stopped by min_weight_fraction_leaf. Trees of limited depth pass the check"
)
EXPECTED_FAILURES = {
    True: {
        "check_sample_weight_equivalence_on_dense_data": WEIGHTS_IN_A_BOOTSTRAP,
        "check_sample_weight_equivalence_on_sparse_data": WEIGHTS_IN_A_BOOTSTRAP,
        "check_class_weight_classifiers": PURE_LEAVES,
    },
    False: {},
}


@parametrize_with_checks(
    [ForestClassifier(10), ForestClassifier(10, bootstrap=False, max_depth=1)],
    expected_failed_checks=lambda model: EXPECTED_FAILURES[model.bootstrap],
)
def test_classifier_passes_scikit_learn_checks(estimator, check):
    check(estimator)


# Classes and parameters -------------------------------------------------------------


@pytest.mark.parametrize(
    "classes", [[0, 1], [-1, 1], [False, True], ["no", "yes"], [2.0, 7.0]]
)
def test_classes_of_any_kind(classes):
    X, y = classification()
    labels = np.array(classes)[y]
    model = ForestClassifier(10, random_state=0).fit(X, labels)
    np.testing.assert_array_equal(model.classes_, classes)
    found = model.predict(X)
    assert found.dtype == labels.dtype
    assert (found == labels).mean() > 0.95
    expected = ForestClassifier(10, random_state=0).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(model.predict_proba(X), expected)


def test_probabilities_are_of_both_classes_in_order():
    X, y = classification()
    model = ForestClassifier(10, random_state=0).fit(X, y)
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (400, 2)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-6)
    np.testing.assert_array_equal(probabilities[:, 1], model.forest_.predict(X)[:, 0])
    np.testing.assert_array_equal(model.predict(X), probabilities.argmax(axis=1))


@pytest.mark.parametrize("label", [0, 1, "only"])
def test_one_class_is_always_predicted(label):
    X = np.arange(6.0).reshape(3, 2)
    model = ForestClassifier(3, oob_score=True).fit(X, [label] * 3)
    assert model.classes_.tolist() == [label]
    assert model.predict(X).tolist() == [label] * 3
    assert model.predict_proba(X).tolist() == [[1.0]] * 3
    assert model.feature_importances_.tolist() == [0.0, 0.0]


def test_a_single_row_has_its_class():
    model = ForestClassifier(3).fit([[1.0]], ["a"])
    assert model.predict([[5.0]]).tolist() == ["a"]


def test_more_than_two_classes_are_an_error():
    X = np.arange(6.0).reshape(-1, 1)
    with pytest.raises(ValueError, match="Only binary classification.*got 3"):
        ForestClassifier().fit(X, [0, 1, 2, 0, 1, 2])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_estimators", 0),
        ("splitter", "worst"),
        ("max_depth", 0),
        ("min_samples_leaf", 0),
        ("max_features", "all"),
        ("max_features", 0),
        ("max_features", 1.5),
        ("bootstrap", "yes"),
        ("max_samples", 0),
        ("max_samples", 0.0),
        ("max_samples", 1.5),
        ("class_weight", "even"),
        ("oob_score", 2),
        ("n_jobs", "two"),
    ],
)
def test_parameters_are_validated(name, value):
    model = ForestClassifier(**{name: value})
    with pytest.raises(ValueError, match=f"The '{name}' parameter of ForestClassifier"):
        model.fit([[0.0], [1.0]], [0, 1])


def test_out_of_bag_scores_need_a_bootstrap():
    model = ForestClassifier(oob_score=True, bootstrap=False)
    with pytest.raises(ValueError, match="oob_score=True needs bootstrap=True"):
        model.fit([[0.0], [1.0]], [0, 1])


def test_infinite_values_are_an_error():
    with pytest.raises(ValueError, match="infinity"):
        ForestClassifier().fit([[0.0], [np.inf]], [0, 1])


def test_settings_are_the_parameters():
    model = ForestClassifier(
        7,
        splitter="random",
        max_depth=3,
        min_samples_leaf=2,
        max_features=0.5,
        bootstrap=False,
        max_samples=0.5,
        class_weight="balanced",
    )
    for name, value in vars(model.settings).items():
        assert value == getattr(model, name)
    X, y = classification()
    model.fit(X, y)
    assert model.forest_.n_trees == 7
    assert set(model.forest_.missing.tolist()) <= {0, 1}


# Weights ----------------------------------------------------------------------------


@pytest.mark.parametrize("bootstrap", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_row_of_weight_0_is_absent(form, bootstrap):
    """Also for other rows: values of absent rows make no bins."""
    X, y, X_test, _ = halves(*classification())
    weight = np.random.default_rng(0).integers(0, 2, y.size)
    used = weight > 0
    model = ForestClassifier(
        10, bootstrap=bootstrap, class_weight="balanced", random_state=0
    )
    with_zeros = clone(model).fit(form(X), y, sample_weight=weight)
    without = clone(model).fit(form(X[used]), y[used])
    np.testing.assert_array_equal(
        with_zeros.predict_proba(X_test), without.predict_proba(X_test)
    )
    np.testing.assert_array_equal(
        with_zeros.feature_importances_, without.feature_importances_
    )


def test_out_of_bag_scores_have_a_row_for_each_row():
    X, y = classification()
    weight = np.ones(400)
    weight[::4] = 0
    model = ForestClassifier(50, oob_score=True, random_state=0)
    model.fit(X, y, sample_weight=weight)
    found = model.oob_decision_function_
    assert found.shape == (400, 2)
    assert np.isnan(found[::4]).all()
    used = ~np.isnan(found[:, 1])
    assert used.sum() == 300
    np.testing.assert_allclose(found[used].sum(axis=1), 1, atol=1e-6)
    assert roc_auc_score(y[used], found[used, 1]) > 0.75


def test_negative_weights_are_an_error():
    with pytest.raises(ValueError, match="(?i)negative"):
        ForestClassifier().fit([[0.0], [1.0]], [0, 1], sample_weight=[1, -1])


def test_one_class_left_by_the_weights_is_always_predicted():
    X = np.arange(4.0).reshape(-1, 1)
    model = ForestClassifier(3).fit(X, [0, 0, 1, 1], sample_weight=[0, 0, 1, 1])
    assert model.predict_proba(X).tolist() == [[0.0, 1.0]] * 4
    assert model.feature_importances_.tolist() == [0.0]


@pytest.mark.parametrize(
    ("classes", "weights"),
    [
        ([0, 1], {0: 1.0, 1: 9.0}),
        ([-1, 1], {-1: 1.0, 1: 9.0}),
        ([1, 2], {1: 1.0, 2: 9.0}),
        (["a", "b"], {"a": 1.0, "b": 9.0}),
        (["a", "b"], {"b": 9.0}),
    ],
)
def test_class_weights_are_those_of_the_names(classes, weights):
    X = np.zeros((10, 1))
    y = np.array(classes)[[0] * 9 + [1]]
    model = ForestClassifier(1, bootstrap=False, class_weight=weights).fit(X, y)
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[0.5, 0.5]])


def test_balanced_classes_raise_the_scores_of_the_rare_class():
    X, y = classification(weights=[0.9], flip_y=0.3)
    plain = ForestClassifier(50, max_depth=3, random_state=0).fit(X, y)
    balanced = clone(plain).set_params(class_weight="balanced").fit(X, y)
    assert plain.predict_proba(X)[:, 1].mean() == pytest.approx(y.mean(), abs=0.03)
    assert balanced.predict_proba(X)[:, 1].mean() > 0.35


# The same bits ----------------------------------------------------------------------


def fitted(model, X, y):
    model = clone(model).fit(X, y)
    parts = [model.predict_proba(X), model.feature_importances_]
    if model.oob_score:
        parts.append(model.oob_decision_function_)
    return model, b"".join(part.tobytes() for part in parts)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_results_depend_on_the_seed_alone(form, splitter):
    X, y = classification(n_missing=0.1)
    model = ForestClassifier(
        20, splitter=splitter, oob_score=True, random_state=3, n_jobs=1
    )
    _, expected = fitted(model, form(X), y)
    for n_jobs in (None, 1, 2):
        _, found = fitted(model.set_params(n_jobs=n_jobs), form(X), y)
        assert found == expected
    _, other = fitted(model.set_params(random_state=4), form(X), y)
    assert other != expected


def test_results_do_not_depend_on_the_backend():
    X, y = classification(n_missing=0.1)
    model = ForestClassifier(20, oob_score=True, random_state=3)
    _, expected = fitted(model, X, y)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        _, found = fitted(model, X, y)
    assert found == expected


@pytest.mark.parametrize("step", [1, 7, 399])
def test_predictions_do_not_depend_on_the_rows_beside(step):
    X, y = classification(n_missing=0.1)
    model = ForestClassifier(20, random_state=0).fit(X, y)
    parts = [model.predict_proba(X[i : i + step]) for i in range(0, 400, step)]
    assert np.concatenate(parts).tobytes() == model.predict_proba(X).tobytes()


def test_predictions_are_the_same_after_a_round_trip(tmp_path):
    X, y = classification(n_missing=0.1)
    model = ForestClassifier(20, random_state=0).fit(X, y)
    expected = model.predict_proba(X).tobytes()
    assert pickle.loads(pickle.dumps(model)).predict_proba(X).tobytes() == expected
    joblib.dump(model, tmp_path / "model.joblib", compress=True)
    loaded = joblib.load(tmp_path / "model.joblib")
    assert loaded.predict_proba(X).tobytes() == expected


def test_fitting_again_gives_the_same_model():
    X, y = classification()
    model = ForestClassifier(20, random_state=0).fit(X, y)
    first = model.predict_proba(X)
    np.testing.assert_array_equal(model.fit(X, y).predict_proba(X), first)


def test_rows_in_any_memory_layout_give_the_same_forest():
    X, y = classification()
    expected = ForestClassifier(5, random_state=0).fit(X, y).predict_proba(X)
    for store in (np.asfortranarray, pd.DataFrame, np.ndarray.tolist):
        model = ForestClassifier(5, random_state=0).fit(store(X), y)
        np.testing.assert_array_equal(model.predict_proba(store(X)), expected)
