"""Sizes of blocks, which keep intermediate results small."""

from typing import Any, Final

CELLS_TO_COUNT: Final = 4_000_000
"""Cells per block for sorting; every block is searched for all thresholds."""
CELLS_TO_TURN: Final = 4_000_000
"""Cells per block of columns; smaller blocks would read all rows more often."""
_MANY_CELLS: Final = 10_000_000


def is_large(cells: Any) -> bool:
    """Return whether there are too many cells to use each score as a threshold."""
    return bool(cells.size > _MANY_CELLS)


def sampled_rows(cells: Any) -> slice:
    """Return a slice of evenly spaced rows, or of all rows if there are few cells."""
    return slice(None, None, max(1, cells.size // _MANY_CELLS))
