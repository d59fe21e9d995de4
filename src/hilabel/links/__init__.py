"""Weighted links between rows: hits, interactions, citations and the like."""

from hilabel.links._linked_rows import (
    LinkedRows as LinkedRows,
    columns_of as columns_of,
)
from hilabel.links._links import Links

__all__ = ["Links"]
