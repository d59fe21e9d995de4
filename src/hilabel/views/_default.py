"""The views that are used unless others are given."""

from typing import Any, Final

from hilabel.views._neighbor_columns import NeighborColumns
from hilabel.views._neighborhood import NeighborhoodMeans

_N_NEIGHBORS: Final = 25


def default_views(is_sparse: bool, n_jobs: int | None = None) -> list[Any]:
    """Return views of neighbours that suit rows: sparse ones stay sparse.

    Dense rows get the means of their neighbours by distance and by correlation, sparse
    rows the columns of the nearest rows by angle. A training row is not its own
    neighbour, so that it is treated like a new row.

    Parameters
    ----------
    is_sparse : bool
    n_jobs : int, optional
        Number of threads that search neighbours.

    Returns
    -------
    list of transformers
        Not fitted.

    Examples
    --------
    >>> from hilabel.views import default_views
    >>> default_views(is_sparse=True)
    [NeighborColumns()]
    """
    if is_sparse:
        return [NeighborColumns(n_jobs=n_jobs)]
    return [
        NeighborhoodMeans(
            _N_NEIGHBORS,
            metric=metric,
            include_self=False,
            local_scaling=True,
            n_jobs=n_jobs,
        )
        for metric in ("euclidean", "correlation")
    ]
