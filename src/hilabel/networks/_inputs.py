"""Scale rows for networks: centre, scale to the same spread, fill missing values."""

from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

import numpy as np
import scipy.sparse as sp

from hilabel._matrices import as_dense, laid_out
from hilabel._saved_types import Array, Number, saved_type
from hilabel._typing import FloatArray

MAX_INPUT: Final = 1e6
"""The largest scaled value, so that networks stay within the range of float32."""

# One per column, or one for all values.
SCALE: Final = Array("f8", ("n_features",)) | Number()


@saved_type
@dataclass(frozen=True)
class InputScaling:
    """The mean and spread of columns, for scaling rows.

    Attributes
    ----------
    mean, spread : ndarray of shape (n_features,), or () for inputs of other shapes
        Computed from known values; 0 and 1 for columns without any, and a spread of 1
        for constant columns.
    largest : float
        Values farther from the mean than this many spreads are clipped.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.networks import InputScaling
    >>> X = np.array([[1.0, np.nan], [3.0, 5.0]])
    >>> InputScaling.of_columns(X).mean
    array([2., 5.])
    """

    mean: Annotated[FloatArray, SCALE]
    spread: Annotated[FloatArray, SCALE]
    largest: Annotated[float, Number(0)]

    @classmethod
    def of_columns(cls, X: Any, largest: float = 4.0) -> "InputScaling":
        """Compute the mean and spread of every column of a dense or sparse matrix."""
        if sp.issparse(X):
            X = X.tocsc(copy=True)
            X.sum_duplicates()
            return cls._of_sparse(X, largest)
        X = laid_out(X)
        # The sum of squares of large values would overflow.
        size = _nonzero(np.nanmax(np.abs(X), axis=0, initial=0.0))
        known = ~np.isnan(X)
        count = np.maximum(known.sum(axis=0), 1)
        shares = np.where(known, X, 0.0) / size
        mean = shares.sum(axis=0) / count
        apart = np.where(known, shares - mean, 0.0)
        spread = np.sqrt((apart * apart).sum(axis=0) / count)
        return cls(mean * size, _spread(spread, size), largest)

    @classmethod
    def _of_sparse(cls, X: Any, largest: float) -> "InputScaling":
        known = ~np.isnan(X.data)
        column = np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))[known]
        data = X.data[known]
        n_columns = X.shape[1]
        size = np.zeros(n_columns)
        np.maximum.at(size, column, np.abs(data))
        size = _nonzero(size)
        missing = np.diff(X.indptr) - np.bincount(column, minlength=n_columns)
        count = np.maximum(X.shape[0] - missing, 1)
        shares = data / size[column]
        mean = np.bincount(column, shares, minlength=n_columns) / count
        squares = np.bincount(column, (shares - mean[column]) ** 2, minlength=n_columns)
        zeros = count - np.bincount(column, minlength=n_columns)
        spread = np.sqrt((squares + zeros * mean**2) / count)
        return cls(mean * size, _spread(spread, size), largest)

    @classmethod
    def of_values(cls, X: FloatArray) -> "InputScaling":
        """Compute a single mean and spread over all values, such as pixels."""
        whole = cls.of_columns(np.reshape(X, (-1, 1)))
        return replace(whole, mean=whole.mean[0], spread=whole.spread[0])

    def apply(self, X: Any) -> Any:
        """Return the scaled rows as dense float32; missing values become the mean."""
        X = laid_out(as_dense(X))
        with np.errstate(
            over="ignore"
        ):  # overflowing values are clipped like all others
            apart = (X - self.mean) / self.spread
        return np.nan_to_num(np.clip(apart, -self.largest, self.largest)).astype(
            np.float32
        )

    def apply_to_stored(self, X: Any) -> tuple[Any, Any]:
        """Return the scaled stored values of a CSR matrix, and the scaled zeros."""
        mean, spread = self.mean[X.indices], self.spread[X.indices]
        stored = replace(self, mean=mean, spread=spread).apply(X.data)
        return stored, self.apply(np.zeros((1, X.shape[1])))[0]

    def is_sound(self) -> bool:
        """Return whether rows can be scaled; used to check model files."""
        return self.mean.shape == self.spread.shape and bool(
            (self.spread > 0).all() and self.largest > 0
        )

    def takes(self, input_shape: tuple[int, ...]) -> bool:
        """Return whether rows of this shape can be scaled."""
        return self.mean.shape in ((), input_shape)


def _nonzero(size: FloatArray) -> FloatArray:
    return np.where(size > 0, size, 1.0)


def _spread(spread: FloatArray, size: FloatArray) -> FloatArray:
    """Return the spread of each column, or 1 if it varies only by rounding errors."""
    return np.where(spread > 1e-12, spread * size, 1.0)
