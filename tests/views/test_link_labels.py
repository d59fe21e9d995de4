"""Rows described by the labels of linked rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from link_view_cases import (
    capped,
    make_links,
    make_rows,
    row_lengths,
    scaled,
    seeds,
    unit,
)

from hilabel.exceptions import LabelError
from hilabel.views import LinkLabels


def make_labels(seed, n_rows=12, n_nodes=5):
    """Labels of two thirds of the rows; the first row is labelled."""
    random = np.random.default_rng(seed + 2)
    labels = (random.random((n_rows, n_nodes)) < 0.4).astype(np.int8)
    labels[1:][random.random(n_rows - 1) < 0.3] = -1
    return labels


def counted(view, links, labels, new_links):
    """Weights of links to labelled rows, and their sums."""
    weights = scaled(new_links, links, view.log) * (labels[:, 0] >= 0)
    usual = np.log(2) if view.log else 1.0
    return weights, weights.sum(axis=1) / (weights.sum(axis=1) + usual)


@settings(max_examples=40)
@given(seeds, st.booleans())
def test_dense_votes_are_those_of_plain_numpy(seed, log):
    links, labels = make_links(seed), make_labels(seed)
    new_links = make_links(seed + 5, 7, 12)
    view = LinkLabels(log=log).fit(make_rows(seed), labels, links=links)
    weights, certain = counted(view, links, labels, new_links)
    prior = labels[labels[:, 0] >= 0].mean(axis=0)
    totals = weights.sum(axis=1, keepdims=True)
    means = weights @ np.maximum(labels, 0) / np.where(totals > 0, totals, 1)
    votes = certain[:, None] * (means - np.where(totals > 0, prior, 0))
    found = view.transform(make_rows(seed)[:7], links=new_links)
    np.testing.assert_allclose(found, np.hstack([votes, certain[:, None]]), atol=1e-12)


@settings(max_examples=40)
@given(seeds, st.sampled_from([2, 5]))
def test_sparse_votes_are_those_of_plain_numpy(seed, n_columns):
    links, labels = make_links(seed), make_labels(seed)
    rows, new_links = make_rows(seed), make_links(seed + 5, 7, 12)
    view = LinkLabels(weight=0.5, max_columns=n_columns)
    view.fit(sp.csr_array(rows), labels, links=links)
    weights, certain = counted(view, links, labels, new_links)
    votes = unit(capped(weights @ np.maximum(labels, 0), n_columns))
    expected = votes * (0.5 * certain * row_lengths(rows[:7], rows))[:, None]
    found = view.transform(sp.csr_array(rows[:7]), links=new_links)
    np.testing.assert_allclose(found.toarray(), expected, atol=1e-6)


@given(seeds, st.booleans())
def test_a_label_never_reaches_its_own_row(seed, is_sparse):
    links, labels, rows = make_links(seed), make_labels(seed), make_rows(seed)
    rows = sp.csr_array(rows) if is_sparse else rows
    planted = labels.copy()
    planted[0] = 1 - planted[0]
    before, after = (
        LinkLabels().fit_transform(rows, one, links=links + 9 * np.eye(12))
        for one in (labels, planted)
    )
    if is_sparse:
        np.testing.assert_array_equal(before[[0]].toarray(), after[[0]].toarray())
    else:  # only label frequencies, which votes are relative to, have changed
        change = (planted - labels)[0] / (labels[:, 0] >= 0).sum()
        expected = before[0, :-1] - before[0, -1] * change
        np.testing.assert_allclose(after[0, :-1], expected, atol=1e-12)


def test_many_nodes_become_few_directions_that_keep_distances():
    random = np.random.default_rng(0)
    kinds = random.random((4, 300)) < 0.2
    labels = kinds[random.integers(0, 4, 50)].astype(np.int8)
    links = random.random((50, 50)) * (random.random((50, 50)) < 0.2)
    few = LinkLabels(8).fit_transform(None, labels, links=links)[:, :-1]
    all_ = LinkLabels(300).fit_transform(None, labels, links=links)[:, :-1]
    assert few.shape == (50, 8)
    np.testing.assert_allclose(few @ few.T, all_ @ all_.T, atol=1e-8)


def test_unknown_cells_count_as_label_frequencies():
    labels = np.array([[1, -1], [0, 1], [0, 0]])
    links = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]])
    found = LinkLabels().fit_transform(None, labels, links=links)
    np.testing.assert_allclose(found[2, :2], [(1 - 1 / 3) / 2, 0])


def test_labels_are_needed():
    with pytest.raises(LabelError, match=r"Expected labels.*pass y"):
        LinkLabels().fit(None, links=[[0, 1], [1, 0]])
