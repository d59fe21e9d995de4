"""Show the progress of a long fit or of a whole job."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

Report: TypeAlias = Callable[[str, int, int], None]
"""Called with what runs now, the steps done, and their total, or 0 if it is unknown."""

# Work that takes less time than this needs no progress report.
_PATIENCE_SECONDS = 2.0
# Listeners that receive progress in addition to standard error.
_LISTENER: ContextVar[Report | None] = ContextVar("listener", default=None)


class Progress:
    """Write the progress of a long computation to standard error.

    Parameters
    ----------
    verbose : int
        0 writes nothing, 1 writes after two seconds, 2 writes from the start.
    """

    def __init__(self, verbose: int) -> None:
        self._verbose = verbose
        self._start = time.monotonic()

    def announce(self, message: str) -> None:
        """Write a message at once, unless ``verbose`` is 0."""
        _tell(message, 0, 0)
        self._write(message, is_urgent=True)

    def report(self, message: str, done: int = 0, total: int = 0) -> None:
        """Write a message with the elapsed seconds, depending on ``verbose``.

        Listeners also receive the steps done and their total, 0 if it is unknown.
        """
        _tell(message, done, total)
        self._write(message, is_urgent=False)

    @contextmanager
    def step(self, message: str, done: int = 0, total: int = 0) -> Iterator[None]:
        """Report a step; progress within this block becomes a part of its message."""
        self._write(message, is_urgent=False)
        with progress_of_step(current_report(), message, done, total):
            yield

    def _write(self, message: str, *, is_urgent: bool) -> None:
        elapsed = time.monotonic() - self._start
        is_time = is_urgent or elapsed > _PATIENCE_SECONDS
        if self._verbose >= 2 or (self._verbose == 1 and is_time):
            sys.stderr.write(f"[{elapsed:6.1f} s] {message}\n")
            sys.stderr.flush()


def _tell(message: str, done: int, total: int) -> None:
    current_report()(message, done, total)


def current_report() -> Report:
    """Return the listener of the larger job, or a function that ignores progress."""
    return _LISTENER.get() or say_nothing


@contextmanager
def progress_to(listener: Report) -> Iterator[None]:
    """Send all progress within this block to a listener, regardless of ``verbose``."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def within_step(report: Report, message: str, done: int, total: int) -> Report:
    """Return a function that reports what happens within a step of a larger job.

    Its messages become a part of the message of the step. The numbers stay those of the
    larger job, unless it has a single step or an unknown number of steps.

    Examples
    --------
    >>> from hilabel._progress import within_step
    >>> inner = within_step(print, "Trying forest, 2 of 17", 1, 17)
    >>> inner("Growing trees, 40 of 100", 40, 100)
    Trying forest, 2 of 17: growing trees, 40 of 100 1 17
    """

    def told(inner: str, inner_done: int, inner_total: int) -> None:
        numbers = (done, total) if total > 1 else (inner_done, inner_total)
        report(f"{message}: {inner[:1].lower()}{inner[1:]}", *numbers)

    return told


@contextmanager
def progress_of_step(
    report: Report, message: str, done: int = 0, total: int = 0
) -> Iterator[None]:
    """Report a step; progress within this block becomes a part of its message.

    Without a report, the progress goes to the listener of the larger job, if any.
    """
    if report is say_nothing:
        yield
        return
    report(message, done, total)
    with progress_to(within_step(report, message, done, total)):
        yield


def say_nothing(message: str, done: int, total: int) -> None:
    """Ignore progress."""


def duration(seconds: float) -> str:
    """Format a duration in a readable unit.

    Examples
    --------
    >>> from hilabel._progress import duration
    >>> duration(8), duration(100), duration(5000), duration(200_000)
    ('8 s', '2 min', '1.4 h', '2.3 days')
    """
    for unit, length, digits in (("days", 86_400, 1), ("h", 3_600, 1), ("min", 60, 0)):
        if seconds >= 1.5 * length or (unit == "h" and seconds >= length):
            return f"{seconds / length:.{digits}f} {unit}"
    return f"{seconds:.0f} s"
