"""How linear models are trained."""

from dataclasses import dataclass
from typing import Final

LOSSES: Final = ("logistic", "squared_hinge")
"""Losses of linear models, in the order of their numbers in the engine.

Examples
--------
>>> from hilabel.linear import LOSSES
>>> LOSSES
('logistic', 'squared_hinge')
"""

NEGATIVES: Final = ("parents", "mined", "all")
"""Which rows without a node its model learns from.

Those with all its parents; these and, in addition, rows that the model would otherwise
score high; or all.

Examples
--------
>>> from hilabel.linear import NEGATIVES
>>> NEGATIVES
('parents', 'mined', 'all')
"""

# Training stops at the largest violation of an optimality condition, or after so many
# passes. For many sparse rows, stricter values take twice the time, and score the
# same on test rows. Dense rows are alike: training would stop after too few passes.
_TOLERANCE: Final = {"logistic": 0.1, "squared_hinge": 0.1}
_TOLERANCE_OF_MANY: Final = {"logistic": 1.0, "squared_hinge": 0.1}
_MANY_ROWS: Final = 10_000
_MOST_PASSES: Final = {"logistic": 100, "squared_hinge": 20}

# Outputs times this are about log odds. Margins of a hinge lie between -1 and 1; among
# rows with the parents, they are smaller.
_SLOPE_OF_HINGE: Final = {"parents": 4.0, "mined": 3.0, "all": 3.0}


@dataclass(frozen=True)
class LinearSettings:
    """How linear models are trained.

    Attributes
    ----------
    loss : {"logistic", "squared_hinge"}
    negatives : {"parents", "mined", "all"}
        See ``NEGATIVES``.
    cost : float
        Weight of the loss against the L2 penalty.
    pruning : float
        Share of the objective that may be lost by setting small weights to 0. Biases
        are kept.
    tolerance : float or None
        The largest violation of an optimality condition at which training stops; None
        means a value that suits the loss and the rows.
    max_passes : int or None
        The largest number of passes over the rows, likewise.
    seed : int
    n_jobs : int or None
        Number of threads; the result does not depend on it.

    Examples
    --------
    >>> from hilabel.linear import LinearSettings
    >>> LinearSettings("squared_hinge", "mined", cost=1.0).slope
    3.0
    """

    loss: str = "logistic"
    negatives: str = "parents"
    cost: float = 1.0
    pruning: float = 0.01
    tolerance: float | None = None
    max_passes: int | None = None
    seed: int = 0
    n_jobs: int | None = None

    @property
    def is_conditional(self) -> bool:
        """Whether outputs are about rows that have all parents of a node."""
        return self.negatives == "parents"

    @property
    def begins_at_prior(self) -> bool:
        """Whether biases are drawn to the log odds of the examples, not to 0.

        Mined examples are no sample of the rows, so their frequencies mean nothing.
        """
        return self.loss == "logistic" and self.negatives != "mined"

    @property
    def slope(self) -> float:
        """What outputs are multiplied by to become log odds.

        For a hinge, this is only approximate; scores are calibrated later.
        """
        return 1.0 if self.loss == "logistic" else _SLOPE_OF_HINGE[self.negatives]

    def stopping(self, n_rows: int, is_sparse: bool) -> tuple[float, int]:
        """Return the tolerance and the number of passes, with defaults filled in."""
        is_large = is_sparse and n_rows > _MANY_ROWS
        usual = _TOLERANCE_OF_MANY if is_large else _TOLERANCE
        tolerance = usual[self.loss] if self.tolerance is None else self.tolerance
        passes = _MOST_PASSES[self.loss] if self.max_passes is None else self.max_passes
        return tolerance, passes
