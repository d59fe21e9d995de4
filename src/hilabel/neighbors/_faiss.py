"""Find approximate neighbours with the inverted lists of faiss."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from hilabel._typing import IntArray
from hilabel.neighbors._approximate import ApproximateSearch, Proposals, embedding
from hilabel.neighbors._expansion import SPARE_CANDIDATES

_ROWS_PER_BLOCK = 2**13
# k-means of faiss warns about fewer than 39 rows per list.
_SAMPLES_PER_LIST = 40
_ROUNDS = 6


@dataclass(frozen=True)
class FaissSearch(ApproximateSearch):
    """Search single-precision rows with the inverted lists of faiss.

    Needs faiss: ``pip install 'hilabel[neighbors]'``. ``CellSearch`` does the same with
    matrix products, without faiss.

    Parameters
    ----------
    metric : Metric
        Euclidean or cosine.
    n_jobs, random_state
        As in :class:`CellSearch`.
    comparisons : int, default=16384
        Average number of points that each query is compared with.
    """

    comparisons: int = 2**14

    backend: ClassVar[str] = "faiss"
    metrics: ClassVar[tuple[str, ...]] = ("euclidean", "l2", "cosine")

    def _propose(self, queries: Any, points: Any, k: int) -> Proposals:
        embed = embedding(self.metric, queries, points)
        with _one_thread():
            index = self._index(points, embed)

        def find(rows: slice) -> IntArray:
            with _one_thread():
                _, indices = index.search(embed(queries[rows]), k + SPARE_CANDIDATES)
            return np.asarray(indices, dtype=np.int64)

        return Proposals(find, _ROWS_PER_BLOCK)

    def _index(self, points: Any, embed: Any) -> Any:
        import faiss

        random = check_random_state(self.random_state)
        n_points = points.shape[0]
        n_lists = int(2 ** round(np.log2(np.sqrt(n_points))))
        n_sampled = min(n_points, _SAMPLES_PER_LIST * n_lists)
        sample = embed(points[random.choice(n_points, n_sampled, replace=False)])
        n_features = sample.shape[1]
        quantizer = faiss.IndexFlatL2(n_features)
        index = faiss.IndexIVFFlat(quantizer, n_features, n_lists)
        index.cp.seed = int(random.randint(2**31 - 1))
        index.cp.niter = _ROUNDS
        index.train(sample)
        for start in range(0, n_points, _ROWS_PER_BLOCK):
            index.add(embed(points[start : start + _ROWS_PER_BLOCK]))
        index.nprobe = int(np.clip(self.comparisons * n_lists // n_points, 1, n_lists))
        return index


@contextmanager
def _one_thread() -> Iterator[None]:
    """Restrict faiss to the calling thread, since jobs already run in threads.

    The order in which faiss adds numbers depends on the number of threads, so the
    neighbour lists would also depend on it.
    """
    import faiss

    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)
