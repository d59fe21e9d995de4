"""Cache neighbour lists so that several fits on the same rows can share them."""

from functools import cached_property
from typing import Any, Self

import joblib

from hilabel._saved_types import saved_type
from hilabel.neighbors._active import ActiveNeighbors
from hilabel.neighbors._search import NeighborSearch


@saved_type
class NeighborMemory:
    """Cache of neighbour lists, keyed by the content of the rows.

    Fits on the same rows with the same search, but with different parameters (number of
    neighbours, thresholds, variants), reuse the lists of the first fit. Rows are
    compared by content, so the cache never returns the lists of different rows.

    Pass the cache as ``memory=`` to an estimator that searches for neighbours. Clones
    of the estimator share the cache; a copy in another process, or in a file, starts
    empty.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.neighbors import NeighborMemory, make_search
    >>> fixed, pool = np.array([[0.0], [9.0]]), np.array([[1.0], [2.0]])
    >>> search = make_search("exact", "euclidean")
    >>> memory = NeighborMemory()
    >>> first = memory.neighbors(fixed, pool, search)
    >>> memory.neighbors(fixed.copy(), pool.copy(), search) is first
    True
    >>> memory.neighbors(fixed, pool + 1, search) is first
    False
    """

    @cached_property
    def _known(self) -> dict[tuple[str, NeighborSearch], ActiveNeighbors]:
        return {}

    def __sklearn_clone__(self) -> Self:
        return self

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return type(self), ()

    def _asdict(self) -> dict[str, Any]:
        return {}  # not stored in model files

    def neighbors(
        self, fixed: Any, pool: Any, search: NeighborSearch
    ) -> ActiveNeighbors:
        """Return the neighbours of these rows, from the cache if possible.

        Parameters
        ----------
        fixed, pool : array or csr_array
        search : NeighborSearch
            All as in :class:`ActiveNeighbors`.
        """
        key = joblib.hash((fixed, pool)), search
        if key not in self._known:
            self._known[key] = ActiveNeighbors(fixed, pool, search)
        return self._known[key]
