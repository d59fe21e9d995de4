"""Squared distances computed by expanding the square, with a bound on their error.

``|x - y|^2 = |x|^2 + |y|^2 - 2 x.y`` needs only a matrix product, which is many times
faster than differences but suffers from cancellation: distances between nearby rows
have rounding errors. It is therefore only used to propose candidates. Their distances
are recomputed from differences, and if rounding may affect the list of a row, its
neighbours are found using differences alone.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hilabel import _engine
from hilabel._typing import FloatArray, IntArray
from hilabel.neighbors._lists import empty_lists

# Number of additional candidates whose distances are recomputed exactly.
SPARE_CANDIDATES = 8
# Rows read at a time, so that a memory-mapped array is never fully loaded.
_ROWS_PER_READ = 2**13


def as_rows(X: Any) -> Any:
    """Return ``X`` as contiguous rows of floats; a memory map is not loaded."""
    X = np.asarray(X)
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    return np.ascontiguousarray(X)


@dataclass(frozen=True)
class Frame:
    """Coordinates in which squared distances lose little precision and never overflow.

    The origin is the centre of the points, and the largest absolute coordinate of all
    rows is between 1/2 and 1.
    """

    centre: FloatArray
    scale: float  # a power of two, so that scaling is exact
    dtype: Any  # dtype of the prepared rows: single or double precision
    point_lengths: FloatArray  # squared lengths of the prepared points

    @classmethod
    def around(cls, queries: Any, points: Any, dtype: Any) -> "Frame":
        """Return the frame for points and queries."""
        with np.errstate(over="ignore", invalid="ignore"):
            centre = points.mean(axis=0, dtype=np.float64)
        largest = _largest_gap(points, centre)
        if queries is not points:
            largest = float(np.maximum(largest, _largest_gap(queries, centre)))
        scale = 1.0
        if 0 < largest < np.inf:
            exponent = np.frexp(largest)[1]
            scale = 2.0 ** -float(np.clip(exponent, -1_000, 1_000))
        frame = cls(centre, scale, dtype, np.zeros(0))
        return cls(centre, scale, dtype, frame.lengths(points))

    def prepare(self, rows: Any) -> Any:
        """Return the rows in this frame as an array of shape (n, n_features)."""
        with np.errstate(over="ignore", invalid="ignore"):
            moved = rows - self.centre
            moved *= self.scale
            return moved.astype(self.dtype, copy=False)

    def lengths(self, rows: Any) -> FloatArray:
        """Return the squared length of each row, in this frame."""
        result = np.empty(rows.shape[0], dtype=self.dtype)
        for start in range(0, rows.shape[0], _ROWS_PER_READ):
            block = self.prepare(rows[start : start + _ROWS_PER_READ])
            result[start : start + len(block)] = squared_lengths(block)
        return result

    def error(self, query_lengths: FloatArray) -> FloatArray:
        """Return the maximum error in the squared distances from each query.

        Each sum over p features has an error of at most p units of rounding times the
        sum of its absolute terms. The sum of these terms is less than the square of the
        sum of both lengths. The constant covers centring, casting and the differences
        themselves. In addition, two kinds of values are lost: numbers too small for the
        precision of the frame, which a GPU treats as 0, and squares of differences too
        small for double precision.
        """
        unit, least = np.finfo(self.dtype).eps, np.finfo(self.dtype).tiny
        reach = np.sqrt(query_lengths.astype(np.float64)) + np.sqrt(
            float(np.max(self.point_lengths, initial=0))
        )
        n_features = self.centre.size
        with np.errstate(over="ignore"):
            lost = n_features * np.finfo(np.float64).tiny * np.float64(self.scale) ** 2
            lost += (8 * n_features + 32) * np.float64(least)
            return np.asarray((4 * n_features + 32) * unit * reach**2 + lost)


def prove(
    frame: Frame,
    queries: Any,
    points: Any,
    candidates: IntArray,
    farthest: FloatArray,
    k: int,
    points_per_block: int,
) -> tuple[IntArray, FloatArray]:
    """Return exactly the ``k`` points nearest to each query.

    Parameters
    ----------
    frame : Frame
    queries : ndarray of shape (n_queries, n_features)
    points : ndarray of shape (n_points, n_features)
    candidates : int array of shape (n_queries, width)
        The nearest points by approximate squared distance in the frame.
    farthest : ndarray of shape (n_queries,)
        The approximate squared distance of the last candidate.
    k : int
        At most ``width``.
    points_per_block : int
        Points compared at a time when only differences are used.
    """
    queries = queries.astype(np.float64, copy=False)
    indices, distances = empty_lists(queries.shape[0], k)
    _engine.recheck(queries, points, candidates, True, indices, distances)
    with np.errstate(over="ignore", invalid="ignore"):
        error = frame.error(frame.lengths(queries))
        # Written so that the test fails for NaN and infinity, which come from overflow.
        certain = farthest - error > (distances[:, -1] * frame.scale) ** 2
        certain &= farthest < np.inf
    if points.shape[0] <= candidates.shape[1]:
        certain |= (candidates >= 0).all(axis=1)
    doubtful = np.flatnonzero(~certain)
    if doubtful.size:
        indices[doubtful], distances[doubtful] = _by_differences(
            queries[doubtful], points, k, points_per_block
        )
    return indices, distances


def squared_lengths(rows: Any) -> Any:
    """Return the squared length of each row as an array of shape (n,)."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.einsum("ij,ij->i", rows, rows)


def _largest_gap(rows: Any, centre: FloatArray) -> float:
    """Return the largest distance from the centre along any feature."""
    largest = 0.0
    for start in range(0, rows.shape[0], _ROWS_PER_READ):
        with np.errstate(over="ignore", invalid="ignore"):
            gaps = np.abs(rows[start : start + _ROWS_PER_READ] - centre)
        # Keep NaN and infinity, so that the frame is not trusted.
        largest = float(np.maximum(largest, gaps.max(initial=0)))
    return largest


def _by_differences(
    queries: Any, points: Any, k: int, points_per_block: int
) -> tuple[IntArray, FloatArray]:
    n_points = points.shape[0]
    indices, distances = empty_lists(queries.shape[0], k)
    for start in range(0, n_points, points_per_block):
        block = np.arange(start, min(start + points_per_block, n_points))[None]
        _engine.recheck(queries, points, block, True, indices, distances)
    return indices, distances
