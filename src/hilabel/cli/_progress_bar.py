"""Progress as a bar, for terminals."""

import time
from datetime import timedelta
from types import TracebackType
from typing import Any, Self

from hilabel.cli._time_left import TimeLeft

_BAR_WIDTH = 20
_DRAWN_PER_SECOND = 5


class ProgressBar:
    """Draw a line with a bar, what runs now, and the time; it disappears at the end.

    Parameters
    ----------
    console : rich Console
    """

    def __init__(self, console: Any) -> None:
        from rich.live import Live

        self._start = time.monotonic()
        self._message, self._done, self._total = "Working", 0, 0
        self._time_left = TimeLeft()
        self._live = Live(
            console=console,
            transient=True,
            refresh_per_second=_DRAWN_PER_SECOND,
            get_renderable=self._drawn,
        )

    def report(self, message: str, done: int, total: int) -> None:
        """Note what runs now, the steps done and their total, or 0 if it is unknown."""
        self._message, self._done, self._total = message, done, total
        self._time_left.note(done, total)

    def __enter__(self) -> Self:
        """Draw the bar."""
        self._live.start(refresh=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Remove the bar, whether the work succeeded or not."""
        self._live.stop()

    def _drawn(self) -> Any:
        from rich.progress_bar import ProgressBar as Bar
        from rich.table import Table
        from rich.text import Text

        elapsed = timedelta(seconds=int(time.monotonic() - self._start))
        times = ", ".join(filter(None, (str(elapsed), str(self._time_left))))
        line = Table.grid(padding=(0, 1), expand=True)
        line.add_column(width=_BAR_WIDTH)
        line.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
        line.add_column(no_wrap=True)
        line.add_row(
            Bar(total=self._total or None, completed=self._done, width=_BAR_WIDTH),
            Text(self._message),
            Text(times, style="cyan"),
        )
        return line
