"""How far predictions can be relied on, by probability and by node."""

from dataclasses import dataclass
from typing import Annotated, Any, Final, Self

import numpy as np
from scipy.special import ndtri
from sklearn.isotonic import IsotonicRegression

from hilabel._saved_types import Array, saved_type
from hilabel._typing import ArrayLike, BoolArray, FloatArray
from hilabel.metrics._score_counts import ScoreCounts

_MAX_POINTS: Final = 200
# Means of probabilities may be slightly outside [0, 1] because of rounding.
_SHARES: Final = Array("f8", ("n_points",), -0.001, 1.001)
# Cells between two points of the curve: fewer would be noise.
_POSITIVES_PER_POINT: Final = 10
# A node with uninformative scores counts as reliable once in a hundred times.
_BY_CHANCE: Final = 0.01


@saved_type
@dataclass(frozen=True, eq=False)
class PrecisionByProbability:
    """The share of right predictions among all that are at least as probable.

    Attributes
    ----------
    probability, precision : ndarray of shape (n_points,)
        Ascending probabilities, and the share of all cells with at least this
        probability that have the label, smoothed so that it never decreases.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.metrics import PrecisionByProbability, ScoreCounts
    >>> random = np.random.default_rng(0)
    >>> scores = random.random((500, 2))
    >>> counts = ScoreCounts.of(random.random((500, 2)) < scores, scores)
    >>> PrecisionByProbability.of_counts(counts).precision_from([0.1, 0.9]).round(1)
    array([0.6, 1. ])
    """

    probability: Annotated[FloatArray, _SHARES]
    precision: Annotated[FloatArray, _SHARES]

    @classmethod
    def of_counts(cls, counts: ScoreCounts) -> Self:
        """Measure predictions, given the number of cells with each score."""
        if not counts.n_cells.size:
            return cls(np.zeros(1), np.zeros(1))
        n_positive = np.cumsum(counts.n_positive[::-1])[::-1]
        n_cells = np.cumsum(counts.n_cells[::-1])[::-1]
        n_points = min(_MAX_POINTS, n_positive[0] // _POSITIVES_PER_POINT)
        # The most probable cells first: the additional positives at each point.
        wanted = n_positive[0] * np.arange(1, n_points + 1) / max(n_points, 1)
        places = np.searchsorted(-n_positive, -wanted, side="right") - 1
        places = np.unique(np.append(places, 0))
        probability = (counts.total / counts.n_cells)[places]
        precision = IsotonicRegression().fit_transform(
            probability,
            (n_positive / n_cells)[places],
            sample_weight=n_cells[places],
        )
        return cls(probability, precision)

    def precision_from(self, probabilities: ArrayLike) -> FloatArray:
        """Return the precision of all predictions with at least a given probability."""
        values = np.asarray(probabilities)
        return np.interp(values, self.probability, self.precision)

    def is_sound(self) -> bool:
        """Return whether the curve, which may come from a file, is ascending."""
        return self.probability.size > 0 and bool(
            (np.diff(self.probability) >= 0).all()
        )


def reliable_nodes(per_node: Any) -> BoolArray:
    """Return a mask of the nodes whose scores rank rows better than chance.

    A node is reliable if its average precision is above its prevalence and its area
    under the ROC curve is significantly above chance at the 1 % level (Mann-Whitney
    test).

    Parameters
    ----------
    per_node : DataFrame
        As returned by :func:`~hilabel.metrics.per_node_table`.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel.metrics import per_node_table, reliable_nodes
    >>> Y = np.arange(20)[:, None] >= [[10, 10]]
    >>> scores = np.column_stack([np.linspace(0, 1, 20), np.full(20, 0.5)])
    >>> reliable_nodes(per_node_table(Y, scores, Hierarchy(["a", "b"])))
    array([ True, False])
    """
    n_positive = per_node["n_positive"].to_numpy().astype(float)
    n_negative = per_node["n_known"].to_numpy() - n_positive
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt((n_positive + n_negative + 1) / (12 * n_positive * n_negative))
        distance = (per_node["roc_auc"].to_numpy() - 0.5) / spread
    above = per_node["average_precision"] > per_node["prevalence"]
    # NaN, for a node that all rows or no rows have, is not reliable either.
    return np.asarray((distance > ndtri(1 - _BY_CHANCE)) & above)
