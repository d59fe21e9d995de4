"""An estimate of the time left, from the pace of the steps done so far."""

import time
from bisect import bisect_right
from collections.abc import Callable

from hilabel._progress import duration


class TimeLeft:
    """Estimate the time left for one part of a job from its pace so far.

    Steps often become slower, because the cheap ones are done first. So the pace is
    that of the later half of the time, and a step that takes longer than this sets the
    pace itself.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._total = 0
        # When how many steps were done; the first entry is the start of this part.
        self._reached: list[tuple[float, int]] = [(clock(), 0)]

    def note(self, done: int, total: int) -> None:
        """Note how many steps are done; another total begins another part."""
        before = self._reached[-1][1]
        if total != self._total or done < before:
            self._total, self._reached = total, [(self._clock(), done)]
        elif done > before:
            self._reached.append((self._clock(), done))

    def __str__(self) -> str:
        """Return the time left as text, or "" while it is unknown or over."""
        seconds = self._seconds()
        return f"about {duration(seconds)} left" if seconds >= 1 else ""

    def _seconds(self) -> float:
        reached = self._reached
        last, done = reached[-1]
        if not reached[0][1] < done < self._total:
            return 0.0
        since = self._clock() - last
        return max(_pace(reached), since) * (self._total - done) - since


def _pace(reached: list[tuple[float, int]]) -> float:
    """Return the seconds per step in the later half of the time."""
    (start, _), (last, done) = reached[0], reached[-1]
    if last == start:
        return 0.0
    middle = (start + last) / 2
    after = bisect_right(reached, middle, key=lambda point: point[0])
    (t0, n0), (t1, n1) = reached[after - 1], reached[after]
    done_before = n0 + (n1 - n0) * (middle - t0) / (t1 - t0)
    return (last - middle) / (done - done_before)
