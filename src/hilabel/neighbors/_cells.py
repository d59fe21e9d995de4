"""Find approximate neighbours by comparing blocks of queries with nearby cells."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from hilabel import _engine
from hilabel._typing import FloatArray, IntArray
from hilabel.neighbors._approximate import ApproximateSearch, Proposals, embedding
from hilabel.neighbors._blocks import for_each_block
from hilabel.neighbors._expansion import SPARE_CANDIDATES, squared_lengths
from hilabel.neighbors._lists import empty_lists

# Queries processed together: enough of them share each cell to make matrix products
# worthwhile.
_QUERIES_PER_BLOCK = 2**13
# Number of distances that each job computes at a time, few enough for the cache.
_TABLE_CELLS = 2**18
# Maximum number of rows per centre for k-means.
_SAMPLES_PER_CELL = 16
_ROUNDS = 5
# Maximum number of members of a cell that are compared.
_LARGEST_CELL = 2**16


@dataclass(frozen=True)
class CellSearch(ApproximateSearch):
    """Compare each query with the points of the cells around it.

    k-means divides the points into about ``2 sqrt(n_points)`` cells. A query visits the
    cells with the nearest centres until the visited cells contain ``comparisons``
    points. All queries that visit a cell are compared with its points in one matrix
    product, so the time grows about linearly with the number of rows. The search is
    exact for up to ``comparisons`` points.

    Parameters
    ----------
    metric : Metric
        Euclidean or cosine.
    n_jobs : int, default=None
        Number of threads. None means 1 unless in a joblib context; -1 means all cores.
        The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed for choosing the initial centres. Pass an int for reproducible lists.
    comparisons : int, default=65536
        Number of points that each query is compared with. More comparisons find more of
        the nearest points, but take proportionally longer.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.neighbors import CellSearch, Metric
    >>> points = np.random.default_rng(0).random((20_000, 2))
    >>> search = CellSearch(Metric("euclidean"), random_state=0, comparisons=1_000)
    >>> indices, distances = search.nearest(points, points, 3)
    >>> bool((indices[:, 0] == np.arange(20_000)).all())
    True
    """

    comparisons: int = 2**16

    backend: ClassVar[str] = "cells"
    metrics: ClassVar[tuple[str, ...]] = ("euclidean", "l2", "cosine")

    def _has_few(self, n_points: int, k: int) -> bool:
        return n_points <= self.comparisons or super()._has_few(n_points, k)

    def _propose(self, queries: Any, points: Any, k: int) -> Proposals:
        embed = embedding(self.metric, queries, points)
        cells = _Cells(points, embed, self.n_jobs, self.random_state)
        n_probed = cells.number_holding(self.comparisons)

        def find(rows: slice) -> IntArray:
            return cells.candidates(embed(queries[rows]), n_probed, k)

        return Proposals(find, _QUERIES_PER_BLOCK)


class _Cells:
    """Points sorted by cell, in single precision."""

    def __init__(
        self, points: Any, embed: Any, n_jobs: int | None, random_state: Any
    ) -> None:
        n_points = points.shape[0]
        n_cells = 2 ** round(np.log2(2 * np.sqrt(n_points)))
        random = check_random_state(random_state)
        n_sampled = min(n_points, _SAMPLES_PER_CELL * n_cells)
        sampled = random.choice(n_points, n_sampled, replace=False)
        self._centres = _k_means(embed(points[sampled]), n_cells, n_jobs)
        cell = _nearest_centre(points, embed, self._centres, n_jobs)
        # Stable, so that lower indices come first within a cell.
        self._numbers = np.argsort(cell, kind="stable")
        self._starts = np.concatenate(
            [[0], np.cumsum(np.bincount(cell, minlength=n_cells))]
        )
        self._points = np.empty((n_points, self._centres.shape[1]), dtype=np.float32)
        for start in range(0, n_points, _QUERIES_PER_BLOCK):
            rows = slice(start, start + _QUERIES_PER_BLOCK)
            self._points[rows] = embed(points[self._numbers[rows]])
        self._lengths = squared_lengths(self._points)

    def number_holding(self, n_points: int) -> int:
        """Return the number of cells that contain ``n_points`` points on average."""
        sizes = np.diff(self._starts).astype(np.float64)
        # Larger cells surround more points.
        usual = (sizes**2).sum() / sizes.sum()
        return int(np.clip(round(n_points / usual), 1, sizes.size))

    def candidates(self, queries: Any, n_probed: int, k: int) -> IntArray:
        """Return the nearest visited points; the shape is (n_queries, k + spare)."""
        width = k + SPARE_CANDIDATES
        indices, values = empty_lists(queries.shape[0], width, np.float32)
        askers, first = self._askers(queries, n_probed)
        doubled = -2 * queries
        for cell in range(first.size - 1):
            asking = askers[first[cell] : first[cell + 1]]
            self._ask(cell, asking, doubled, indices, values)
        return indices

    def _askers(self, queries: Any, n_probed: int) -> tuple[IntArray, IntArray]:
        """Return the visiting queries, sorted by cell, and where each cell starts."""
        n_cells = self._centres.shape[0]
        table = squared_lengths(self._centres) - 2 * (queries @ self._centres.T)
        if n_probed < n_cells:
            probed = np.argpartition(table, n_probed - 1, axis=1)[:, :n_probed]
        else:
            probed = np.argsort(table, axis=1)
        # Short integers use a counting sort.
        dtype: Any = np.uint16 if n_cells <= 2**16 else np.int64
        cells = probed.ravel().astype(dtype)
        order = np.argsort(cells, kind="stable")
        counts = np.bincount(cells, minlength=n_cells)
        return order // n_probed, np.concatenate([[0], np.cumsum(counts)])

    def _ask(
        self,
        cell: int,
        asking: IntArray,
        doubled: Any,
        indices: IntArray,
        values: FloatArray,
    ) -> None:
        """Compare the queries with the points of one cell."""
        start, stop = self._starts[cell], self._starts[cell + 1]
        # Only equal rows make a cell this large, and then the first ones are
        # sufficient.
        members = slice(start, min(stop, start + _LARGEST_CELL))
        step = max(1, _TABLE_CELLS // max(1, stop - start))
        for first in range(0, asking.size, step):
            rows = asking[first : first + step]
            _engine.keep_nearest(
                doubled[rows] @ self._points[members].T,
                self._lengths[members],
                self._numbers[members],
                rows,
                indices,
                values,
            )


def _k_means(sample: Any, n_cells: int, n_jobs: int | None) -> Any:
    """Return the centres after a few rounds; the centre of an empty cell is kept."""
    centres = sample[:n_cells].copy()
    for _ in range(_ROUNDS):
        cell = _nearest_centre(sample, np.asarray, centres, n_jobs)
        counts = np.bincount(cell, minlength=n_cells)
        shares = np.ones(cell.size, dtype=np.float32) / counts[cell]
        members = sp.csr_array(
            (shares, (cell, np.arange(cell.size))), shape=(n_cells, cell.size)
        )
        centres = np.where(counts[:, None] > 0, members @ sample, centres)
        centres = centres.astype(np.float32)
    return centres


def _nearest_centre(
    points: Any, embed: Any, centres: Any, n_jobs: int | None
) -> IntArray:
    nearest = np.empty(points.shape[0], dtype=np.int64)
    lengths = squared_lengths(centres)
    step = max(1, _TABLE_CELLS // centres.shape[0])

    def assign(rows: slice) -> None:
        table = embed(points[rows]) @ centres.T
        nearest[rows] = (lengths - 2 * table).argmin(axis=1)

    for_each_block(assign, points.shape[0], step, n_jobs)
    return nearest
