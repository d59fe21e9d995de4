"""A classifier on rows and views of them."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression

from hilabel._label_matrix import LabelMatrix
from hilabel.classifiers import (
    LinearClassifier,
    LocalClassifierPerNode,
    PredictiveClusteringForest,
)
from hilabel.semi_supervised import ViewsClassifier
from hilabel.testing import make_problem
from hilabel.views import NeighborColumns, NeighborhoodMeans


@pytest.fixture(scope="module")
def problem():
    return make_problem("T", "MPL", "PD")


def fitted(problem, estimator, views=None):
    model = ViewsClassifier(problem.hierarchy, estimator=estimator, views=views)
    return model.fit(problem.X, problem.Y, problem.X_unlabeled)


def test_views_of_labelled_rows_alone_do_not_depend_on_unlabelled_rows(problem):
    views = [NeighborColumns(5)]
    model = ViewsClassifier(
        problem.hierarchy,
        estimator=LinearClassifier(C=1.0, random_state=0),
        views=views,
        labeled_only=True,
    )
    model.fit(problem.X, problem.Y, problem.X_unlabeled)
    found = model.predict_proba(problem.X_test)
    assert not model.learns_from_unlabeled
    np.testing.assert_array_equal(
        found, model.fit(problem.X, problem.Y).predict_proba(problem.X_test)
    )
    model.set_params(labeled_only=False)
    model.fit(problem.X, problem.Y, problem.X_unlabeled)
    assert (model.predict_proba(problem.X_test) != found).any()


def test_it_is_the_classifier_on_columns_of_views_fitted_on_all_rows(problem):
    model = fitted(problem, LinearClassifier(random_state=0))
    rows = np.vstack([problem.X, problem.X_unlabeled])
    wide, new = [rows], [problem.X_test]
    for metric in ("euclidean", "correlation"):
        view = NeighborhoodMeans(
            25, metric=metric, include_self=False, local_scaling=True
        )
        wide.append(view.fit_transform(rows))
        new.append(view.transform(problem.X_test))
    labeled = np.hstack(wide)[: problem.n_samples]
    alone = LinearClassifier(problem.hierarchy, random_state=0).fit(labeled, problem.Y)
    expected = alone.predict_proba(np.hstack(new))
    np.testing.assert_array_equal(model.predict_proba(problem.X_test), expected)
    np.testing.assert_array_equal(
        model.predict(problem.X_test), alone.predict(np.hstack(new))
    )


def test_views_are_copied_and_may_be_of_scikit_learn(problem):
    view = PCA(n_components=2, random_state=0)
    model = fitted(problem, LinearClassifier(random_state=0), [view])
    assert not hasattr(view, "components_")
    n_rows = problem.n_samples + len(problem.X_unlabeled)
    assert model.views_[0].n_samples_ == n_rows
    assert model.estimator_.n_features_in_ == problem.X.shape[1] + 2


def test_without_views_it_is_the_classifier_alone(problem):
    model = fitted(problem, LinearClassifier(random_state=0), [])
    alone = LinearClassifier(problem.hierarchy, random_state=0).fit(
        problem.X, problem.Y
    )
    np.testing.assert_array_equal(
        model.predict_proba(problem.X_test), alone.predict_proba(problem.X_test)
    )


def test_a_local_classifier_is_trained_for_each_node(problem):
    model = fitted(problem, LogisticRegression())
    assert isinstance(model.estimator_, LocalClassifierPerNode)


def test_it_scores_rows_itself_if_its_classifier_does(problem):
    rows = np.vstack([problem.X, problem.X_unlabeled])
    labels = np.vstack([problem.Y, np.full((len(problem.X_unlabeled), 8), -1)])
    for oob_score in (True, False):
        forest = PredictiveClusteringForest(oob_score=oob_score, random_state=0)
        model = ViewsClassifier(problem.hierarchy, estimator=forest)
        data = model.check_training_data(rows, LabelMatrix.of(labels))
        assert model.scores_itself(data) == oob_score
    model = ViewsClassifier(
        problem.hierarchy, estimator=forest.set_params(oob_score=True)
    )
    scores = model.fit_scoring(data)
    wide = replace(data, X_labeled=model.widened(data.X_labeled))
    assert scores.shape == problem.Y.shape
    assert model.estimator_.n_features_in_ == wide.X_labeled.shape[1]


def test_sparse_rows_stay_sparse(problem):
    rows, more = sp.csr_array(problem.X), sp.csr_array(problem.X_unlabeled)
    model = ViewsClassifier(
        problem.hierarchy, estimator=LinearClassifier(random_state=0)
    )
    model.fit(rows, problem.Y, more)
    assert sp.issparse(model.widened(rows))
    assert model.predict_proba(sp.csr_array(problem.X_test)).shape[0] > 0
