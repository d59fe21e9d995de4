"""Sparse rows reduced to their largest values, and products of them in blocks."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import scipy.sparse as sp

from hilabel._typing import IntArray

# Products of values that are added up at a time: 32 million bytes in a result.
_PRODUCTS_AT_ONCE: Final = 2**22


def largest_values(rows: Any, n_columns: int | None) -> Any:
    """Return CSR rows with the largest absolute values of each; ties go to the left."""
    rows = sp.csr_array(rows)
    rows.sort_indices()
    if n_columns is not None:
        starts, data = rows.indptr, rows.data
        for row in np.flatnonzero(np.diff(starts) > n_columns):
            values = data[starts[row] : starts[row + 1]]
            values[_too_small(np.abs(values), n_columns)] = 0
    rows.eliminate_zeros()
    return rows


def product_blocks(shares: Any, n_values: IntArray) -> Iterator[slice]:
    """Yield slices of rows of ``shares``, whose products with other rows are bounded.

    A single row may have more products than the bound.

    Parameters
    ----------
    shares : csr_array of shape (n_rows, n_others)
    n_values : int array of shape (n_others,)
        Number of values in each of the other rows.
    """
    n_products = np.append(0, np.cumsum(n_values[shares.indices]))[shares.indptr]
    # Rows without products cost memory, too.
    work = n_products + np.arange(n_products.size)
    start = 0
    while start < shares.shape[0]:
        end = np.searchsorted(work, work[start] + _PRODUCTS_AT_ONCE, side="right") - 1
        yield slice(start, max(int(end), start + 1))
        start = max(int(end), start + 1)


def capped_product(shares: Any, rows: Any, n_columns: int | None) -> Any:
    """Return the product of two CSR matrices, with the largest values of each row.

    Only a bounded number of values is added up at a time.

    Parameters
    ----------
    shares : csr_array of shape (n_rows, n_others)
    rows : csr_array of shape (n_others, n_columns)
    n_columns : int or None
    """
    n_values = np.diff(rows.indptr).astype(np.int64)
    parts = [
        largest_values(shares[part] @ rows, n_columns)
        for part in product_blocks(shares, n_values)
    ]
    if not parts:
        return sp.csr_array((shares.shape[0], rows.shape[1]), dtype=rows.dtype)
    return sp.csr_array(sp.vstack(parts, format="csr"))


def _too_small(sizes: Any, n_kept: int) -> Any:
    """Return a mask of all but the ``n_kept`` largest; ties go to the left."""
    least = np.partition(sizes, sizes.size - n_kept)[sizes.size - n_kept]
    is_small = sizes < least
    ties = np.flatnonzero(sizes == least)
    n_larger = sizes.size - int(is_small.sum()) - ties.size
    is_small[ties[n_kept - n_larger :]] = True
    return is_small
