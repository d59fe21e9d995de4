"""Find approximate neighbours with the neighbour graph of pynndescent."""

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from joblib import effective_n_jobs
from sklearn.utils import check_random_state

from hilabel._typing import IntArray
from hilabel.neighbors._approximate import ApproximateSearch, Proposals
from hilabel.neighbors._expansion import Frame

_ROWS_PER_BLOCK = 2**13
# Lists longer than requested make the graph find more of the nearest points.
_SPARE_NEIGHBORS = 16
# How far beyond the nearest points found so far a query keeps searching.
_EPSILON = 0.2


@dataclass(frozen=True)
class PynndescentSearch(ApproximateSearch):
    """Search the neighbour graph of pynndescent; rows may be sparse.

    Needs pynndescent: ``pip install 'hilabel[neighbors]'``.

    Parameters
    ----------
    metric : Metric
        Euclidean, Manhattan or cosine.
    n_jobs : int, default=None
        Number of threads; None means 1 unless in a joblib context, and -1 means all
        cores. Each thread draws its own random numbers, so lists may differ slightly
        with the number of threads.
    random_state : int, RandomState instance or None, default=None
        Pass an int for reproducible lists with the same number of threads.
    """

    backend: ClassVar[str] = "pynndescent"
    metrics: ClassVar[tuple[str, ...]] = (
        "euclidean",
        "l2",
        "manhattan",
        "l1",
        "cityblock",
        "cosine",
    )
    takes_sparse: ClassVar[bool] = True

    def _propose(self, queries: Any, points: Any, k: int) -> Proposals:
        is_same = queries is points
        ready_points = self._single_precision(queries, points, points)
        with warnings.catch_warnings():
            # The caller completes lists that are too short.
            warnings.filterwarnings("ignore", "Failed to correctly find n_neighbors")
            index = self._index(ready_points, k)
            if is_same:
                found = index.neighbor_graph[0]
            else:
                ready = self._single_precision(queries, points, queries)
                found, _ = index.query(ready, k, epsilon=_EPSILON)

        def find(rows: slice) -> IntArray:
            return np.asarray(found[rows], dtype=np.int64)

        return Proposals(find, _ROWS_PER_BLOCK)

    def _index(self, points: Any, k: int) -> Any:
        from pynndescent import NNDescent

        return NNDescent(
            points,
            metric=self._plain_name(),
            n_neighbors=min(k + _SPARE_NEIGHBORS, points.shape[0] - 1),
            random_state=check_random_state(self.random_state),
            n_jobs=effective_n_jobs(self.n_jobs),
        )

    def _plain_name(self) -> str:
        if self.metric.is_euclidean:
            return "euclidean"
        return "manhattan" if self.metric.is_manhattan else "cosine"

    def _single_precision(self, queries: Any, points: Any, rows: Any) -> Any:
        if sp.issparse(rows):
            ready = sp.csr_matrix(rows, dtype=np.float32)
            ready.sort_indices()
            return ready
        if self.metric.name == "cosine":
            return rows.astype(np.float32)
        return Frame.around(queries, points, np.float32).prepare(rows)
