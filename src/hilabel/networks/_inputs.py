"""Rows as networks want them: around zero, of like spread, nothing missing."""

from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

import numpy as np
import scipy.sparse as sp

from hilabel._saved_types import Array, Number, saved_type
from hilabel._typing import FloatArray

MAX_INPUT: Final = 1e6
"""No scaled value is larger, so that networks stay within the range of float32."""

# One for each column, or one for all values.
SCALE: Final = Array("f8", ("n_features",)) | Number()


@saved_type
@dataclass(frozen=True)
class InputScaling:
    """The mean and the spread of columns, and rows told in them.

    Attributes
    ----------
    mean, spread : ndarray of shape (n_features,), or () for inputs of other shapes
        Of the values that are there; 0 and 1 for columns without any, 1 for the spread
        of constant columns.
    largest : float
        Farther from the mean than this many spreads, a value says no more.

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
        """Measure every column of a dense or sparse matrix."""
        if sp.issparse(X):
            X = X.tocsc(copy=True)
            X.sum_duplicates()
            return cls._of_sparse(X, largest)
        # Of large values, not even the sum of squares would be finite.
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
        """Measure all values together, as fits pixels."""
        whole = cls.of_columns(np.reshape(X, (-1, 1)))
        return replace(whole, mean=whole.mean[0], spread=whole.spread[0])

    def apply(self, X: Any) -> Any:
        """Return dense float32 rows; missing values lie at the mean."""
        if sp.issparse(X):
            X = X.toarray()
        with np.errstate(over="ignore"):  # beyond the range is clipped like all else
            apart = (X - self.mean) / self.spread
        return np.nan_to_num(np.clip(apart, -self.largest, self.largest)).astype(
            np.float32
        )

    def apply_to_stored(self, X: Any) -> tuple[Any, Any]:
        """Return what a csr matrix stores, scaled, and what its zeros become."""
        mean, spread = self.mean[X.indices], self.spread[X.indices]
        stored = replace(self, mean=mean, spread=spread).apply(X.data)
        return stored, self.apply(np.zeros((1, X.shape[1])))[0]

    def is_sound(self) -> bool:
        """Say whether rows can be scaled; from a file, it may not."""
        return self.mean.shape == self.spread.shape and bool(
            (self.spread > 0).all() and self.largest > 0
        )

    def takes(self, input_shape: tuple[int, ...]) -> bool:
        """Say whether rows of this shape can be scaled."""
        return self.mean.shape in ((), input_shape)


def _nonzero(size: FloatArray) -> FloatArray:
    return np.where(size > 0, size, 1.0)


def _spread(spread: FloatArray, size: FloatArray) -> FloatArray:
    """Return spreads in units of the column, 1 where nothing but rounding varies."""
    return np.where(spread > 1e-12, spread * size, 1.0)
