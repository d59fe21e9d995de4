"""Exact neighbours by matrix products on a GPU."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from hilabel._typing import FloatArray, IntArray
from hilabel.neighbors._expansion import (
    SPARE_CANDIDATES,
    Frame,
    as_rows,
    prove,
    squared_lengths,
)
from hilabel.neighbors._metric import Metric

__all__ = ["TorchSearch"]

# Distances held at a time, in single precision: 1 GiB on a GPU, 16 MiB without.
_CELLS_PER_BLOCK = {"cuda": 2**28, "cpu": 2**22}
_LARGEST_WIDTH = 2**16
# Points compared at a time where differences decide alone.
_POINTS_PER_SCAN = 2**12


@dataclass(frozen=True)
class TorchSearch:
    """Compare each query with every point on the GPU, if there is one.

    Candidates come from products in single precision; their distances are computed
    again by differences in double precision, and rows that rounding leaves in doubt
    are searched without the GPU. The result is that of ``ExactSearch``.

    Needs torch: ``pip install 'hilabel[torch]'``. The points must fit the GPU's memory
    in single precision.

    Parameters
    ----------
    metric : Metric
        Euclidean.
    n_jobs : int, default=None
        Accepted for the sake of the other searches; torch has its own threads.
    """

    metric: Metric
    n_jobs: int | None = None

    backend: ClassVar[str] = "torch"

    def __post_init__(self) -> None:
        if not self.metric.is_euclidean:
            raise ValueError(
                f"Backend 'torch' cannot take metric {self.metric.name!r}; use "
                "'euclidean', or backend='exact'."
            )

    def nearest(self, queries: Any, points: Any, k: int) -> tuple[IntArray, FloatArray]:
        """Return the ``k`` nearest points of every query.

        Parameters
        ----------
        queries : array of shape (n_queries, n_features)
        points : array of shape (n_points, n_features)
        k : int
            Cut to the number of points.

        Returns
        -------
        indices : int array of shape (n_queries, k)
            Nearest first; at equal distance the lower index is nearer.
        distances : ndarray of shape (n_queries, k)
        """
        if sp.issparse(points):
            raise ValueError(
                "Backend 'torch' cannot take sparse X; use backend='pynndescent' or "
                "'exact', or pass X.toarray()."
            )
        is_same = queries is points
        points = as_rows(points)
        queries = points if is_same else as_rows(queries)
        k = min(k, points.shape[0])
        indices = np.empty((queries.shape[0], k), dtype=np.int64)
        distances = np.empty((queries.shape[0], k))
        if k == 0:
            return indices, distances
        with _full_precision():
            products = _Products(queries, points, k + SPARE_CANDIDATES)
            for start in range(0, queries.shape[0], products.step):
                rows = slice(start, start + products.step)
                candidates, farthest = products.candidates(queries[rows])
                indices[rows], distances[rows] = prove(
                    products.frame,
                    queries[rows],
                    points,
                    candidates,
                    farthest,
                    k,
                    _POINTS_PER_SCAN,
                )
        return indices, distances


class _Products:
    """The points on the device, and the products of queries with them."""

    def __init__(self, queries: Any, points: Any, wanted: int) -> None:
        import torch

        self._torch = torch
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._wanted = min(wanted, points.shape[0])
        self.frame = Frame.around(queries, points, np.float32)
        cells = _CELLS_PER_BLOCK[self._device]
        self._width = max(self._wanted, min(_LARGEST_WIDTH, points.shape[0]))
        self.step = max(1, cells // self._width)
        self._points = [
            self._send(self.frame.prepare(points[start : start + self._width]))
            for start in range(0, points.shape[0], self._width)
        ]
        self._lengths = self._send(self.frame.point_lengths)

    def candidates(self, queries: Any) -> tuple[IntArray, FloatArray]:
        """Return the nearest points and the squared distance of the last of them."""
        torch = self._torch
        prepared = self.frame.prepare(queries)
        query_lengths = squared_lengths(prepared)
        moved = self._send(prepared)
        values = moved.new_full((len(queries), 0), 0)
        indices = torch.empty_like(values, dtype=torch.int64)
        first = 0
        for block in self._points:
            lengths = self._lengths[first : first + len(block)]
            table = torch.addmm(lengths, moved, block.T, alpha=-2)
            n_best = min(self._wanted, len(block))
            best, place = torch.topk(table, n_best, largest=False, sorted=False)
            values = torch.cat([values, best], dim=1)
            indices = torch.cat([indices, place + first], dim=1)
            n_best = min(self._wanted, values.shape[1])
            values, place = torch.topk(values, n_best, largest=False, sorted=False)
            indices = torch.gather(indices, 1, place)
            first += len(block)
        farthest = values.amax(dim=1).cpu().numpy().astype(np.float64)
        return indices.cpu().numpy(), farthest + query_lengths

    def _send(self, array: Any) -> Any:
        return self._torch.from_numpy(array).to(self._device)


@contextmanager
def _full_precision() -> Iterator[None]:
    """Forbid products in less than single precision while inside."""
    import torch

    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
