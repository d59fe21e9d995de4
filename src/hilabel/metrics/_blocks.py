"""Large matrices in blocks, so that what is computed on the way stays small."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from sklearn.utils import gen_batches

from hilabel._typing import BoolArray, FloatArray, IntArray

_CELLS_PER_BLOCK: Final = 1_000_000
CELLS_TO_COUNT: Final = 16_000_000
"""Of a block that is only sorted: each block is asked for all thresholds."""
# Of rows and columns exchanged: few columns at a time would fetch all rows often.
_CELLS_TO_TURN: Final = 8_000_000
_MANY_CELLS: Final = 10_000_000


def is_large(matrix: FloatArray) -> bool:
    """Whether a matrix has so many cells that not every score can be a threshold."""
    return matrix.size > _MANY_CELLS


def sampled_rows(matrix: FloatArray) -> slice:
    """Return every so-many-th row of a large matrix, and all of others."""
    return slice(None, None, max(1, matrix.size // _MANY_CELLS))


def row_blocks(matrix: Any, n_cells: int = _CELLS_PER_BLOCK) -> Iterator[slice]:
    """Return slices of rows that follow each other, of about so many cells each."""
    n_rows, n_columns = matrix.shape
    return gen_batches(n_rows, max(1, n_cells // max(1, n_columns)))


def columns_of(
    positive: BoolArray,
    known: BoolArray,
    scores: FloatArray,
    nodes: IntArray | None = None,
) -> Iterator[tuple[BoolArray, BoolArray, FloatArray]]:
    """Yield the three column by column, the cells of each side by side in memory.

    ``nodes`` says in which order; by default from the first to the last.
    """
    for part in row_blocks(scores.T, _CELLS_TO_TURN):
        which = part if nodes is None else nodes[part]
        by_node = (
            np.ascontiguousarray(m[:, which].T) for m in (positive, known, scores)
        )
        yield from zip(*by_node)
