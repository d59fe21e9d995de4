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
    "BatchSummary": "hilabel.semi_supervised._batches",
    "ClassExamples": "hilabel.local_models._multiclass",
    "ClusteringTrees": "hilabel.forests._clustering_trees",
    # Around and inside the preparation of columns.
    "ColumnTransformer": "sklearn.compose",
    "CombinedNode": "hilabel.classifiers._combined_tree",
    "ConstantClass": "hilabel.local_models._multiclass",
    "ConstantNode": "hilabel.local_models._estimators",
    "Decisions": "hilabel.pseudo_labeling._records",
    "ExpectationPass": "hilabel.semi_supervised._pcem",
    "FeatureBins": "hilabel.forests._binning",
    "ForestClassifier": "hilabel.forests._classifier",
    "ForestModels": "hilabel.local_models._forests",
    "LeafMultinomials": "hilabel.local_models._path_counts",
    "LeafPaths": "hilabel.local_models._path_counts",
    "LocalModels": "hilabel.local_models._estimators",
    "MinMaxScaler": "sklearn.preprocessing",
    "MulticlassGroups": "hilabel.classifiers._joint_choice",
    "MulticlassModel": "hilabel.local_models._multiclass",
    "NeighborMemory": "hilabel.neighbors._memory",
    "NodeForests": "hilabel.forests._node_forests",
    "NodeGroup": "hilabel.classifiers._node_groups",
    "OneHotEncoder": "sklearn.preprocessing",
    # Around a forest of ours where there are several classes.
    "OneVsRestClassifier": "sklearn.multiclass",
    "OneVsRestGroups": "hilabel.classifiers._joint_choice",
    "PassRecord": "hilabel.pseudo_labeling._records",
    "PassSummary": "hilabel.semi_supervised._local_information",
    "Pipeline": "sklearn.pipeline",
    "Profile": "hilabel.pseudo_labeling._settings",
    "PseudoLabelSettings": "hilabel.pseudo_labeling._settings",
    "Rakel": "hilabel.classifiers._rakel",
    "RoundSummary": "hilabel.semi_supervised._self_training",
    "SimpleImputer": "sklearn.impute",
    "StandardScaler": "sklearn.preprocessing",
    "TableModel": "hilabel.persistence._table_model",
    "TablePreparation": "hilabel.datasets._tables.preparation",
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
