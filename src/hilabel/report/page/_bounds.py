"""Size limits for a page, so that it opens quickly and fits in an email."""

from typing import Final

MOST_TERMS: Final = 20_000
MOST_ROWS: Final = 2_000
ROWS_LOOKED_AT: Final = 20_000
"""Number of rows that are predicted; further rows are ignored."""

MOST_CELLS: Final = 64_000
"""Number of predictions on the page, over all rows."""

CELLS_PER_ROW: Final = (10, 50)
"""Minimum and maximum, in addition to predicted and known terms and ancestors."""

SMALLEST_SHOWN: Final = 0.01

MOST_EVIDENCE: Final = 1_600_000
"""Number of characters of all evidence together."""

LABELS: Final = 8
VOTES: Final = 20
TESTS: Final = 6
CONTRIBUTIONS_EXPLAINED: Final = 3
"""In the evidence for a row: labels per neighbour, votes, features that a forest tests,
and terms with the contributions of features."""

MOST_ROWS_IN_PICTURE: Final = 1_500
"""Number of rows in the picture of the pseudo-labels."""

MOST_TO_CHECK: Final = 200
FEATURES_PER_TERM: Final = 3
MOST_TERMS_WITH_FEATURES: Final = 6_000

CELLS_AT_ONCE: Final = 2**22
"""Number of probabilities in memory at a time."""


def cells_per_row(n_rows: int) -> int:
    """Return how many of the most probable terms to show for each row."""
    least, most = CELLS_PER_ROW
    return min(max(MOST_CELLS // max(n_rows, 1), least), most)
