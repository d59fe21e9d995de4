"""Distances between all pairs of rows, or between given pairs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import VALID_METRICS_SPARSE
from sklearn.preprocessing import normalize

from hilabel import _engine
from hilabel._matrices import laid_out
from hilabel._typing import FloatArray, IntArray

_EUCLIDEAN = ("euclidean", "l2")
_MANHATTAN = ("cityblock", "l1", "manhattan")
# Metrics that can be computed pair by pair, without a full block.
_PAIRED = (*_EUCLIDEAN, *_MANHATTAN, "cosine")
# Rows whose neighbours are compared in one block if only blocks can be computed.
_ROWS_PER_BLOCK = 256


@dataclass(frozen=True)
class Metric:
    """A scikit-learn metric, or a function of two rows.

    Parameters
    ----------
    name : str or callable

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.neighbors import Metric
    >>> Metric("manhattan").between(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]]))
    array([[7.]])
    """

    name: str | Callable[..., float]

    @property
    def is_euclidean(self) -> bool:
        """Whether this is the Euclidean distance, under any of its names."""
        return self.name in _EUCLIDEAN

    @property
    def is_manhattan(self) -> bool:
        """Whether this is the Manhattan distance, under any of its names."""
        return self.name in _MANHATTAN

    def check_input(self, X: Any) -> None:
        """Raise ``ValueError`` if the metric does not support this kind of data."""
        # Rows are compared with each other, so they cannot be precomputed distances.
        known = sorted(set(VALID_METRICS_SPARSE["brute"]) - {"precomputed"})
        if sp.issparse(X) and self.name not in known:
            raise ValueError(
                f"Metric {self.name!r} does not support sparse X; use one of "
                f"{', '.join(known)}, or pass X.toarray()."
            )

    def between(self, A: Any, B: Any) -> FloatArray:
        """Return the distances from all rows of ``A`` to all rows of ``B``."""
        is_same = A is B  # for which scikit-learn sets the diagonal to 0
        A = laid_out(A)
        B = A if is_same else laid_out(B)
        if self.is_euclidean and not sp.issparse(A):
            # Use differences, not the expanded square, so that equal rows are exactly 0
            # apart.
            return cdist(A, B)
        if self.name == "cosine" and not sp.issparse(A):
            A, B = normalize(A), normalize(B)
            return _cosine_distances(A @ B.T, cdist(A, B, "sqeuclidean"))
        distances = np.asarray(pairwise_distances(A, B, metric=self.name))
        if np.isnan(distances).any():
            raise ValueError(
                f"Metric {self.name!r} returned NaN for some pairs of rows, so nearest "
                "neighbours are undefined; use another metric or remove such rows."
            )
        return distances.astype(np.float64, copy=False)

    def paired(self, A: Any, B: Any) -> FloatArray:
        """Return the distances between corresponding rows of ``A`` and ``B``."""
        A, B = laid_out(A), laid_out(B)
        if self.is_euclidean:
            difference = A - B
            return np.sqrt(_row_products(difference, difference))
        if self.name == "cosine":
            A, B = normalize(A), normalize(B)
            difference = A - B
            return _cosine_distances(
                _row_products(A, B), _row_products(difference, difference)
            )
        if self.is_manhattan:
            return np.asarray(abs(A - B).sum(axis=1), dtype=np.float64).ravel()
        rows = range(A.shape[0])
        return np.array([self.between(A[[i]], B[[i]])[0, 0] for i in rows])

    def within(self, points: Any, neighbors: IntArray) -> FloatArray:
        """Return the pairwise distances between the neighbours of each row.

        Parameters
        ----------
        points : array or csr_array of shape (n_points, n_features)
        neighbors : int array of shape (n_rows, k)
            Rows of ``points``.

        Returns
        -------
        ndarray of shape (n_rows, k, k)
            Symmetric, zero on the diagonal.
        """
        if self.is_euclidean and not sp.issparse(points):
            return _engine.euclidean_within(
                np.ascontiguousarray(points, dtype=np.float64),
                np.ascontiguousarray(neighbors),
            )
        n_rows, k = neighbors.shape
        result = np.zeros((n_rows, k, k))
        if n_rows == 0:  # not supported by scikit-learn's normalize
            return result
        if self.name in _PAIRED:
            for i in range(k):
                for j in range(i + 1, k):
                    gap = self.paired(points[neighbors[:, i]], points[neighbors[:, j]])
                    result[:, i, j] = result[:, j, i] = gap
            return result
        for start in range(0, n_rows, _ROWS_PER_BLOCK):
            block = neighbors[start : start + _ROWS_PER_BLOCK]
            distinct, place = np.unique(block, return_inverse=True)
            place = place.reshape(block.shape)
            table = self.between(points[distinct], points[distinct])
            result[start : start + len(block)] = table[
                place[:, :, None], place[:, None, :]
            ]
        return result


def _row_products(A: Any, B: Any) -> FloatArray:
    """Return the dot products of corresponding rows of ``A`` and ``B``."""
    if sp.issparse(A):
        return np.asarray(A.multiply(B).sum(axis=1), dtype=np.float64).ravel()
    return np.asarray(np.einsum("ij,ij->i", A, B))


def _cosine_distances(products: FloatArray, squared: FloatArray) -> FloatArray:
    """Return 1 - cosine for rows of length 1 or 0; distances of 0 and 1 are exact.

    Half the squared distance is exactly 0 for equal rows. A product of 0, from
    orthogonal rows or a row of zeros, gives a distance of exactly 1. Both must be
    exact, because ties at these distances are common.
    """
    return np.where(products == 0, 1.0, squared / 2)
