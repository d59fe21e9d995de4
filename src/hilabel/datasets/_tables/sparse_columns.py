"""Columns that are mostly zero, such as signatures, stored as a sparse matrix."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp


@dataclass(frozen=True, eq=False)
class SparseColumns:
    """Named columns of a table, stored as a sparse matrix.

    Attributes
    ----------
    names : tuple of str
    values : csr_array of shape (n_rows, n_columns)
    is_open : bool
        Whether a missing column is all zeros, because there was no hit.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from hilabel.datasets import SparseColumns
    >>> hits = SparseColumns(("PF1", "PF2"), sp.csr_array([[1.0, 0.0]]), is_open=True)
    >>> hits.pick(["PF3", "PF1"]).values.toarray()
    array([[0., 1.]])
    """

    names: tuple[str, ...]
    values: sp.csr_array
    is_open: bool = False

    def matrix(self) -> sp.csr_array:
        """Return the matrix with sorted 32-bit indices, as scikit-learn requires."""
        values = self.values
        indices = (part.astype(np.int32) for part in (values.indices, values.indptr))
        matrix = sp.csr_array((values.data.copy(), *indices), shape=values.shape)
        matrix.sum_duplicates()
        return matrix

    def lacking(self, wanted: Sequence[str]) -> list[str]:
        """Return the missing columns, or none if missing columns are known to be 0."""
        here = set(self.names)
        return [] if self.is_open else [name for name in wanted if name not in here]

    def pick(self, wanted: Sequence[str]) -> "SparseColumns":
        """Return the requested columns in order; missing columns contain zeros."""
        if self.names == tuple(wanted):
            return self
        place = {name: at for at, name in enumerate(wanted)}
        goes_to = np.array([place.get(name, -1) for name in self.names])
        cells = sp.coo_array(self.values)
        columns = goes_to[cells.col]
        kept = columns >= 0
        shape = (self.values.shape[0], len(place))
        values = sp.csr_array(
            (cells.data[kept], (cells.row[kept], columns[kept])), shape=shape
        )
        return replace(self, names=tuple(wanted), values=values)

    def rows(self, rows: Any) -> "SparseColumns":
        """Return the selected rows in the given order."""
        return replace(self, values=sp.csr_array(self.values[rows]))

    def merged(self, ids: pd.Index, how: str | None) -> "SparseColumns":
        """Merge the rows of each id by taking their mean or keeping the first one."""
        if how == "first":
            return self.rows(np.flatnonzero(~ids.duplicated()))
        number, _ = pd.factorize(ids)
        share = 1.0 / np.bincount(number)
        mean = sp.csr_array((share[number], (number, np.arange(len(ids)))))
        return replace(self, values=sp.csr_array(mean @ self.values))
