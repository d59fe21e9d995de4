"""Supervised hierarchical classifiers."""

from hilabel.classifiers._base import BaseHierarchicalClassifier
from hilabel.classifiers._chmcnn import CHMCNN
from hilabel.classifiers._delegation import DelegatesToFitted as DelegatesToFitted
from hilabel.classifiers._flat import FlatClassifier
from hilabel.classifiers._hmc_br import HMCBR
from hilabel.classifiers._hmc_lp import HMCLP
from hilabel.classifiers._hmc_rakel import HMCRAkEL
from hilabel.classifiers._importances import node_importances as node_importances
from hilabel.classifiers._linear import LinearClassifier
from hilabel.classifiers._link_blocks import (
    for_each_block as for_each_block,
    map_blocks as map_blocks,
)
from hilabel.classifiers._link_choice import (
    JudgedRows as JudgedRows,
    choose_weights as choose_weights,
)
from hilabel.classifiers._link_votes import (
    BaseLabelsOverLinks as BaseLabelsOverLinks,
    LinkVotes,
)
from hilabel.classifiers._linked import (
    BaseLinkedClassifier as BaseLinkedClassifier,
    has_columns as has_columns,
    links_of as links_of,
    rows_or_none as rows_or_none,
    scores_of_member as scores_of_member,
)
from hilabel.classifiers._linked_labels import (
    LabelParts as LabelParts,
    LinkedLabels as LinkedLabels,
)
from hilabel.classifiers._multi_output import MultiOutputAdapter
from hilabel.classifiers._neighbors import NeighborsClassifier, Voters as Voters
from hilabel.classifiers._network import HierarchicalNetwork
from hilabel.classifiers._pcnb import PCNB
from hilabel.classifiers._per_level import LocalClassifierPerLevel
from hilabel.classifiers._per_node import LocalClassifierPerNode
from hilabel.classifiers._per_parent import LocalClassifierPerParentNode
from hilabel.classifiers._predictive_clustering import (
    BaseClusteringClassifier as BaseClusteringClassifier,
    PredictiveClusteringForest,
    PredictiveClusteringTree,
)
from hilabel.classifiers._prior import PriorClassifier
from hilabel.classifiers._problem import (
    require_paths_to_leaves as require_paths_to_leaves,
    require_tree as require_tree,
)
from hilabel.classifiers._tags import MethodTags
from hilabel.classifiers._top_down import TopDownClassifier, walk_down as walk_down
from hilabel.classifiers._training_data import TrainingData
from hilabel.local_models import (
    POLICIES,
    balanced_bottom_up,
    exclusive,
    inclusive,
    less_inclusive,
    siblings,
    within_parents,
)

# For users; names imported as themselves are for other packages of hilabel.
__all__ = [
    "CHMCNN",
    "HMCBR",
    "HMCLP",
    "PCNB",
    "POLICIES",
    "BaseHierarchicalClassifier",
    "FlatClassifier",
    "HMCRAkEL",
    "HierarchicalNetwork",
    "LinearClassifier",
    "LinkVotes",
    "LocalClassifierPerLevel",
    "LocalClassifierPerNode",
    "LocalClassifierPerParentNode",
    "MethodTags",
    "MultiOutputAdapter",
    "NeighborsClassifier",
    "PredictiveClusteringForest",
    "PredictiveClusteringTree",
    "PriorClassifier",
    "TopDownClassifier",
    "TrainingData",
    "balanced_bottom_up",
    "exclusive",
    "inclusive",
    "less_inclusive",
    "siblings",
    "within_parents",
]
