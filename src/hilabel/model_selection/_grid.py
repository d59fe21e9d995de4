"""Try all points of a grid of parameters, and find the best."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

from hilabel._progress import Report, progress_of_step, say_nothing


class Attempt(NamedTuple):
    """A trained grid point: its value, its model, and facts to keep if it loses."""

    value: float
    model: Any
    facts: Mapping[str, Any] = {}


@dataclass(frozen=True, eq=False)
class TriedPoint:
    """What is known about a grid point after it was tried.

    Attributes
    ----------
    parameters : dict
    value : float
        NaN if it is undefined, or if the point failed.
    facts : mapping
        What the attempt wanted to keep; empty if it failed.
    error : Exception or None
        Why the point failed.
    """

    parameters: dict[str, Any]
    value: float = math.nan
    facts: Mapping[str, Any] = field(default_factory=dict)
    error: Exception | None = None


@dataclass(frozen=True, eq=False)
class GridSearch:
    """The points of a grid in the order they were tried, and the best of them.

    Attributes
    ----------
    points : tuple of TriedPoint
    best : TriedPoint or None
        None if all points failed.
    model : object
        The model of the best point.
    """

    points: tuple[TriedPoint, ...]
    best: TriedPoint | None
    model: Any

    @property
    def failed(self) -> list[TriedPoint]:
        """The points that failed."""
        return [point for point in self.points if point.error is not None]


def grid_points(grid: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return all combinations of values; the last parameter varies fastest.

    Examples
    --------
    >>> from hilabel.model_selection import grid_points
    >>> grid_points({"k": [1, 2], "n": [0, 5]})[:3]
    [{'k': 1, 'n': 0}, {'k': 1, 'n': 5}, {'k': 2, 'n': 0}]
    """
    return [dict(zip(grid, values)) for values in product(*grid.values())]


def search_grid(
    points: Sequence[Mapping[str, Any]],
    attempt: Callable[[dict[str, Any]], Attempt],
    *,
    higher_is_better: bool = True,
    errors: type[Exception] = ValueError,
    report: Report = say_nothing,
) -> GridSearch:
    """Try each point, and keep the model of the best.

    Ties go to the earlier point. An undefined value is worse than any other, and a
    point that fails is never the best.

    Parameters
    ----------
    points : sequence of dict
    attempt : callable
        Trains and measures a point, on rows that do not train it.
    higher_is_better : bool, default=True
    errors : type of exception
        The errors with which a point may fail; others are raised.
    report : callable, optional

    Examples
    --------
    >>> from hilabel.model_selection import Attempt, grid_points, search_grid
    >>> points = grid_points({"x": [1, 2, -2]})
    >>> found = search_grid(points, lambda point: Attempt(point["x"] ** 2, "a model"))
    >>> found.best.parameters, found.best.value
    ({'x': 2}, 4)
    """
    sign = 1 if higher_is_better else -1
    tried: list[TriedPoint] = []
    best, model, most = None, None, -math.inf
    for number, point in enumerate(points):
        told = f"Training grid point {number + 1} of {len(points)}"
        try:
            with progress_of_step(report, told, number, len(points)):
                made = attempt(dict(point))
        except errors as error:
            tried.append(TriedPoint(dict(point), error=error))
            continue
        tried.append(TriedPoint(dict(point), made.value, made.facts))
        value = -math.inf if math.isnan(made.value) else sign * made.value
        if best is None or value > most:
            best, model, most = tried[-1], made.model, value
    return GridSearch(tuple(tried), best, model)
