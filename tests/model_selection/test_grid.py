"""A search tries every point, keeps the best model and says why others failed."""

import math

import pytest

from hilabel.model_selection import Attempt, grid_points, search_grid


def test_points_are_all_combinations_with_the_last_parameter_first():
    points = grid_points({"a": [1, 2], "b": ["x", "y"]})
    assert [tuple(point.values()) for point in points] == [
        (1, "x"),
        (1, "y"),
        (2, "x"),
        (2, "y"),
    ]
    assert grid_points({}) == [{}]


@pytest.mark.parametrize(
    ("values", "higher", "best"),
    [
        ([1.0, 3.0, 3.0, 2.0], True, 1),  # of equal points, the first
        ([1.0, 3.0, 3.0, 2.0], False, 0),
        ([math.nan, -5.0], True, 1),
        ([math.nan, 5.0], False, 1),
        ([math.nan, math.nan], True, 0),
    ],
)
def test_the_best_point_wins_and_an_undefined_value_is_the_worst(values, higher, best):
    points = grid_points({"at": range(len(values))})
    found = search_grid(
        points,
        lambda point: Attempt(values[point["at"]], f"model {point['at']}"),
        higher_is_better=higher,
    )
    assert found.best is found.points[best]
    assert found.model == f"model {best}"
    assert [point.parameters for point in found.points] == points
    assert not found.failed


def test_a_failed_point_is_kept_with_its_error_and_never_the_best():
    def attempt(point):
        if point["x"] < 2:
            raise ValueError(f"no {point['x']}")
        return Attempt(-1.0, "model", {"n": point["x"]})

    found = search_grid(grid_points({"x": [0, 1, 2]}), attempt)
    assert [str(point.error) for point in found.failed] == ["no 0", "no 1"]
    assert math.isnan(found.points[0].value)
    assert found.best.parameters == {"x": 2}
    assert found.best.facts == {"n": 2}
    nothing = search_grid(grid_points({"x": [0, 1]}), attempt)
    assert (nothing.best, nothing.model) == (None, None)


def test_other_errors_end_the_search():
    def attempt(point):
        raise KeyError("a mistake in the program")

    with pytest.raises(KeyError, match="mistake"):
        search_grid([{}], attempt)


def test_progress_names_the_point_that_runs():
    told = []
    search_grid(
        grid_points({"x": [1, 2]}),
        lambda point: Attempt(0.0, None),
        report=lambda *now: told.append(now),
    )
    assert told[0] == ("Training grid point 1 of 2", 0, 2)
    assert ("Training grid point 2 of 2", 1, 2) in told


def test_changing_a_point_while_trying_it_changes_nothing():
    def attempt(point):
        point["x"] = None
        return Attempt(0.0, None)

    assert search_grid([{"x": 1}], attempt).best.parameters == {"x": 1}
