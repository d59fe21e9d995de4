"""The largest values of sparse rows, and products in blocks."""

import numpy as np
import scipy.sparse as sp
from hypothesis import given, strategies as st

from hilabel.views import _largest_values
from hilabel.views._largest_values import (
    capped_product,
    largest_values,
    product_blocks,
)


def kept_by_sorting(row, n):
    """The row with its largest absolute values, the left ones if they are equal."""
    order = np.argsort(-np.abs(row), kind="stable")[:n]
    kept = np.zeros_like(row)
    kept[order] = row[order]
    return kept


small = st.lists(
    st.lists(st.integers(-3, 3), min_size=6, max_size=6), min_size=1, max_size=5
)


@given(small, st.integers(1, 7))
def test_the_largest_values_are_those_of_sorted_rows(rows, n):
    dense = np.array(rows, dtype=float)
    expected = [kept_by_sorting(row, n) for row in dense]
    found = largest_values(sp.csr_array(dense), n)
    np.testing.assert_array_equal(found.toarray(), expected)
    assert not (found.data == 0).any()


def test_without_a_bound_all_values_are_kept():
    rows = sp.csr_array(np.arange(6.0).reshape(2, 3))
    np.testing.assert_array_equal(largest_values(rows, None).toarray(), rows.toarray())


@given(st.integers(0, 99), st.sampled_from([1, 3, 20, 10_000]))
def test_products_do_not_depend_on_blocks(seed, n_at_once):
    random = np.random.default_rng(seed)
    shares = sp.random_array((9, 7), density=0.4, rng=random, format="csr")
    rows = sp.random_array((7, 5), density=0.5, rng=random, format="csr")
    before = _largest_values._PRODUCTS_AT_ONCE
    try:
        _largest_values._PRODUCTS_AT_ONCE = n_at_once
        parts = [*product_blocks(shares, np.diff(rows.indptr))]
        found = capped_product(shares, rows, 2)
    finally:
        _largest_values._PRODUCTS_AT_ONCE = before
    assert [part.start for part in parts[1:]] == [part.stop for part in parts[:-1]]
    assert (parts[0].start, parts[-1].stop) == (0, 9)
    expected = [kept_by_sorting(row, 2) for row in (shares @ rows).toarray()]
    np.testing.assert_array_equal(found.toarray(), expected)


def test_a_product_of_no_rows_is_empty():
    found = capped_product(sp.csr_array((0, 3)), sp.csr_array((3, 4)), 2)
    assert found.shape == (0, 4)
