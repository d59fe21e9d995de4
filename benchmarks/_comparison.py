"""One line of a benchmark: our result, the reference, and their ratio."""

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Comparison:
    """The same work done twice: time or size of ours and of the reference.

    Attributes
    ----------
    work : str
    ours, theirs : float
        Seconds, or megabytes, depending on ``unit``.
    rival : str
    unit : {"s", "MB"}
    target : float or None
        The minimum ratio that we want.
    note : str
        Additional results, such as both scores.
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
        """How many times faster, or smaller, than the reference."""
        return self.theirs / self.ours


@dataclass(frozen=True)
class Measurement:
    """A result without a reference: the measured value, and its bound."""

    work: str
    value: float
    unit: str
    bound: float | None = None
    note: str = ""


def best_of(function: Callable[[], object], repeats: int = 3) -> float:
    """Return the minimum wall-clock time of ``repeats`` calls in seconds."""
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
    """Time both alternately, ``repeats`` times, after one warm-up call each."""
    ours(), theirs()
    pairs = [(best_of(ours, 1), best_of(theirs, 1)) for _ in range(repeats)]
    return Comparison(
        work,
        min(pair[0] for pair in pairs),
        rival,
        min(pair[1] for pair in pairs),
        target=target,
    )
