"""How much a page holds, so that it opens at once and can be sent by mail."""

from typing import Final

MOST_TERMS: Final = 20_000
MOST_ROWS: Final = 2_000
ROWS_LOOKED_AT: Final = 20_000
"""Of more rows none is predicted: a page of all of them would not be read."""

MOST_CELLS: Final = 64_000
"""Predictions on the page, of all rows together."""

CELLS_PER_ROW: Final = (10, 50)
"""At least and at most, known labels and ancestors besides."""

SMALLEST_SHOWN: Final = 0.01

MOST_EVIDENCE: Final = 1_600_000
"""Characters of all evidence together."""

NEIGHBORS: Final = 5
LABELS: Final = 8
VOTES: Final = 20
DECISIONS: Final = 6
TERMS_SUMMED: Final = 3
"""In the evidence of a row: neighbours of each kind, labels of each of them, ..."""

MOST_TO_CHECK: Final = 200
FEATURES_PER_TERM: Final = 3
MOST_TERMS_WITH_FEATURES: Final = 6_000

CELLS_AT_ONCE: Final = 2**22
"""Probabilities that are held in memory at a time."""


def cells_per_row(n_rows: int) -> int:
    """Return how many of the most probable terms of each row are shown."""
    least, most = CELLS_PER_ROW
    return min(max(MOST_CELLS // max(n_rows, 1), least), most)
