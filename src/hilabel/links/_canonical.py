"""Matrices of links in one form: CSR, sorted, each cell once, weights above 0."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.exceptions import LinkError


def canonical_links(value: Any, shape: tuple[int, int], what: str) -> sp.csr_array:
    """Check a matrix of weights and convert it; the input is not modified.

    Parameters
    ----------
    value : sparse matrix or array-like
    shape : tuple of int
        The expected shape.
    what : str
        The matrix in words, for error messages.

    Returns
    -------
    csr_array of float64 in canonical format, with weights above 0
        The input itself, if it is in this form.
    """
    if not sp.issparse(value):
        value = _array(value, what)
    if value.shape != shape:
        raise LinkError(
            f"Expected {what} as a matrix of shape {shape}, with a row for each row "
            f"and a column for each row that links may lead to, got {value.shape}. "
            "For a list of links between ids, use hilabel.links.LinkTable."
        )
    if value.dtype.kind not in "biuf":
        raise LinkError(f"Expected {what} as numbers, got dtype {value.dtype}.")
    matrix = _csr_with_duplicates(value)
    if matrix.dtype != np.float64:
        # SciPy's astype adds up duplicates.
        parts = matrix.data.astype(np.float64), matrix.indices, matrix.indptr
        matrix = sp.csr_array(parts, shape=matrix.shape)
    check_weights(matrix.data, what)
    return _largest_of_duplicates(matrix)


def check_weights(weights: FloatArray, what: str) -> None:
    """Raise an error if a weight is negative, NaN or infinite."""
    is_wrong = ~(np.isfinite(weights) & (weights >= 0))
    n_wrong = int(is_wrong.sum())
    if n_wrong:
        others = f", and {n_wrong - 1} others" if n_wrong > 1 else ""
        raise LinkError(
            f"Expected finite weights of {what}, 0 or more, got "
            f"{weights[is_wrong][0]:g}{others}."
        )


def without_diagonal(matrix: sp.csr_array) -> sp.csr_array:
    """Return a canonical matrix without the cells on its diagonal."""
    return cells_where(matrix, rows_of_cells(matrix) != matrix.indices)


def cells_where(matrix: sp.csr_array, kept: BoolArray) -> sp.csr_array:
    """Return a matrix of only those stored cells that a mask selects."""
    if kept.all():
        return matrix
    ends = np.append(0, np.cumsum(kept))[matrix.indptr].astype(matrix.indptr.dtype)
    parts = matrix.data[kept], matrix.indices[kept], ends
    return sp.csr_array(parts, shape=matrix.shape)


def rows_of_cells(matrix: sp.csr_array) -> IntArray:
    """Return the row of each stored cell."""
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))


def _array(value: Any, what: str) -> Any:
    array = np.asarray(value)
    if array.ndim != 2:
        raise LinkError(
            f"Expected {what} as a matrix, an array with two axes, or a dict of them, "
            f"got {type(value).__name__}."
        )
    return array


def _csr_with_duplicates(value: Any) -> sp.csr_array:
    """Convert to CSR; unlike SciPy's conversion, do not add up duplicate cells."""
    if not sp.issparse(value) or value.format in ("csr", "csc"):
        return sp.csr_array(value)
    cells = sp.coo_array(value)
    cells = sp.coo_array((cells.data, cells.coords), shape=cells.shape)
    cells.has_canonical_format = True  # otherwise, tocsr() adds up duplicates
    return cells.tocsr()


def _largest_of_duplicates(matrix: sp.csr_array) -> sp.csr_array:
    """Return a matrix in canonical format, with the largest weight of each cell."""
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sort_indices()
        rows = rows_of_cells(matrix)
        is_first = np.ones(matrix.nnz, dtype=bool)
        is_first[1:] = (np.diff(matrix.indices) != 0) | (np.diff(rows) != 0)
        weights = np.maximum.reduceat(matrix.data, np.flatnonzero(is_first))
        matrix = cells_where(matrix, is_first)
        parts = weights, matrix.indices, matrix.indptr
        matrix = sp.csr_array(parts, shape=matrix.shape)
    return cells_where(matrix, matrix.data > 0)
