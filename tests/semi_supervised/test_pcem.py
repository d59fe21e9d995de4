"""PCEM: worked figures, a slow twin, and PCNB where nothing is unlabelled."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from oracles.path_counts import pcem
from strategies import hierarchies

import hilabel.semi_supervised._pcem as module
from hilabel import Hierarchy
from hilabel.classifiers import PCNB
from hilabel.semi_supervised import PCEM

LEVELS = Hierarchy.from_dict({"A": ["a1", "a2"], "B": ["b1"]})
X = 2 * np.eye(3)
Y = [{"a1"}, {"a2"}, {"b1"}]
U = np.array([[1, 0, 0], [0, 0, 1], [1, 1, 0]])


@st.composite
def word_counts(draw):
    """Draw a tree, counts of labelled and unlabelled rows, and a leaf per row."""
    hierarchy = draw(hierarchies(max_nodes=7, tree=True))
    n_words = draw(st.integers(1, 4))

    def counts():
        shape = (draw(st.integers(1, 4)), n_words)
        return draw(hnp.arrays(np.int64, shape, elements=st.integers(0, 3)))

    labeled, unlabeled = counts(), counts()
    leaf = st.sampled_from([int(leaf) for leaf in hierarchy.leaves])
    rows = len(labeled)
    return (
        hierarchy,
        labeled,
        draw(st.lists(leaf, min_size=rows, max_size=rows)),
        (unlabeled),
    )


def test_worked_figures():
    model = PCEM(LEVELS).fit(X, Y, X_unlabeled=U)
    np.testing.assert_allclose(
        [done.log_likelihood for done in model.history_],
        [-10.615267, -10.601888, -10.598207],
        atol=1e-6,
    )
    assert [done.iteration for done in model.history_] == [1, 2, 3]
    assert (model.n_iter_, model.termination_condition_) == (3, "converged")
    np.testing.assert_allclose(
        np.exp(model.class_log_prior_), [0.369955, 0.354383, 0.275663], atol=1e-6
    )


def test_the_pass_that_hardly_gains_changes_nothing():
    # Two passes at most: the third would only have found that the gain is too small.
    stopped = PCEM(LEVELS).fit(X, Y, X_unlabeled=U)
    limited = PCEM(LEVELS, max_iter=2).fit(X, Y, X_unlabeled=U)
    assert (limited.n_iter_, limited.termination_condition_) == (2, "max_iter")
    np.testing.assert_array_equal(stopped.feature_log_prob_, limited.feature_log_prob_)


@pytest.mark.parametrize("rows", [X, sp.csr_array(X)], ids=["dense", "sparse"])
@pytest.mark.parametrize("unlabeled_weight", ["posterior", "path_score"])
def test_without_unlabelled_rows_it_is_pcnb_to_the_bit(rows, unlabeled_weight):
    supervised = PCNB(LEVELS, path_weight=0.7).fit(rows, Y)
    model = PCEM(LEVELS, path_weight=0.7, unlabeled_weight=unlabeled_weight)
    model.fit(rows, Y)
    assert (model.n_iter_, model.history_) == (0, [])
    for name in ("class_log_prior_", "feature_log_prob_", "kept_words_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(supervised, name))
    np.testing.assert_array_equal(model.predict_proba(U), supervised.predict_proba(U))


@given(word_counts(), st.sampled_from(["posterior", "path_score"]))
def test_equals_the_slow_twin(case, weight):
    hierarchy, labeled, row_leaves, unlabeled = case
    labels = np.zeros((len(labeled), hierarchy.n_nodes), dtype=int)
    labels[np.arange(len(labeled)), row_leaves] = 1
    model = PCEM(
        hierarchy, unlabeled_weight=weight, drop_unseen_words=False, max_iter=3, tol=0
    ).fit(labeled, labels, X_unlabeled=unlabeled)
    prior, words, history = pcem(
        labeled, row_leaves, unlabeled, hierarchy, weight, max_iter=3, tol=0
    )
    # Whether a gain of rounding size counts as one is up to rounding.
    passes = min(model.n_iter_, len(history))
    np.testing.assert_allclose(
        [done.log_likelihood for done in model.history_[:passes]], history[:passes]
    )
    np.testing.assert_allclose(np.exp(model.class_log_prior_), prior, rtol=1e-6)
    np.testing.assert_allclose(np.exp(model.feature_log_prob_), words, rtol=1e-6)


def test_counting_along_paths_is_another_method():
    leaves = PCEM(LEVELS).fit(X, Y, X_unlabeled=U)
    paths = PCEM(LEVELS, unlabeled_weight="path_score").fit(X, Y, X_unlabeled=U)
    assert not np.allclose(leaves.predict_proba(U), paths.predict_proba(U), atol=1e-3)


def test_words_of_unlabelled_rows_alone_are_dropped_unless_kept():
    wide, more = np.hstack([X, np.zeros((3, 1))]), np.hstack([U, [[5], [0], [1]]])
    narrow = PCEM(LEVELS).fit(X, Y, X_unlabeled=U)
    dropped = PCEM(LEVELS).fit(wide, Y, X_unlabeled=more)
    np.testing.assert_array_equal(dropped.predict_proba(more), narrow.predict_proba(U))
    kept = PCEM(LEVELS, drop_unseen_words=False).fit(wide, Y, X_unlabeled=more)
    assert not np.allclose(kept.predict_proba(more), narrow.predict_proba(U), atol=0.01)


@settings(max_examples=5)
@given(st.integers(0, 100))
def test_blocks_of_rows_do_not_change_the_model(seed):
    rng = np.random.default_rng(seed)
    more = sp.csr_array(rng.poisson(0.7, size=(23, 3)))
    whole = PCEM(LEVELS).fit(X, Y, X_unlabeled=more)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK_SIZE", 12)  # four rows of three leaves
        in_blocks = PCEM(LEVELS).fit(X, Y, X_unlabeled=more)
    np.testing.assert_allclose(
        in_blocks.feature_log_prob_, whole.feature_log_prob_, rtol=1e-9
    )


def test_unlabelled_rows_help_where_words_go_together():
    # Every leaf has its own words, but the one labelled row shows only a few of them.
    rng = np.random.default_rng(0)
    leaf_of = np.repeat([0, 1, 2], 80)
    rates = np.kron(np.eye(3), np.full(20, 0.2)) + 0.03
    counts, labels = rng.poisson(rates[leaf_of]), np.eye(3, dtype=int)[leaf_of]
    labeled = np.isin(np.arange(240), [0, 80, 160])
    hidden = np.where(labeled[:, None], labels, -1)
    right = [
        (model.fit(counts, hidden).predict(counts) == labels)[~labeled].all(axis=1)
        for model in (PCNB(), PCEM(drop_unseen_words=False))
    ]
    assert right[1].mean() > right[0].mean() + 0.1


def test_negative_count_of_an_unlabelled_row_is_counted_after_the_labelled():
    with pytest.raises(ValueError, match="passed to PCEM.* row 4, column 2"):
        PCEM(LEVELS).fit(X, Y, X_unlabeled=[[0, 0, 1], [0, 0, -1]])
