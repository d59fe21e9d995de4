"""Rows scaled for comparison, and their nearest neighbours."""

from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Literal

import numpy as np
import scipy.sparse as sp

from hilabel._matrices import laid_out
from hilabel._saved_types import Array, Declaration, Sparse, saved_type
from hilabel._typing import FloatArray, IntArray
from hilabel._validation import LARGEST_FEATURE
from hilabel.neighbors import NeighborSearch, make_search
from hilabel.networks import InputScaling
from hilabel.views._others import other_rows

COMPARISONS: Final = ("raw", "euclidean", "correlation")
"""How rows are compared: as they are, by distance of scaled columns, by correlation.

Examples
--------
>>> from hilabel.views import COMPARISONS
>>> COMPARISONS
('raw', 'euclidean', 'correlation')
"""
# Values farther from the mean than this many spreads are clipped, and smaller spreads
# are raised to this, so that squares of scaled values are finite.
_FARTHEST: Final = 1e18
_LEAST_SPREAD: Final = 1e-100
_LARGEST: Final = 2 * LARGEST_FEATURE  # a mean may be rounded up
# The reach of a row is its distance to the neighbour of this number (Zelnik-Manor and
# Perona), but at least this fraction of the median reach: equal rows have none.
_REACH_TO: Final = 7
_LEAST_REACH: Final = 0.01
# How many times as many rows are searched as are needed, if reaches are considered.
_CANDIDATES: Final = 4


def rows_up_to(largest: float) -> Declaration:
    """Return the declaration of rows in a model file: dense or sparse, without NaN."""
    axes = ("n_rows", "n_features")
    return Array("f8", axes, -largest, largest) | Sparse("f8", axes, -largest, largest)


ROWS: Final = rows_up_to(_LARGEST)
"""Rows without scaling."""


@saved_type
@dataclass(frozen=True, eq=False)
class ComparableRows:
    """Rows to search for nearest neighbours.

    Attributes
    ----------
    values : array or csr matrix of shape (n_rows, n_features)
    by : {"raw", "euclidean", "correlation"}
        Compare rows without scaling; by columns scaled to the same spread; or by
        correlation, regardless of the level. Sparse rows are not centred, so
        correlation becomes their angle.
    scaling : InputScaling
        A missing value is replaced by the mean.
    reach : ndarray of shape (n_rows,) or None
        With local scaling, the distance from each row to its neighbours. Distances to
        the row are divided by the square root of its reach, so that a row among many
        others is not the neighbour of too many rows.

    References
    ----------
    Zelnik-Manor and Perona, "Self-tuning spectral clustering", Advances in Neural
    Information Processing Systems 17, 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.views import ComparableRows
    >>> rows = ComparableRows.of(np.array([[0.0], [1.0], [5.0]]), by="raw")
    >>> rows.n_rows, rows.n_features
    (3, 1)
    """

    values: Annotated[Any, rows_up_to(_LARGEST / _LEAST_SPREAD)]
    by: Annotated[str, Literal["raw", "euclidean", "correlation"]]
    scaling: InputScaling
    reach: Annotated[FloatArray, Array("f8", ("n_rows",), 0)] | None = None

    @classmethod
    def of(cls, X: Any, by: str) -> "ComparableRows":
        """Compute the mean and spread of the columns, and scale the rows with them."""
        scaling = _measured(X)
        return cls(_comparable(X, by, scaling), by, scaling)

    @property
    def n_rows(self) -> int:
        """Number of rows to search."""
        return int(self.values.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.values.shape[1])

    def is_sound(self) -> bool:
        """Return whether the rows match the scaling; used to check model files."""
        return (
            self.n_rows > 0
            and _are_measured(self.scaling, self.n_features)
            and (self.reach is None or bool((self.reach > 0).all()))
        )

    def search(
        self, backend: str = "auto", n_jobs: int | None = None, seed: Any = None
    ) -> NeighborSearch:
        """Return an object that searches for the nearest rows."""
        by_angle = sp.issparse(self.values) and self.by == "correlation"
        return make_search(backend, "cosine" if by_angle else "euclidean", n_jobs, seed)

    def nearest(
        self, X: Any, k: int, search: NeighborSearch
    ) -> tuple[IntArray, FloatArray]:
        """Return the stored rows nearest to each new row, and their distances."""
        if sp.issparse(self.values) != sp.issparse(X):
            X = sp.csr_array(X) if sp.issparse(self.values) else X.toarray()
        queries = _comparable(X, self.by, self.scaling)
        if self.reach is None:
            return search.nearest(queries, self.values, k)
        n_candidates = min(_CANDIDATES * k, self.n_rows)
        return self._nearest_of(*search.nearest(queries, self.values, n_candidates), k)

    def nearest_others(
        self, k: int, search: NeighborSearch, numbers: IntArray | None = None
    ) -> tuple[IntArray, FloatArray]:
        """Return the other rows nearest to stored rows, and their distances.

        ``numbers`` selects some of the stored rows.
        """
        if self.reach is None:
            return other_rows(self.values, k, search, numbers)
        n_candidates = min(_CANDIDATES * k, self.n_rows - 1)
        found = other_rows(self.values, n_candidates, search, numbers)
        return self._nearest_of(*found, k)

    def with_reach(self, search: NeighborSearch) -> "ComparableRows":
        """Return the same rows with local scaling."""
        k = min(_REACH_TO, self.n_rows - 1)
        if k == 0:
            return self
        reach = other_rows(self.values, k, search)[1][:, -1].astype(np.float64)
        usual = np.median(reach[reach > 0]) if reach.any() else 1.0
        return replace(self, reach=np.maximum(reach, _LEAST_REACH * usual))

    def _nearest_of(
        self, found: IntArray, distances: FloatArray, k: int
    ) -> tuple[IntArray, FloatArray]:
        """Select the candidates that are nearest relative to their reach."""
        assert self.reach is not None  # otherwise, candidates are not selected
        scaled = distances / np.sqrt(self.reach[found])
        order = np.argsort(scaled, axis=1, kind="stable")[:, :k]
        return (
            np.take_along_axis(found, order, axis=1),
            np.take_along_axis(distances, order, axis=1),
        )


