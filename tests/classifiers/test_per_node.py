"""LocalClassifierPerNode: consistency, options and what it refuses."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from hilabel.classifiers import LocalClassifierPerNode, less_inclusive
from hilabel.classifiers._calibration import correct_prior
from hilabel.constraints import cap_by_parents
from hilabel.datasets import make_artificial
from hilabel.forests import ForestClassifier


@pytest.fixture(scope="module")
def data():
    return make_artificial()


def fit(data, **parameters):
    parameters.setdefault("estimator", LogisticRegression())
    return LocalClassifierPerNode(data.hierarchy, **parameters).fit(
        data.X_unlabeled, data.Y_unlabeled
    )


def test_no_child_is_more_probable_than_a_parent(data):
    scores = fit(data).predict_proba(data.X_test)
    for node in range(6):
        for parent in data.hierarchy.parents(node):
            assert (scores[:, node] <= scores[:, parent]).all()
    assert data.hierarchy.is_consistent(fit(data).predict(data.X_test).astype(bool))


def test_constraint_none_returns_what_the_constraint_caps(data):
    raw = fit(data, constraint=None).predict_proba(data.X_test)
    capped = fit(data).predict_proba(data.X_test)
    assert (raw > capped).any()
    np.testing.assert_array_equal(cap_by_parents(raw, data.hierarchy), capped)


def test_prior_calibration_corrects_before_the_constraint(data):
    balanced = {"policy": "balanced_bottom_up", "negatives_order": "index"}
    raw = fit(data, **balanced, constraint=None)
    model = fit(data, **balanced, calibration="prior")
    np.testing.assert_allclose(raw.positive_share_, 0.5)
    np.testing.assert_allclose(model.prior_, data.Y_unlabeled.mean(axis=0))
    expected = cap_by_parents(
        correct_prior(
            raw.predict_proba(data.X_test), model.positive_share_, model.prior_
        ),
        data.hierarchy,
    )
    np.testing.assert_allclose(model.predict_proba(data.X_test), expected)


def test_there_is_nothing_to_correct_where_rows_within_parents_are_taken(data):
    plain = fit(data).predict_proba(data.X_test)
    corrected = fit(data, calibration="prior").predict_proba(data.X_test)
    np.testing.assert_array_equal(corrected, plain)


def test_a_function_may_be_the_policy(data):
    named = fit(data, policy="less_inclusive").predict_proba(data.X_test)
    given = fit(data, policy=less_inclusive).predict_proba(data.X_test)
    np.testing.assert_array_equal(named, given)


def test_unlabelled_rows_are_ignored(data):
    Y = data.Y_unlabeled.copy()
    Y[::3] = -1
    known = (Y >= 0).all(axis=1)
    estimator = LocalClassifierPerNode(data.hierarchy, estimator=LogisticRegression())
    with_unknown = estimator.fit(data.X_unlabeled, Y, data.X_labeled)
    scores = with_unknown.predict_proba(data.X_test)
    without = estimator.fit(data.X_unlabeled[known], Y[known])
    np.testing.assert_array_equal(scores, without.predict_proba(data.X_test))


def test_fit_twice_gives_the_same(data):
    model = fit(data, estimator=RandomForestClassifier(5), random_state=0)
    first = model.predict_proba(data.X_test)
    model.fit(data.X_unlabeled, data.Y_unlabeled)
    np.testing.assert_array_equal(model.predict_proba(data.X_test), first)


def test_sparse_rows_are_classified_as_dense_ones(data):
    local = KNeighborsClassifier(3)
    dense = fit(data, estimator=local).predict_proba(data.X_test)
    sparse = LocalClassifierPerNode(data.hierarchy, estimator=local).fit(
        sp.csr_array(data.X_unlabeled), data.Y_unlabeled
    )
    np.testing.assert_array_equal(
        sparse.predict_proba(sp.csr_array(data.X_test)), dense
    )


def test_frames_come_back_with_node_names_and_the_index_of_x(data):
    frame = pd.DataFrame(data.X_test, index=[f"r{i}" for i in range(300)])
    model = fit(data)
    plain = model.predict_proba(data.X_test)
    scores = model.set_output(transform="pandas").predict_proba(frame)
    assert scores.columns.tolist() == list(data.hierarchy.names)
    assert scores.index.tolist() == frame.index.tolist()
    np.testing.assert_array_equal(scores.to_numpy(), plain)


def test_missing_values_are_refused_by_a_local_classifier_that_cannot_take_them(data):
    X = data.X_unlabeled.copy()
    X[[3, 5], 0] = np.nan
    model = LocalClassifierPerNode(data.hierarchy, estimator=LogisticRegression())
    match = r"2 missing values .* LogisticRegression, does not .*SimpleImputer"
    with pytest.raises(ValueError, match=match):
        model.fit(X, data.Y_unlabeled)
    make_pipeline(SimpleImputer(), model).fit(X, data.Y_unlabeled)


def test_missing_values_are_passed_on_to_a_local_classifier_that_can_take_them(data):
    X = data.X_unlabeled.copy()
    X[[3, 5], 0] = np.nan
    model = LocalClassifierPerNode(
        data.hierarchy, estimator=RandomForestClassifier(3), random_state=0
    ).fit(X, data.Y_unlabeled)
    assert np.isfinite(model.predict_proba(X)).all()


def test_score_is_the_micro_average_precision(data):
    from sklearn.metrics import average_precision_score

    model = fit(data)
    expected = average_precision_score(
        data.Y_test, model.predict_proba(data.X_test), average="micro"
    )
    assert model.score(data.X_test, data.Y_test) == pytest.approx(expected)


@pytest.mark.parametrize(
    "estimator",
    [ForestClassifier(5), DecisionTreeClassifier(max_depth=3, random_state=0)],
    ids=lambda estimator: type(estimator).__name__,
)
@pytest.mark.parametrize("calibration", [None, "prior"])
def test_weights_reach_the_local_classifiers(estimator, calibration, data):
    X, Y = data.X_labeled, data.Y_labeled
    weights = np.where(np.arange(len(X)) % 3, 1.0, 0.0)
    model = LocalClassifierPerNode(
        data.hierarchy,
        estimator=estimator,
        policy="less_inclusive",
        calibration=calibration,
        random_state=0,
    )

    def scores(*args, **options):
        return model.fit(*args, **options).predict_proba(data.X_test)

    plain = scores(X, Y)
    kept = weights > 0
    np.testing.assert_array_equal(scores(X, Y, sample_weight=np.ones(len(X))), plain)
    np.testing.assert_array_equal(
        scores(X, Y, sample_weight=weights), scores(X[kept], Y[kept])
    )
    assert (scores(X, Y, sample_weight=weights + 0.1) != plain).any()


def test_weights_that_the_local_classifier_cannot_use_are_refused():
    model = LocalClassifierPerNode(estimator=KNeighborsClassifier(1))
    with pytest.raises(ValueError, match="LocalClassifierPerNode cannot .* KNeighbors"):
        model.fit([[0.0], [1.0]], [[0], [1]], sample_weight=[1, 2])
