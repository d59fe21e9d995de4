"""Nearest-neighbour search among a changing set of active rows."""

from hilabel.neighbors._active import ActiveNeighbors
from hilabel.neighbors._cells import CellSearch
from hilabel.neighbors._exact import ExactSearch
from hilabel.neighbors._memory import NeighborMemory
from hilabel.neighbors._metric import Metric
from hilabel.neighbors._search import BACKENDS, NeighborSearch, make_search

__all__ = [
    "BACKENDS",
    "ActiveNeighbors",
    "CellSearch",
    "ExactSearch",
    "Metric",
    "NeighborMemory",
    "NeighborSearch",
    "make_search",
]
