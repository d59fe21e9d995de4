"""The work of describing rows by their neighbours."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from hilabel.costs._neighbors import search
from hilabel.costs._shape import DataShape
from hilabel.costs._work import Job, job
from hilabel.views import NeighborColumns, NeighborhoodMeans, default_views

# A mean of sparse rows has this share of the values that the rows have together.
_NEW_VALUES: Final = 0.7
# With local scaling, this many times as many neighbours are listed.
_CANDIDATES: Final = 4


def views_of(estimator: Any, shape: DataShape) -> Sequence[Any]:
    """Return the views of a ViewsClassifier."""
    own: Sequence[Any] | None = estimator.views
    return default_views(shape.is_sparse) if own is None else own


def are_known(views: Sequence[Any]) -> bool:
    """Return whether the work of views is known."""
    return all(type(view) in (NeighborColumns, NeighborhoodMeans) for view in views)


def describe(
    views: Sequence[Any],
    shape: DataShape,
    n_rows: int,
    n_threads: int,
    *,
    is_new: bool,
) -> Job:
    """Return the work of searching and averaging the neighbours of rows.

    Views are also fitted, unless the rows are new.
    """
    found = Job((), 0.0)
    for view in views:
        k, n_searches = view.n_neighbors, 1
        if getattr(view, "local_scaling", False):
            k, n_searches = _CANDIDATES * k, 1 if is_new else 2
        found += n_searches * search(shape, n_rows, shape.n_all_rows, k, n_threads)
        found += job(
            "averaging",
            bytes_of_rows(widened(shape, [view]), n_rows),
            values=float(n_rows) * view.n_neighbors * shape.n_values,
        )
    return found


def widened(shape: DataShape, views: Sequence[Any]) -> DataShape:
    """Return the shape of rows with the columns of views."""
    n_columns = (1 + len(views)) * shape.n_columns
    if not shape.is_sparse:
        n_values = (1 + len(views)) * shape.n_values
        return replace(shape, n_columns=n_columns, n_values=n_values)
    n_values = shape.n_values
    for view in views:
        of_mean = _NEW_VALUES * view.n_neighbors * shape.n_values
        most = getattr(view, "max_columns", None) or shape.n_columns
        n_values += min(of_mean, most, shape.n_columns)
    # The rows of all learners that follow share more columns, but are not compared.
    return replace(shape, n_columns=n_columns, n_values=n_values)


def bytes_of_rows(shape: DataShape, n_rows: int) -> float:
    """Return the bytes of rows."""
    per_value = 12.0 if shape.is_sparse else 8.0
    return per_value * n_rows * shape.n_values
