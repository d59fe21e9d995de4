"""One line of a benchmark: our figure, the rival's, and their ratio."""

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Comparison:
    """The same work done twice: time (or bytes) of ours and of the rival.

    Attributes
    ----------
    work : str
    ours, theirs : float
        Seconds, or bytes where ``unit`` says so.
    rival : str
    unit : {"s", "MB"}
    target : float or None
        The ratio that we want at least.
    note : str
        What else was found, such as a score of both.
    """

    work: str
    ours: float
    rival: str
    theirs: float
    unit: str = "s"
    target: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float:
        """How many times faster, or smaller, than the rival."""
        return self.theirs / self.ours


@dataclass(frozen=True)
class Measurement:
    """A figure without a rival: what was measured, and the bound it should keep."""

    work: str
    value: float
    unit: str
    bound: float | None = None
    note: str = ""


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
    target: float | None = None,
) -> Comparison:
    """Time both in turn, ``repeats`` times, after one call each to warm up."""
    ours(), theirs()
    pairs = [(best_of(ours, 1), best_of(theirs, 1)) for _ in range(repeats)]
    return Comparison(
        work,
        min(pair[0] for pair in pairs),
        rival,
        min(pair[1] for pair in pairs),
        target=target,
    )
