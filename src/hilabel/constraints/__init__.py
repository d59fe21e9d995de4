"""Make scores and label sets consistent with the hierarchy."""

from hilabel.constraints._projection import cap_by_parents, raise_to_children
from hilabel.constraints._thresholds import labels_from_scores, path_from_scores

__all__ = [
    "cap_by_parents",
    "labels_from_scores",
    "path_from_scores",
    "raise_to_children",
]
