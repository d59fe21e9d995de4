"""Labels spread over a graph: the closed form, the hierarchy, rows out of reach."""

import numpy as np
import pytest

from hilabel import Hierarchy
from hilabel.semi_supervised import LabelSpreading

TREE = Hierarchy.from_edges([("a", "b"), ("a", "c")])
# Single precision.
NEARLY = {"atol": 1e-5}


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).normal(size=(30, 2))


@pytest.fixture(scope="module")
def labels():
    choices = np.array([[1, 1, 0], [1, 0, 1], [1, 0, 0], [0, 0, 0]])
    return choices[np.random.default_rng(1).integers(4, size=8)]


def shares(rows, k):
    """Links go both ways; each row takes the mean of what its links have."""
    apart = np.linalg.norm(rows[:, None] - rows[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    links = np.zeros_like(apart)
    for row, nearest in enumerate(np.argsort(apart, axis=1)[:, :k]):
        links[row, nearest] = 1
    links += links.T
    return links / links.sum(axis=1, keepdims=True)


def closed_form(P, alpha, start):
    """(1 - alpha) (I - alpha P)^-1 L, of labelled rows that come first."""
    L = np.zeros((len(P), start.shape[1]))
    L[: len(start)] = start
    return (1 - alpha) * np.linalg.solve(np.eye(len(P)) - alpha * P, L)


def expected(rows, labels, k, alpha):
    P = shares(rows, k)
    known = labels >= 0
    arrived = closed_form(P, alpha, (labels == 1).astype(float))
    weight = closed_form(P, alpha, known.astype(float))
    prior = (labels == 1).sum(axis=0) / known.sum(axis=0)
    small = 0.01 * weight.mean(axis=0)
    return (arrived + small * prior) / (weight + small)


@pytest.mark.parametrize(("k", "alpha"), [(3, 0.5), (4, 0.95)])
def test_scores_are_those_of_the_closed_form(rows, labels, k, alpha):
    model = LabelSpreading(TREE, n_neighbors=k, alpha=alpha, metric="raw")
    model.fit(rows[:8], labels, rows[8:])
    np.testing.assert_allclose(
        model.scores_, expected(rows, labels, k, alpha), **NEARLY
    )
    scores = model.scores_
    assert (scores[:, [1, 2]] <= scores[:, [0]]).all()


def test_what_is_unknown_is_not_spread(rows, labels):
    partial = labels.copy()
    partial[:2, 1] = -1  # below a parent that they have; else it would be absent
    model = LabelSpreading(TREE, n_neighbors=4, metric="raw")
    model.fit(rows[:8], partial, rows[8:])
    found = expected(rows, partial, 4, 0.9)
    capped = np.minimum(found, found[:, [0]])
    np.testing.assert_allclose(model.scores_, capped, **NEARLY)


def test_a_new_row_gets_the_mean_of_its_neighbours(rows, labels):
    model = LabelSpreading(TREE, n_neighbors=3, metric="raw")
    model.fit(rows[:8], labels, rows[8:])
    new = np.array([[0.1, 0.2]])
    nearest = np.argsort(np.linalg.norm(rows - new, axis=1))[:3]
    mean = model.scores_[nearest].mean(axis=0)
    np.testing.assert_allclose(model.predict_proba(new)[0], mean, rtol=1e-6)


def test_rows_that_no_label_reaches_get_the_frequencies(rows, labels):
    island = rows[:5] + 1000
    model = LabelSpreading(TREE, n_neighbors=3, metric="raw")
    model.fit(rows[:8], labels, np.vstack([rows[8:], island]))
    prior = np.tile(labels.mean(axis=0), (5, 1))
    np.testing.assert_allclose(model.scores_[-5:], prior, rtol=1e-5)
    np.testing.assert_allclose(model.predict_proba(island), prior, rtol=1e-5)


def test_a_single_row_keeps_its_labels():
    model = LabelSpreading(TREE).fit([[1.0]], [[1, 1, 0]])
    np.testing.assert_array_equal(model.predict_proba([[7.0]]), [[1, 1, 0]])


def test_nodes_that_are_spread_in_blocks_do_not_depend_on_the_others():
    random = np.random.default_rng(0)
    rows, n_nodes = random.normal(size=(2_100, 3)), 8_200  # more than one block
    labels = random.random((400, n_nodes)) < 0.01
    options = {"n_neighbors": 1, "alpha": 0.3}
    model = LabelSpreading(**options)
    model.fit(rows[:400], labels.astype(np.int8), rows[400:])
    some = np.array([0, 3_000, 8_000, 8_199])
    few = LabelSpreading(**options)
    few.fit(rows[:400], labels[:, some].astype(np.int8), rows[400:])
    np.testing.assert_array_equal(model.scores_[:, some], few.scores_)
