"""Sparse rows compared by the angle between them, and their nearest neighbours."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Final, Literal, Self

import numpy as np
import scipy.sparse as sp

from hilabel._saved_types import Array, Sparse, saved_type
from hilabel._typing import FloatArray, IntArray
from hilabel._validation import LARGEST_FEATURE
from hilabel.neighbors import (
    ColumnLists,
    ColumnSearch,
    Metric,
    NeighborSearch,
    make_search,
)
from hilabel.views._comparable import filled
from hilabel.views._others import other_rows
from hilabel.views._row_lengths import lengths_of, to_length

ANGLES: Final = ("angle", "rarity")
"""How sparse rows are compared by angle: as they are, or with weighted columns.

Examples
--------
>>> from hilabel.views import ANGLES
>>> ANGLES
('angle', 'rarity')
"""
_COSINE: Final = Metric("cosine")
_LARGEST: Final = 2 * LARGEST_FEATURE  # a mean may be rounded up


@saved_type
@dataclass(frozen=True, eq=False)
class RowsByAngle:
    """Sparse rows to search for the nearest by angle.

    Rows are kept in single precision. Their distance is 1 - the cosine of their angle,
    so 1 if they share no column.

    Attributes
    ----------
    rows : csr_array of float32 of shape (n_rows, n_features)
        Of length 1, or 0 for an empty row.
    by : {"angle", "rarity"}
        Compare rows as they are, or with columns weighted by how few rows have them.
    rarity : float32 array of shape (n_features,)
        The weight of each column: ``log((1 + n_rows) / (1 + n)) + 1`` for a column
        that n rows have.
    filling : array of shape (n_features,)
        The mean of each column, which replaces missing values.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from hilabel.views import RowsByAngle
    >>> X = sp.csr_array(np.array([[3.0, 0, 4], [0, 2, 0], [0, 1, 1]]))
    >>> rows = RowsByAngle.of(X, by="angle")
    >>> found, distances = rows.nearest(X[:1], 2, rows.search())
    >>> found, distances.round(2)
    (array([[0, 2]]), array([[0.  , 0.43]]))
    """

    rows: Annotated[Any, Sparse("f4", ("n_rows", "n_features"), -1.001, 1.001)]
    by: Annotated[str, Literal["angle", "rarity"]]
    rarity: Annotated[FloatArray, Array("f4", ("n_features",), 1)]
    filling: Annotated[FloatArray, Array("f8", ("n_features",), -_LARGEST, _LARGEST)]

    @classmethod
    def of(cls, X: Any, by: str) -> Self:
        """Normalise the rows of a CSR matrix and count the rows that have a column."""
        missing = np.isnan(X.data)
        known = np.bincount(X.indices[~missing], X.data[~missing], X.shape[1])
        n_missing = np.bincount(X.indices[missing], minlength=X.shape[1])
        filling = known / np.maximum(X.shape[0] - n_missing, 1)
        n_having = np.bincount(X.indices[X.data != 0], minlength=X.shape[1])
        rarity = np.log((1 + X.shape[0]) / (1 + n_having)) + 1
        return cls(_unit(X, filling), by, rarity.astype(np.float32), filling)

    @property
    def n_rows(self) -> int:
        """Number of rows to search."""
        return int(self.rows.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.rows.shape[1])

    def is_sound(self) -> bool:
        """Return whether there are rows; used to check model files."""
        return self.n_rows > 0

    def search(
        self, backend: str = "auto", n_jobs: int | None = None, seed: Any = None
    ) -> NeighborSearch:
        """Return an object that searches for the nearest rows."""
        if backend in ("auto", "exact"):
            return ColumnSearch(_COSINE, n_jobs, self._lists)
        return make_search(backend, "cosine", n_jobs, seed)

    def nearest(
        self, X: Any, k: int, search: NeighborSearch
    ) -> tuple[IntArray, FloatArray]:
        """Return the stored rows nearest to each new row, and their distances."""
        queries = self._weighted(_unit(sp.csr_array(X), self.filling))
        return search.nearest(queries, self._compared, k)

    def nearest_others(
        self, k: int, search: NeighborSearch, numbers: IntArray | None = None
    ) -> tuple[IntArray, FloatArray]:
        """Return the other rows nearest to stored rows, and their distances.

        ``numbers`` selects some of the stored rows.
        """
        return other_rows(self._compared, k, search, numbers)

    def lengths(self, X: Any) -> FloatArray:
        """Return the lengths of new rows, with missing values filled."""
        return lengths_of(filled(sp.csr_array(X), self.filling))

    @cached_property
    def _compared(self) -> Any:
        return self._weighted(self.rows)

    @cached_property
    def _lists(self) -> ColumnLists:
        return ColumnSearch(_COSINE).prepare(self._compared)

    def _weighted(self, rows: Any) -> Any:
        if self.by == "angle":
            return rows.astype(np.float64)
        weighted = rows.astype(np.float64)
        weighted.data *= self.rarity[weighted.indices]
        return weighted


def _unit(X: Any, filling: FloatArray) -> Any:
    """Return rows of length 1 in single precision, with missing values filled."""
    rows = to_length(filled(X, filling), np.ones(X.shape[0]))
    return sp.csr_array(rows, dtype=np.float32)
