"""Helpers that treat dense and sparse matrices alike."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any, Final

import numpy as np
import scipy.sparse as sp

# Minimum size of arrays whose memory is returned to the system when they are freed.
_LARGE_BYTES: Final = 64_000_000

CELLS_AT_ONCE: Final = 1_000_000
"""Cells of a dense block: enough for speed, few enough for a processor's cache."""


def stack_rows(A: Any, B: Any) -> Any:
    """Stack the rows of ``B`` below those of ``A``; the result is dense if ``A`` is."""
    if sp.issparse(A):
        return sp.vstack([A, B], format="csr")
    if A.shape[0] == 0 and not sp.issparse(B):
        return B  # nothing to stack: avoid copying a large array
    return np.concatenate([A, as_dense(B)])


def laid_out(X: Any) -> Any:
    """Return rows in the one layout that all computations use.

    This is C order for an array, and canonical format for a CSR matrix. Sums are
    rounded differently in another layout, so results would depend on how the caller
    happens to store equal values. Rows in this layout are returned without a copy;
    others are copied, not modified.
    """
    if not sp.issparse(X):
        return np.ascontiguousarray(X)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def as_dense(X: Any) -> Any:
    """Return a dense or sparse matrix as a dense array."""
    return X.toarray() if sp.issparse(X) else X


def join_arrays(parts: Iterable[Sequence[Any]]) -> list[Any]:
    """Join the first arrays of all parts, the second arrays of all parts, and so on.

    ``parts`` may be a generator. Small arrays are joined into large ones early, because
    the memory of many small arrays would not be returned to the system when they are
    freed.
    """
    columns: list[list[Any]] = []
    few: list[Sequence[Any]] = []
    n_bytes = 0
    for part in parts:
        few.append(part)
        n_bytes += max(array.nbytes for array in part)
        if n_bytes >= _LARGE_BYTES:
            _add_joined(columns, few)
            n_bytes = 0
    _add_joined(columns, few)
    return [_joined(column) for column in columns]


def _add_joined(columns: list[list[Any]], parts: list[Sequence[Any]]) -> None:
    """Join the arrays of several parts by position, and add them to ``columns``."""
    if not parts:
        return
    columns.extend([] for _ in range(len(parts[0]) - len(columns)))
    for column, arrays in zip(columns, zip(*parts, strict=True), strict=True):
        column.append(np.concatenate(arrays))
    parts.clear()


def _joined(column: list[Any]) -> Any:
    """Join the arrays in a list, and clear the list."""
    array = column[0] if len(column) == 1 else np.concatenate(column)
    column.clear()
    return array


def row_blocks(shape: tuple[int, ...], n_cells: int = CELLS_AT_ONCE) -> Iterator[slice]:
    """Yield consecutive slices of rows, each with about the given number of cells."""
    n_rows = shape[0]
    step = max(1, n_cells // max(1, shape[1]))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def fingerprints(X: Any) -> Any:
    """Return a number for each row that differs if a value differs in 32 bits.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_rows, n_columns)

    Returns
    -------
    uint64 array of shape (n_rows,)
    """
    if not sp.issparse(X):
        rows: Iterator[bytes] = (row.tobytes() for row in np.asarray(X, np.float32))
    else:
        X = laid_out(sp.csr_array(X))
        values = X.data.astype(np.float32)
        columns = X.indices.astype(np.int64)
        parts = [slice(*ends) for ends in zip(X.indptr[:-1], X.indptr[1:])]
        rows = (columns[part].tobytes() + values[part].tobytes() for part in parts)
    found = b"".join(blake2b(row, digest_size=8).digest() for row in rows)
    return np.frombuffer(found, dtype="<u8").astype(np.uint64)
