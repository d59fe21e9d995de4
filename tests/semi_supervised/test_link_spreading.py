"""Spreading of labels along links."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from link_cases import capped, data_of
from oracles import links as oracle
from strategies import linked_tables

from hilabel.classifiers import LinkVotes, PriorClassifier
from hilabel.metrics import average_precision
from hilabel.model_selection import draw_folds, score_out_of_fold
from hilabel.persistence import load_model, save_model
from hilabel.semi_supervised import LinkSpreading

FIXED = {"alpha": 0.75, "prior_weight": 0.1, "weighting": "raw"}


def chains(n_chains=12, length=5):
    """Return labels of the first rows of chains, all labels, and the links."""
    kind = np.repeat(np.arange(n_chains) % 3, length)
    all_labels = np.eye(3, dtype=np.int8)[kind]
    Y = all_labels.copy()
    Y[np.arange(kind.size) % length != 0] = -1
    A = np.diag((np.arange(kind.size - 1) % length != length - 1).astype(float), 1)
    return Y, all_labels, A + A.T


@settings(max_examples=50)
@given(table=linked_tables(partial=True), alpha=st.sampled_from([0.3, 0.9]))
def test_scores_are_those_of_dense_spreading(table, alpha):
    hierarchy, Y, A = table
    model = LinkSpreading(hierarchy, **(FIXED | {"alpha": alpha})).fit(None, Y, links=A)
    data = data_of(Y, A, hierarchy=hierarchy)
    graph = np.maximum(A, A.T) / (np.median(A[A > 0]) if A.any() else 1)
    shares = oracle.reached(graph, graph, alpha)[:, data.labeled_rows]
    expected = oracle.votes(shares, data.labels, data.prior, 0.1)
    both_ways = np.maximum(A, A.T)
    found = model.predict_proba(links=both_ways)
    np.testing.assert_allclose(found, capped(expected, hierarchy), atol=2e-3)


@settings(max_examples=25)
@given(table=linked_tables(partial=True))
def test_no_score_exceeds_a_parent_and_all_are_probabilities(table):
    hierarchy, Y, A = table
    scores = LinkSpreading(hierarchy).fit(None, Y, links=A).predict_proba(links=A)
    assert ((scores >= 0) & (scores <= 1)).all()
    for parent, child in hierarchy.edges:
        assert (scores[:, child] <= scores[:, parent]).all()


@settings(max_examples=25)
@given(table=linked_tables(), data=st.data())
def test_the_order_of_rows_is_irrelevant(table, data):
    hierarchy, Y, A = table
    order = np.array(data.draw(st.permutations(range(len(Y)))))
    one = LinkSpreading(hierarchy, **FIXED).fit(None, Y, links=A)
    moved = A[np.ix_(order, order)]
    other = LinkSpreading(hierarchy, **FIXED).fit(None, Y[order], links=moved)
    np.testing.assert_allclose(
        other.predict_proba(links=A[:, order]), one.predict_proba(links=A), atol=1e-4
    )


def test_labels_travel_over_unlabelled_rows_where_votes_cannot():
    Y, all_labels, A = chains()
    unlabeled = (Y < 0).all(axis=1)
    spreading = LinkSpreading().fit(None, Y, links=A)
    votes = LinkVotes().fit(None, Y, links=A)
    found, voted = (
        average_precision(
            all_labels[unlabeled], model.predict_proba(links=A[unlabeled])
        )
        for model in (spreading, votes)
    )
    assert found == 1
    assert voted < 0.8


def test_rows_that_no_label_reaches_get_the_label_frequencies():
    Y = np.array([[1, 0], [1, 1], [-1, -1], [-1, -1]])
    A = np.zeros((4, 4))
    A[2, 3] = A[3, 2] = 1  # links between unlabelled rows alone
    model = LinkSpreading().fit(None, Y, links=A)
    found = model.predict_proba(links=[A[2], A[0], A[3]])
    np.testing.assert_allclose(found, [[1, 0.5]] * 3)
    np.testing.assert_allclose(model.predict_proba(np.zeros((1, 1))), [[1, 0.5]])


def test_without_any_links_it_is_the_constant_predictor():
    Y, _, A = chains()
    X = np.zeros((len(Y), 1))
    for model in (LinkSpreading().fit(X, Y), LinkSpreading().fit(X, Y, links=0 * A)):
        expected = PriorClassifier().fit(X, Y).predict_proba(X)
        np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-6)


def test_a_new_row_is_scored_as_an_unlabelled_row_of_the_graph():
    Y, _, A = chains()
    model = LinkSpreading(**FIXED).fit(None, Y, links=A)
    row = 7
    among = model.predict_proba(links=A[[row]])
    graph = oracle.reached(A, A, 0.75)
    labeled = (Y >= 0).any(axis=1)
    expected = oracle.votes(
        graph[[row]][:, labeled], Y[labeled], Y[labeled].mean(0), 0.1
    )
    np.testing.assert_allclose(among, expected, atol=1e-3)


# Honesty ------------------------------------------------------------------------------


@pytest.mark.parametrize("has_unlabeled", [False, True])
@pytest.mark.parametrize("n_folds", [2, 5])
def test_a_label_planted_in_a_row_does_not_come_back_to_its_fold(
    has_unlabeled, n_folds
):
    random = np.random.default_rng(0)
    A = (random.random((40, 40)) < 0.3).astype(float)
    np.fill_diagonal(A, 0)
    Y = np.hstack([random.integers(0, 2, (40, 2)), np.zeros((40, 1), int)])
    Y[7, -1] = 1
    if has_unlabeled:
        Y[30:] = -1
    n_labeled = 30 if has_unlabeled else 40
    fold = np.arange(n_labeled) % n_folds
    data = data_of(Y, A + A.T, fold)
    scores = LinkSpreading().fit_scoring(data).read()
    assert (scores[fold == fold[7], -1] == 0).all()
    assert (scores[fold != fold[7], -1] > 0).all()
    # Nor do the settings see it: without the label, all other scores are the same.
    plain = Y.copy()
    plain[7, -1] = 0
    others = LinkSpreading(**FIXED).fit_scoring(data_of(plain, A + A.T, fold)).read()
    planted = LinkSpreading(**FIXED).fit_scoring(data).read()
    np.testing.assert_array_equal(planted[:, :-1], others[:, :-1])


@pytest.mark.parametrize("has_unlabeled", [False, True])
def test_scores_out_of_fold_are_those_of_models_without_the_fold(has_unlabeled):
    random = np.random.default_rng(2)
    A = (random.random((40, 40)) < 0.2).astype(float)
    A = np.maximum(A, A.T)
    np.fill_diagonal(A, 0)
    Y = random.integers(0, 2, (40, 3)).astype(np.int8)
    if has_unlabeled:
        Y[25:] = -1
    labeled = np.flatnonzero((Y >= 0).all(axis=1))
    fold = draw_folds(Y[labeled], 3)
    model = LinkSpreading(**FIXED)
    itself = score_out_of_fold(model, data_of(Y, A, fold))
    for number in range(3):
        hidden = labeled[fold == number]
        partly = Y.copy()
        partly[hidden] = -1
        kept = np.arange(40) if has_unlabeled else np.setdiff1d(labeled, hidden)
        one = LinkSpreading(**FIXED).fit(
            None, partly[kept], links=A[np.ix_(kept, kept)]
        )
        expected = one.predict_proba(links=A[np.ix_(hidden, kept)])
        found = itself.scores.read(fold == number)
        # Without unlabelled rows, the degrees of the others differ.
        tolerance = 2e-3 if has_unlabeled else 0.1
        np.testing.assert_allclose(found, expected, atol=tolerance)


# Other --------------------------------------------------------------------------------


def test_a_useless_kind_of_links_gets_little_weight():
    random = np.random.default_rng(0)
    family = np.arange(60) % 3
    A = (family[:, None] == family) & (random.random((60, 60)) < 0.08)
    A = np.maximum(A, A.T) * 1.0
    noise = random.random(A.shape)
    for matrix in (A, noise):
        np.fill_diagonal(matrix, 0)
    Y = np.eye(3, dtype=int)[family]
    model = LinkSpreading().fit(None, Y, links={"hits": A, "noise": noise})
    importance = model.link_weights_.importance
    assert importance["noise"] < importance["hits"]


def test_a_star_with_ten_thousand_links():
    n_rows = 10_001
    Y = np.full((n_rows, 2), -1, np.int8)
    Y[1:101] = [1, 0]
    Y[101:201] = [0, 1]
    spokes = np.arange(1, n_rows)
    cells = np.ones(spokes.size), (spokes, np.zeros_like(spokes))
    star = sp.csr_array(sp.coo_array(cells, shape=(n_rows, n_rows)))
    model = LinkSpreading().fit(None, Y, links=star + star.T)
    spoke = sp.csr_array(([1.0], ([0], [0])), shape=(1, n_rows))
    np.testing.assert_allclose(
        model.predict_proba(links=spoke), [[0.5, 0.5]], atol=0.01
    )


def test_a_saved_model_gives_the_same_scores(tmp_path):
    Y, _, A = chains()
    for links in (A, {"hits": A, "others": A.T}):
        model = LinkSpreading().fit(None, Y, links=links)
        loaded = load_model(save_model(model, tmp_path / "model.hilabel"))
        np.testing.assert_array_equal(
            loaded.predict_proba(links=links), model.predict_proba(links=links)
        )
        assert loaded.is_sound()
    model.graph_ = None
    assert not model.is_sound()


def test_a_model_without_links_can_be_saved(tmp_path):
    Y, _, _ = chains()
    X = np.zeros((len(Y), 1))
    model = LinkSpreading().fit(X, Y)
    loaded = load_model(save_model(model, tmp_path / "model.hilabel"))
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_the_number_of_threads_is_irrelevant():
    random = np.random.default_rng(0)
    A = sp.random_array((1500, 1500), density=0.005, random_state=random).tocsr()
    Y = random.integers(0, 2, (1500, 3))
    one, two = (
        LinkSpreading(**FIXED, n_jobs=n).fit(None, Y, links=A).predict_proba(links=A)
        for n in (1, 2)
    )
    np.testing.assert_array_equal(one, two)
