"""The types that a model file may hold: all of them named here, and no others."""

import importlib
from functools import cache
from typing import Final

from hilabel import classifiers, semi_supervised
from hilabel.classifiers import BaseHierarchicalClassifier

__all__ = ["name_of", "own_types"]

# Parts of fitted models, by the module that they live in. Loading one makes an empty
# object and fills its attributes, so a type listed here must run no code of its own
# when that happens. What is not listed goes through skops, which trusts scikit-learn
# and little else.
STATE_TYPES: Final = {
    "BatchSummary": "hilabel.semi_supervised._batch_adding",
    "ClassExamples": "hilabel.classifiers._multiclass",
    "ClusteringTrees": "hilabel.forests._clustering_trees",
    "CombinedNode": "hilabel.classifiers._combined_tree",
    "ConstantClass": "hilabel.classifiers._multiclass",
    "ConstantNode": "hilabel.classifiers._local",
    "Decisions": "hilabel.pseudo_labeling._records",
    "ExpectationPass": "hilabel.semi_supervised._pcem",
    "FeatureBins": "hilabel.forests._binning",
    "ForestClassifier": "hilabel.forests._classifier",
    "ForestModels": "hilabel.classifiers._local_forests",
    "LeafMultinomials": "hilabel.classifiers._path_counts",
    "LeafPaths": "hilabel.classifiers._path_counts",
    "LocalModels": "hilabel.classifiers._local",
    "MulticlassGroups": "hilabel.classifiers._group_models",
    "MulticlassModel": "hilabel.classifiers._multiclass",
    "NeighborMemory": "hilabel.neighbors._memory",
    "NodeForests": "hilabel.forests._node_forests",
    "NodeGroup": "hilabel.classifiers._groups",
    "NumericPreparation": "hilabel.datasets._tables.preparation",
    # Around a forest of ours where there are several classes.
    "OneVsRestClassifier": "sklearn.multiclass",
    "OneVsRestGroups": "hilabel.classifiers._group_models",
    "PassRecord": "hilabel.pseudo_labeling._records",
    "PassSummary": "hilabel.semi_supervised._local_information",
    "Pipeline": "sklearn.pipeline",
    "PseudoLabelSettings": "hilabel.pseudo_labeling._settings",
    "Rakel": "hilabel.classifiers._rakel",
    "RoundSummary": "hilabel.semi_supervised._self_trained",
    "TableEncoder": "hilabel.datasets._tables.encoder",
    "TableModel": "hilabel.persistence._table_model",
    "Thresholds": "hilabel.metrics._choose_thresholds",
    "TrainingData": "hilabel.classifiers._base",
}


@cache
def own_types() -> dict[str, type]:
    """Return the types by name: the public estimators and the parts listed here."""
    types = {
        name: getattr(importlib.import_module(module), name)
        for name, module in STATE_TYPES.items()
    }
    for package in (classifiers, semi_supervised):
        for name in package.__all__:
            public = getattr(package, name)
            if isinstance(public, type) and issubclass(
                public, BaseHierarchicalClassifier
            ):
                types[name] = public
    return types


def name_of(value: object) -> str | None:
    """Return the name under which the type of an object is listed, if it is."""
    name = type(value).__name__
    return name if own_types().get(name) is type(value) else None
