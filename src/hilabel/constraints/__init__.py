"""Make scores and label sets consistent with the hierarchy."""

from hilabel.constraints._most_probable import (
    most_probable as most_probable,
    most_probable_cells as most_probable_cells,
    places_of as places_of,
)
from hilabel.constraints._projection import (
    cap_by_parents,
    cap_in_place as cap_in_place,
    raise_to_children,
)
from hilabel.constraints._thresholds import labels_from_scores, path_from_scores

# For users; names imported as themselves are for other packages of hilabel.
__all__ = [
    "cap_by_parents",
    "labels_from_scores",
    "path_from_scores",
    "raise_to_children",
]
