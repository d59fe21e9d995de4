"""Rows described by which rows they are linked to."""

import numpy as np
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

from hilabel.views import LinkIds


def ids(weights, own, n_columns):
    """Links of length 1, including one to the row itself, which new rows only miss."""
    strongest = np.where(weights.any(axis=1), weights.max(axis=1, initial=0), 1)
    weights = weights.copy()
    if own:
        np.fill_diagonal(weights, strongest)
        return unit(capped(weights, n_columns))
    weights = capped(weights, n_columns)
    lengths = np.sqrt((weights**2).sum(axis=1) + strongest**2)
    return weights / lengths[:, None]


def slow(view, links, lengths, new_links=None):
    training = scaled(links, links, view.log)
    is_new = new_links is not None
    weights = scaled(new_links, links, view.log) if is_new else training
    parts = [ids(weights, not is_new, view.max_columns)]
    if view.n_steps > 1:
        of_linked = ids(training, True, view.max_columns)
        parts.append(unit(capped(shares(weights) @ of_linked, view.max_columns)))
    return np.hstack(parts) * view.weight * lengths[:, None]


@settings(max_examples=40)
@given(seeds, st.integers(1, 2), st.sampled_from([2, 12]), st.booleans())
def test_columns_are_those_of_plain_numpy(seed, n_steps, n_columns, log):
    links, new_links = make_links(seed), make_links(seed + 5, 7, 12)
    rows, new = make_rows(seed), make_rows(seed + 5, 7)
    view = LinkIds(n_steps, weight=0.5, max_columns=n_columns, log=log)
    found = view.fit_transform(sp.csr_array(rows), links=links)
    expected = slow(view, links, row_lengths(rows, rows))
    np.testing.assert_allclose(found.toarray(), expected, atol=1e-12)
    found = view.transform(sp.csr_array(new), links=new_links)
    expected = slow(view, links, row_lengths(new, rows), new_links)
    np.testing.assert_allclose(found.toarray(), expected, atol=1e-12)
    assert found.shape[1] == view.n_columns_out == len(view.get_feature_names_out())


@given(seeds)
def test_training_rows_differ_from_new_rows_in_their_own_column_alone(seed):
    links = make_links(seed)
    view = LinkIds(1, max_columns=None)
    seen = view.fit_transform(None, links=links).toarray()
    new = view.transform(None, links=links).toarray()
    np.fill_diagonal(seen, 0)
    np.testing.assert_allclose(seen, new)


@given(seeds, st.integers(1, 2))
def test_the_order_of_rows_is_irrelevant(seed, n_steps):
    links = make_links(seed)
    order = np.random.default_rng(seed).permutation(12)
    view = LinkIds(n_steps, max_columns=None)
    first = view.fit_transform(None, links=links).toarray()
    again = view.fit_transform(None, links=links[np.ix_(order, order)]).toarray()
    columns = np.concatenate([order + 12 * step for step in range(n_steps)])
    np.testing.assert_allclose(first[order][:, columns], again)


def test_columns_are_sparse_even_if_rows_are_dense():
    rows, links = make_rows(1), make_links(1)
    found = LinkIds(weight=3.0).fit_transform(rows, links=links)
    assert sp.issparse(found)
    lengths = np.linalg.norm(found.toarray()[:, :12], axis=1)
    np.testing.assert_allclose(lengths, 3)


def test_a_star_is_capped():
    n = 10_001
    rim = np.arange(1, n)
    star = sp.csr_array((np.ones(n - 1), (np.zeros(n - 1, int), rim)), shape=(n, n))
    found = LinkIds(max_columns=7).fit_transform(None, links=star.maximum(star.T))
    assert np.diff(found.indptr).max() <= 14


def test_without_links_a_row_is_linked_to_itself_alone():
    view = LinkIds(weight=1.0)
    found = view.fit_transform(None, links=np.zeros((3, 3)))
    np.testing.assert_array_equal(found.toarray(), np.eye(3, 6))
    assert view.transform(None, links=np.zeros((2, 3))).nnz == 0
