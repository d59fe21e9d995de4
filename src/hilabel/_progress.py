"""Show the progress of a long fit or of a whole job."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

Report: TypeAlias = Callable[[str, int, int], None]
"""Called with a short description of the next step, the steps done and their total."""

# Work that takes less time than this needs no progress report.
_PATIENCE_SECONDS = 2.0
# Listeners that receive progress in addition to standard error.
_LISTENER: ContextVar[Callable[[str], None] | None] = ContextVar(
    "listener", default=None
)


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
        self._write(message, is_urgent=True)

    def report(self, message: str) -> None:
        """Write a message with the elapsed seconds, depending on ``verbose``."""
        self._write(message, is_urgent=False)

    def _write(self, message: str, *, is_urgent: bool) -> None:
        listener = _LISTENER.get()
        if listener is not None:
            listener(message)
        elapsed = time.monotonic() - self._start
        is_time = is_urgent or elapsed > _PATIENCE_SECONDS
        if self._verbose >= 2 or (self._verbose == 1 and is_time):
            sys.stderr.write(f"[{elapsed:6.1f} s] {message}\n")
            sys.stderr.flush()


@contextmanager
def progress_to(listener: Callable[[str], None]) -> Iterator[None]:
    """Send all progress within this block to a listener, regardless of ``verbose``."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


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
