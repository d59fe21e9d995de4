"""Pseudo-label: unlabelled rows get candidate labels from their neighbours."""

from hilabel.pseudo_labeling._loop import pseudo_label
from hilabel.pseudo_labeling._packing import pack_labels, unpack_labels
from hilabel.pseudo_labeling._records import Decisions, PassRecord, PseudoLabels
from hilabel.pseudo_labeling._settings import PseudoLabelSettings, resolve_settings
from hilabel.pseudo_labeling._similarity import similarity_to_set
from hilabel.pseudo_labeling._stopping import StopRule
from hilabel.pseudo_labeling._voting import count_votes, labels_from_votes

__all__ = [
    "Decisions",
    "PassRecord",
    "PseudoLabelSettings",
    "PseudoLabels",
    "StopRule",
    "count_votes",
    "labels_from_votes",
    "pack_labels",
    "pseudo_label",
    "resolve_settings",
    "similarity_to_set",
    "unpack_labels",
]
