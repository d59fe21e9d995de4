"""Weighted links between rows: hits, interactions, citations and the like."""

from hilabel.links._link_graph import (
    MOST_FOLLOWED as MOST_FOLLOWED,
    LinkGraph as LinkGraph,
)
from hilabel.links._link_weights import (
    TRANSFORMS as TRANSFORMS,
    LinkWeights as LinkWeights,
)
from hilabel.links._linked_rows import (
    LinkedRows as LinkedRows,
    columns_of as columns_of,
)
from hilabel.links._links import Links

__all__ = ["Links"]
