"""Logistic regression of all nodes against scikit-learn's, node by node."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from hilabel import Hierarchy
from hilabel.classifiers import LogisticClassifier
from hilabel.constraints import cap_by_parents

TREE = Hierarchy.from_edges([("a", "b"), ("a", "c")])


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).normal(size=(60, 4)) * [1, 20, 1, 0.1] + 3


@pytest.fixture(scope="module")
def labels(rows):
    noise = np.random.default_rng(1).normal(size=(60, 2))
    signal = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    b = signal[:, 0] + noise[:, 0] > 0.5
    c = signal[:, 1] + noise[:, 1] > 0.3
    return TREE.close(np.column_stack([b | c, b, c]).astype(np.int8))


def scaled(rows):
    """Missing values lie at the mean of their column."""
    apart = (rows - np.nanmean(rows, axis=0)) / np.nanstd(rows, axis=0)
    return np.nan_to_num(apart)


def scikit_learn(rows, labels, C, known=slice(None)):
    model = LogisticRegression(C=C, tol=1e-9, max_iter=1000)
    return model.fit(rows[known], labels[known])


@pytest.mark.parametrize("C", [0.03, 1.0])
def test_every_node_has_the_coefficients_of_scikit_learn(rows, labels, C):
    model = LogisticClassifier(TREE, C=C).fit(rows, labels)
    theirs = [scikit_learn(scaled(rows), column, C) for column in labels.T]
    coef = np.vstack([one.coef_ for one in theirs])
    np.testing.assert_allclose(model.coef_, coef, atol=1e-3)
    intercept = np.concatenate([one.intercept_ for one in theirs])
    np.testing.assert_allclose(model.intercept_, intercept, atol=1e-3)
    scores = [one.predict_proba(scaled(rows))[:, 1] for one in theirs]
    capped = cap_by_parents(np.column_stack(scores), TREE)
    np.testing.assert_allclose(model.predict_proba(rows), capped, atol=1e-3)


def test_rows_whose_label_is_unknown_are_left_out_of_its_node(rows, labels):
    partial = labels.copy()
    # Below a parent that is absent, labels are known to be.
    unknown = np.flatnonzero(labels[:, 0])[::3]
    partial[unknown, 1] = -1
    model = LogisticClassifier(TREE, C=1.0).fit(rows, partial)
    for node in range(3):
        theirs = scikit_learn(
            scaled(rows), labels[:, node], 1.0, partial[:, node] != -1
        )
        np.testing.assert_allclose(model.coef_[node], theirs.coef_[0], atol=1e-3)


@pytest.mark.parametrize("scale", [True, False])
def test_sparse_rows_give_the_model_of_dense_ones(rows, labels, scale):
    rows = np.where(rows > 3, rows, 0)
    model = LogisticClassifier(TREE, C=0.1, scale=scale)
    dense = model.fit(rows, labels).predict_proba(rows)
    sparse = model.fit(sp.csr_array(rows), labels).predict_proba(sp.csr_array(rows))
    np.testing.assert_allclose(sparse, dense, atol=1e-3)


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_contributions_sum_up_to_the_log_odds(rows, labels, scale, kind):
    X = kind(np.where(rows > 3, rows, 0))
    model = LogisticClassifier(TREE, C=0.1, scale=scale).fit(X, labels)
    total = model.contributions(X, [0]).sum(axis=2)[:, 0] + model.intercept_[0]
    np.testing.assert_allclose(expit(total), model.predict_proba(X)[:, 0], rtol=1e-5)


def test_a_missing_value_lies_at_the_mean_in_training_and_after(rows, labels):
    gappy = rows.copy()
    gappy[::7, 1] = np.nan
    model = LogisticClassifier(TREE, C=1.0).fit(gappy, labels)
    theirs = scikit_learn(scaled(gappy), labels[:, 0], 1.0)
    np.testing.assert_allclose(model.coef_[0], theirs.coef_[0], atol=1e-3)
    new = np.array([[3.0, np.nan, 3.0, 3.0]])
    filled = np.where(np.isnan(new), np.nanmean(gappy, axis=0), new)
    found, expected = model.predict_proba(new), model.predict_proba(filled)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_a_node_that_all_rows_have_or_lack_gets_scores_near_1_or_0(rows):
    labels = np.tile([1, 0, 1], (60, 1))
    scores = LogisticClassifier(TREE).fit(rows, labels).predict_proba(rows)
    assert (scores[:, 0] > 0.99).all()
    assert (scores[:, 1] < 0.01).all()
