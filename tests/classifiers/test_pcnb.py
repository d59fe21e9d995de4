"""PCNB: worked figures, a slow twin, and what it refuses."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from oracles.path_counts import pcnb_parameters, posterior
from sklearn.naive_bayes import MultinomialNB
from strategies import hierarchies

from hilabel import Hierarchy
from hilabel.classifiers import PCNB
from hilabel.exceptions import HierarchyError, LabelError

LEVELS = Hierarchy.from_dict({"A": ["a1", "a2"], "B": ["b1"]})
X = 2 * np.eye(3)
Y = [{"a1"}, {"a2"}, {"b1"}]


@st.composite
def word_counts(draw, max_rows=5, max_words=4):
    """Draw a tree, counts, and a leaf for every row."""
    hierarchy = draw(hierarchies(max_nodes=8, tree=True))
    shape = (draw(st.integers(1, max_rows)), draw(st.integers(1, max_words)))
    counts = draw(hnp.arrays(np.int64, shape, elements=st.integers(0, 4)))
    leaf = st.sampled_from([int(leaf) for leaf in hierarchy.leaves])
    row_leaves = draw(st.lists(leaf, min_size=shape[0], max_size=shape[0]))
    return hierarchy, counts, row_leaves


def labels_of(hierarchy, row_leaves):
    labels = np.zeros((len(row_leaves), hierarchy.n_nodes), dtype=np.int8)
    labels[np.arange(len(row_leaves)), row_leaves] = 1
    return hierarchy.close(labels)


def test_worked_figures():
    model = PCNB(LEVELS).fit(X, Y)
    assert [LEVELS.names[leaf] for leaf in model.leaves_] == ["a1", "a2", "b1"]
    np.testing.assert_allclose(np.exp(model.class_log_prior_), [4 / 11, 4 / 11, 3 / 11])
    np.testing.assert_allclose(
        np.exp(model.feature_log_prob_),
        [[5 / 9, 3 / 9, 1 / 9], [3 / 9, 5 / 9, 1 / 9], [1 / 7, 1 / 7, 5 / 7]],
    )
    scores = dict(zip(LEVELS.names, model.predict_proba([[1, 0, 0]])[0]))
    assert scores["a1"] == pytest.approx(0.557769, abs=1e-6)
    assert scores["a2"] == pytest.approx(0.334661, abs=1e-6)
    assert scores["b1"] == pytest.approx(0.107570, abs=1e-6)
    assert scores["A"] == pytest.approx(0.557769 + 0.334661, abs=1e-6)


def test_shallow_leaf_is_repeated_down_to_full_depth():
    # The same tree without b1: B is a leaf one level up and takes its place.
    short = Hierarchy.from_dict({"A": ["a1", "a2"], "B": []})
    full = PCNB(LEVELS).fit(X, Y)
    repeated = PCNB(short).fit(X, [{"a1"}, {"a2"}, {"B"}])
    np.testing.assert_array_equal(repeated.class_log_prior_, full.class_log_prior_)
    np.testing.assert_array_equal(repeated.feature_log_prob_, full.feature_log_prob_)


@given(word_counts(), st.sampled_from([0.5, 1.0, 2.0]), st.booleans())
def test_equals_the_slow_twin(case, path_weight, drop):
    hierarchy, counts, row_leaves = case
    kept = counts.sum(axis=0) > 0 if drop else np.ones(counts.shape[1], dtype=bool)
    model = PCNB(hierarchy, path_weight=path_weight, drop_unseen_words=drop)
    model.fit(counts, labels_of(hierarchy, row_leaves))
    prior, words = pcnb_parameters(counts, row_leaves, hierarchy, path_weight, kept)
    np.testing.assert_allclose(np.exp(model.class_log_prior_), prior)
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[:, kept]), words)
    np.testing.assert_array_equal(model.kept_words_, kept)
    expected, _ = posterior(counts[:, kept], prior, words)
    scores = model.predict_proba(counts)
    np.testing.assert_allclose(scores[:, hierarchy.leaves], expected)


@given(word_counts())
def test_predictions_are_one_path_and_scores_sum_over_leaves(case):
    hierarchy, counts, row_leaves = case
    model = PCNB(hierarchy).fit(counts, labels_of(hierarchy, row_leaves))
    scores, labels = model.predict_proba(counts), model.predict(counts)
    for parent, child in hierarchy.edges:
        assert (scores[:, child] <= scores[:, parent]).all()
    np.testing.assert_allclose(scores[:, hierarchy.leaves].sum(axis=1), 1)
    kind = hierarchy.problem_type(labels)
    assert (kind.paths, kind.depth) == ("SPL", "FD")
    likeliest = scores[:, hierarchy.leaves].max(axis=1)
    chosen = (scores * labels)[:, hierarchy.leaves].max(axis=1)
    np.testing.assert_allclose(chosen, likeliest)


def test_without_edges_it_is_multinomial_naive_bayes():
    rng = np.random.default_rng(0)
    counts, classes = rng.poisson(1.5, size=(40, 6)), rng.integers(3, size=40)
    ours = PCNB().fit(counts, np.eye(3, dtype=int)[classes])
    theirs = MultinomialNB().fit(counts, classes)
    np.testing.assert_allclose(ours.feature_log_prob_, theirs.feature_log_prob_)
    # Scikit-learn does not smooth the prior.
    smoothed = (theirs.class_count_ + 1) / (40 + 3)
    theirs.set_params(class_prior=smoothed).fit(counts, classes)
    np.testing.assert_allclose(ours.predict_proba(counts), theirs.predict_proba(counts))


def test_unseen_words_say_nothing_unless_kept():
    wide = np.hstack([X, np.zeros((3, 1))])
    plain = PCNB(LEVELS).fit(X, Y).predict_proba([[1, 0, 0]])
    dropped = PCNB(LEVELS).fit(wide, Y)
    np.testing.assert_array_equal(dropped.predict_proba([[1, 0, 0, 9]]), plain)
    kept = PCNB(LEVELS, drop_unseen_words=False).fit(wide, Y)
    assert not np.allclose(kept.predict_proba([[1, 0, 0, 9]]), plain, atol=0.01)


def test_rows_without_any_word_get_the_prior():
    model = PCNB(LEVELS).fit(np.zeros((3, 2)), Y)
    leaf_scores = model.predict_proba([[0, 5]])[0, LEVELS.leaves]
    np.testing.assert_allclose(leaf_scores, [4 / 11, 4 / 11, 3 / 11])


def test_sparse_counts_are_never_made_dense():
    # Dense, these rows would take 80 GB.
    n_rows, n_words = 50_000, 200_000
    rows, words = np.arange(n_rows), np.array([3, 70_000, 199_999])
    leaf_of = rows % 3
    counts = sp.csr_array(
        (np.full(n_rows, 2.0), (rows, words[leaf_of])), shape=(n_rows, n_words)
    )
    labels = labels_of(LEVELS, LEVELS.leaves[leaf_of])
    model = PCNB(LEVELS).fit(counts, labels)
    np.testing.assert_array_equal(np.flatnonzero(model.kept_words_), words)
    np.testing.assert_array_equal(model.predict(counts), labels)


@pytest.mark.parametrize("form", [np.array, sp.csr_array, sp.csc_matrix])
def test_negative_count_is_refused_by_row_and_column(form):
    bad = np.array([[1.0, 0.0], [0.0, 3.0], [2.0, -1.0]])
    with pytest.raises(ValueError, match="got -1 in row 2, column 1. Pass counts"):
        PCNB(LEVELS).fit(form(bad), Y)
    model = PCNB(LEVELS).fit(abs(bad), Y)
    with pytest.raises(ValueError, match="passed to PCNB.* row 2, column 1"):
        model.predict_proba(form(bad))


def test_negative_count_is_named_by_the_rows_and_columns_of_the_user():
    import pandas as pd

    frame = pd.DataFrame([[1, 0], [0, 1], [1, 1], [0, -4]], columns=["ball", "vote"])
    labels = [None, {"a1"}, {"b1"}, {"a2"}]
    with pytest.raises(ValueError, match="got -4 in row 3, column 'vote'"):
        PCNB(LEVELS).fit(frame, labels)
    frame["vote"] = [-2, 0, 0, 0]
    with pytest.raises(ValueError, match="got -2 in row 0, column 'vote'"):
        PCNB(LEVELS).fit(frame, labels)


def test_other_problem_types_are_refused_by_name():
    dag = Hierarchy.from_edges([("a", "c"), ("b", "c")])
    with pytest.raises(HierarchyError, match="PCNB needs a tree, but node 'c'"):
        PCNB(dag).fit(X, [{"c"}, {"c"}, {"c"}])
    with pytest.raises(LabelError, match="one path of labels per row, but row 1"):
        PCNB(LEVELS).fit(X, [{"a1"}, {"a1", "b1"}, {"a2"}])
    with pytest.raises(LabelError, match="row 2 of Y ends at the inner node 'A'"):
        PCNB(LEVELS).fit(X, [{"a1"}, {"b1"}, {"A"}])
    with pytest.raises(LabelError, match="row 0 of Y has no label"):
        PCNB(LEVELS).fit(X, [set(), {"b1"}, {"a1"}])
