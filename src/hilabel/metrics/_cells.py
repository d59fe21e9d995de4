"""Labels with their scores, which measures read in blocks of rows or columns.

``ArrayCells`` are masks and scores that a caller holds in memory anyway.
``StoredCells`` are a ``LabelMatrix`` and a ``ScoreMatrix``, of which only blocks are
ever dense. Both give the same blocks, so a measure is computed in one way and has the
same digits.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple, Self

import numpy as np

from hilabel._label_matrix import LabelMatrix
from hilabel._matrices import CELLS_AT_ONCE, row_blocks
from hilabel._score_matrix import N_CODES, RepeatedScores, ScoreMatrix, scores_of_codes
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.metrics import _blocks


class Block(NamedTuple):
    """Masks of the positive and the known cells of some rows, and their scores.

    In a block of columns, each row belongs to a node. ``known`` may be one broadcast
    cell.
    """

    positive: BoolArray
    known: BoolArray
    scores: FloatArray

    @property
    def pooled(self) -> FloatArray:
        """The scores of the known cells."""
        return self.scores if self.known.all() else self.scores[self.known]


class Tally(NamedTuple):
    """How many known cells have each score, in ascending order of scores."""

    score: FloatArray
    n_cells: IntArray


class Cells(ABC):
    """Cells of ``shape`` (n_rows, n_nodes): what is known of them, and their scores."""

    shape: tuple[int, int]

    @property
    def size(self) -> int:
        """Number of cells, known or not."""
        return self.shape[0] * self.shape[1]

    @property
    @abstractmethod
    def n_positive(self) -> IntArray:
        """Number of rows that have each node."""

    @property
    @abstractmethod
    def n_known(self) -> IntArray:
        """Number of rows in which each node is known."""

    @property
    @abstractmethod
    def n_positive_of_rows(self) -> IntArray:
        """Number of nodes that each row has."""

    @property
    @abstractmethod
    def n_known_of_rows(self) -> IntArray:
        """Number of nodes that are known in each row."""

    @abstractmethod
    def block(self, rows: slice) -> Block:
        """Return the cells of some rows."""

    @abstractmethod
    def found(self) -> FloatArray:
        """Return the scores of the positive cells."""

    @abstractmethod
    def of_rows(self, rows: slice) -> "Cells":
        """Return the cells of some rows, to be read in blocks."""

    @abstractmethod
    def of_nodes(self, nodes: IntArray | BoolArray) -> "Cells":
        """Return the cells of some nodes, given by their numbers or a mask."""

    @abstractmethod
    def without_rows(self, rows: BoolArray) -> Self:
        """Return cells that are unknown in the rows selected by a mask."""

    @abstractmethod
    def _columns(self, nodes: Any) -> Block:
        """Return the columns of nodes, each contiguous in memory."""

    def tally(self) -> Tally | None:
        """Count the known cells by score; None if there are too many scores."""
        return None

    def blocks(self, n_cells: int = CELLS_AT_ONCE) -> Iterator[Block]:
        """Yield all cells, in blocks of rows."""
        for rows in row_blocks(self.shape, n_cells):
            yield self.block(rows)

    def column_blocks(
        self, nodes: IntArray | None = None, n_cells: int = _blocks.CELLS_TO_TURN
    ) -> Iterator[tuple[Any, Block]]:
        """Yield nodes and their columns, from first to last or in the given order."""
        for part in row_blocks((self.shape[1], self.shape[0]), n_cells):
            which = part if nodes is None else nodes[part]
            yield which, self._columns(which)

    def columns(
        self, nodes: IntArray | None = None
    ) -> Iterator[tuple[BoolArray, BoolArray, FloatArray]]:
        """Yield what is positive and known in each node, and its scores."""
        for _, block in self.column_blocks(nodes):
            yield from zip(*block)

    def count_at_least(self, thresholds: FloatArray) -> IntArray:
        """Return the number of known cells that reach each ascending threshold."""
        tally = self.tally()
        if tally is not None:
            from_top = np.cumsum(np.append(0, tally.n_cells[::-1]))[::-1]
            return np.asarray(from_top[np.searchsorted(tally.score, thresholds)])
        counts = np.zeros(thresholds.size, dtype=np.int64)
        for block in self.blocks(_blocks.CELLS_TO_COUNT):
            counts += count_at_least(block.pooled, thresholds)
        return counts


class ArrayCells(Cells):
    """Cells of dense arrays of equal shape."""

    def __init__(
        self, positive: BoolArray, known: BoolArray, scores: FloatArray
    ) -> None:
        self.shape = (int(scores.shape[0]), int(scores.shape[1]))
        self._all = Block(positive, known, scores)

    @property
    def n_positive(self) -> IntArray:
        """Number of rows that have each node."""
        return np.asarray(self._all.positive.sum(axis=0))

    @property
    def n_known(self) -> IntArray:
        """Number of rows in which each node is known."""
        return np.asarray(self._all.known.sum(axis=0))

    @property
    def n_positive_of_rows(self) -> IntArray:
        """Number of nodes that each row has."""
        return np.asarray(self._all.positive.sum(axis=1))

    @property
    def n_known_of_rows(self) -> IntArray:
        """Number of nodes that are known in each row."""
        return np.asarray(self._all.known.sum(axis=1))

    def block(self, rows: slice) -> Block:
        """Return the cells of some rows."""
        positive, known, scores = self._all
        return Block(positive[rows], known[rows], scores[rows])

    def found(self) -> FloatArray:
        """Return the scores of the positive cells."""
        return self._all.scores[self._all.positive]

    def of_rows(self, rows: slice) -> "ArrayCells":
        """Return the cells of some rows, to be read in blocks."""
        return ArrayCells(*self.block(rows))

    def of_nodes(self, nodes: IntArray | BoolArray) -> "ArrayCells":
        """Return the cells of some nodes, given by their numbers or a mask."""
        positive, known, scores = self._all
        return ArrayCells(positive[:, nodes], known[:, nodes], scores[:, nodes])

    def without_rows(self, rows: BoolArray) -> "ArrayCells":
        """Return cells that are unknown in the rows selected by a mask."""
        if not rows.any():
            return self
        kept = ~rows[:, np.newaxis]
        positive, known, scores = self._all
        return ArrayCells(positive & kept, known & kept, scores)

    def _columns(self, nodes: Any) -> Block:
        """Return the columns of nodes, each contiguous in memory."""
        turned: Any = [np.ascontiguousarray(one[:, nodes].T) for one in self._all]
        return Block(*turned)


class StoredCells(Cells):
    """Cells of a label matrix and a score matrix of equal shape."""

    def __init__(
        self, labels: LabelMatrix, scores: ScoreMatrix, nodes: IntArray | None = None
    ) -> None:
        self.shape = labels.shape
        self._labels, self._scores = labels, scores
        # Nodes of the score matrix; the label matrix only has these nodes.
        self._nodes = nodes

    @property
    def n_positive(self) -> IntArray:
        """Number of rows that have each node."""
        return self._labels.n_positive

    @property
    def n_known(self) -> IntArray:
        """Number of rows in which each node is known."""
        return self._labels.n_known

    @property
    def n_positive_of_rows(self) -> IntArray:
        """Number of nodes that each row has."""
        return np.diff(self._labels.positive.indptr).astype(np.int64)

    @property
    def n_known_of_rows(self) -> IntArray:
        """Number of nodes that are known in each row."""
        knows = self._labels.knows
        n_nodes = np.bincount(self._labels.node_group, minlength=knows.shape[1])
        return np.asarray((knows @ n_nodes)[self._labels.row_group])

    def block(self, rows: slice) -> Block:
        """Return the cells of some rows."""
        labels = self._labels
        scores = self._scores.read(rows, self._nodes)
        return Block(labels.present(rows), labels.known(rows), scores)

    def found(self) -> FloatArray:
        """Return the scores of the positive cells."""
        positive = self._labels.positive
        parts = [self._scores.read(slice(0, 0))[:, 0:0].reshape(-1)]
        for rows in row_blocks(self.shape):
            ends = positive.indptr[rows.start : rows.stop + 1]
            row = np.repeat(np.arange(ends.size - 1), np.diff(ends))
            node = positive.indices[ends[0] : ends[-1]]
            parts.append(self._scores.read(rows, self._nodes)[row, node])
        return np.concatenate(parts)

    def of_rows(self, rows: slice) -> "StoredCells":
        """Return the cells of some rows, to be read in blocks."""
        return StoredCells(self._labels[rows], self._scores[rows], self._nodes)

    def of_nodes(self, nodes: IntArray | BoolArray) -> "StoredCells":
        """Return the cells of some nodes, given by their numbers or a mask."""
        which = np.arange(self.shape[1])[nodes]
        numbers = which if self._nodes is None else self._nodes[which]
        return StoredCells(self._labels.of_nodes(which), self._scores, numbers)

    def without_rows(self, rows: BoolArray) -> "StoredCells":
        """Return cells that are unknown in the rows selected by a mask."""
        return StoredCells(self._labels.without_rows(rows), self._scores, self._nodes)

    def tally(self) -> Tally | None:
        """Count the known cells by score; None if there are too many scores."""
        if isinstance(self._scores, RepeatedScores):
            return self._tally_of_groups(self._scores)
        return None if self._scores.exact else self._tally_of_codes()

    def _tally_of_groups(self, scores: RepeatedScores) -> Tally:
        of_group = scores.of_group
        if self._nodes is not None:
            of_group = of_group[:, self._nodes]
        _, n_known = self._labels.counts_by(scores.group, len(of_group))
        score, which = np.unique(of_group, return_inverse=True)
        n_cells = np.bincount(which.reshape(-1), n_known.reshape(-1), score.size)
        return Tally(score, n_cells.astype(np.int64))

    def _tally_of_codes(self) -> Tally:
        n_cells = np.zeros(N_CODES, dtype=np.int64)
        for rows in row_blocks(self.shape):
            codes = self._scores.codes(rows, self._nodes)
            known = self._labels.known(rows)
            pooled = codes.reshape(-1) if known.all() else codes[known]
            n_cells += np.bincount(pooled, minlength=N_CODES)
        return Tally(scores_of_codes(), n_cells)

    def _columns(self, nodes: Any) -> Block:
        """Return the columns of nodes, each contiguous in memory."""
        which = np.arange(self.shape[1])[nodes]
        numbers = which if self._nodes is None else self._nodes[which]
        labels = self._labels
        return Block(
            labels.present_columns(which),
            labels.known_columns(which),
            self._scores.columns(numbers),
        )


def count_at_least(scores: FloatArray, thresholds: FloatArray) -> IntArray:
    """Return the number of scores that reach each ascending threshold."""
    counts = np.zeros(thresholds.size, dtype=np.int64)
    if thresholds.size:
        # Most scores are at or below the lowest threshold and need not be sorted.
        counts[0] = np.count_nonzero(scores >= thresholds[0])
        ascending = np.sort(scores[scores > thresholds[0]])
        counts[1:] = ascending.size - np.searchsorted(ascending, thresholds[1:])
    return counts
