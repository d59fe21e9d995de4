"""The time left is estimated from the pace so far."""

import pytest
from hypothesis import given, strategies as st

from hilabel.cli._time_left import TimeLeft


class Clock:
    """A clock that is set by hand."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def note(left, clock, reached, total):
    for now, done in reached:
        clock.now = now
        left.note(done, total)


def test_there_is_no_estimate_before_a_step_is_done(clock):
    left = TimeLeft(clock)
    assert str(left) == ""
    note(left, clock, [(0, 0), (50, 0)], 3)
    assert str(left) == ""
    note(left, clock, [(60, 0)], 0)
    assert str(left) == ""


@given(st.integers(2, 50), st.floats(1, 1000), st.data())
def test_steady_work_is_foreseen(total, each, data):
    done = data.draw(st.integers(1, total - 1))
    clock = Clock()
    left = TimeLeft(clock)
    note(left, clock, [(each * step, step) for step in range(done + 1)], total)
    assert left._seconds() == pytest.approx(each * (total - done))


def test_the_time_left_passes(clock):
    left = TimeLeft(clock)
    note(left, clock, [(0, 0), (10, 1)], 4)
    assert str(left) == "about 30 s left"
    clock.now = 18
    assert str(left) == "about 22 s left"


def test_a_step_that_takes_longer_than_those_before_sets_the_pace(clock):
    left = TimeLeft(clock)
    note(left, clock, [(0, 0), (1, 10)], 13)
    clock.now = 21  # 20 s for this one, and as long for each of the other two
    assert str(left) == "about 40 s left"


def test_slow_steps_after_many_quick_ones_weigh_more(clock):
    left = TimeLeft(clock)
    # In the later half, from 10.5 s on: half of the slow step.
    note(left, clock, [(0, 0), (1, 10), (21, 11)], 13)
    assert left._seconds() == pytest.approx(40, rel=0.1)


def test_another_part_of_the_job_has_its_own_pace(clock):
    left = TimeLeft(clock)
    note(left, clock, [(0, 0), (300, 2)], 3)
    note(left, clock, [(400, 0), (402, 1)], 5)
    assert str(left) == "about 8 s left"
    note(left, clock, [(500, 0), (501, 1)], 5)  # again from the start
    assert str(left) == "about 4 s left"


def test_at_the_end_no_time_is_left(clock):
    left = TimeLeft(clock)
    note(left, clock, [(0, 0), (10, 3)], 3)
    assert str(left) == ""


def test_steps_that_take_no_time_give_no_estimate(clock):
    left = TimeLeft(clock)
    note(left, clock, [(5, 0), (5, 1)], 3)
    assert str(left) == ""
