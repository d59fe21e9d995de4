"""Count cells by score, to avoid sorting all cells."""

from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from sklearn.utils import gen_batches

from hilabel._typing import BoolArray, FloatArray, IntArray, MatrixLike
from hilabel._validation import check_known_labels, check_scores
from hilabel.exceptions import ScoreError

_CELLS_AT_ONCE: Final = 1_000_000
# Means of many ones in single precision may exceed 1.
_ROUNDING: Final = 1e-5
# The first bits of a single-precision number, with ten bits of its mantissa: scores
# with the same bits are counted together, and differ by at most 0.1 %.
_BITS_LEFT_OUT: Final = 13
N_CODES: Final = int(np.float32(1).view(np.uint32) >> _BITS_LEFT_OUT) + 1


@dataclass(frozen=True, eq=False)
class ScoreCounts:
    """The number of cells with each score, and how many of them are positive.

    Attributes
    ----------
    n_cells, n_positive : int array of shape (n_scores,)
        Counts by score, in ascending order.
    total : ndarray of shape (n_scores,)
        The sums of their scores.

    Examples
    --------
    >>> from hilabel.calibration import ScoreCounts
    >>> counts = ScoreCounts.of([[1, 0], [1, -1]], [[0.5, 0.5], [1.0, 0.2]])
    >>> counts.n_cells, counts.n_positive  # the unknown cell is left out
    (array([2, 1]), array([1, 1]))
    >>> counts.error(n_bins=2)
    0.0
    """

    n_cells: IntArray
    n_positive: IntArray
    total: FloatArray

    @classmethod
    def of(
        cls, Y: MatrixLike, scores: MatrixLike, nodes: BoolArray | None = None
    ) -> Self:
        """Count the known cells.

        Parameters
        ----------
        Y : array-like of shape (n_samples, n_nodes)
            Cells of -1 or NaN are ignored.
        scores : array-like of shape (n_samples, n_nodes)
            From 0 to 1. Scores less than 0.1 % apart may be counted together.
        nodes : bool array of shape (n_nodes,), optional
            Count only these nodes.

        Raises
        ------
        ScoreError
            If ``scores`` does not have the shape of ``Y`` or is outside [0, 1].
        """
        positive, known = check_known_labels(Y)
        values = check_probabilities(scores, known.shape)
        return cls.of_cells(positive, known, values, nodes)

    @classmethod
    def of_cells(
        cls,
        positive: BoolArray,
        known: BoolArray,
        scores: FloatArray,
        nodes: BoolArray | None = None,
    ) -> Self:
        """Count the known cells of validated input."""
        n_cells, n_positive = np.zeros((2, N_CODES), dtype=np.int64)
        total = np.zeros(N_CODES)
        for rows in row_blocks(scores):
            is_known = known[rows] if nodes is None else known[rows] & nodes
            values = scores[rows][is_known]
            codes = codes_of(values).astype(np.intp)
            n_cells += np.bincount(codes, minlength=N_CODES)
            n_positive += np.bincount(codes[positive[rows][is_known]], None, N_CODES)
            total += np.bincount(codes, values, N_CODES)
        seen = n_cells > 0
        return cls(n_cells[seen], n_positive[seen], total[seen])

    def bins(
        self, n_bins: int = 10, floor: float = 0.0
    ) -> tuple[FloatArray, FloatArray, IntArray]:
        """Return each equal-count bin's mean score, fraction of positives and size.

        Parameters
        ----------
        n_bins : int, default=10
            Fewer bins are returned if many cells have the same score.
        floor : float, default=0.0
            Only use scores of at least this value.
        """
        from_here = self.total / self.n_cells >= floor
        n_cells, n_positive = self.n_cells[from_here], self.n_positive[from_here]
        before = np.cumsum(n_cells) - n_cells / 2  # half of the cells with that score
        part = (before * n_bins / max(int(n_cells.sum()), 1)).astype(np.int64)
        starts = np.flatnonzero(np.diff(part, prepend=-1))
        if not starts.size:
            return np.empty(0), np.empty(0), np.empty(0, dtype=np.int64)
        in_bin = np.add.reduceat(n_cells, starts)
        mean = np.add.reduceat(self.total[from_here], starts) / in_bin
        return mean, np.add.reduceat(n_positive, starts) / in_bin, in_bin

    def error(self, n_bins: int = 10, floor: float = 0.0) -> float:
        """Return the expected calibration error, using bins with equal counts.

        This is the mean absolute difference between the mean score and the fraction of
        positives, weighted by bin size; NaN if there are no cells.
        """
        mean, share, in_bin = self.bins(n_bins, floor)
        if not in_bin.size:
            return float("nan")
        return float(np.average(np.abs(mean - share), weights=in_bin))


# For the other modules of this folder ------------------------------------------------


def check_probabilities(scores: MatrixLike, shape: Any) -> FloatArray:
    """Check that scores have the given shape and are between 0 and 1."""
    values = check_scores(scores, shape)
    if values.size and (values.min() < -_ROUNDING or values.max() > 1 + _ROUNDING):
        raise ScoreError(
            "Expected probabilities from 0 to 1, got scores from "
            f"{values.min():.3g} to {values.max():.3g}; a calibration is only defined "
            "for probabilities."
        )
    return values


def codes_of(scores: FloatArray) -> IntArray:
    """Convert scores in [0, 1] to codes: increasing integers below ``N_CODES``."""
    # Values slightly outside count as 0 or 1; -0.0 would set the sign bit.
    single = np.minimum(np.abs(scores), 1).astype(np.float32)
    return single.view(np.uint32) >> _BITS_LEFT_OUT


def first_of_code(scores: FloatArray) -> FloatArray:
    """Return, for each score, the lowest score with the same code."""
    lowest = codes_of(scores).astype(np.uint32) << _BITS_LEFT_OUT
    return lowest.view(np.float32).astype(np.float64)


def row_blocks(matrix: Any) -> Any:
    """Return consecutive row slices of bounded size."""
    n_rows, n_columns = matrix.shape
    return gen_batches(n_rows, max(1, _CELLS_AT_ONCE // max(1, n_columns)))
