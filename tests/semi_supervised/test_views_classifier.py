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
from hilabel.exceptions import LinkError
from hilabel.links import Links
from hilabel.model_selection import score_out_of_fold
from hilabel.persistence import load_model, save_model
from hilabel.semi_supervised import ViewsClassifier
from hilabel.testing import make_problem
from hilabel.views import (
    LinkIds,
    LinkLabels,
    LinkMeans,
    NeighborColumns,
    NeighborhoodMeans,
)


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


# Links ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def linked():
    """Rows in groups of three with the same labels, linked to each other."""
    random = np.random.default_rng(0)
    group = random.permutation(np.repeat(np.arange(40), 3))
    labels = (random.random((40, 4)) < 0.4).astype(np.int8)[group]
    links = (group[:, None] == group) * random.integers(1, 9, (120, 120)).astype(float)
    np.fill_diagonal(links, 0)
    y = labels.copy()
    y[np.flatnonzero(random.random(120) < 0.5)] = -1
    X = random.normal(size=(120, 3))
    return X, y, labels, links


LINKED = {
    "means": [LinkMeans(2)],
    "ids": [LinkIds()],
    "labels": [LinkLabels()],
    "default": None,
    "all": [LinkMeans(), LinkIds(1), LinkLabels(), NeighborhoodMeans(5)],
}
of_links = pytest.mark.parametrize("views", LINKED.values(), ids=LINKED)


def linear(views, **options):
    base = LinearClassifier(C=10.0, random_state=0)
    return ViewsClassifier(estimator=base, views=views, **options)


def quality(model, linked):
    X, y, labels, links = linked
    hidden = (y < 0).any(axis=1)
    return model.score(X[hidden], labels[hidden], links=links[hidden])


def test_votes_and_ids_of_linked_rows_give_their_labels(linked):
    X, y, _, links = linked
    alone = quality(linear([]).fit(X, y, links=links), linked)
    for views in ([LinkIds()], [LinkLabels()]):
        assert quality(linear(views).fit(X, y, links=links), linked) > alone + 0.2


@of_links
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_links_to_rows_passed_to_fit_count_in_that_order(views, form, linked):
    X, y, _, links = linked
    order = np.random.default_rng(1).permutation(len(X))
    local = LogisticRegression(tol=1e-9, max_iter=1_000)
    base = LocalClassifierPerNode(estimator=local, policy="inclusive")
    model = ViewsClassifier(estimator=base, views=views)
    model.fit(form(X), y, links=links)
    found = model.predict_proba(form(X[:9]), links=links[:9])
    model.fit(form(X[order]), y[order], links=links[np.ix_(order, order)])
    again = model.predict_proba(form(X[:9]), links=links[:9][:, order])
    np.testing.assert_allclose(found, again, atol=1e-5)


@of_links
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("labeled_only", [False, True])
def test_models_with_links_survive_a_file(views, form, labeled_only, linked, tmp_path):
    X, y, _, links = linked
    model = linear(views, labeled_only=labeled_only).fit(form(X), y, links=links)
    save_model(model, tmp_path / "model.hilabel")
    again = load_model(tmp_path / "model.hilabel")
    new = form(X[:9] + 0.1)
    found = again.predict_proba(new, links=links[:9])
    np.testing.assert_array_equal(found, model.predict_proba(new, links=links[:9]))


@of_links
def test_the_label_of_a_row_does_not_reach_its_scores_out_of_fold(views, linked):
    X, y, _, links = linked
    planted = y.copy()
    at = np.flatnonzero(y[:, 0] >= 0)[3]
    planted[at] = 1 - y[at]
    scores = []
    for labels in (y, planted):
        model = linear(views)
        data = model.check_training_data(X, LabelMatrix.of(labels))
        fold = np.arange(data.n_labeled) % 4
        data = replace(data.with_links(Links.of(links, len(X))), fold=fold)
        place = int(np.flatnonzero(data.labeled_rows == at)[0])
        found = score_out_of_fold(model, data)
        scores.append(found.scores.read(np.array([place])))
    np.testing.assert_array_equal(*scores)


def test_it_does_not_score_rows_itself_if_a_view_has_seen_their_labels(linked):
    X, y, _, links = linked
    forest = PredictiveClusteringForest(oob_score=True, random_state=0)
    for views, wanted in (([LinkMeans()], True), ([LinkLabels()], False)):
        model = ViewsClassifier(estimator=forest, views=views)
        data = model.check_training_data(X, LabelMatrix.of(y))
        assert model.scores_itself(data.with_links(Links.of(links, 120))) == wanted


@of_links
def test_views_of_labelled_rows_alone_ignore_links_to_others(views, linked):
    X, y, _, links = linked
    known = (y >= 0).all(axis=1)
    model = linear(views, labeled_only=True).fit(X, y, links=links)
    alone = linear(views).fit(X[known], y[known], links=links[np.ix_(known, known)])
    np.testing.assert_array_equal(
        model.predict_proba(X[:9], links=links[:9]),
        alone.predict_proba(X[:9], links=links[:9][:, known]),
    )


@of_links
def test_a_half_of_the_rows_without_links_and_no_links_at_all_are_fine(views, linked):
    X, y, _, links = linked
    some = links.copy()
    some[::2] = 0
    for given in (some, np.zeros_like(links)):
        model = linear(views).fit(X, y, links=given)
        assert np.isfinite(model.predict_proba(X, links=given)).all()
        new = model.predict_proba(X[:3])  # without links of their own
        none = model.predict_proba(X[:3], links=np.zeros((3, 120)))
        np.testing.assert_array_equal(new, none)


def test_rows_with_links_alone_are_described_by_ids(linked):
    _, y, labels, links = linked
    model = linear(None).fit(None, y, links=links)
    assert [type(view) for view in model.views_] == [LinkIds]
    hidden = (y < 0).any(axis=1)
    assert model.score(None, labels[hidden], links=links[hidden]) > 0.7


def test_views_over_links_need_links(linked):
    X, y, _, links = linked
    with pytest.raises(LinkError, match=r"views contains LinkMeans; pass links="):
        linear([LinkMeans()]).fit(X, y)
    with pytest.raises(LinkError, match="Expected no links"):
        linear([]).fit(X, y).predict(X, links=links)


def test_the_classifier_may_use_links_as_well(linked):
    X, y, _, links = linked
    inner = linear([LinkLabels()])
    model = ViewsClassifier(estimator=inner, views=[LinkMeans()])
    model.fit(X, y, links=links)
    assert model.estimator_.uses_links
    found = model.predict_proba(X[:5], links=links[:5])
    both = linear([LinkMeans(), LinkLabels()]).fit(X, y, links=links)
    assert found.shape == both.predict_proba(X[:5], links=links[:5]).shape
    np.testing.assert_array_equal(
        model.predict(X[:5], links=links[:5]), (found >= 0.5).astype(int)
    )
