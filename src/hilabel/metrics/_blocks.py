"""Process large matrices in blocks, to keep intermediate results small."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from sklearn.utils import gen_batches

from hilabel._typing import BoolArray, FloatArray, IntArray

_CELLS_PER_BLOCK: Final = 1_000_000
CELLS_TO_COUNT: Final = 16_000_000
"""Cells per block for sorting; every block is searched for all thresholds."""
# Cells per block for transposing; smaller blocks would read all rows more often.
_CELLS_TO_TURN: Final = 8_000_000
_MANY_CELLS: Final = 10_000_000


def is_large(matrix: FloatArray) -> bool:
    """Return whether a matrix is too large for each score to be used as a threshold."""
    return matrix.size > _MANY_CELLS


def sampled_rows(matrix: FloatArray) -> slice:
    """Return a slice of regularly spaced rows, or all rows if the matrix is small."""
    return slice(None, None, max(1, matrix.size // _MANY_CELLS))


def row_blocks(matrix: Any, n_cells: int = _CELLS_PER_BLOCK) -> Iterator[slice]:
    """Return consecutive slices of rows, each with about the given number of cells."""
    n_rows, n_columns = matrix.shape
    return gen_batches(n_rows, max(1, n_cells // max(1, n_columns)))


def columns_of(
    positive: BoolArray,
    known: BoolArray,
    scores: FloatArray,
    nodes: IntArray | None = None,
) -> Iterator[tuple[BoolArray, BoolArray, FloatArray]]:
    """Yield the columns of three matrices, each column contiguous in memory.

    ``nodes`` sets the order of the columns; the default is from first to last.
    """
    for part in row_blocks(scores.T, _CELLS_TO_TURN):
        which = part if nodes is None else nodes[part]
        by_node = (
            np.ascontiguousarray(m[:, which].T) for m in (positive, known, scores)
        )
        yield from zip(*by_node)
