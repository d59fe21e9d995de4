"""Pseudo-labelling: unlabelled rows get candidate labels from their neighbours."""

from hilabel.pseudo_labeling._history import (
    Cycle,
    PassSummary,
    find_cycle,
    summarize_passes,
)
from hilabel.pseudo_labeling._loop import run_passes
from hilabel.pseudo_labeling._packing import count_labels, pack_labels, unpack_labels
from hilabel.pseudo_labeling._parts import (
    Parts,
    equal_vote,
    nearest_neighbors,
    similarity_of_neighbors,
    until_unchanged,
)
from hilabel.pseudo_labeling._records import Decisions, PassRecord, PseudoLabels
from hilabel.pseudo_labeling._settings import (
    Profile,
    PseudoLabelSettings,
    resolve_settings,
)
from hilabel.pseudo_labeling._similarity import similarity_to_set
from hilabel.pseudo_labeling._stopping import StopRule

__all__ = [
    "Cycle",
    "Decisions",
    "Parts",
    "PassRecord",
    "PassSummary",
    "Profile",
    "PseudoLabelSettings",
    "PseudoLabels",
    "StopRule",
    "count_labels",
    "equal_vote",
    "find_cycle",
    "nearest_neighbors",
    "pack_labels",
    "resolve_settings",
    "run_passes",
    "similarity_of_neighbors",
    "similarity_to_set",
    "summarize_passes",
    "unpack_labels",
    "until_unchanged",
]
