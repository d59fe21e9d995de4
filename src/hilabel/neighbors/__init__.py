"""Nearest neighbours among a changing set of active rows."""

from hilabel.neighbors._active import ActiveNeighbors
from hilabel.neighbors._exact import ExactSearch
from hilabel.neighbors._metric import Metric

__all__ = ["ActiveNeighbors", "ExactSearch", "Metric"]
