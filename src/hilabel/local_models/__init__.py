"""Local models for individual nodes: row selection, training and retraining."""

from hilabel.local_models._estimators import (
    ConstantNode,
    LocalModels,
    list_nodes,
    node_seeds,
    report_one_sided,
    select_examples,
)
from hilabel.local_models._forests import ForestModels, fit_node_models
from hilabel.local_models._multiclass import (
    ClassExamples,
    ClassForest,
    ConstantClass,
    MulticlassModel,
    fit_multiclass_models,
)
from hilabel.local_models._path_counts import (
    LeafMultinomials,
    LeafPaths,
    PathCounts,
    count_words,
)
from hilabel.local_models._policies import (
    NEGATIVES_ORDERS,
    POLICIES,
    Examples,
    balanced_bottom_up,
    exclusive,
    inclusive,
    less_inclusive,
    siblings,
    within_parents,
)
from hilabel.local_models._retraining import NodeTrainer, make_trainer

__all__ = [
    "NEGATIVES_ORDERS",
    "POLICIES",
    "ClassExamples",
    "ClassForest",
    "ConstantClass",
    "ConstantNode",
    "Examples",
    "ForestModels",
    "LeafMultinomials",
    "LeafPaths",
    "LocalModels",
    "MulticlassModel",
    "NodeTrainer",
    "PathCounts",
    "balanced_bottom_up",
    "count_words",
    "exclusive",
    "fit_multiclass_models",
    "fit_node_models",
    "inclusive",
    "less_inclusive",
    "list_nodes",
    "make_trainer",
    "node_seeds",
    "report_one_sided",
    "select_examples",
    "siblings",
    "within_parents",
]
