"""Encode features in at most 255 bins, once for all trees of all nodes."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Self

import numpy as np
import scipy.sparse as sp

from hilabel import _engine
from hilabel._matrices import laid_out
from hilabel._saved_types import Array, saved_type
from hilabel._typing import FloatArray, IntArray

MAX_BINS = 255
"""The maximum number of bins of a feature.

Codes are single bytes; one of the 256 values means missing.

Examples
--------
>>> from hilabel.forests import MAX_BINS
>>> MAX_BINS
255
"""
# Rows encoded at a time for prediction; blocks of sparse rows become dense.
_CELLS_PER_BLOCK = 2**24
_NO_CODES = np.empty((0, 0), dtype=np.uint8)
_NO_BYTES = np.empty(0, dtype=np.uint8)
_NO_INDICES = np.empty(0, dtype=np.int32)
_NO_PTR = np.zeros(1, dtype=np.int64)


@dataclass(frozen=True)
class CodedMatrix:
    """A matrix of bin codes in the format used to grow trees.

    Dense matrices use ``codes``, of shape (n_features, n_rows). Sparse matrices use the
    CSC arrays and ``zero_codes``, the codes of values that are not stored. ``bins``
    contains the bins used for encoding.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.forests import FeatureBins
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> coded = FeatureBins.from_matrix(X).code(X)
    >>> coded.codes
    array([[0, 1, 2]], dtype=uint8)
    """

    codes: Any
    indptr: IntArray
    indices: Any
    stored: Any
    zero_codes: Any
    n_rows: int
    bins: "FeatureBins"

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.zero_codes.size or self.codes.shape[0])

    @property
    def columns(self) -> Any:
        """The arrays in the engine's format for node trees, without a copy."""
        if self.zero_codes.size == 0:
            return _engine.DenseColumns(self.codes)
        return _engine.SparseColumns(
            self.indptr, self.indices, self.stored, self.zero_codes, self.n_rows
        )

    @property
    def rows(self) -> Any:
        """The arrays in the engine's format for clustering trees."""
        if self.zero_codes.size == 0:
            return _engine.DenseColumns(self.codes)
        stored = self.csr_codes
        indptr, indices = (
            stored.indptr.astype(np.int64),
            stored.indices.astype(np.int32, copy=False),
        )
        return _engine.SparseRows(indptr, indices, stored.data, self.zero_codes)

    def row_blocks(self, rows: IntArray, most: int) -> Iterator[Any]:
        """Yield the codes of the given rows in blocks of at most ``most`` rows."""
        step = max(1, min(most, _CELLS_PER_BLOCK // max(self.n_features, 1)))
        for start in range(0, rows.size, step):
            yield self._row_codes(rows[start : start + step])

    def _row_codes(self, rows: IntArray) -> Any:
        if self.zero_codes.size == 0:
            return np.ascontiguousarray(self.codes[:, rows].T)
        codes = np.tile(self.zero_codes, (rows.size, 1))
        stored = self.csr_codes[rows]
        owners = np.repeat(np.arange(rows.size), np.diff(stored.indptr))
        codes[owners, stored.indices] = stored.data
        return codes

    @cached_property
    def csr_codes(self) -> sp.csr_array:
        """The stored codes of a sparse matrix in CSR format."""
        shape = (self.n_rows, self.n_features)
        columns = (self.stored, self.indices, self.indptr)
        return sp.csc_array(columns, shape=shape).tocsr()


@saved_type
@dataclass(frozen=True)
class FeatureBins:
    """The bin edges of every feature.

    A feature with at most 255 distinct values has one bin per value, with edges halfway
    between the values. Other features are binned at quantiles.

    Attributes
    ----------
    edges_ptr : int array of shape (n_features + 1,)
    edges : ndarray
        Feature f has the ascending edges ``edges[edges_ptr[f]:edges_ptr[f + 1]]``.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.forests import FeatureBins
    >>> bins = FeatureBins.from_matrix(np.array([[0.0], [1.0], [3.0]]))
    >>> bins.edges
    array([0.5, 2. ])
    """

    edges_ptr: Annotated[IntArray, Array("i8", ("n_pointers",), 0)]
    edges: Annotated[FloatArray, Array("f8", ("n_edges",))]

    def is_sound(self) -> bool:
        """Return whether every feature has fewer than ``MAX_BINS`` ascending edges."""
        ptr = self.edges_ptr
        return bool(
            ptr.size > 1
            and ptr[0] == 0
            and ptr[-1] == self.edges.size
            and (np.diff(ptr) >= 0).all()
            and (np.diff(ptr) < MAX_BINS).all()
            and has_rising_parts(self.edges, ptr)
        )

    @classmethod
    def from_matrix(cls, X: Any) -> Self:
        """Choose bins for the columns of a dense or sparse matrix, ignoring NaN."""
        if sp.issparse(X):
            return cls(*_edges_of_sparse(laid_out(sp.csr_array(X)).tocsc()))
        edges = [_edges_of(column) for column in np.asarray(X, dtype=np.float64).T]
        ptr = np.zeros(len(edges) + 1, dtype=np.int64)
        np.cumsum([e.size for e in edges], out=ptr[1:])
        return cls(ptr, np.concatenate([*edges, np.empty(0)]))

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.edges_ptr.size - 1

    def _check_width(self, X: Any) -> None:
        # A model file may contain anything.
        if X.shape[1] != self.n_features:
            raise ValueError(
                f"Expected {self.n_features} features, one for each with bins, got "
                f"{X.shape[1]}; the model file was modified."
            )

    def code(self, X: Any) -> CodedMatrix:
        """Return the training rows encoded as bin codes."""
        self._check_width(X)
        if not sp.issparse(X):
            codes = _engine.bin_columns(
                np.ascontiguousarray(X, dtype=np.float64),
                self.edges_ptr,
                self.edges,
                True,
            )
            nothing = _NO_PTR, _NO_INDICES, _NO_BYTES, _NO_BYTES
            return CodedMatrix(codes, *nothing, X.shape[0], self)
        columns = laid_out(sp.csr_array(X)).tocsc()
        features = np.repeat(np.arange(self.n_features), np.diff(columns.indptr))
        return CodedMatrix(
            _NO_CODES,
            columns.indptr.astype(np.int64),
            columns.indices.astype(np.int32),
            self._codes_of(columns.data, features),
            self._zero_codes(),
            X.shape[0],
            self,
        )

    def row_blocks(self, X: Any) -> Iterator[tuple[slice, Any]]:
        """Yield the codes of ``X`` in blocks of rows, as tuples (rows, codes)."""
        self._check_width(X)
        step = max(1, _CELLS_PER_BLOCK // max(X.shape[1], 1))
        for start in range(0, X.shape[0], step):
            rows = slice(start, min(start + step, X.shape[0]))
            yield rows, self._row_codes(X[rows])

    def _row_codes(self, X: Any) -> Any:
        if not sp.issparse(X):
            X = np.ascontiguousarray(X, dtype=np.float64)
            return _engine.bin_columns(X, self.edges_ptr, self.edges, False)
        X = laid_out(sp.csr_array(X))
        codes = np.tile(self._zero_codes(), (X.shape[0], 1))
        rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        codes[rows, X.indices] = self._codes_of(X.data, X.indices)
        return codes

    def _codes_of(self, values: Any, features: Any) -> Any:
        return _engine.bin_codes(
            values.astype(np.float64),
            features.astype(np.int64),
            self.edges_ptr,
            self.edges,
        )

    def _zero_codes(self) -> Any:
        return self._codes_of(np.zeros(self.n_features), np.arange(self.n_features))


def _edges_of(column: FloatArray) -> FloatArray:
    values = np.sort(column[~np.isnan(column)])
    if values.size == 0:
        return np.empty(0)
    distinct = values[np.concatenate([[True], values[1:] != values[:-1]])]
    if distinct.size > MAX_BINS:
        # Cut at quantiles of the rows, at values that occur.
        places = np.linspace(0, values.size - 1, MAX_BINS + 1)[1:-1]
        return np.unique(values[places.astype(np.int64)])
    return _between(distinct[:-1], distinct[1:])


def _edges_of_sparse(X: sp.csc_array) -> tuple[IntArray, FloatArray]:
    """Return ``edges_ptr`` and ``edges`` for all columns, computed together.

    Most columns of a wide matrix have few stored values, so the overhead of one call
    per column would dominate. The zeros that are not stored in a column count as one
    more value.
    """
    n_rows, n_features = X.shape
    stored = np.diff(X.indptr)
    with_zero = np.flatnonzero(stored < n_rows)
    feature = np.concatenate([np.repeat(np.arange(n_features), stored), with_zero])
    value = np.concatenate([X.data.astype(np.float64), np.zeros(with_zero.size)])
    known = ~np.isnan(value)
    feature, value = feature[known], value[known]
    order = np.lexsort((value, feature))
    feature, value = feature[order], value[order]
    is_next = (feature[1:] == feature[:-1]) & (value[1:] != value[:-1])
    owner = feature[1:][is_next]
    edges = _between(value[:-1][is_next], value[1:][is_next])
    n_edges = np.bincount(owner, minlength=n_features)
    crowded = np.flatnonzero(n_edges >= MAX_BINS)
    if crowded.size:
        few = ~np.isin(owner, crowded)
        starts = np.searchsorted(feature, np.arange(n_features + 1))
        cut = [_edges_of(value[starts[f] : starts[f + 1]]) for f in crowded]
        owners = np.repeat(crowded, [e.size for e in cut])
        owner = np.concatenate([owner[few], owners])
        edges = np.concatenate([edges[few], *cut])
        order = np.argsort(owner, kind="stable")
        owner, edges = owner[order], edges[order]
        n_edges = np.bincount(owner, minlength=n_features)
    return np.concatenate([[0], np.cumsum(n_edges)]).astype(np.int64), edges


def _between(lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Return edges halfway between pairs of values, but below the upper value."""
    # Halve before adding, because the sum of huge values may overflow.
    with np.errstate(invalid="ignore"):
        middle = lower / 2 + upper / 2
    # There is no number between adjacent floats, or between infinities.
    return np.where(middle < upper, middle, lower)


def has_rising_parts(values: Any, ptr: IntArray) -> bool:
    """Return whether each part ``values[ptr[i]:ptr[i + 1]]`` is strictly increasing."""
    is_next = np.ones(values.size + 1, dtype=bool)
    is_next[ptr] = False  # the first element of a part has no predecessor
    return bool((np.diff(values) > 0)[is_next[1:-1]].all())
