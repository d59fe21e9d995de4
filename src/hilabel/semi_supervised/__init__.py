"""Methods that also learn from unlabelled rows."""

from hilabel.pseudo_labeling import Profile as Profile
from hilabel.semi_supervised._batch_self_training import (
    HMCSSBR,
    HMCSSLP,
    BatchSelfTraining,
    HMCSSRAkEL,
)
from hilabel.semi_supervised._blend import Blend
from hilabel.semi_supervised._candidate import (
    Candidate,
    members_sentence as members_sentence,
)
from hilabel.semi_supervised._evidence import (
    Neighborhood as Neighborhood,
    NewRowEvidence as NewRowEvidence,
    RowEvidence as RowEvidence,
    voting_neighbors as voting_neighbors,
)
from hilabel.semi_supervised._inside import (
    inner_classifier as inner_classifier,
    neighbor_finders as neighbor_finders,
)
from hilabel.semi_supervised._label_spreading import LabelSpreading
from hilabel.semi_supervised._link_combiner import LinkCombiner
from hilabel.semi_supervised._link_gain import LinkGain
from hilabel.semi_supervised._link_spreading import LinkSpreading
from hilabel.semi_supervised._metz_freitas import MetzFreitas
from hilabel.semi_supervised._pcem import PCEM
from hilabel.semi_supervised._pseudo_label_summary import (
    PseudoLabelingSummary,
    summarize_pseudo_labels,
)
from hilabel.semi_supervised._residual_spreading import ResidualSpreading
from hilabel.semi_supervised._self_training import STHC, STML, SelfTraining
from hilabel.semi_supervised._sshcbli import SSHCBLI
from hilabel.semi_supervised._sshmcbli import SSHMCBLI
from hilabel.semi_supervised._sslpct import SSLPCT, SSLPCTForest
from hilabel.semi_supervised._unlabeled_gain import UnlabeledGain
from hilabel.semi_supervised._views_classifier import ViewsClassifier

# For users; names imported as themselves are for other packages of hilabel.
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
    "LinkCombiner",
    "LinkGain",
    "LinkSpreading",
    "MetzFreitas",
    "PseudoLabelingSummary",
    "ResidualSpreading",
    "SSLPCTForest",
    "SelfTraining",
    "UnlabeledGain",
    "ViewsClassifier",
    "summarize_pseudo_labels",
]
