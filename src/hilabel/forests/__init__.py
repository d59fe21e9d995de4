"""Random forests and extra-trees for many nodes, grown together on a shared matrix."""

from hilabel.forests._binning import MAX_BINS, CodedMatrix, FeatureBins
from hilabel.forests._classifier import ForestClassifier
from hilabel.forests._clustering_trees import ClusteringTrees
from hilabel.forests._grow import (
    ForestSettings,
    NodeExamples,
    grow_node_forests,
)
from hilabel.forests._grow_clustering import grow_clustering_trees, rows_left_out
from hilabel.forests._node_forests import NodeForests
from hilabel.forests._targets import ClusteringTargets
from hilabel.forests._tree_text import check_tree, leaf_text, split_texts, tree_text

__all__ = [
    "MAX_BINS",
    "ClusteringTargets",
    "ClusteringTrees",
    "CodedMatrix",
    "FeatureBins",
    "ForestClassifier",
    "ForestSettings",
    "NodeExamples",
    "NodeForests",
    "check_tree",
    "grow_clustering_trees",
    "grow_node_forests",
    "leaf_text",
    "rows_left_out",
    "split_texts",
    "tree_text",
]
