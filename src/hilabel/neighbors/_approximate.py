"""Steps of approximate searches: propose points, recompute distances, fill gaps."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp

from hilabel._typing import FloatArray, IntArray
from hilabel.neighbors._blocks import for_each_block
from hilabel.neighbors._exact import ExactSearch
from hilabel.neighbors._expansion import Frame, as_rows
from hilabel.neighbors._metric import Metric
from hilabel.neighbors._recheck import recheck

_ROWS_PER_READ = 2**13
_SMALLEST_INDEX = 2_000


class Proposals(NamedTuple):
    """A function ``find`` that proposes candidates for a block of ``step`` queries."""

    find: Callable[[slice], IntArray]
    step: int


@dataclass(frozen=True)
class ApproximateSearch(ABC):
    """Find most of the nearest points, with their exact distances.

    Parameters
    ----------
    metric : Metric
    n_jobs : int, default=None
        Number of threads; None means 1 unless in a joblib context, and -1 means all
        cores. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Pass an int for reproducible lists.
    """

    metric: Metric
    n_jobs: int | None = None
    random_state: Any = None

    backend: ClassVar[str]
    metrics: ClassVar[tuple[str, ...]]
    takes_sparse: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.metric.name not in self.metrics:
            raise ValueError(
                f"Backend {self.backend!r} does not support metric "
                f"{self.metric.name!r}; use one of {', '.join(self.metrics)}, or "
                "backend='exact'."
            )

    def nearest(self, queries: Any, points: Any, k: int) -> tuple[IntArray, FloatArray]:
        """Return the ``k`` approximately nearest points to each query.

        Arguments and return values are those of :class:`NeighborSearch`. Distances are
        exact. If queries and points are the same object, each row is a candidate for
        itself.
        """
        self._check_rows(points)
        k = min(k, points.shape[0])
        exact = ExactSearch(self.metric, self.n_jobs)
        if k == 0 or self._has_few(points.shape[0], k):
            return exact.nearest(queries, points, k)
        is_same = queries is points
        if not sp.issparse(points):
            points = as_rows(points)
            queries = points if is_same else as_rows(queries)
        indices = np.empty((queries.shape[0], k), dtype=np.int64)
        distances = np.empty((queries.shape[0], k))
        proposals = self._propose(queries, points, k)

        def fill(rows: slice) -> None:
            candidates = proposals.find(rows)
            if is_same:
                own = np.arange(rows.start, rows.stop)
                candidates = np.column_stack([own, candidates])
            indices[rows], distances[rows] = recheck(
                self.metric, queries[rows], points, candidates, k
            )

        for_each_block(fill, queries.shape[0], proposals.step, self.n_jobs)
        short = np.flatnonzero(indices[:, -1] < 0)
        if short.size:
            indices[short], distances[short] = exact.nearest(queries[short], points, k)
        return indices, distances

    def _has_few(self, n_points: int, k: int) -> bool:
        """Return whether building an index takes longer than comparing all points."""
        return n_points < max(_SMALLEST_INDEX, 2 * k)

    @abstractmethod
    def _propose(self, queries: Any, points: Any, k: int) -> Proposals:
        """Build an index of the points and return a function that finds candidates."""

    def _check_rows(self, X: Any) -> None:
        if sp.issparse(X) and not self.takes_sparse:
            raise ValueError(
                f"Backend {self.backend!r} does not support sparse X; use "
                "backend='pynndescent' or 'exact', or pass X.toarray()."
            )


def embedding(metric: Metric, queries: Any, points: Any) -> Callable[[Any], Any]:
    """Return a function that maps rows to single precision and preserves neighbours.

    For the Euclidean distance, rows are centred at the mean of the points to limit the
    loss of precision. For the cosine distance, rows are scaled to length 1. Rows of
    zeros are mapped to a separate direction, because their distance to any other row is
    the same as that between orthogonal rows.
    """
    if metric.is_euclidean:
        return Frame.around(queries, points, np.float32).prepare
    has_zeros = any(_has_zero_rows(X) for X in (queries, points))

    def unit_rows(rows: Any) -> Any:
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
        is_zero = lengths == 0
        unit = (rows / np.where(is_zero, 1, lengths)[:, None]).astype(np.float32)
        if has_zeros:
            unit = np.column_stack([unit, is_zero.astype(np.float32)])
        return unit

    return unit_rows


def _has_zero_rows(X: Any) -> bool:
    blocks = range(0, X.shape[0], _ROWS_PER_READ)
    return not all(
        X[start : start + _ROWS_PER_READ].any(axis=1).all() for start in blocks
    )
