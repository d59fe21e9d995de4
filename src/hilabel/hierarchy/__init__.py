"""The label hierarchy, and label sets that are consistent with it."""

from hilabel.hierarchy._closure import spread_labels as spread_labels
from hilabel.hierarchy._hierarchy import Hierarchy
from hilabel.hierarchy._informative import informative_nodes as informative_nodes
from hilabel.hierarchy._obo import Ontology, read_obo
from hilabel.hierarchy._paths import read_paths
from hilabel.hierarchy._problem_type import ProblemType

# For users; names imported as themselves are for other packages of hilabel.
__all__ = [
    "Hierarchy",
    "Ontology",
    "ProblemType",
    "read_obo",
    "read_paths",
]
