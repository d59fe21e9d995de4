"""Linear models of many nodes, trained on shared rows in the engine."""

from hilabel.linear._cost import choose_cost
from hilabel.linear._models import LinearModels
from hilabel.linear._probabilities import node_probabilities
from hilabel.linear._rows import LinearRows
from hilabel.linear._settings import LOSSES, NEGATIVES, LinearSettings
from hilabel.linear._training import train_models

__all__ = [
    "LOSSES",
    "NEGATIVES",
    "LinearModels",
    "LinearRows",
    "LinearSettings",
    "choose_cost",
    "node_probabilities",
    "train_models",
]
