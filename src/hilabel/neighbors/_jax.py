"""Find exact neighbours with matrix products on the device that JAX uses."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import ceil
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from hilabel._typing import FloatArray, IntArray
from hilabel.neighbors._blocks import for_each_block
from hilabel.neighbors._expansion import (
    SPARE_CANDIDATES,
    Frame,
    as_rows,
    prove,
    squared_lengths,
)
from hilabel.neighbors._metric import Metric

# Maximum size of a block: scores of 16 MiB on a CPU, 256 MiB elsewhere. Blocks are
# wide, because each block costs every query a sort.
_MOST_POINTS = 2**15
_MOST_QUERIES, _MOST_QUERIES_ON_CPU = 2**11, 2**7
# Blocks are padded to a multiple of this many rows, so that there are few shapes.
_LEAST_ROWS = 2**8
# Points compared at a time when only differences are used.
_POINTS_PER_SCAN = 2**12
# The score of padding: below all scores, and finite in any format.
_LOWEST = np.float32(-1e38)


@dataclass(frozen=True)
class JaxSearch:
    """Compare each query with every point on the JAX device, a GPU or a CPU.

    Candidates are proposed by matrix products in single precision. Their distances are
    recomputed from differences in double precision, and rows whose neighbours remain
    uncertain because of rounding are searched without the device. The result is the
    same as that of ``ExactSearch``.

    Needs JAX: ``pip install 'hilabel[networks]'``. The points must fit into device
    memory in single precision. Blocks have only a few shapes, and the code is compiled
    once per shape and process.

    Parameters
    ----------
    metric : Metric
        Euclidean.
    n_jobs : int, default=None
        Number of threads that query the device and recompute distances; None means 1
        unless in a joblib context, and -1 means all cores. JAX uses its own threads in
        addition. The result does not depend on it.
    """

    metric: Metric
    n_jobs: int | None = None

    backend: ClassVar[str] = "jax"

    def __post_init__(self) -> None:
        if not self.metric.is_euclidean:
            raise ValueError(
                f"Backend 'jax' does not support metric {self.metric.name!r}; use "
                "'euclidean', or backend='exact'."
            )

    def nearest(self, queries: Any, points: Any, k: int) -> tuple[IntArray, FloatArray]:
        """Return the ``k`` points nearest to each query.

        Parameters
        ----------
        queries : array of shape (n_queries, n_features)
        points : array of shape (n_points, n_features)
        k : int
            Limited to the number of points.

        Returns
        -------
        indices : int array of shape (n_queries, k)
            Nearest first; ties go to the lower index.
        distances : ndarray of shape (n_queries, k)
        """
        if sp.issparse(points):
            raise ValueError(
                "Backend 'jax' does not support sparse X; use backend='pynndescent' or "
                "'exact', or pass X.toarray()."
            )
        is_same = queries is points
        points = as_rows(points)
        queries = points if is_same else as_rows(queries)
        n_queries, k = queries.shape[0], min(k, points.shape[0])
        indices = np.empty((n_queries, k), dtype=np.int64)
        distances = np.empty((n_queries, k))
        if k == 0 or n_queries == 0:
            return indices, distances
        products = _Products(queries, points, k + SPARE_CANDIDATES)

        def fill(rows: slice) -> None:
            block = queries[rows]
            indices[rows], distances[rows] = prove(
                products.frame,
                block,
                points,
                *products.candidates(block),
                k,
                _POINTS_PER_SCAN,
            )

        for_each_block(fill, n_queries, products.step, self.n_jobs)
        return indices, distances


class _Products:
    """The points on the device, and the products of queries with them.

    The score of a point ``y`` for a query ``x`` is ``2 x.y - |y|^2``, the negative
    squared distance plus ``|x|^2``. It is the product of ``(2x, 1)`` with ``(y,
    -|y|^2)`` and is computed in one pass.
    """

    def __init__(self, queries: Any, points: Any, wanted: int) -> None:
        import jax

        self.frame = Frame.around(queries, points, np.float32)
        self._n_points = points.shape[0]
        # Multiples of eight, so that growing lists do not need a shape for each length.
        self._wanted = -(-wanted // 8) * 8
        is_cpu = jax.default_backend() == "cpu"
        most_queries = _MOST_QUERIES_ON_CPU if is_cpu else _MOST_QUERIES
        self.step = min(most_queries, _filled_up(queries.shape[0]))
        n_blocks = ceil(self._n_points / _MOST_POINTS)
        width = _filled_up(max(ceil(self._n_points / n_blocks), self._wanted))
        self._blocks = [
            jax.device_put(self._as_block(points[start : start + width], start, width))
            for start in range(0, self._n_points, width)
        ]

    def _as_block(self, points: Any, start: int, width: int) -> Any:
        block = np.zeros((width, points.shape[1] + 1), dtype=np.float32)
        block[:, -1] = _LOWEST
        block[: len(points), :-1] = self.frame.prepare(points)
        block[: len(points), -1] = -self.frame.point_lengths[start : start + width]
        return block

    def candidates(self, queries: Any) -> tuple[IntArray, FloatArray]:
        """Return the nearest points and the squared distance to the last one."""
        prepared = self.frame.prepare(queries)
        asked = np.ones((self.step, prepared.shape[1] + 1), dtype=np.float32)
        asked[: len(prepared), :-1] = 2 * prepared
        scores: Any = np.full((self.step, self._wanted), -np.inf, dtype=np.float32)
        numbers: Any = np.full((self.step, self._wanted), -1, dtype=np.int32)
        keep_best, first = _keep_best(), 0
        for block in self._blocks:
            scores, numbers = keep_best(scores, numbers, asked, block, first)
            first += len(block)
        n_listed = min(self._wanted, self._n_points)
        found = np.asarray(numbers)[: len(queries), :n_listed].astype(np.int64)
        found[found >= self._n_points] = -1
        last = np.asarray(scores)[: len(queries), n_listed - 1].astype(np.float64)
        return found, squared_lengths(prepared) - last


@cache
def _keep_best() -> Callable[..., tuple[Any, Any]]:
    """Return a function that merges the best points of a block into the lists."""
    import jax
    from jax import lax
    from jax import numpy as jnp

    def keep_best(
        scores: Any, numbers: Any, queries: Any, block: Any, first: Any
    ) -> tuple[Any, Any]:
        # By default, GPUs would use a lower precision.
        table = jnp.matmul(queries, block.T, precision=lax.Precision.HIGHEST)
        wanted, size = scores.shape[1], _group_size(len(block), scores.shape[1])
        # The best points are in the groups with the best maxima, and taking a maximum
        # is faster than sorting a list.
        groups = table.reshape(len(queries), size, -1)
        n_groups = groups.shape[2]
        _, chosen = lax.top_k(groups.max(axis=1), wanted)
        chosen = chosen[:, None, :]
        within = jnp.take_along_axis(groups, chosen, axis=2)
        places = (
            first + chosen + n_groups * jnp.arange(size, dtype=jnp.int32)[None, :, None]
        )
        shape = len(queries), size * wanted
        scores = jnp.concatenate([scores, within.reshape(shape)], axis=1)
        numbers = jnp.concatenate([numbers, places.reshape(shape)], axis=1)
        scores, kept = lax.top_k(scores, wanted)
        return scores, jnp.take_along_axis(numbers, kept, axis=1)

    return jax.jit(keep_best)


def _group_size(width: int, wanted: int) -> int:
    """Return the group size, a power of two, that leaves the fewest scores to sort."""
    size = 1
    while 2 * size * size * wanted <= width and width % (2 * size) == 0:
        size *= 2
    return size


def _filled_up(n_rows: int) -> int:
    """Round up the number of rows, by at most an eighth if there are many."""
    unit = max(_LEAST_ROWS, 1 << max(0, (n_rows - 1).bit_length() - 4))
    return unit * ceil(n_rows / unit)
