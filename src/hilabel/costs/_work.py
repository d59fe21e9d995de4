"""The amounts of work that an estimator does, before they become seconds."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from joblib import effective_n_jobs


@dataclass(frozen=True)
class Work:
    """Amounts of work of one kind.

    Attributes
    ----------
    kind : str
        Whose seconds per unit apply; see ``coefficients.toml``.
    amounts : mapping of str to float
        The number of units of each part of the work.
    n_threads : int
        The number of threads that share it.
    """

    kind: str
    amounts: Mapping[str, float]
    n_threads: int = 1


@dataclass(frozen=True)
class Job:
    """Work of several kinds that is done one after another.

    Attributes
    ----------
    works : tuple of Work
    memory : float
        The largest number of bytes in use.
    """

    works: tuple[Work, ...]
    memory: float

    def __add__(self, other: "Job") -> "Job":
        memory = max(self.memory, other.memory)
        return Job((*self.works, *other.works), memory)

    def __rmul__(self, times: float) -> "Job":
        works = (
            replace(work, amounts={name: times * n for name, n in work.amounts.items()})
            for work in self.works
        )
        return Job(tuple(works), self.memory)

    def needing(self, memory: float) -> "Job":
        """Return the same work while other arrays of this many bytes are kept."""
        return Job(self.works, self.memory + memory)


def job(kind: str, memory: float, n_threads: int = 1, **amounts: float) -> Job:
    """Return work of a single kind."""
    return Job((Work(kind, amounts, n_threads),), memory)


def form_of(is_sparse: bool) -> str:
    """Return how rows are stored, as part of a kind of work."""
    return "sparse" if is_sparse else "dense"


def threads_of(estimator: Any) -> int:
    """Return the number of threads that an estimator uses."""
    return int(effective_n_jobs(getattr(estimator, "n_jobs", None)))
