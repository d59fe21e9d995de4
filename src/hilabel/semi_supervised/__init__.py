"""Pseudo-label, train and constrain, composed: learn from unlabelled rows too."""

from hilabel.semi_supervised._evidence import NewRowEvidence, RowEvidence
from hilabel.semi_supervised._hmc_ssbr import HMCSSBR
from hilabel.semi_supervised._hmc_sslp import HMCSSLP
from hilabel.semi_supervised._hmc_ssrakel import HMCSSRAkEL
from hilabel.semi_supervised._metz_freitas import MetzFreitas
from hilabel.semi_supervised._pcem import PCEM
from hilabel.semi_supervised._sshcbli import SSHCBLI
from hilabel.semi_supervised._sshmcbli import SSHMCBLI
from hilabel.semi_supervised._stml import STHC, STML

__all__ = [
    "HMCSSBR",
    "HMCSSLP",
    "PCEM",
    "SSHCBLI",
    "SSHMCBLI",
    "STHC",
    "STML",
    "HMCSSRAkEL",
    "MetzFreitas",
    "NewRowEvidence",
    "RowEvidence",
]
