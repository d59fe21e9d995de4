"""Estimate the time left from the time taken by earlier runs of each method."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from statistics import fmean

from hilabel._progress import duration
from hilabel.studies._specs import RunSpec


class RunsLeft:
    """A countdown of runs, shown as ``12 of 40 runs left, about 3 min``.

    ``n_jobs`` is the number of runs done in parallel.
    """

    def __init__(self, pending: Iterable[RunSpec], n_jobs: int) -> None:
        self._left = Counter(run.method.name for run in pending)
        self._n_runs = self._left.total()
        self._n_jobs = max(n_jobs, 1)
        self._seconds: dict[str, list[float]] = defaultdict(list)

    def count(self, method: str, seconds: float) -> None:
        """Count a finished run."""
        self._left[method] -= 1
        self._seconds[method].append(seconds)

    @property
    def seconds(self) -> float:
        """The estimated time left, based on the mean time per run of each method.

        For a method without finished runs, the mean over all runs is used.
        """
        every = [value for values in self._seconds.values() for value in values]
        if not every:
            return float("nan")
        total = sum(
            n_left * fmean(self._seconds.get(method) or every)
            for method, n_left in self._left.items()
        )
        return total / self._n_jobs

    def __str__(self) -> str:
        left = f"{self._left.total()} of {self._n_runs} runs left"
        seconds = self.seconds
        return left if seconds != seconds else f"{left}, about {duration(seconds)}"
