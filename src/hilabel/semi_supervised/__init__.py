"""Methods that also learn from unlabelled rows."""

from hilabel.pseudo_labeling import Profile
from hilabel.semi_supervised._batch_self_training import (
    HMCSSBR,
    HMCSSLP,
    BatchSelfTraining,
    HMCSSRAkEL,
)
from hilabel.semi_supervised._blend import Blend
from hilabel.semi_supervised._blend_trials import Candidate
from hilabel.semi_supervised._evidence import (
    Neighborhood,
    NewRowEvidence,
    RowEvidence,
    voting_neighbors,
)
from hilabel.semi_supervised._inside import inner_classifier, neighbor_finders
from hilabel.semi_supervised._label_spreading import LabelSpreading
from hilabel.semi_supervised._metz_freitas import MetzFreitas
from hilabel.semi_supervised._pcem import PCEM
from hilabel.semi_supervised._pseudo_label_summary import (
    PseudoLabelingSummary,
    summarize_pseudo_labels,
)
from hilabel.semi_supervised._self_training import STHC, STML, SelfTraining
from hilabel.semi_supervised._sshcbli import SSHCBLI
from hilabel.semi_supervised._sshmcbli import SSHMCBLI
from hilabel.semi_supervised._sslpct import SSLPCT, SSLPCTForest
from hilabel.semi_supervised._unlabeled_gain import UnlabeledGain
from hilabel.semi_supervised._views_classifier import ViewsClassifier

__all__ = [
    "HMCSSBR",
    "HMCSSLP",
    "PCEM",
    "SSHCBLI",
    "SSHMCBLI",
    "SSLPCT",
    "STHC",
    "STML",
    "BatchSelfTraining",
    "Blend",
    "Candidate",
    "HMCSSRAkEL",
    "LabelSpreading",
    "MetzFreitas",
    "Neighborhood",
    "NewRowEvidence",
    "Profile",
    "PseudoLabelingSummary",
    "RowEvidence",
    "SSLPCTForest",
    "SelfTraining",
    "UnlabeledGain",
    "ViewsClassifier",
    "inner_classifier",
    "neighbor_finders",
    "summarize_pseudo_labels",
    "voting_neighbors",
]
