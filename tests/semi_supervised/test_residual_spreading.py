"""Scores corrected by errors on linked rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from link_cases import data_of
from oracles import links as oracle

from hilabel import Hierarchy
from hilabel._score_matrix import ScoreMatrix
from hilabel.classifiers import LinearClassifier, LinkVotes, PriorClassifier
from hilabel.metrics import average_precision
from hilabel.model_selection import draw_folds, score_out_of_fold
from hilabel.persistence import load_model, save_model
from hilabel.semi_supervised import ResidualSpreading
from hilabel.semi_supervised._residual_spreading import RowErrors

LINEAR = LinearClassifier(C=1.0, random_state=0)


def problem(n_rows=150, seed=0):
    """Return columns that tell one label, and links that tell another."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 3))
    family = random.integers(0, 10, n_rows)
    Y = np.column_stack([X[:, 0] > 0, family < 5]).astype(np.int8)
    A = (family[:, None] == family) & (random.random((n_rows, n_rows)) < 0.3)
    A = np.maximum(A, A.T) * 1.0
    np.fill_diagonal(A, 0)
    return X, Y, A


def test_links_add_what_columns_do_not_tell():
    X, Y, A = problem()
    train, test = slice(0, 100), slice(100, 150)
    model = ResidualSpreading(estimator=LINEAR, random_state=0)
    model.fit(X[train], Y[train], links=A[train, train])
    alone = LINEAR.fit(X[train], Y[train]).predict_proba(X[test])
    found = model.predict_proba(X[test], links=A[test, train])
    per_node = average_precision(Y[test], found, average=None)
    assert per_node.min() > 0.9
    assert average_precision(Y[test], alone, average=None)[1] < 0.75


def test_scores_are_corrected_as_in_the_oracle():
    X, Y, A = problem(60)
    settings = {"alpha": 0.5, "shrinkage": 0.3, "weighting": "raw"}
    model = ResidualSpreading(estimator=LINEAR, random_state=0, **settings)
    model.fit(X, Y, links=A)
    data = data_of(Y, A, draw_folds(Y, None, 0), X=X)
    errors = Y - score_out_of_fold(LINEAR, data).scores.read()
    errors[np.abs(errors) < 0.01] = 0
    shares = oracle.reached(A, A, 0.5)
    mean = shares @ errors / (shares.sum(axis=1, keepdims=True) + 0.3)
    alone = model.estimator_.predict_proba(X)
    expected = np.clip(alone + mean, 0, 1)
    np.testing.assert_allclose(model.predict_proba(X, links=A), expected, atol=2e-3)


def test_links_of_no_use_are_not_used():
    X, Y, A = problem()
    order = np.random.default_rng(1).permutation(len(Y))
    Y[:, 1] = Y[:, 0]
    model = ResidualSpreading(estimator=LINEAR, random_state=0)
    model.fit(X, Y, links=A[np.ix_(order, order)])
    alone = LINEAR.fit(X, Y).predict_proba(X)
    found = model.predict_proba(X, links=A[np.ix_(order, order)])
    assert average_precision(Y, found) > average_precision(Y, alone) - 0.003


def test_without_links_it_is_the_classifier_alone():
    X, Y, A = problem()
    expected = LINEAR.fit(X, Y).predict_proba(X)
    model = ResidualSpreading(estimator=LINEAR, random_state=0)
    for fitted in (model.fit(X, Y), model.fit(X[:5], Y[:5], links=A[:5, :5])):
        assert fitted.graph_ is None
    np.testing.assert_array_equal(model.fit(X, Y).predict_proba(X), expected)
    linked = model.fit(X, Y, links=A)
    np.testing.assert_allclose(linked.predict_proba(X), expected)
    none = linked.predict_proba(X, links=0 * A)
    np.testing.assert_allclose(none, expected, rtol=1e-6)


def test_a_planted_label_does_not_come_back_to_its_row():
    _, Y, A = problem(60)
    A[:, :] = 1 - np.eye(60)
    fold = np.arange(60) % 3
    plain = np.hstack([Y, np.zeros((60, 1), np.int8)])
    planted = plain.copy()
    planted[7, -1] = 1
    model = ResidualSpreading(
        estimator=PriorClassifier(), alpha=0.5, shrinkage=0.1, random_state=0
    )
    one, other = (
        score_out_of_fold(model, data_of(labels, A, fold)).scores.read(fold == fold[7])
        for labels in (plain, planted)
    )
    np.testing.assert_array_equal(one, other)


def test_scores_stay_consistent_probabilities():
    X, Y, A = problem()
    hierarchy = Hierarchy.from_edges([("a", "b")])
    Y[:, 0] = Y.max(axis=1)
    model = ResidualSpreading(hierarchy, estimator=LINEAR, random_state=0)
    scores = model.fit(X, Y, links=A).predict_proba(X, links=A)
    assert ((scores >= 0) & (scores <= 1)).all()
    assert (scores[:, 1] <= scores[:, 0]).all()
    labels = model.predict(X, links=A)
    assert (labels[:, 1] <= labels[:, 0]).all()


def test_its_classifier_may_use_links_too():
    X, Y, A = problem()
    model = ResidualSpreading(estimator=LinkVotes(), random_state=0)
    scores = model.fit(X, Y, links=A).predict_proba(X, links=A)
    alone = LinkVotes().fit(X, Y, links=A).predict_proba(X, links=A)
    np.testing.assert_allclose(model.estimator_.predict_proba(X, links=A), alone)
    assert scores.shape == Y.shape


def test_errors_of_unknown_labels_are_0():
    Y = np.array([[1, -1], [0, 1], [1, 0]])
    data = data_of(Y, np.zeros((3, 3)))
    scores = ScoreMatrix.of(np.array([[0.25, 0.5], [0.005, 0.5], [1.0, 0.5]]))
    found = RowErrors.of(data, scores).values.toarray()
    np.testing.assert_allclose(found, [[0.75, 0], [0, 0.5], [0, -0.5]])


@pytest.mark.parametrize("has_links", [False, True])
def test_a_saved_model_gives_the_same_scores(tmp_path, has_links):
    X, Y, A = problem()
    links = {"links": A} if has_links else {}
    model = ResidualSpreading(estimator=LINEAR, random_state=0).fit(X, Y, **links)
    loaded = load_model(save_model(model, tmp_path / "model.hilabel"))
    np.testing.assert_array_equal(
        loaded.predict_proba(X, **links), model.predict_proba(X, **links)
    )
    assert loaded.is_sound()
    if has_links:
        model.errors_ = RowErrors(sp.csr_array((150, 3), dtype=np.float32))
        assert not model.is_sound()
