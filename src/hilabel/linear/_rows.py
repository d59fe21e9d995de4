"""Rows as linear models read them: single precision, sparse or dense, shared."""

from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
import scipy.sparse as sp

from hilabel import _engine
from hilabel._typing import FloatArray, IntArray

# Larger values are lowered to this, so that products are finite in single precision.
_LARGEST: Final = 1e15
_LARGEST_SQUARE: Final = 1e30


class ColumnLists(NamedTuple):
    """The rows in which each column is stored (a CSC matrix).

    Attributes
    ----------
    pointers : int64 array of shape (n_columns + 1,)
    rows : int32 array of shape (n_stored,)
    values : float32 array of shape (n_stored,)
    """

    pointers: IntArray
    rows: IntArray
    values: FloatArray


class LinearRows:
    """Rows that all models share, without a copy for any of them.

    Parameters
    ----------
    X : array or csr matrix of shape (n_rows, n_columns)
        Finite numbers; those beyond 1e15 are clipped.

    Attributes
    ----------
    shape : tuple of int
    matrix : float32 array or csr matrix of shape (n_rows, n_columns)

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.linear import LinearRows
    >>> LinearRows(np.eye(3)).shape
    (3, 3)
    """

    def __init__(self, X: Any) -> None:
        self.shape: tuple[int, int] = X.shape
        self.matrix = as_singles(X)
        # The penalty on the bias is small beside that on weights of long rows.
        bias_square = max(1.0, self.mean_square)
        if self.is_sparse:
            arrays = as_arrays(self.matrix)
            self.table = _engine.LinearTable(*arrays, X.shape[1], bias_square)
        else:
            self.table = _engine.LinearTable(self.matrix, bias_square)

    @property
    def is_sparse(self) -> bool:
        """Whether only some values are stored."""
        return sp.issparse(self.matrix)

    @cached_property
    def columns(self) -> ColumnLists:
        """The rows in which each column is stored; empty for dense rows."""
        if self.is_sparse:
            return ColumnLists(*as_arrays(self.matrix.tocsc()))
        none: Any = np.empty(0, dtype=np.int32)
        return ColumnLists(np.zeros(1, dtype=np.int64), none, none.astype(np.float32))

    @cached_property
    def mean_square(self) -> float:
        """The mean squared length of the rows."""
        values = self.matrix.data if self.is_sparse else self.matrix.ravel()
        total = np.einsum("i,i->", values, values, dtype=np.float64)
        return min(float(total) / max(self.shape[0], 1), _LARGEST_SQUARE)


def as_singles(X: Any) -> Any:
    """Return rows in single precision, as an array or a CSR matrix."""
    if sp.issparse(X):
        X = sp.csr_array(X)
        return sp.csr_array((_clipped(X.data), X.indices, X.indptr), shape=X.shape)
    return _clipped(X)


def as_arrays(matrix: Any) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the pointers, numbers and values of a sparse matrix, for the engine."""
    return (
        matrix.indptr.astype(np.int64, copy=False),
        matrix.indices.astype(np.int32, copy=False),
        np.ascontiguousarray(matrix.data),
    )


def _clipped(values: Any) -> FloatArray:
    if values.size and max(values.max(), -values.min()) > _LARGEST:
        values = np.clip(values, -_LARGEST, _LARGEST)
    return np.ascontiguousarray(values, dtype=np.float32)
