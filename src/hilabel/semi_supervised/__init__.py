"""Pseudo-label, train and constrain, composed: learn from unlabelled rows too."""

from hilabel.semi_supervised._evidence import NewRowEvidence, RowEvidence
from hilabel.semi_supervised._sshcbli import SSHCBLI
from hilabel.semi_supervised._sshmcbli import SSHMCBLI
from hilabel.semi_supervised._sslpct import SSLPCT
from hilabel.semi_supervised._sslpct_forest import SSLPCTForest

__all__ = [
    "SSHCBLI",
    "SSHMCBLI",
    "SSLPCT",
    "NewRowEvidence",
    "RowEvidence",
    "SSLPCTForest",
]
