"""The views that are used unless others are given."""

from typing import Any, Final

from hilabel.views._link_ids import LinkIds
from hilabel.views._link_means import LinkMeans
from hilabel.views._neighbor_columns import NeighborColumns
from hilabel.views._neighborhood import NeighborhoodMeans

_N_NEIGHBORS: Final = 25


def default_views(
    is_sparse: bool,
    n_jobs: int | None = None,
    *,
    has_links: bool = False,
    has_columns: bool = True,
) -> list[Any]:
    """Return views of neighbours that suit rows: sparse ones stay sparse.

    Dense rows get the means of their neighbours by distance and by correlation, sparse
    rows the columns of the nearest rows by angle. A training row is not its own
    neighbour, so that it is treated like a new row. Rows with links also get the means
    of the linked rows or, if they have no columns, the ids of these.

    Parameters
    ----------
    is_sparse : bool
    n_jobs : int, optional
        Number of threads that search neighbours.
    has_links : bool, default=False
        Whether there are links between the rows.
    has_columns : bool, default=True
        Whether rows have columns.

    Returns
    -------
    list of transformers
        Not fitted.

    Examples
    --------
    >>> from hilabel.views import default_views
    >>> default_views(is_sparse=True)
    [NeighborColumns()]
    >>> default_views(is_sparse=True, has_links=True)
    [NeighborColumns(), LinkMeans()]
    >>> default_views(is_sparse=False, has_links=True, has_columns=False)
    [LinkIds()]
    """
    if has_links and not has_columns:
        return [LinkIds()]
    near = _of_neighbors(is_sparse, n_jobs)
    return [*near, LinkMeans()] if has_links else near


def _of_neighbors(is_sparse: bool, n_jobs: int | None) -> list[Any]:
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
