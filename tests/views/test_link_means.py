"""Rows described by the means of linked rows."""

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
    shares,
    unit,
)

from hilabel.views import LinkMeans


def slow_sparse(view, train, links, rows, new_links):
    """The columns of sparse rows in plain NumPy."""
    near = shares(scaled(new_links, links, view.log))
    parts = [capped(near @ unit(train), view.max_columns)]
    if view.n_steps > 1:
        first = shares(scaled(links, links, view.log)) @ unit(train)
        parts.append(capped(near @ capped(first, view.max_columns), view.max_columns))
    lengths = view.weight * row_lengths(rows, train)[:, None]
    return np.hstack([unit(part) * lengths for part in parts])


def slow_dense(view, train, links, new_links):
    """The columns of dense rows in plain NumPy."""

    def means(weights, values):
        near = shares(scaled(weights, links, view.log))
        has_links = weights.any(axis=1)[:, None]
        return np.where(has_links, near @ values, train.mean(axis=0))

    parts = [means(new_links, train)]
    if view.n_steps > 1:
        parts.append(means(new_links, means(links, train)))
    return np.hstack([*parts, np.log1p((new_links > 0).sum(axis=1))[:, None]])


@settings(max_examples=40)
@given(seeds, st.integers(1, 2), st.sampled_from([2, 6]), st.booleans())
def test_sparse_columns_are_those_of_plain_numpy(seed, n_steps, n_columns, log):
    links, train = make_links(seed), make_rows(seed)
    new_links, new = make_links(seed + 5, 7, 12), make_rows(seed + 5, 7)
    view = LinkMeans(n_steps, weight=0.7, max_columns=n_columns, log=log)
    found = view.fit_transform(sp.csr_array(train), links=links)
    assert sp.issparse(found)
    expected = slow_sparse(view, train, links, train, links)
    np.testing.assert_allclose(found.toarray(), expected, atol=1e-6)
    found = view.transform(sp.csr_array(new), links=sp.csr_array(new_links))
    expected = slow_sparse(view, train, links, new, new_links)
    np.testing.assert_allclose(found.toarray(), expected, atol=1e-6)
    assert found.shape[1] == view.n_columns_out == len(view.get_feature_names_out())


@settings(max_examples=40)
@given(seeds, st.integers(1, 2), st.booleans())
def test_dense_columns_are_those_of_plain_numpy(seed, n_steps, log):
    links, train = make_links(seed), make_rows(seed)
    new_links = make_links(seed + 5, 7, 12)
    view = LinkMeans(n_steps, log=log)
    found = view.fit_transform(train, links=links)
    np.testing.assert_allclose(found, slow_dense(view, train, links, links))
    found = view.transform(train[:7], links=new_links)
    np.testing.assert_allclose(found, slow_dense(view, train, links, new_links))
    assert found.shape[1] == view.n_columns_out == len(view.get_feature_names_out())


@given(seeds, st.integers(1, 2), st.booleans())
def test_training_rows_get_the_same_columns_as_new_rows(seed, n_steps, is_sparse):
    links, rows = make_links(seed), make_rows(seed)
    rows = sp.csr_array(rows) if is_sparse else rows
    view = LinkMeans(n_steps, max_columns=3)
    first = view.fit_transform(rows, links=links)
    again = view.transform(rows, links=links)
    some = view.transform(rows[:2], links=links[:2])
    if is_sparse:
        first, again, some = first.toarray(), again.toarray(), some.toarray()
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(first[:2], some)


@given(seeds, st.integers(1, 2))
def test_the_order_of_rows_is_irrelevant(seed, n_steps):
    links, rows = make_links(seed), make_rows(seed)
    order = np.random.default_rng(seed).permutation(len(rows))
    view = LinkMeans(n_steps, max_columns=None)
    first = view.fit_transform(sp.csr_array(rows), links=links)[order]
    again = view.fit_transform(
        sp.csr_array(rows[order]), links=links[np.ix_(order, order)]
    )
    np.testing.assert_allclose(first.toarray(), again.toarray(), atol=1e-6)


def test_equal_rows_with_equal_links_get_equal_columns():
    links, rows = make_links(3), make_rows(3)
    view = LinkMeans(2).fit(sp.csr_array(rows), links=links)
    twice = view.transform(sp.csr_array(rows[[4, 4]]), links=links[[4, 4]]).toarray()
    np.testing.assert_array_equal(twice[0], twice[1])


def test_a_row_without_words_gets_a_mean_of_usual_length():
    rows = sp.csr_array(np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 1.0]]))
    links = [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    found = LinkMeans(weight=0.5).fit_transform(rows, links=links)
    np.testing.assert_allclose(found.toarray(), [[1, 0], [0, 0], [0, 0]])


def test_a_missing_value_is_the_mean_of_its_column():
    rows = np.array([[1.0], [np.nan], [5.0]])
    links = [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    for one in (rows, sp.csr_array(rows)):
        found = LinkMeans().fit_transform(one, links=links)
        assert np.isfinite(found.toarray() if sp.issparse(found) else found).all()
    assert LinkMeans().fit_transform(rows, links=links)[0, 0] == 3


def test_a_star_of_ten_thousand_links_is_described():
    n = 10_001
    rim = np.arange(1, n)
    star = sp.csr_array((np.ones(n - 1), (np.zeros(n - 1, int), rim)), shape=(n, n))
    rows = sp.eye_array(n, format="csr")
    found = LinkMeans(2, max_columns=5).fit_transform(rows, links=star.maximum(star.T))
    assert np.diff(found.indptr).max() <= 10
    assert found[[0]].nnz == 6  # five in one step; two steps lead back to the row


@pytest.mark.parametrize("is_sparse", [False, True])
def test_without_any_links_rows_have_no_means(is_sparse):
    rows = make_rows(0)
    view = LinkMeans(2)
    links = sp.csr_array((12, 12))
    found = view.fit_transform(sp.csr_array(rows) if is_sparse else rows, links=links)
    if is_sparse:
        assert found.nnz == 0
    else:
        np.testing.assert_allclose(found[:, :6], np.tile(rows.mean(axis=0), (12, 1)))
        assert not found[:, -1].any()
