"""PredictiveClusteringForest: means of trees, threads, quality."""

import numpy as np
import pytest
from clustering_cases import assert_equal_trees, grow, make_case
from hypothesis import given, settings, strategies as st
from oracles import clustering_trees as oracle
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from strategies import hierarchies_with_labels

from hilabel.classifiers import PredictiveClusteringForest, PriorClassifier
from hilabel.datasets import make_hierarchical_classification, make_hierarchy
from hilabel.forests import ClusteringTargets
from hilabel.metrics import average_precision
from hilabel.semi_supervised import SSHMCBLI

FORMS = {
    "extra-trees": {"splitter": "random", "bootstrap": False},
    "bagging": {"splitter": "best", "bootstrap": True},
}


@pytest.fixture(scope="module")
def problem():
    hierarchy = make_hierarchy(30, max_depth=4, random_state=0)
    data = make_hierarchical_classification(
        400, 10, hierarchy=hierarchy, random_state=0
    )
    return hierarchy, data.X, np.asarray(data.Y)


@pytest.mark.parametrize("form", FORMS)
def test_the_number_of_threads_changes_no_bit(problem, form):
    hierarchy, X, Y = problem
    one, two = (
        PredictiveClusteringForest(
            hierarchy, n_estimators=6, n_jobs=n_jobs, random_state=0, **FORMS[form]
        ).fit(X, Y)
        for n_jobs in (1, 2)
    )
    assert_equal_trees(one.trees_, two.trees_)
    assert one.predict_proba(X).tobytes() == two.predict_proba(X).tobytes()


def test_a_forest_predicts_the_mean_of_its_trees(problem):
    hierarchy, X, Y = problem
    model = PredictiveClusteringForest(hierarchy, n_estimators=4, random_state=0)
    model.fit(X, Y)
    ((_, codes),) = model.trees_.bins.row_blocks(X[:50])
    expected = oracle.predict(model.trees_, codes)
    np.testing.assert_allclose(model.predict_proba(X[:50]), expected, atol=1e-6)


@settings(max_examples=20)
@given(hierarchies_with_labels(), st.sampled_from(sorted(FORMS)), st.integers(0, 99))
def test_a_child_is_never_above_a_parent(case, form, seed):
    hierarchy, labels = case
    rng = np.random.default_rng(seed)
    model = PredictiveClusteringForest(
        hierarchy, n_estimators=7, min_samples_leaf=1, random_state=seed, **FORMS[form]
    ).fit(rng.normal(size=(len(labels), 2)), labels)
    scores = model.predict_proba(rng.normal(size=(9, 2)))
    for parent, child in hierarchy.edges:
        assert (scores[:, child] <= scores[:, parent]).all()


@pytest.mark.parametrize("form", FORMS)
def test_scores_are_as_good_as_those_of_scikit_learn(problem, form):
    hierarchy, X, Y = problem
    train, test = slice(0, 250), slice(250, None)
    options = {"max_features": 0.5, "min_samples_leaf": 3, "n_estimators": 50}
    ours = PredictiveClusteringForest(
        hierarchy, random_state=0, **options, **FORMS[form]
    ).fit(X[train], Y[train])
    rival = RandomForestRegressor if form == "bagging" else ExtraTreesRegressor
    theirs = rival(random_state=0, **options).fit(X[train], Y[train].astype(float))
    score = average_precision(Y[test], ours.predict_proba(X[test]))
    assert score == pytest.approx(
        average_precision(Y[test], theirs.predict(X[test])), abs=0.02
    )
    prior = PriorClassifier(hierarchy).fit(X[train], Y[train])
    assert score > prior.score(X[test], Y[test]) + 0.05


def test_it_can_be_the_base_of_pseudo_labelling(problem):
    hierarchy, X, Y = problem
    Y = np.where(np.arange(len(Y))[:, None] < 40, Y, -1)
    base = PredictiveClusteringForest(n_estimators=5, random_state=0)
    model = SSHMCBLI(hierarchy, estimator=base).fit(X, Y)
    assert isinstance(model.estimator_, PredictiveClusteringForest)
    assert model.estimator_.hierarchy == hierarchy
    assert base.hierarchy is None
    known = ~(model.transduction_ < 0).all(axis=1)
    alone = PredictiveClusteringForest(hierarchy, n_estimators=5, random_state=0)
    order = np.argsort(model.labeled_iter_[known] > 0, kind="stable")
    alone.fit(X[known][order], model.transduction_[known][order])
    np.testing.assert_array_equal(model.predict_proba(X), alone.predict_proba(X))


def test_nodes_that_the_same_rows_have_are_one_target():
    Y = np.array([[1, 1, 0, 0], [0, 0, 0, 1], [1, 1, 0, 1]], dtype=bool)
    targets = ClusteringTargets.from_labels(Y, np.array([0.1, 0.2, 0.3, 0.4]))
    assert targets.target_of.tolist() == [0, 0, -1, 1]
    np.testing.assert_allclose(targets.label_weights, [0.3, 0.4])
    X, Y, weights = make_case(0)
    twice = grow(X, np.hstack([Y, Y]), np.concatenate([weights, weights]) / 2)
    once = grow(X, Y, weights)
    np.testing.assert_array_equal(twice.predict(X), np.tile(once.predict(X), (1, 2)))


def test_importances_of_a_forest_sum_to_one(problem):
    hierarchy, X, Y = problem
    model = PredictiveClusteringForest(hierarchy, n_estimators=5, random_state=0)
    model.fit(X, Y)
    assert model.feature_importances_.sum() == pytest.approx(1)
    sums = model.node_importances().sum(axis=1)
    np.testing.assert_allclose(sums[Y.any(axis=0) & ~Y.all(axis=0)], 1)


def test_trees_take_little_memory(problem):
    hierarchy, X, Y = problem
    model = PredictiveClusteringForest(hierarchy, n_estimators=5, random_state=0)
    entries = model.fit(X, Y).trees_.leaf_share.size
    assert model.trees_.n_bytes < 8 * entries + 200 * model.trees_.feature.size + 10_000
