"""A common interface for all nearest-neighbour searches."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Protocol

import scipy.sparse as sp

from hilabel._typing import FloatArray, IntArray
from hilabel._warning import warn_user
from hilabel.neighbors._cells import CellSearch
from hilabel.neighbors._columns import are_found_by_columns, n_steps
from hilabel.neighbors._exact import AFFORDABLE_PAIRS, ExactSearch
from hilabel.neighbors._metric import Metric
from hilabel.neighbors._pynndescent import PynndescentSearch

BACKENDS = ("auto", "exact", "cells", "pynndescent")
"""The names that :func:`make_search` accepts as ``backend``.

Examples
--------
>>> from hilabel.neighbors import BACKENDS
>>> BACKENDS[:3]
('auto', 'exact', 'cells')
"""

# Number of steps of the search by columns that one core takes in about five minutes.
AFFORDABLE_STEPS = 2**38

# Backends that need a package, and the extra that installs it.
_EXTRAS = {"pynndescent": "neighbors"}


class NeighborSearch(Protocol):
    """Interface of a nearest-neighbour search.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.neighbors import Metric, NeighborSearch, make_search
    >>> search: NeighborSearch = make_search("exact", Metric("euclidean"))
    >>> search.nearest(np.array([[0.0]]), np.array([[2.0], [1.0]]), 1)
    (array([[1]]), array([[1.]]))
    """

    @property
    def metric(self) -> Metric:
        """The distance metric."""

    @property
    def n_jobs(self) -> int | None:
        """The maximum number of threads."""

    def nearest(self, queries: Any, points: Any, k: int) -> tuple[IntArray, FloatArray]:
        """Return the ``k`` points nearest to each query.

        Parameters
        ----------
        queries : array or csr_array of shape (n_queries, n_features)
        points : array or csr_array of shape (n_points, n_features)
        k : int
            Limited to the number of points.

        Returns
        -------
        indices : int array of shape (n_queries, k)
            Nearest first; ties go to the lower index.
        distances : ndarray of shape (n_queries, k)
        """


@dataclass(frozen=True)
class AutoSearch:
    """Exact search if it is fast, approximate search otherwise.

    If there are at most ``2**32`` pairs of a query and a point, all pairs are compared;
    this is the case for up to 65,536 rows compared with each other. Sparse rows are
    compared by column with the Euclidean or cosine distance, and so exactly as long as
    few rows share a column, up to about a million rows of text. For more pairs,
    ``CellSearch`` is used for dense rows with the Euclidean or cosine distance, and
    pynndescent for sparse rows or the Manhattan distance. If neither applies, all pairs
    are compared, and a warning is issued.

    Parameters
    ----------
    metric : Metric
    n_jobs : int, default=None
        Number of threads. The result depends on it only with pynndescent.
    random_state : int, RandomState instance or None, default=None
        Seed of the approximate searches.
    """

    metric: Metric
    n_jobs: int | None = None
    random_state: Any = None

    def nearest(self, queries: Any, points: Any, k: int) -> tuple[IntArray, FloatArray]:
        """Return the ``k`` points nearest to each query, or most of them.

        Arguments and return values are those of :class:`NeighborSearch`.
        """
        if self._are_near_by_columns(queries, points):
            search: NeighborSearch = ExactSearch(self.metric, self.n_jobs)
        else:
            n_pairs = queries.shape[0] * points.shape[0]
            search = self._choose(n_pairs, sp.issparse(points))
        return search.nearest(queries, points, k)

    def _are_near_by_columns(self, queries: Any, points: Any) -> bool:
        return are_found_by_columns(self.metric, queries, points) and (
            n_steps(queries, points) <= AFFORDABLE_STEPS
        )

    def _choose(self, n_pairs: int, is_sparse: bool) -> NeighborSearch:
        exact = ExactSearch(self.metric, self.n_jobs)
        if n_pairs <= AFFORDABLE_PAIRS:
            return exact
        if not is_sparse and self.metric.name in CellSearch.metrics:
            return CellSearch(self.metric, self.n_jobs, self.random_state)
        if self.metric.name not in PynndescentSearch.metrics:
            advice = f"metric={PynndescentSearch.metrics[0]!r} would be faster"
        elif find_spec("pynndescent") is None:
            advice = "pip install 'hilabel[neighbors]' provides a faster search"
        else:
            return PynndescentSearch(self.metric, self.n_jobs, self.random_state)
        warn_user(
            f"Comparing {n_pairs:.1e} pairs of rows, which may take a long time; "
            f"{advice}."
        )
        return exact


def make_search(
    backend: str,
    metric: Metric | str | Callable[..., float],
    n_jobs: int | None = None,
    random_state: Any = None,
) -> NeighborSearch:
    """Create the nearest-neighbour search with the given name.

    Parameters
    ----------
    backend : {"auto", "exact", "cells", "pynndescent"}
        ``"exact"`` supports every metric and sparse rows. ``"cells"`` is approximate,
        for the Euclidean and cosine distance of dense rows; ``"pynndescent"`` also
        supports sparse rows and the Manhattan distance. ``"auto"`` compares up to
        ``2**32`` pairs exactly.
    metric : Metric, str or callable
    n_jobs : int, default=None
        Number of threads. The result depends on it only with pynndescent.
    random_state : int, RandomState instance or None, default=None
        Seed of the approximate searches.

    Raises
    ------
    ValueError
        If the backend is unknown or does not support the metric.
    ImportError
        If the backend needs a package that is not installed.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.neighbors import make_search
    >>> points = np.array([[0.0], [2.0], [2.0], [7.0]])
    >>> indices, distances = make_search("auto", "euclidean").nearest(points, points, 2)
    >>> indices
    array([[0, 1],
           [1, 2],
           [1, 2],
           [3, 1]])
    """
    metric = metric if isinstance(metric, Metric) else Metric(metric)
    if backend not in BACKENDS:
        raise ValueError(
            f"Expected backend to be one of {', '.join(BACKENDS)}; got {backend!r}."
        )
    if backend in _EXTRAS and find_spec(backend) is None:
        raise ImportError(
            f"Backend {backend!r} needs {backend}, which is not installed; "
            f"pip install 'hilabel[{_EXTRAS[backend]}]', or use backend='auto'."
        )
    if backend == "exact":
        return ExactSearch(metric, n_jobs)
    approximate: dict[str, Any] = {
        "auto": AutoSearch,
        "cells": CellSearch,
        "pynndescent": PynndescentSearch,
    }
    return approximate[backend](metric, n_jobs, random_state)
