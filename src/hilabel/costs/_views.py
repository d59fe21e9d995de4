"""The work of describing rows by their neighbours."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from hilabel.costs._neighbors import search
from hilabel.costs._shape import DataShape
from hilabel.costs._work import Job, job
from hilabel.views import (
    BaseLinkView,
    LinkIds,
    LinkLabels,
    LinkMeans,
    NeighborColumns,
    NeighborhoodMeans,
    default_views,
)

_KNOWN: Final = (LinkIds, LinkLabels, LinkMeans, NeighborColumns, NeighborhoodMeans)

# A mean of sparse rows has this share of the values that the rows have together.
_NEW_VALUES: Final = 0.7
# With local scaling, this many times as many neighbours are listed.
_CANDIDATES: Final = 4


def views_of(estimator: Any, shape: DataShape) -> Sequence[Any]:
    """Return the views of a ViewsClassifier."""
    own: Sequence[Any] | None = estimator.views
    if own is not None:
        return own
    return default_views(shape.is_sparse, has_links=shape.n_links > 0)


def are_known(views: Sequence[Any]) -> bool:
    """Return whether the work of views is known."""
    return all(type(view) in _KNOWN for view in views)


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
        if not isinstance(view, BaseLinkView):
            k, n_searches = view.n_neighbors, 1
            if getattr(view, "local_scaling", False):
                k, n_searches = _CANDIDATES * k, 1 if is_new else 2
            found += n_searches * search(shape, n_rows, shape.n_all_rows, k, n_threads)
        found += job(
            "averaging",
            bytes_of_rows(widened(shape, [view]), n_rows),
            values=float(n_rows) * _n_averaged(view, shape),
        )
    return found


def _n_averaged(view: Any, shape: DataShape) -> float:
    """Return the number of values that are added up for a row."""
    if not isinstance(view, BaseLinkView):
        return view.n_neighbors * shape.n_values
    if isinstance(view, LinkLabels):
        return shape.n_links * shape.n_labels
    of_linked, total = shape.n_values, 0.0
    if isinstance(view, LinkIds):
        of_linked = min(shape.n_links + 1, _most_columns(view, shape))
    for _ in range(view.n_steps):
        total += shape.n_links * of_linked
        of_linked = _values_of_mean(view, shape, of_linked)
    return total


def _values_of_mean(view: Any, shape: DataShape, of_linked: float) -> float:
    """Return the number of values of a mean of rows with so many values."""
    if not shape.is_sparse and not isinstance(view, LinkIds):
        return of_linked
    n_rows = shape.n_links if isinstance(view, BaseLinkView) else view.n_neighbors
    return min(_NEW_VALUES * n_rows * of_linked, _most_columns(view, shape))


def _most_columns(view: Any, shape: DataShape) -> float:
    n_columns = shape.n_all_rows if isinstance(view, LinkIds) else shape.n_columns
    return float(min(getattr(view, "max_columns", None) or n_columns, n_columns))


def widened(shape: DataShape, views: Sequence[Any]) -> DataShape:
    """Return the shape of rows with the columns of views."""
    n_columns, n_values = shape.n_columns, shape.n_values
    for view in views:
        more_columns, more_values = _added(view, shape)
        n_columns, n_values = n_columns + more_columns, n_values + more_values
    # The rows of all learners that follow share more columns, but are not compared.
    is_sparse = shape.is_sparse or any(isinstance(view, LinkIds) for view in views)
    return replace(shape, n_columns=n_columns, n_values=n_values, is_sparse=is_sparse)


def _added(view: Any, shape: DataShape) -> tuple[int, float]:
    """Return the number of columns and of values that a view adds to a row."""
    if isinstance(view, LinkLabels):
        if shape.is_sparse:
            n_values = min(shape.n_links * shape.n_labels, float(shape.n_nodes))
            return shape.n_nodes, min(n_values, view.max_columns or n_values)
        n_columns = min(view.n_directions, shape.n_nodes) + 1
        return n_columns, float(n_columns)
    n_steps = getattr(view, "n_steps", 1)
    if isinstance(view, LinkIds):
        first = min(shape.n_links + 1, _most_columns(view, shape))
        second = _values_of_mean(view, shape, first) if n_steps > 1 else 0.0
        return n_steps * shape.n_all_rows, first + second
    first = _values_of_mean(view, shape, shape.n_values)
    second = _values_of_mean(view, shape, first) if n_steps > 1 else 0.0
    if isinstance(view, LinkMeans) and not shape.is_sparse:
        return n_steps * shape.n_columns + 1, first + second + 1
    return n_steps * shape.n_columns, first + second


def bytes_of_rows(shape: DataShape, n_rows: int) -> float:
    """Return the bytes of rows."""
    per_value = 12.0 if shape.is_sparse else 8.0
    return per_value * n_rows * shape.n_values
