"""One line of a benchmark: our time, the rival's, and their ratio."""

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Comparison:
    """Two ways to do the same work, timed side by side."""

    work: str
    seconds: float
    rival: str
    rival_seconds: float

    @property
    def ratio(self) -> float:
        """How many times faster than the rival."""
        return self.rival_seconds / self.seconds


def best_of(function: Callable[[], object], repeats: int = 3) -> float:
    """Return the least wall-clock seconds of ``repeats`` calls."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def compare(
    work: str,
    ours: Callable[[], object],
    rival: str,
    theirs: Callable[[], object],
    repeats: int = 3,
) -> Comparison:
    """Time both in turn, ``repeats`` times, after one call each to warm up."""
    ours(), theirs()
    pairs = [(best_of(ours, 1), best_of(theirs, 1)) for _ in range(repeats)]
    return Comparison(work, min(p[0] for p in pairs), rival, min(p[1] for p in pairs))
