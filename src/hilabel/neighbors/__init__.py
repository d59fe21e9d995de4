"""Nearest-neighbour search among a changing set of active rows."""

from hilabel.neighbors._active import ActiveNeighbors
from hilabel.neighbors._cells import CellSearch as CellSearch
from hilabel.neighbors._columns import (
    ColumnLists as ColumnLists,
    ColumnSearch as ColumnSearch,
    n_steps as n_steps,
)
from hilabel.neighbors._exact import ExactSearch as ExactSearch
from hilabel.neighbors._memory import NeighborMemory
from hilabel.neighbors._metric import Metric as Metric
from hilabel.neighbors._search import (
    BACKENDS as BACKENDS,
    NeighborSearch,
    make_search,
)

# For users; names imported as themselves are for other packages of hilabel.
__all__ = [
    "ActiveNeighbors",
    "NeighborMemory",
    "NeighborSearch",
    "make_search",
]
