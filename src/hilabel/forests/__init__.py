"""Random forests and extra-trees for many nodes at once, on one shared matrix."""

from hilabel.forests._binning import CodedMatrix, FeatureBins
from hilabel.forests._classifier import ForestClassifier
from hilabel.forests._grow import (
    ForestSettings,
    NodeExamples,
    grow_node_forests,
)
from hilabel.forests._node_forests import NodeForests

__all__ = [
    "CodedMatrix",
    "FeatureBins",
    "ForestClassifier",
    "ForestSettings",
    "NodeExamples",
    "NodeForests",
    "grow_node_forests",
]
