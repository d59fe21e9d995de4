"""The quality of scores for groups of terms: all of them, and depth by depth."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Self

import numpy as np

from hilabel._label_matrix import LabelMatrix
from hilabel._saved_types import Array, saved_type
from hilabel._score_matrix import ScoreMatrix
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.hierarchy import Hierarchy
from hilabel.metrics import ScoreCounts, pooled_counts_and_precision

# More points than are visible on a screen.
_CURVE_POINTS: Final = 60
PREDICTED_FROM: Final = 0.1
"""Bins start here, since most cells are near 0, where bins are uninformative."""

# Deeper levels have few terms each, and are shown together.
_DEPTHS_APART: Final = 8

_SHARES: Final = Array("f8", ("*",), -0.001, 1.001)
_POINTS: Final = Array("f8", ("n_points",), -0.001, 1.001)


@saved_type
@dataclass(frozen=True, eq=False)
class TermGroup:
    """The quality of the scores for a group of terms, measured over all their cells.

    Attributes
    ----------
    label : str
        ``"all terms"``, ``"depth 2"``, ...
    recall, precision, threshold : ndarray of shape (n_points,)
        From the highest threshold to the lowest.
    average_precision, constant, frequency : float
        Average precision of the scores and of label frequencies, and the share of
        positive cells, which is the expected value for random scores.
    said, true : ndarray of shape (n_bins,)
        Mean probability and share of positives, in bins of equal count, for the cells
        with a probability of at least 0.1.
    count : int array of shape (n_bins,)

    Examples
    --------
    >>> from hilabel.calibration import TermGroup
    >>> from hilabel.metrics import ScoreCounts
    >>> counts = ScoreCounts.of([[1, 0], [1, 1]], [[0.9, 0.2], [0.8, 0.3]])
    >>> group = TermGroup.of_counts("all terms", counts, 1.0, 0.75)
    >>> group.recall.round(2), group.precision, group.frequency
    (array([0.33, 0.67, 1.  ]), array([1., 1., 1.]), 0.75)
    """

    label: str
    recall: Annotated[FloatArray, _POINTS]
    precision: Annotated[FloatArray, _POINTS]
    threshold: Annotated[FloatArray, _POINTS]
    average_precision: float
    constant: float
    frequency: float
    said: Annotated[FloatArray, _SHARES]
    true: Annotated[FloatArray, _SHARES]
    count: Annotated[IntArray, Array("i8", ("*",), 0)]

    @classmethod
    def of_counts(
        cls, label: str, counts: ScoreCounts, average_precision: float, constant: float
    ) -> Self:
        """Measure the scores for a group of terms with at least one positive cell."""
        n_found = np.cumsum(counts.n_positive[::-1])
        n_cells = np.cumsum(counts.n_cells[::-1])
        threshold = (counts.total / counts.n_cells)[::-1]
        # The same number of new positives between any two points of the curve.
        wanted = np.linspace(0, n_found[-1], _CURVE_POINTS + 1)[1:]
        places = np.unique(np.searchsorted(n_found, wanted))
        said, true, count = counts.bins(floor=PREDICTED_FROM)
        return cls(
            label=label,
            recall=n_found[places] / n_found[-1],
            precision=n_found[places] / n_cells[places],
            threshold=threshold[places],
            average_precision=average_precision,
            constant=constant,
            frequency=float(n_found[-1] / n_cells[-1]),
            said=said,
            true=true,
            count=count,
        )


def term_groups(
    known: LabelMatrix,
    scores: ScoreMatrix,
    constant: ScoreMatrix,
    names: Sequence[str],
    masks: Sequence[BoolArray],
) -> tuple[TermGroup, ...]:
    """Measure scores for groups of terms; groups without a positive cell are left out.

    Parameters
    ----------
    known : LabelMatrix of shape (n_rows, n_nodes)
    scores, constant : ScoreMatrix of the same shape
        Those to measure, and those of the constant predictor.
    names, masks
        As returned by :func:`depth_groups`.
    """
    found = []
    has_positive = known.n_positive > 0
    for name, mask in zip(names, masks, strict=True):
        if (mask & has_positive).any():
            counts, precision = pooled_counts_and_precision(known, scores, mask)
            of_constant = (
                precision
                if constant is scores
                else pooled_counts_and_precision(known, constant, mask)[1]
            )
            found.append(TermGroup.of_counts(name, counts, precision, of_constant))
    return tuple(found)


def depth_groups(
    hierarchy: Hierarchy, nodes: BoolArray
) -> tuple[tuple[str, ...], tuple[BoolArray, ...]]:
    """Return names and masks of node groups: all given nodes, and those at each depth.

    Depths refer to the whole hierarchy; the eighth and all deeper levels form one
    group.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel.calibration import depth_groups
    >>> hierarchy = Hierarchy.from_edges([("a", "b"), ("a", "c")])
    >>> labels, masks = depth_groups(hierarchy, np.array([False, True, True]))
    >>> labels
    ('all terms', 'depth 2')
    """
    labels, masks = ["all terms"], [np.asarray(nodes)]
    for depth in range(1, min(hierarchy.max_depth, _DEPTHS_APART) + 1):
        is_last = depth == _DEPTHS_APART < hierarchy.max_depth
        here = hierarchy.depth >= depth if is_last else hierarchy.depth == depth
        if (here & nodes).any():
            labels.append(f"depth {depth}{' and deeper' if is_last else ''}")
            masks.append(np.asarray(here & nodes))
    return tuple(labels), tuple(masks)
