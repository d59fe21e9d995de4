"""Trees that learn how far to trust the links of a row."""

import numpy as np
import pytest
import scipy.sparse as sp
from link_cases import data_of
from numpy.testing import assert_allclose, assert_array_equal

from hilabel import Hierarchy
from hilabel.classifiers import LinearClassifier, LinkVotes, PriorClassifier
from hilabel.metrics import average_precision
from hilabel.model_selection import draw_folds, score_out_of_fold
from hilabel.persistence import load_model, save_model
from hilabel.semi_supervised import (
    LinkCombiner,
    LinkSpreading,
    ViewsClassifier,
    _link_combiner as module,
)
from hilabel.semi_supervised._link_inputs import N_INPUTS, LinkInputs
from hilabel.views import LinkIds

LINEAR = LinearClassifier(C=1.0, random_state=0)
HIERARCHY = Hierarchy.from_edges([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])


def problem(n_rows=400, seed=0, share_alone=0.2):
    """Return rows of families whose strong links tell labels; weak links do not."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 3))
    family = random.integers(0, n_rows // 8, n_rows)
    of_family = random.random((family.max() + 1, 4)) < [0.6, 0.5, 0.5, 0.3]
    Y = of_family[family].astype(np.int8)
    Y[:, 1] = X[:, 0] > 0
    near = (family[:, None] == family) & (random.random((n_rows, n_rows)) < 0.3)
    far = random.random((n_rows, n_rows)) < 0.01
    A = np.where(near, random.uniform(3, 9, near.shape), 0) + far
    A[random.random(n_rows) < share_alone] = 0
    A = np.minimum(A, A.T)
    np.fill_diagonal(A, 0)
    for parent, child in HIERARCHY.edges[::-1]:
        Y[:, parent] |= Y[:, child]
    for parent, child in HIERARCHY.edges[::-1]:
        Y[:, parent] |= Y[:, child]
    return X, Y, A


def combiner(**settings):
    given = {"estimator": LINEAR, "n_trees": 30, "random_state": 0} | settings
    return LinkCombiner(HIERARCHY, **given)


def linked_inputs(data):
    votes = LinkVotes(data.hierarchy).fit_checked(data)
    return LinkInputs(votes, LinkSpreading(data.hierarchy).fit_checked(data))


def test_it_ranks_better_than_any_of_its_parts():
    X, Y, A = problem(800)
    train, test = slice(0, 500), slice(500, 800)
    model = combiner(n_trees=100)
    model.fit(X[train], Y[train], X[test], links=A)
    links = A[test]
    found = average_precision(Y[test], model.predict_proba(X[test], links=links))
    parts = [
        model.votes_.predict_proba(X[test], links=links),
        model.spreading_.predict_proba(X[test], links=links),
        model.estimator_.predict_proba(X[test]),
    ]
    assert model.trees_ is not None
    assert found > max(average_precision(Y[test], one) for one in parts) + 0.01


def test_a_label_reaches_no_input_of_its_own_row():
    X, Y, A = problem(160)
    data = data_of(Y, A, hierarchy=HIERARCHY, X=X)
    row, planted = int((A > 0).sum(axis=1).argmax()), Y.copy()
    planted[row] = 1 - planted[row].max()
    other = data_of(planted, A, hierarchy=HIERARCHY, X=X)
    inputs, columns = linked_inputs(data), np.full((1, 1, 4), 0.5, np.float32)
    found = inputs.of_labeled(data, np.array([row]), columns)
    # The same settings and frequencies, but with other labels of the row.
    inputs.votes._labels = inputs.spreading._labels = type(inputs.votes._labels)(
        other.Y, inputs.votes._labels.prior
    )
    again = inputs.of_labeled(other, np.array([row]), columns)
    rows, nodes = np.repeat(0, 4), np.arange(4)
    assert (Y[row] != planted[row]).any()
    assert_array_equal(found.of_cells(rows, nodes), again.of_cells(rows, nodes))


def test_labelled_rows_have_the_inputs_of_new_rows_but_for_their_own_label():
    X, Y, A = problem(80)
    row = int((A > 0).sum(axis=1).argmax())
    data = data_of(Y, A, hierarchy=HIERARCHY, X=X)
    inputs, columns = linked_inputs(data), np.full((1, 1, 4), 0.5, np.float32)
    found = inputs.of_labeled(data, np.array([row]), columns)
    # As a new row, it is linked to all others; its own row has no links.
    without = A.copy()
    without[row] = without[:, row] = 0
    hidden = data_of(Y, without, hierarchy=HIERARCHY, X=X)
    new = linked_inputs(hidden)
    for fitted, of in ((new.votes, inputs.votes), (new.spreading, inputs.spreading)):
        fitted.link_weights_, fitted.prior_weight_ = of.link_weights_, of.prior_weight_
    again = new.of_new(data.links[[row]], columns)
    assert_allclose(found.votes, again.votes, rtol=1e-6)
    assert_allclose(found.strongest, again.strongest, rtol=1e-6)
    linked = [0, 2, 3, 4, 5]  # spreading also knows how many links its targets have
    assert_allclose(found.of_row[:, linked], again.of_row[:, linked], rtol=1e-6)
    assert found.of_cells(np.zeros(1, int), np.zeros(1, int)).shape == (1, N_INPUTS + 1)


def test_a_planted_label_does_not_come_back_to_its_row():
    X, Y, A = problem(120)
    data = data_of(Y, A, draw_folds(data_of(Y, A).Y, 3, 0), X=X)
    planted = Y.copy()
    planted[7] = 1
    other = data_of(planted, A, data.fold, X=X)
    fold = data.fold == data.fold[7]
    model = LinkCombiner(estimator=LINEAR, n_trees=10, random_state=0)
    one, two = (
        score_out_of_fold(model, rows).scores.read(fold) for rows in (data, other)
    )
    assert_array_equal(one, two)


def test_scores_stay_consistent_probabilities():
    X, Y, A = problem()
    model = combiner().fit(X, Y, links=A)
    for links in (A, 0 * A, np.ones_like(A) - np.eye(len(A))):
        scores = model.predict_proba(X, links=links)
        assert ((scores >= 0) & (scores <= 1)).all()
        for parent, child in HIERARCHY.edges:
            assert (scores[:, child] <= scores[:, parent]).all()
        labels = model.predict(X, links=links)
        assert_array_equal(labels, HIERARCHY.close(labels.astype(bool)))


@pytest.mark.parametrize("share_alone", [0.0, 0.2])
def test_rows_without_links_are_ranked_by_the_columns(share_alone):
    X, Y, A = problem(800, share_alone=share_alone)
    train, test = slice(0, 500), slice(500, 800)
    model = combiner(n_trees=100).fit(X[train], Y[train], X[test], links=A)
    alone = average_precision(Y[test], model.estimator_.predict_proba(X[test]))
    found = model.predict_proba(X[test], links=0 * A[test])
    assert_array_equal(model.predict_proba(X[test]), found)
    assert average_precision(Y[test], found) > alone - 0.01


def test_without_links_it_is_the_classifier_alone():
    X, Y, A = problem()
    model = combiner().fit(X, Y)
    assert model.votes_ is None
    alone = combiner().fit(X, Y, links=A).estimator_.predict_proba(X)
    assert_allclose(model.predict_proba(X), alone, rtol=1e-6)


def test_rows_may_have_links_alone():
    _, Y, A = problem()
    model = combiner().fit(None, Y, links=A)
    assert isinstance(model.estimator_, PriorClassifier)
    scores = model.predict_proba(links=A)
    assert average_precision(Y, scores) > average_precision(
        Y, np.tile(Y.mean(axis=0), (len(Y), 1))
    )


def test_the_classifier_may_use_links_too():
    X, Y, A = problem()
    views = ViewsClassifier(estimator=LINEAR, views=[LinkIds()])
    model = combiner(estimator=views).fit(X, Y, links=A)
    assert np.isfinite(model.predict_proba(X, links=A)).all()
    links_alone = combiner(estimator=views).fit(None, Y, links=A)
    assert isinstance(links_alone.estimator_, ViewsClassifier)


def test_more_classifiers_give_more_inputs(tmp_path):
    X, Y, A = problem(600)
    train, test = slice(0, 400), slice(400, 600)
    plain = combiner(estimator=PriorClassifier()).fit(X[train], Y[train], X[test], A)
    both = combiner(estimator=PriorClassifier(), others=[LINEAR])
    both.fit(X[train], Y[train], X[test], A)
    one, two = (
        average_precision(Y[test], model.predict_proba(X[test], links=A[test]))
        for model in (plain, both)
    )
    assert two > one + 0.05
    assert both.trees_.n_features == plain.trees_.n_features + 1
    loaded = load_model(save_model(both, tmp_path / "model.hilabel"))
    assert_array_equal(loaded.predict_proba(X), both.predict_proba(X))
    both.others_ = []
    assert not both.is_sound()


def test_with_few_rows_or_cells_nothing_is_learned():
    X, Y, A = problem()
    few = combiner().fit(X[:9], Y[:9], links=A[:9, :9])
    assert few.votes_ is None
    model = combiner(max_cells=10).fit(X, Y, links=A)
    assert model.trees_ is None
    parts = [
        model.votes_.predict_proba(X, links=A),
        model.spreading_.predict_proba(X, links=A),
        model.estimator_.predict_proba(X),
    ]
    reached = A.sum(axis=1) > 0
    found = model.predict_proba(X, links=A)
    assert_allclose(found[~reached], parts[2][~reached], rtol=1e-6)
    assert_allclose(found[reached], np.mean(parts, axis=0)[reached], atol=1e-5)


def test_the_order_of_rows_does_not_matter():
    _, Y, A = problem()
    order = np.random.default_rng(0).permutation(len(Y))
    one = combiner().fit(None, Y, links=A)
    other = combiner().fit(None, Y[order], links=A[np.ix_(order, order)])
    assert_allclose(
        other.predict_proba(links=A[:, order]), one.predict_proba(links=A), atol=1e-3
    )


def test_scores_do_not_depend_on_threads_or_blocks(monkeypatch):
    X, Y, A = problem()
    settings = {"max_cells": 700}  # fewer than there are
    expected = combiner(**settings).fit(X, Y, links=A).predict_proba(X, links=A)
    threads = combiner(n_jobs=2, **settings).fit(X, Y, links=A)
    assert_array_equal(threads.predict_proba(X, links=A), expected)
    monkeypatch.setattr(module, "_ROWS_AT_ONCE", 7)
    monkeypatch.setattr(module, "_CELLS_AT_ONCE", 40)
    blocks = combiner(**settings).fit(X, Y, links=A)
    assert_allclose(blocks.predict_proba(X, links=A), expected, atol=1e-6)


def test_unknown_labels_are_not_learned_from():
    X, Y, A = problem()
    hidden = Y.astype(float)
    hidden[::2, 3] = np.nan
    model = combiner().fit(X, hidden, links=A)
    scores = model.predict_proba(X, links=A)
    assert np.isfinite(scores).all()
    assert average_precision(Y[::2, 3:], scores[::2, 3:]) > Y[::2, 3].mean()


def test_links_may_be_sparse_and_rows_too():
    X, Y, A = problem()
    dense = combiner().fit(X, Y, links=A).predict_proba(X, links=A)
    links = sp.csr_array(A)
    found = combiner().fit(X, Y, links=links)
    assert_array_equal(found.predict_proba(X, links=links), dense)
    scores = combiner().fit(sp.csr_array(X), Y, links=links)
    assert scores.predict_proba(sp.csr_array(X), links=links).shape == Y.shape


@pytest.mark.parametrize("has_links", [False, True])
def test_a_saved_model_gives_the_same_scores(tmp_path, has_links):
    X, Y, A = problem()
    links = {"links": A} if has_links else {}
    model = combiner().fit(X, Y, **links)
    loaded = load_model(save_model(model, tmp_path / "model.hilabel"))
    assert_array_equal(
        loaded.predict_proba(X, **links), model.predict_proba(X, **links)
    )
    assert loaded.is_sound()
    model.spreading_ = LinkSpreading().fit(None, Y[:20], links=A[:20, :20])
    assert not model.is_sound()
