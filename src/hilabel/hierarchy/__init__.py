"""The label hierarchy, and label sets that are consistent with it."""

from hilabel.hierarchy._closure import spread_labels
from hilabel.hierarchy._hierarchy import Hierarchy
from hilabel.hierarchy._informative import informative_nodes
from hilabel.hierarchy._obo import Ontology, read_obo
from hilabel.hierarchy._paths import read_paths
from hilabel.hierarchy._problem_type import ProblemType

__all__ = [
    "Hierarchy",
    "Ontology",
    "ProblemType",
    "informative_nodes",
    "read_obo",
    "read_paths",
    "spread_labels",
]
