"""Cells counted by node and group of scores."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from hilabel._label_matrix import LabelMatrix
from hilabel._matrices import CELLS_AT_ONCE, row_blocks
from hilabel._score_matrix import N_CODES, ScoreMatrix, codes_of
from hilabel._typing import FloatArray, IntArray
from hilabel.metrics import ScoreCounts

_N_GROUPS: Final = 256
# Nodes counted at a time: their counts fit into a processor's cache.
_NODES_AT_ONCE: Final = 128


class GroupedCells:
    """Known cells in groups of similar scores, counted for some rows at a time.

    Counts of all rows but some are the total minus the counts of these rows. There is
    one table of counts at a time, so the memory does not grow with the number of folds.

    Attributes
    ----------
    score : ndarray of shape (n_groups,)
        The mean score of each group.
    """

    def __init__(self, labels: LabelMatrix, scores: ScoreMatrix) -> None:
        self._labels, self._scores = labels, scores
        self.score, self._group_of = _group_scores(ScoreCounts.of(labels, scores))

    def count(self, rows: Any) -> tuple[IntArray, IntArray]:
        """Count cells, and positive cells, of some rows by node and group.

        Parameters
        ----------
        rows : slice or int array

        Returns
        -------
        n_cells, n_positive : int array of shape (n_nodes, n_groups)
        """
        labels = self._labels[rows]
        n_groups, shape = self.score.size, labels.shape
        # Unknown cells are in a group of their own, which is dropped in the end.
        n_cells: Any = np.zeros((shape[1], n_groups + 1), dtype=np.int32)
        n_positive: Any = np.zeros((shape[1], n_groups), dtype=np.int32)
        numbers = np.arange(len(self._labels))[rows]
        for part in row_blocks(shape, 8 * CELLS_AT_ONCE):
            groups = self._group_of[self._scores.codes(numbers[part])]
            own = labels[part].positive
            of_row = np.repeat(np.arange(own.shape[0]), np.diff(own.indptr))
            np.add.at(n_positive, (own.indices, groups[of_row, own.indices]), 1)
            if not labels.all_known:
                groups[~labels.known(part)] = n_groups
            for nodes in _slices(shape[1]):
                n_cells[nodes] += _histograms(groups[:, nodes], n_groups + 1)
        return n_cells[:, :n_groups], n_positive


def _slices(n_nodes: int) -> Iterator[slice]:
    for start in range(0, n_nodes, _NODES_AT_ONCE):
        yield slice(start, min(start + _NODES_AT_ONCE, n_nodes))


def _histograms(groups: IntArray, n_groups: int) -> IntArray:
    """Return how often each number occurs in each column."""
    n_nodes = groups.shape[1]
    place = np.arange(n_nodes) * n_groups
    found = np.bincount((groups + place).reshape(-1), minlength=n_nodes * n_groups)
    return found.reshape(n_nodes, n_groups)


def _group_scores(counts: ScoreCounts) -> tuple[FloatArray, IntArray]:
    """Return the mean score of each group, and the group of each code.

    Groups are balanced by number of cells and by sum of scores, with equal weight. This
    results in many groups where positives are expected, and enough groups where almost
    no cell has the label. Labels are not used, since the labels of a fold must not leak
    into other folds.
    """
    mean = counts.total / counts.n_cells
    weight = counts.n_cells / counts.n_cells.sum()
    weight = weight + counts.total / max(float(counts.total.sum()), 1e-12)
    before = np.cumsum(weight) - weight / 2
    part = (before * (_N_GROUPS / 2)).astype(np.int64)
    starts = np.flatnonzero(np.diff(part, prepend=-1))
    n_cells = np.add.reduceat(counts.n_cells, starts)
    codes = codes_of(mean[starts])
    group_of = np.searchsorted(codes, np.arange(N_CODES), side="right") - 1
    total = np.add.reduceat(counts.total, starts)
    return total / n_cells, np.maximum(group_of, 0).astype(np.uint16)
