"""Random forests and extra-trees for many nodes, grown together on a shared matrix."""

from hilabel.forests._binning import (
    MAX_BINS as MAX_BINS,
    CodedMatrix as CodedMatrix,
    FeatureBins as FeatureBins,
)
from hilabel.forests._boosted_trees import BoostedTrees as BoostedTrees
from hilabel.forests._classifier import ForestClassifier
from hilabel.forests._clustering_trees import ClusteringTrees as ClusteringTrees
from hilabel.forests._grow import (
    ForestSettings as ForestSettings,
    NodeExamples as NodeExamples,
    grow_node_forests as grow_node_forests,
)
from hilabel.forests._grow_clustering import (
    grow_clustering_trees as grow_clustering_trees,
    rows_left_out as rows_left_out,
)
from hilabel.forests._node_forests import NodeForests as NodeForests
from hilabel.forests._targets import ClusteringTargets as ClusteringTargets
from hilabel.forests._tree_text import (
    check_tree as check_tree,
    leaf_text as leaf_text,
    split_texts as split_texts,
    tree_text as tree_text,
)

# For users; names imported as themselves are for other packages of hilabel.
__all__ = [
    "ForestClassifier",
]
