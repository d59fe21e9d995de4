"""How networks are trained, in the terms of the estimators' parameters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hilabel.networks._shapes import NetworkShape

CHECKPOINTS = (
    15,
    30,
    60,
    100,
    160,
    250,
    400,
    640,
    1000,
    1600,
    2500,
    4000,
    6400,
    10_000,
)
"""After so many steps out-of-fold scores are taken."""

_FEWEST_EPOCHS = 5


@dataclass(frozen=True)
class TrainingSettings:
    """All that training depends on beside the data.

    Attributes
    ----------
    shapes : mapping of str to NetworkShape
        Trained one after another, until one is worse than the one before; those whose
        mean is best are kept.
    n_members, n_folds : int
        Members of a shape, and folds of which each leaves out one.
    max_steps : int or None
    backbone : see :class:`~hilabel.classifiers.HierarchicalNetwork`
    loss : {"binary", "max_constraint"}
    batch_size : int
    learning_rate, weight_decay : float
    consistency : float
        How much it counts that unlabelled rows score the same under other noise.
    """

    shapes: Mapping[str, NetworkShape]
    n_members: int
    n_folds: int
    max_steps: int | None
    backbone: Any
    loss: str
    batch_size: int
    learning_rate: float
    weight_decay: float
    consistency: float = 0.0

    def checkpoints(self, n_rows: int) -> Sequence[int]:
        """Return the numbers of steps after which out-of-fold scores are taken.

        The first ones are left out where rows are many: within the first few epochs no
        training is at its best.
        """
        first = _FEWEST_EPOCHS * n_rows / self.batch_size
        last = CHECKPOINTS[-1] if self.max_steps is None else self.max_steps
        return [*(steps for steps in CHECKPOINTS if first <= steps < last), last]