@saved_type
@dataclass(frozen=True, eq=False)
class ColumnScaling:
    """Scale columns to the same spread, and centre dense columns.

    Attributes
    ----------
    scaling : InputScaling
        A missing value is replaced by the mean.
    scales : bool
        If False, only missing values are filled.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.views import ColumnScaling
    >>> X = np.array([[1.0, 10.0], [3.0, 30.0]])
    >>> ColumnScaling.of(X).apply(X)
    array([[-1., -1.],
           [ 1.,  1.]])
    """

    scaling: InputScaling
    scales: bool = True

    @classmethod
    def of(cls, X: Any, scales: bool = True) -> "ColumnScaling":
        """Compute the mean and spread of each column."""
        return cls(_measured(X), scales)

    @property
    def n_features(self) -> int:
        """Number of features that can be scaled."""
        return int(self.scaling.mean.size)

    def is_sound(self) -> bool:
        """Return whether rows can be scaled; used to check model files."""
        return _are_measured(self.scaling, self.n_features)

    def center_of(self, X: Any) -> FloatArray:
        """Return the centre of scaled rows, which is not zero for sparse rows."""
        if not (self.scales and sp.issparse(X)):
            return np.zeros(X.shape[1])
        return self.scaling.mean / self.scaling.spread

    def apply(self, X: Any) -> Any:
        """Return the scaled rows in double precision."""
        rows = filled(X, self.scaling.mean)
        if not self.scales:
            return rows
        if sp.issparse(X):  # not centred, so that they stay sparse
            return sp.csr_array(rows.multiply(1 / self.scaling.spread))
        return (rows - self.scaling.mean) / self.scaling.spread


def _measured(X: Any) -> InputScaling:
    scaling = InputScaling.of_columns(X, largest=_FARTHEST)
    return replace(scaling, spread=np.maximum(scaling.spread, _LEAST_SPREAD))


def _are_measured(scaling: InputScaling, n_features: int) -> bool:
    return (
        scaling.mean.shape == (n_features,)
        and scaling.largest == _FARTHEST
        and bool((np.abs(scaling.mean) <= _LARGEST).all())
        and bool((scaling.spread >= _LEAST_SPREAD).all())
    )


def filled(rows: Any, mean: Any) -> Any:
    """Return a copy of the rows with missing values replaced by column means."""
    if sp.issparse(rows):
        rows = sp.csr_array(rows, copy=True)
        missing = np.isnan(rows.data)
        rows.data[missing] = mean[rows.indices[missing]]
        return rows
    rows = laid_out(rows)
    return np.where(np.isnan(rows), mean, rows)


def _comparable(X: Any, by: str, scaling: InputScaling) -> Any:
    if by == "raw":
        return filled(X, scaling.mean)
    if sp.issparse(X):  # not centred, so that they stay sparse
        return sp.csr_array(filled(X, scaling.mean).multiply(1 / scaling.spread))
    scaled = scaling.apply(X).astype(np.float64)
    if by == "euclidean":
        return scaled
    scaled -= scaled.mean(axis=1, keepdims=True)
    length = np.linalg.norm(scaled, axis=1, keepdims=True)
    return scaled / np.where(length > 0, length, 1)
