"""The guess of the time left."""

import pytest

from hilabel.studies import CellSpec, DatasetSpec, MethodSpec, RunSpec
from hilabel.studies._runs_left import RunsLeft


def runs(*methods):
    cell = CellSpec(DatasetSpec("a", "GO"), 0.1, 1, 0)
    return [
        RunSpec(cell, MethodSpec(name, "some.Class"), ("fmax",), "fmax")
        for name in methods
    ]


def test_nothing_is_guessed_before_the_first_run_ends():
    assert str(RunsLeft(runs("a", "b"), 1)) == "2 of 2 runs left"


def test_each_method_is_expected_to_take_as_long_as_before():
    left = RunsLeft(runs("slow", "slow", "fast", "fast", "fast", "new"), 1)
    left.count("slow", 100.0)
    left.count("fast", 2.0)
    # One slow, two fast, and a new one that is given the mean of all.
    assert left.seconds == pytest.approx(100 + 2 * 2 + 51)
    assert str(left) == "4 of 6 runs left, about 3 min"


def test_several_processes_share_the_work():
    left = RunsLeft(runs("a", "a", "a"), 2)
    left.count("a", 10.0)
    assert left.seconds == pytest.approx(10.0)
    assert str(left) == "2 of 3 runs left, about 10 s"


def test_long_times_are_told_in_hours():
    left = RunsLeft(runs("a", "a"), 1)
    left.count("a", 7200.0)
    assert str(left).endswith("about 2.0 h")
