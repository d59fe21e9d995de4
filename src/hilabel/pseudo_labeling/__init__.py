"""Pseudo-labelling: unlabelled rows get candidate labels from their neighbours."""

from hilabel.pseudo_labeling._history import (
    Cycle as Cycle,
    PassSummary as PassSummary,
    find_cycle as find_cycle,
    summarize_passes as summarize_passes,
)
from hilabel.pseudo_labeling._linked_neighbors import (
    LinkDistances as LinkDistances,
    LinkedNeighbors as LinkedNeighbors,
    strongest_links as strongest_links,
)
from hilabel.pseudo_labeling._loop import run_passes as run_passes
from hilabel.pseudo_labeling._packing import (
    count_labels as count_labels,
    pack_labels as pack_labels,
    unpack_labels as unpack_labels,
)
from hilabel.pseudo_labeling._parts import (
    Parts as Parts,
    equal_vote,
    nearest_neighbors,
    similarity_of_neighbors,
    until_unchanged,
)
from hilabel.pseudo_labeling._records import (
    Decisions as Decisions,
    PassRecord as PassRecord,
    PseudoLabels as PseudoLabels,
)
from hilabel.pseudo_labeling._settings import (
    Profile,
    PseudoLabelSettings as PseudoLabelSettings,
    resolve_settings as resolve_settings,
)
from hilabel.pseudo_labeling._similarity import similarity_to_set as similarity_to_set
from hilabel.pseudo_labeling._stopping import StopRule as StopRule

# For users; names imported as themselves are for other packages of hilabel.
__all__ = [
    "Profile",
    "equal_vote",
    "nearest_neighbors",
    "similarity_of_neighbors",
    "until_unchanged",
]
