"""Out-of-fold results stored in a model: curves by depth and most probable cells."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Self

import numpy as np
import scipy.sparse as sp

from hilabel._saved_types import Array, Sparse, saved_type
from hilabel._typing import BoolArray, FloatArray, IntArray, LabelArray
from hilabel.calibration._counts import ScoreCounts, row_blocks
from hilabel.hierarchy import Hierarchy
from hilabel.metrics import average_precision

# More points than are visible on a screen.
_CURVE_POINTS: Final = 60
# Bins start here, since most cells are near 0, where bins are uninformative.
_PREDICTED_FROM: Final = 0.1
# Deeper levels have few terms each, and are shown together.
_DEPTHS_APART: Final = 8
# Bins for the calibration error of a term; with fewer rows, they would be noisy.
_TERM_BINS: Final = 5
_ROWS_PER_BIN: Final = 20
# Curves and errors of larger tables are measured on a sample of their rows.
_MOST_CELLS: Final = 40_000_000
# Number of cells stored per row, in addition to those of its labels.
_CELLS_PER_ROW: Final = 64
_SMALLEST_KEPT: Final = 0.01

_SHARES: Final = Array("f8", ("*",), -0.001, 1.001)


@saved_type
@dataclass(frozen=True, eq=False)
class TermGroup:
    """The quality of the scores for a group of terms, measured over all their cells.

    Attributes
    ----------
    label : str
        ``"all terms"``, ``"depth 2"``, ...
    recall, precision : ndarray of shape (n_points,)
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
    >>> import numpy as np
    >>> from hilabel.calibration import TermGroup
    >>> known, scores = np.array([[1, 0], [1, 1]]), np.array([[0.9, 0.2], [0.8, 0.3]])
    >>> group = TermGroup.of("all terms", known, scores, 0.75)
    >>> group.average_precision, group.frequency
    (1.0, 0.75)
    """

    label: str
    recall: Annotated[FloatArray, _SHARES]
    precision: Annotated[FloatArray, _SHARES]
    average_precision: float
    constant: float
    frequency: float
    said: Annotated[FloatArray, _SHARES]
    true: Annotated[FloatArray, _SHARES]
    count: Annotated[IntArray, Array("i8", ("*",), 0)]

    @classmethod
    def of(
        cls, label: str, known: LabelArray, scores: FloatArray, constant: float
    ) -> Self:
        """Measure the scores for a group of terms with at least one positive cell."""
        counts = ScoreCounts.of(known, scores)
        n_found = np.cumsum(counts.n_positive[::-1])
        n_cells = np.cumsum(counts.n_cells[::-1])
        # The same number of new positives between any two points of the curve.
        wanted = np.linspace(0, n_found[-1], _CURVE_POINTS + 1)[1:]
        places = np.unique(np.searchsorted(n_found, wanted))
        said, true, count = counts.bins(10, _PREDICTED_FROM)
        return cls(
            label=label,
            recall=n_found[places] / n_found[-1],
            precision=n_found[places] / n_cells[places],
            average_precision=float(average_precision(known, scores)),
            constant=float(constant),
            frequency=float(n_found[-1] / n_cells[-1]),
            said=said,
            true=true,
            count=count,
        )


@saved_type
@dataclass(frozen=True, eq=False)
class HeldOutRecord:
    """Results for rows scored by models that were trained without them.

    Attributes
    ----------
    groups : tuple of TermGroup
        All terms together, then depth by depth.
    term_error : ndarray of shape (n_nodes,)
        Mean absolute difference between probability and share of positives, in up to
        five bins of rows; NaN for terms that are not measured.
    scores : csr_array of shape (n_rows, n_nodes)
        The most probable cells of each row and those of its labels, and their
        ancestors; empty for rows that were not scored.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel.calibration import HeldOutRecord, depth_groups
    >>> hierarchy = Hierarchy.from_edges([("a", "b")])
    >>> Y = np.array([[1, 1], [1, 0], [0, 0], [1, 0]], dtype=np.int8)
    >>> scores = np.array([[0.9, 0.8], [0.7, 0.1], [0.3, 0.2], [0.6, 0.004]])
    >>> names, masks = depth_groups(hierarchy, np.array([True, True]))
    >>> names
    ('all terms', 'depth 1', 'depth 2')
    >>> record = HeldOutRecord.measure(Y, scores, hierarchy, names, masks, [0.6] * 3)
    >>> [group.average_precision for group in record.groups]
    [1.0, 1.0, 1.0]
    >>> record.scores.toarray()[3]  # small probabilities are not stored
    array([0.6, 0. ], dtype=float32)
    """

    groups: tuple[TermGroup, ...]
    term_error: Annotated[FloatArray, Array("f8", ("n_nodes",), 0, 1.001, gaps=True)]
    scores: Annotated[sp.csr_array, Sparse("f4", ("n_rows", "n_nodes"), 0, 1.001)]

    @classmethod
    def measure(
        cls,
        known: LabelArray,
        scores: FloatArray,
        hierarchy: Hierarchy,
        labels: Sequence[str],
        masks: Sequence[BoolArray],
        constants: Sequence[float],
    ) -> Self:
        """Measure scores of rows that the model was not trained on.

        Parameters
        ----------
        known : int8 array of shape (n_rows, n_nodes)
            1, 0, and -1 where unknown.
        scores : ndarray of shape (n_rows, n_nodes)
            From 0 to 1, with no child higher than a parent.
        hierarchy : Hierarchy
        labels, masks
            Names of groups of nodes, and which nodes are in each; see
            :func:`depth_groups`. Groups without a positive cell are left out.
        constants : sequence of float
            Average precision of the constant predictor in each group.
        """
        step = max(1, known.size // _MOST_CELLS)
        some, own = known[::step], scores[::step]
        groups = [
            TermGroup.of(label, *_columns(some, own, mask), constant)
            for label, mask, constant in zip(labels, masks, constants, strict=True)
            if (some[:, mask] == 1).any()
        ]
        return cls(
            groups=tuple(groups),
            term_error=_term_errors(some, own),
            scores=_best_cells(known, scores, hierarchy),
        )

    def spread_over(self, rows: BoolArray) -> "HeldOutRecord":
        """Return a record with empty rows inserted where a mask is False."""
        counts = np.zeros(len(rows), dtype=np.int64)
        counts[rows] = np.diff(self.scores.indptr)
        parts = (self.scores.data, self.scores.indices, np.append(0, counts.cumsum()))
        spread = sp.csr_array(parts, (len(rows), self.scores.shape[1]))
        return HeldOutRecord(self.groups, self.term_error, spread)


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


def _columns(known: Any, scores: Any, mask: BoolArray) -> tuple[Any, Any]:
    """Return the columns selected by a mask, without copying if it selects all."""
    return (known, scores) if mask.all() else (known[:, mask], scores[:, mask])


def _term_errors(known: LabelArray, scores: FloatArray) -> FloatArray:
    """Return the calibration error of each column, using bins with equal counts."""
    n_rows, n_nodes = known.shape
    n_bins = min(_TERM_BINS, n_rows // _ROWS_PER_BIN)
    errors = np.full(n_nodes, np.nan)
    if n_bins == 0:
        return errors
    starts = np.linspace(0, n_rows, n_bins + 1).astype(np.int64)[:-1]
    for nodes in row_blocks(scores.T):
        values, is_positive, is_known = _sorted_rows(known[:, nodes], scores[:, nodes])
        distance = np.where(is_known, values - is_positive, 0)
        in_bins = np.abs(np.add.reduceat(distance, starts, axis=1)).sum(axis=1)
        n_known = is_known.sum(axis=1)
        np.divide(in_bins, n_known, out=errors[nodes], where=n_known > 0)
    return np.minimum(errors, 1)


def _sorted_rows(
    known: LabelArray, scores: FloatArray
) -> tuple[FloatArray, BoolArray, BoolArray]:
    """Sort each column by score, and return scores, labels and known cells as rows.

    Sorting values is several times faster than computing their order, so the labels are
    stored in the lowest bits of the scores before sorting.
    """
    single = np.ascontiguousarray(np.clip(scores, 0, 1).T, dtype=np.float32) + 0.0
    codes = single.view(np.uint32)
    codes &= np.uint32(2**32 - 4)
    codes |= (known == 1).T
    codes |= ((known >= 0).T * np.uint32(2)).astype(np.uint32)
    codes.sort(axis=1)
    is_positive, is_known = (codes & 1).astype(bool), (codes & 2).astype(bool)
    return (codes & np.uint32(2**32 - 4)).view(np.float32), is_positive, is_known


def _best_cells(
    known: LabelArray, scores: FloatArray, hierarchy: Hierarchy
) -> sp.csr_array:
    """Return the cells to store, in single precision."""
    parts = []
    for rows in row_blocks(scores):
        values = scores[rows]
        kept = values >= _SMALLEST_KEPT
        if values.shape[1] > _CELLS_PER_ROW:
            place = values.shape[1] - _CELLS_PER_ROW
            kept &= values >= np.partition(values, place, axis=1)[:, [place]]
        kept = hierarchy.close(kept | (known[rows] == 1))
        parts.append(sp.csr_array(np.where(kept, values, 0).astype(np.float32)))
    return sp.csr_array(sp.vstack(parts, format="csr"))
