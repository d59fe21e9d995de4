"""How much time and memory a blend may take, and which candidates fit into them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, Self

import numpy as np

from hilabel._free_memory import available_memory
from hilabel._progress import duration
from hilabel.classifiers import BaseHierarchicalClassifier
from hilabel.costs import (
    Cost,
    DataShape,
    judging_seconds,
    machine_factor,
    scoring_cost,
    training_cost,
    usual_seconds,
)

EFFORTS: Final = ("normal", "best")
"""How much time a blend takes by default: as usual for the size, or what it needs."""

# A prediction of the time is usually right within this factor; beyond it, a candidate
# is stopped.
UNSURE: Final = 3.0
# Choosing takes this part of what judging takes, for each candidate.
_MEASURING_TO_JUDGING: Final = 0.1
# The share of free memory that a candidate may use; its results stay in memory.
_SHARE_OF_MEMORY: Final = 0.8


class Proposal(NamedTuple):
    """A model to try, or the reason why not; "" if there is none.

    Attributes
    ----------
    model : hierarchical classifier
    why_not : str
    seconds : float or None
        What it is expected to take in all: scoring rows out of fold, and training on
        all rows. None if nothing is known about such models.
    longer : tuple of hierarchical classifiers
        The same model with settings that take longer, ascending; the last of them for
        which there is time left replaces it.
    """

    model: BaseHierarchicalClassifier
    why_not: str = ""
    seconds: float | None = None
    longer: tuple[BaseHierarchicalClassifier, ...] = ()


@dataclass(frozen=True)
class Limits:
    """The time and memory that a blend may take.

    Attributes
    ----------
    seconds : float
    memory : float
        In bytes, above those of the data.
    is_given : bool
        Whether the time was chosen by the user, and holds on this machine. Otherwise,
        candidates are chosen as on any other machine.
    """

    seconds: float
    memory: float
    is_given: bool

    @classmethod
    def of(
        cls,
        shape: DataShape,
        effort: str = "normal",
        seconds: float | None = None,
        memory: float | None = None,
    ) -> Self:
        """Return the limits that were given, or those by default."""
        if memory is None:
            memory = _SHARE_OF_MEMORY * available_memory()
        if seconds is not None:
            return cls(seconds, memory, is_given=True)
        if effort == "best":
            return cls(np.inf, memory, is_given=False)
        return cls(usual_seconds(shape), memory, is_given=False)

    def on_this_machine(self, seconds: float) -> float:
        """Return the predicted seconds as the limit counts them."""
        return seconds if self.is_given else seconds / machine_factor()


CostOf = Callable[[BaseHierarchicalClassifier], Cost | None]
"""What a model takes in all, or None if nothing is known; see :func:`whole_cost`."""


def plan(
    proposals: Mapping[str, Proposal], cost_of: CostOf, limits: Limits
) -> dict[str, Proposal]:
    """Select the candidates that fit into the limits, the most promising first.

    What is left after all that fit goes to longer trainings, in the same order.

    Parameters
    ----------
    proposals : mapping of str to Proposal
        The most promising first.
    cost_of : callable
    limits : Limits

    Returns
    -------
    dict of str to Proposal
        With the expected seconds. Those that do not fit have a reason. If none fits,
        the fastest is selected that fits into memory.
    """
    costs = {name: cost_of(one.model) for name, one in proposals.items()}
    left, planned = limits.seconds, {}
    for name, one in proposals.items():
        cost, why_not = costs[name], one.why_not
        seconds = None if cost is None else limits.on_this_machine(cost.seconds)
        if not why_not and cost is not None and seconds is not None:
            why_not = _why_too_much(cost, seconds, left, limits)
            left -= 0 if why_not else seconds
        planned[name] = one._replace(why_not=why_not, seconds=seconds)
    if all(one.why_not for one in planned.values()):
        _select_the_fastest(proposals, planned, costs, limits)
    for name, one in planned.items():
        if not one.why_not:
            planned[name] = _lengthened(one, cost_of, left, limits)
            left -= (planned[name].seconds or 0) - (one.seconds or 0)
    return planned


def _lengthened(
    one: Proposal, cost_of: CostOf, left: float, limits: Limits
) -> Proposal:
    """Return a candidate with the longest training for which there is time left."""
    for model in reversed(one.longer):
        cost = cost_of(model)
        if cost is None or one.seconds is None:
            continue
        seconds = limits.on_this_machine(cost.seconds)
        if not _why_too_much(cost, seconds - one.seconds, left, limits):
            return one._replace(model=model, seconds=seconds)
    return one


def whole_cost(
    model: BaseHierarchicalClassifier,
    shape: DataShape,
    n_trainings: float,
    n_scored: int,
) -> Cost | None:
    """Return the cost of scoring out of fold, measuring, and training on all rows.

    Parameters
    ----------
    model : hierarchical classifier
        With the number of jobs that it uses.
    shape : DataShape
    n_trainings : float
        Number of trainings on all rows, or on rows of that number in total.
    n_scored : int
        Number of rows that are scored.

    Returns
    -------
    Cost or None
        None if nothing is known about such models.
    """
    train, score = training_cost(model, shape), scoring_cost(model, shape, n_scored)
    if train is None or score is None:
        return None
    n_scores = n_scored * shape.n_nodes
    measuring = Cost(_MEASURING_TO_JUDGING * judging_seconds(n_scores), 0)
    return n_trainings * train + score + measuring


def _why_too_much(cost: Cost, seconds: float, left: float, limits: Limits) -> str:
    if cost.memory > limits.memory:
        return f"it needs {_gigabytes(cost.memory)}, {_gigabytes(limits.memory)} free"
    if seconds > left:
        return f"it does not fit into the {duration(max(left, 0))} that are left"
    return ""


def _select_the_fastest(
    proposals: Mapping[str, Proposal],
    planned: dict[str, Proposal],
    costs: Mapping[str, Cost | None],
    limits: Limits,
) -> None:
    suited = {
        name: cost
        for name, cost in costs.items()
        if cost is not None and not proposals[name].why_not
    }
    if suited:
        fits = [name for name in suited if suited[name].memory <= limits.memory]
        fastest = min(fits or suited, key=lambda name: suited[name].seconds)
        planned[fastest] = planned[fastest]._replace(why_not="")


def _gigabytes(n_bytes: float) -> str:
    return f"{n_bytes / 1e9:.2g} GB"
