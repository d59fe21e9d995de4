"""Transformers that learn from all rows, labelled and unlabelled."""

from hilabel.views._comparable import (
    COMPARISONS as COMPARISONS,
    ColumnScaling as ColumnScaling,
    ComparableRows as ComparableRows,
)
from hilabel.views._neighborhood import NeighborhoodMeans

# For users; names imported as themselves are for other packages of hilabel.
__all__ = [
    "NeighborhoodMeans",
]
