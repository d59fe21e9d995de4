"""Progress in plain lines, for files and pipes."""

import re
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Condition, Thread
from types import TracebackType
from typing import Self

from hilabel._progress import duration
from hilabel.cli._time_left import TimeLeft

# The most time to wait for a line that cannot be written, such as into a full pipe.
_END_SECONDS = 1.0


class ProgressLines:
    """Write what runs now as a plain line, once per interval and when a stage begins.

    Nothing is written in the first interval, so that short commands stay quiet. A
    thread writes the lines, because a long computation may report nothing itself.

    Parameters
    ----------
    write : callable, optional
        Called with each line; by default, it goes to standard error.
    interval : float, default=10
        Seconds.
    settled : float, default=1
        Seconds after which a new stage gets a line; one that is over sooner needs none.
    """

    def __init__(
        self,
        write: Callable[[str], None] | None = None,
        interval: float = 10.0,
        settled: float = 1.0,
    ) -> None:
        self._write = _to_standard_error if write is None else write
        self._interval = interval
        self._settled = settled
        self._time_left = TimeLeft()
        self._message, self._stage, self._known_stages = "Working", "", {""}
        self._since = self._stage_since = self._written_at = time.monotonic()
        self._written = ""
        self._is_over = False
        self._changed = Condition()
        self._thread = Thread(target=self._run, name="progress", daemon=True)

    def report(self, message: str, done: int, total: int) -> None:
        """Note what runs now, the steps done and their total, or 0 if it is unknown."""
        stage = str(total) if total else re.sub(r"\d+", "", message)
        now = time.monotonic()
        with self._changed:
            self._time_left.note(done, total)
            if message != self._message:
                self._message, self._since = message, now
            if stage != self._stage:
                self._stage, self._stage_since = stage, now
                self._changed.notify()

    def __enter__(self) -> Self:
        """Start to write lines."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Write no more lines, whether the work succeeded or not."""
        with self._changed:
            self._is_over = True
            self._changed.notify()
        self._thread.join(_END_SECONDS)

    def _run(self) -> None:
        # The reader of standard error may be gone; the work goes on.
        with suppress(OSError, ValueError):
            while line := self._next_line():
                self._write(line)

    def _next_line(self) -> str:
        """Wait until a line is due and return it, or "" when the work is over."""
        with self._changed:
            while not self._is_over:
                wait = self._due() - time.monotonic()
                if wait <= 0:
                    return self._line()
                self._changed.wait(wait)
        return ""

    def _due(self) -> float:
        """Return when the next line is due, if nothing changes before."""
        due = self._written_at + self._interval
        if not self._written or self._stage in self._known_stages:
            return due
        return min(due, self._stage_since + self._settled)

    def _line(self) -> str:
        now = time.monotonic()
        parts = [self._message]
        if self._message == self._written:
            parts.append(f"{duration(now - self._since)} so far")
        parts.append(str(self._time_left))
        self._written, self._written_at = self._message, now
        self._known_stages.add(self._stage)
        return f"hilabel: {', '.join(filter(None, parts))}"


def _to_standard_error(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
