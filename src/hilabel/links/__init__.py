"""Weighted links between rows: hits, interactions, citations and the like."""

from hilabel.links._forms import split_by_kind as split_by_kind
from hilabel.links._id_numbers import IdNumbers as IdNumbers
from hilabel.links._link_graph import (
    MOST_FOLLOWED as MOST_FOLLOWED,
    LinkGraph as LinkGraph,
)
from hilabel.links._link_list import LinkList
from hilabel.links._link_weights import (
    TRANSFORMS as TRANSFORMS,
    LinkWeights as LinkWeights,
)
from hilabel.links._linked_rows import (
    LinkedRows as LinkedRows,
    columns_of as columns_of,
)
from hilabel.links._links import ONE_KIND as ONE_KIND, Links
from hilabel.links._report import LinkReport
from hilabel.links._table import LinkTable

# For users; names imported as themselves are for other packages of hilabel.
__all__ = ["LinkList", "LinkReport", "LinkTable", "Links"]
