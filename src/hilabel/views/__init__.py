"""Transformers that learn from all rows, labelled and unlabelled."""

from hilabel.views._averaged_rows import AveragedRows as AveragedRows
from hilabel.views._comparable import (
    COMPARISONS as COMPARISONS,
    ColumnScaling as ColumnScaling,
    ComparableRows as ComparableRows,
)
from hilabel.views._default import default_views as default_views
from hilabel.views._link_ids import LinkIds
from hilabel.views._link_labels import LinkLabels
from hilabel.views._link_means import LinkMeans
from hilabel.views._link_view import BaseLinkView
from hilabel.views._neighbor_columns import NeighborColumns
from hilabel.views._neighborhood import NeighborhoodMeans
from hilabel.views._rows_by_angle import ANGLES as ANGLES, RowsByAngle as RowsByAngle

# For users; names imported as themselves are for other packages of hilabel.
__all__ = [
    "BaseLinkView",
    "LinkIds",
    "LinkLabels",
    "LinkMeans",
    "NeighborColumns",
    "NeighborhoodMeans",
]
