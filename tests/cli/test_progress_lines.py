"""Plain lines of progress come regularly, and end with the work."""

import threading
import time

import pytest

from hilabel.cli._progress_lines import ProgressLines

TINY = 0.05


class Lines(list):
    """Lines that were written, and a way to wait for them."""

    def __init__(self):
        self._come = threading.Semaphore(0)

    def write(self, line):
        self.append(line)
        self._come.release()

    def wait_for(self, n_lines):
        for _ in range(n_lines):
            assert self._come.acquire(timeout=20), f"no further line after {self}"


@pytest.fixture
def lines():
    return Lines()


def test_a_long_computation_without_reports_is_told_again_and_again(lines):
    with ProgressLines(lines.write, TINY) as progress:
        progress.report("Training", 0, 0)
        lines.wait_for(3)
    assert lines[:3] == [
        "hilabel: Training",
        "hilabel: Training, 0 s so far",
        "hilabel: Training, 0 s so far",
    ]


def test_work_that_never_reports_is_told_too(lines):
    with ProgressLines(lines.write, TINY):
        lines.wait_for(1)
    assert lines[0] == "hilabel: Working"


def test_the_time_left_is_told(lines):
    with ProgressLines(lines.write, 1.5) as progress:
        progress.report("Training without fold 1 of 3", 0, 3)
        time.sleep(1.2)
        progress.report("Training without fold 2 of 3", 1, 3)
        lines.wait_for(1)
    assert lines == ["hilabel: Training without fold 2 of 3, about 2 s left"]


def test_work_that_takes_less_than_the_interval_is_not_told(lines):
    with ProgressLines(lines.write, 30) as progress:
        for number in range(1000):
            progress.report(f"Stage {'x' * number}", number, number)
    assert lines == []


def test_frequent_reports_of_a_stage_give_no_more_lines(lines):
    start, number = time.monotonic(), 0
    with ProgressLines(lines.write, 4 * TINY) as progress:
        while len(lines) < 3 and time.monotonic() < start + 20:
            number += 1
            progress.report(f"Predicting, {number} of 1,000,000 rows", number, 10**6)
    assert time.monotonic() - start >= 3 * 4 * TINY
    assert [line[:19] for line in lines] == ["hilabel: Predicting"] * 3


def test_a_new_stage_is_told_when_it_has_settled_and_once(lines):
    with ProgressLines(lines.write, interval=1.5, settled=TINY) as progress:
        progress.report("Reading", 0, 0)
        lines.wait_for(1)
        first = time.monotonic()
        progress.report("Passing", 0, 0)  # over before it has settled
        progress.report("Pass 1", 0, 0)
        lines.wait_for(1)
        second = time.monotonic()
        progress.report("Growing, 1 of 9", 1, 9)
        progress.report("Pass 2", 0, 0)  # a stage that is known
        lines.wait_for(1)
        third = time.monotonic()
    assert lines == ["hilabel: Reading", "hilabel: Pass 1", "hilabel: Pass 2"]
    assert second - first < 1.4
    assert third - second > 1.4


@pytest.mark.parametrize("error", [None, ValueError, KeyboardInterrupt])
def test_the_thread_ends_with_the_work(lines, error):
    threads = threading.enumerate()
    try:
        with ProgressLines(lines.write, TINY) as progress:
            progress.report("Training", 0, 0)
            lines.wait_for(1)
            if error is not None:
                raise error
    except (ValueError, KeyboardInterrupt):
        pass
    n_lines = len(lines)
    assert threading.enumerate() == threads
    time.sleep(3 * TINY)
    assert len(lines) == n_lines


@pytest.mark.parametrize("error", [BrokenPipeError, ValueError])
def test_the_work_goes_on_if_nobody_reads(error):
    failed = threading.Event()

    def write(line):
        failed.set()
        raise error("closed")

    with ProgressLines(write, TINY) as progress:
        assert failed.wait(20)
        progress.report("Training", 0, 0)


def test_lines_go_to_standard_error(capsys):
    with ProgressLines(interval=TINY) as progress:
        progress.report("Training", 0, 0)
        time.sleep(10 * TINY)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[0] == "hilabel: Training"
