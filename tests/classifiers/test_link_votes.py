"""Votes of linked rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from link_cases import capped, data_of
from oracles import links as oracle
from strategies import linked_tables

from hilabel.classifiers import LinkVotes, PriorClassifier
from hilabel.exceptions import LinkError, ParameterError
from hilabel.metrics import average_precision
from hilabel.model_selection import draw_folds, score_out_of_fold
from hilabel.persistence import load_model, save_model


def families(n_rows=60, n_nodes=6, seed=0):
    """Return labels of families of rows, and links within them."""
    random = np.random.default_rng(seed)
    family = random.integers(0, n_nodes, n_rows)
    A = (family[:, None] == family) * random.integers(1, 5, (n_rows, n_rows))
    A = np.where(random.random(A.shape) < 0.4, A, 0).astype(float)
    np.fill_diagonal(A, 0)
    return np.eye(n_nodes, dtype=np.int8)[family], A


@settings(max_examples=25)
@given(table=linked_tables(partial=True), weight=st.sampled_from([0.1, 2.0]))
@pytest.mark.parametrize("weighting", ["raw", "log", "square"])
def test_scores_are_those_of_the_oracle(weighting, table, weight):
    hierarchy, Y, A = table
    model = LinkVotes(hierarchy, prior_weight=weight, weighting=weighting)
    model.fit(None, Y, links=A)
    labeled = (Y >= 0).any(axis=1)
    scaled = A / (np.median(A[A > 0]) if A.any() else 1)
    change = {"raw": lambda w: w, "log": lambda w: np.log2(1 + w), "square": np.square}
    prior = PriorClassifier(hierarchy).fit(np.zeros((len(Y), 1)), Y).prior_
    votes = oracle.votes(
        change[weighting](scaled)[:, labeled], Y[labeled], prior, weight
    )
    np.testing.assert_allclose(
        model.predict_proba(links=A), capped(votes, hierarchy), atol=1e-5
    )


@settings(max_examples=25)
@given(table=linked_tables(partial=True))
def test_no_score_exceeds_a_parent_and_all_are_probabilities(table):
    hierarchy, Y, A = table
    scores = LinkVotes(hierarchy).fit(None, Y, links=A).predict_proba(links=A)
    assert ((scores >= 0) & (scores <= 1)).all()
    for parent, child in hierarchy.edges:
        assert (scores[:, child] <= scores[:, parent]).all()


@settings(max_examples=25)
@given(table=linked_tables(), data=st.data())
def test_the_order_of_rows_is_irrelevant(table, data):
    hierarchy, Y, A = table
    order = np.array(data.draw(st.permutations(range(len(Y)))))
    one = LinkVotes(hierarchy).fit(None, Y, links=A)
    other = LinkVotes(hierarchy).fit(None, Y[order], links=A[np.ix_(order, order)])
    np.testing.assert_allclose(
        other.predict_proba(links=A[:, order]), one.predict_proba(links=A), atol=1e-6
    )


def test_rows_without_links_get_the_label_frequencies():
    Y, A = families()
    model = LinkVotes().fit(None, Y, links=A)
    none = model.predict_proba(links=np.zeros((2, len(Y))))
    np.testing.assert_allclose(none, np.tile(Y.mean(axis=0), (2, 1)), rtol=1e-6)
    np.testing.assert_array_equal(model.predict_proba(np.zeros((2, 1))), none)


def test_without_any_links_it_is_the_constant_predictor():
    Y, A = families()
    X = np.zeros((len(Y), 1))
    for model in (LinkVotes().fit(X, Y), LinkVotes().fit(X, Y, links=0 * A)):
        expected = PriorClassifier().fit(X, Y).predict_proba(X)
        np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-6)
    with pytest.raises(LinkError, match="fitted without"):
        LinkVotes().fit(X, Y).predict_proba(links=A)


def test_votes_recover_families():
    Y, A = families()
    Y, hidden = Y.copy(), Y[40:].copy()
    Y[40:] = -1
    model = LinkVotes().fit(None, Y, links=A)
    assert average_precision(hidden, model.predict_proba(links=A[40:])) > 0.95


def test_unlabelled_rows_change_nothing():
    Y, A = families()
    partly = Y.copy()
    partly[40:] = -1
    alone = LinkVotes().fit(None, Y[:40], links=A[:40, :40])
    among = LinkVotes().fit(None, partly, links=A)
    assert among.prior_weight_ == alone.prior_weight_
    np.testing.assert_allclose(
        LinkVotes(weighting="raw", prior_weight=1)
        .fit(None, partly, links=(A > 0).astype(float))
        .predict_proba(links=A > 0),
        LinkVotes(weighting="raw", prior_weight=1)
        .fit(None, Y[:40], links=(A > 0).astype(float)[:40, :40])
        .predict_proba(links=A[:, :40] > 0),
    )


# Settings -----------------------------------------------------------------------------


def test_the_best_settings_are_chosen_on_the_labelled_rows():
    Y, A = families()
    model = LinkVotes().fit(None, Y, links=A)
    tried = {
        (weighting, weight): LinkVotes(weighting=weighting, prior_weight=weight)
        for weighting in ("raw", "log", "square")
        for weight in (0.03, 0.1, 0.3, 1.0, 3.0)
    }
    quality = {}
    for key, one in tried.items():
        data = data_of(Y, A, fold=np.arange(len(Y)))
        quality[key] = average_precision(Y, one.fit_scoring(data).read())
    chosen = model.link_weights_.transform, model.prior_weight_
    assert quality[chosen] == pytest.approx(max(quality.values()))


def test_a_kind_of_links_at_random_is_given_no_weight():
    Y, A = families(n_rows=100)
    noise = np.random.default_rng(1).random(A.shape)
    np.fill_diagonal(noise, 0)
    model = LinkVotes().fit(None, Y, links={"hits": A, "noise": noise})
    importance = model.link_weights_.importance
    assert importance["noise"] == 0 < importance["hits"]


def test_kind_weights_are_used_as_given():
    Y, A = families()
    given_weights = {"hits": 1, "others": 0}
    model = LinkVotes(kind_weights=given_weights, prior_weight=1, weighting="raw")
    both = model.fit(None, Y, links={"hits": A, "others": A.T})
    scores = both.predict_proba(links={"hits": A, "others": A.T})
    alone = LinkVotes(prior_weight=1, weighting="raw").fit(None, Y, links=A)
    np.testing.assert_allclose(scores, alone.predict_proba(links=A))


@pytest.mark.parametrize("weights", [{}, {"hits": 1}, {"links": 0}, {"links": -1}])
def test_kind_weights_of_other_kinds_or_signs_are_refused(weights):
    Y, A = families()
    with pytest.raises(ParameterError, match="kind_weights"):
        LinkVotes(kind_weights=weights).fit(None, Y, links=A)


# Honesty ------------------------------------------------------------------------------


@pytest.mark.parametrize("n_folds", [2, 5, 60])
def test_a_label_planted_in_a_row_does_not_reach_its_fold(n_folds):
    Y, A = families()
    A[:, :] = 1 - np.eye(len(A))  # all rows are linked
    planted = np.hstack([Y, np.zeros((len(Y), 1), np.int8)])
    planted[7, -1] = 1
    fold = np.arange(len(Y)) % n_folds
    scores = LinkVotes().fit_scoring(data_of(planted, A, fold)).read()
    assert (scores[fold == fold[7], -1] == 0).all()
    assert (scores[fold != fold[7], -1] > 0).all()


def test_scores_out_of_fold_are_those_of_models_without_the_fold():
    Y, A = families()
    model = LinkVotes(weighting="raw", prior_weight=0.3, kind_weights={"links": 1})
    A = (A > 0).astype(float)  # so that the median is that of any part
    fold = draw_folds(Y, 4)
    itself = score_out_of_fold(model, data_of(Y, A, fold))
    for number in range(4):
        rows, others = fold == number, fold != number
        one = LinkVotes(weighting="raw", prior_weight=0.3)
        one.fit(None, Y[others], links=A[np.ix_(others, others)])
        expected = one.predict_proba(links=A[np.ix_(rows, others)])
        np.testing.assert_allclose(itself.scores.read(rows), expected, atol=1e-6)


# Other --------------------------------------------------------------------------------


def test_a_star_with_ten_thousand_links():
    n_rows = 10_001
    Y = np.zeros((n_rows, 2), np.int8)
    Y[::2, 0], Y[1::2, 1] = 1, 1
    spokes = np.arange(1, n_rows)
    cells = np.ones(spokes.size), (spokes, np.zeros_like(spokes))
    star = sp.csr_array(sp.coo_array(cells, shape=(n_rows, n_rows)))
    model = LinkVotes(prior_weight=0.1).fit(None, Y, links=star + star.T)
    hub = sp.csr_array((np.ones(spokes.size), (0 * spokes, spokes)), shape=(1, n_rows))
    np.testing.assert_allclose(model.predict_proba(links=hub), [[0.5, 0.5]], rtol=1e-3)


def test_voters_are_numbered_as_in_fit():
    Y = np.array([[-1], [1], [-1], [0]])
    A = np.ones((4, 4))
    model = LinkVotes(prior_weight=1, weighting="raw").fit(None, Y, links=A)
    found = model.voters([[0.0, 2, 3, 4]])
    np.testing.assert_allclose(found.toarray(), [[0, 2, 0, 4]])


def test_a_saved_model_gives_the_same_scores(tmp_path):
    Y, A = families()
    for links in (A, {"hits": A, "others": A.T}):
        model = LinkVotes().fit(None, Y, links=links)
        loaded = load_model(save_model(model, tmp_path / "model.hilabel"))
        np.testing.assert_array_equal(
            loaded.predict_proba(links=links), model.predict_proba(links=links)
        )


def test_a_model_whose_parts_do_not_match_is_not_sound():
    Y, A = families()
    model = LinkVotes().fit(None, Y, links=A)
    assert model.is_sound()
    model.link_weights_ = None
    assert not model.is_sound()
