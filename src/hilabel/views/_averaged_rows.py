"""Rows to average: sparse ones at equal lengths, dense ones as they are."""

from dataclasses import dataclass
from typing import Annotated, Any, Final, Self

import numpy as np
import scipy.sparse as sp

from hilabel._saved_types import Array, Number, Sparse, saved_type
from hilabel._typing import FloatArray
from hilabel._validation import LARGEST_FEATURE
from hilabel.views._comparable import filled
from hilabel.views._largest_values import capped_product
from hilabel.views._row_lengths import row_lengths, to_length, usual_length

_LARGEST: Final = 2 * LARGEST_FEATURE  # a mean may be rounded up
_AXES: Final = ("n_rows", "n_features")


@saved_type
@dataclass(frozen=True, eq=False)
class AveragedRows:
    """Rows whose columns are averaged over links.

    Attributes
    ----------
    values : array, or csr_array of float32, of shape (n_rows, n_features)
        Sparse rows have length 1, or 0 for an empty row. Missing values are replaced by
        the mean of their column.
    filling : ndarray of shape (n_features,)
        The mean of each column.
    usual_length : float
        The mean length of rows that are not empty; 1 if rows are dense.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from hilabel.views import AveragedRows
    >>> rows = AveragedRows.of(np.array([[1.0], [np.nan], [3.0]]))
    >>> half = sp.csr_array(np.array([[0.0, 0.5, 0.5], [0.0, 0.0, 0.0]]))
    >>> rows.means(half)  # without links, a row gets the mean of all rows
    array([[2.5],
           [2. ]])
    """

    values: Annotated[
        Any,
        Array("f8", _AXES, -_LARGEST, _LARGEST) | Sparse("f4", _AXES, -1.001, 1.001),
    ]
    filling: Annotated[FloatArray, Array("f8", ("n_features",), -_LARGEST, _LARGEST)]
    usual_length: Annotated[float, Number(0)]

    @classmethod
    def of(cls, X: Any) -> Self:
        """Compute the mean of each column, and the lengths of sparse rows."""
        filling = _column_means(X)
        values = filled(X, filling)
        if not sp.issparse(X):
            return cls(values, filling, 1.0)
        unit = to_length(values, np.ones(values.shape[0]))
        return cls(sp.csr_array(unit, dtype=np.float32), filling, usual_length(values))

    @property
    def is_sparse(self) -> bool:
        """Whether the rows, and their means, are sparse."""
        return sp.issparse(self.values)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        n_rows, n_columns = self.values.shape
        return int(n_rows), int(n_columns)

    def means(self, shares: sp.csr_array, max_columns: int | None = None) -> Any:
        """Return weighted means of the rows.

        Parameters
        ----------
        shares : csr_array of shape (n_means, n_rows)
            Rows add up to 1, or are empty. The mean of no rows is empty if rows are
            sparse; otherwise, it is the mean of all rows.
        max_columns : int, optional
            Keep only so many of the largest values of sparse means.
        """
        return self.means_of(self.values, shares, max_columns)

    def means_of(self, values: Any, shares: sp.csr_array, n: int | None) -> Any:
        """Return weighted means of other rows with the same columns."""
        if self.is_sparse:
            return capped_product(shares, values, n)
        found = shares @ values
        found[np.diff(shares.indptr) == 0] = self.filling
        return found

    def lengths(self, X: Any) -> FloatArray:
        """Return the lengths of new sparse rows; the usual one for empty rows."""
        rows = filled(X, self.filling)
        return row_lengths(rows, self.usual_length, self.is_sparse)


def _column_means(X: Any) -> FloatArray:
    if not sp.issparse(X):
        missing = np.isnan(X)
        n_known = X.shape[0] - missing.sum(axis=0)
        return np.asarray(np.nansum(X, axis=0) / np.maximum(n_known, 1))
    missing = np.isnan(X.data)
    sums = np.bincount(X.indices[~missing], X.data[~missing], X.shape[1])
    n_missing = np.bincount(X.indices[missing], minlength=X.shape[1])
    return np.asarray(sums / np.maximum(X.shape[0] - n_missing, 1))
