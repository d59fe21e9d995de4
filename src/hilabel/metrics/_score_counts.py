"""Count cells by score, to avoid sorting all cells."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from hilabel._label_matrix import LabelMatrix
from hilabel._score_matrix import N_CODES, ScoreMatrix, codes_of
from hilabel._typing import BoolArray, FloatArray, IntArray, MatrixLike
from hilabel._validation import check_known_labels, check_probabilities
from hilabel.metrics._cells import ArrayCells, Cells
from hilabel.metrics._inputs import cells_of
from hilabel.metrics._ranking import pooled_average_precision


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
    >>> from hilabel.metrics import ScoreCounts
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
            From 0 to 1. Scores less than 0.05 % apart may be counted together.
        nodes : bool array of shape (n_nodes,), optional
            Count only these nodes.

        Raises
        ------
        ScoreError
            If ``scores`` does not have the shape of ``Y`` or is outside [0, 1].
        """
        if isinstance(Y, LabelMatrix) or isinstance(scores, ScoreMatrix):
            cells = cells_of(Y, scores)
        else:
            positive, known = check_known_labels(Y)
            values = check_probabilities(scores, positive.shape)
            cells = ArrayCells(positive, known, values)
        return cls.of_cells(cells if nodes is None else cells.of_nodes(nodes))

    @classmethod
    def of_cells(cls, cells: Cells) -> Self:
        """Count the known cells, with scores from 0 to 1."""
        n_positive = np.bincount(codes_of(cells.found()), minlength=N_CODES)
        tally = cells.tally()
        if tally is not None:
            codes = codes_of(tally.score)
            # The counts are below 2^53, so that they are exact as weights.
            n_cells = np.bincount(codes, tally.n_cells, N_CODES).astype(np.int64)
            total: Any = np.bincount(codes, tally.n_cells * tally.score, N_CODES)
        else:
            n_cells, total = np.zeros(N_CODES, dtype=np.int64), np.zeros(N_CODES)
            for block in cells.blocks():
                values = block.pooled.reshape(-1)
                codes = codes_of(values)
                n_cells += np.bincount(codes, minlength=N_CODES)
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


def pooled_counts_and_precision(
    labels: LabelMatrix, scores: ScoreMatrix, nodes: BoolArray
) -> tuple[ScoreCounts, float]:
    """Return the cells of some nodes counted by score, and their average precision.

    The average precision is NaN if no cell is positive.
    """
    cells = cells_of(labels, scores)
    if not nodes.all():
        cells = cells.of_nodes(nodes)
    return ScoreCounts.of_cells(cells), pooled_average_precision(cells)
