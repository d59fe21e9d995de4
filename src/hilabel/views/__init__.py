"""Transformers that learn from all rows, labelled and unlabelled."""

from hilabel.views._comparable import COMPARISONS, ColumnScaling, ComparableRows
from hilabel.views._neighborhood import NeighborhoodMeans

__all__ = ["COMPARISONS", "ColumnScaling", "ComparableRows", "NeighborhoodMeans"]
