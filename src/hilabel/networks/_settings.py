"""Training settings, expressed in terms of the estimators' parameters."""

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
"""Out-of-fold scores are computed after these numbers of steps."""

_FEWEST_EPOCHS = 5


@dataclass(frozen=True)
class TrainingSettings:
    """All settings for training an ensemble.

    Attributes
    ----------
    shapes : mapping of str to NetworkShape
        Trained one after another until one is worse than the previous one; the
        combination with the best mean is kept.
    n_members : int
        Number of members per shape.
    max_steps : int or None
    backbone : see :class:`~hilabel.classifiers.HierarchicalNetwork`
    loss : {"binary", "max_constraint"}
    batch_size : int
    learning_rate, weight_decay : float
    consistency : float
        Weight of the requirement that rows score the same under different noise.

    Examples
    --------
    >>> from hilabel.networks import SHAPES, TrainingSettings
    >>> settings = TrainingSettings(
    ...     shapes=SHAPES,
    ...     n_members=4,
    ...     max_steps=30,
    ...     backbone=None,
    ...     loss="binary",
    ...     batch_size=32,
    ...     learning_rate=1e-3,
    ...     weight_decay=1e-5,
    ... )
    >>> list(settings.shapes)
    ['mid', 'deep', 'light', 'wide']
    """

    shapes: Mapping[str, NetworkShape]
    n_members: int
    max_steps: int | None
    backbone: Any
    loss: str
    batch_size: int
    learning_rate: float
    weight_decay: float
    consistency: float = 0.0

    def checkpoints(self, n_rows: int) -> Sequence[int]:
        """Return the numbers of steps after which out-of-fold scores are computed.

        With many rows, the first checkpoints are skipped, because scores are never at
        their best within the first few epochs.
        """
        first = _FEWEST_EPOCHS * n_rows / self.batch_size
        last = CHECKPOINTS[-1] if self.max_steps is None else self.max_steps
        return [*(steps for steps in CHECKPOINTS if first <= steps < last), last]
