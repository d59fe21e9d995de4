"""A small fitted model of every kind that can be saved, each in its file."""

import shutil
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from hilabel.classifiers import (
    LinearClassifier,
    LocalClassifierPerLevel,
    LocalClassifierPerNode,
    MultiOutputAdapter,
    NeighborsClassifier,
    PredictiveClusteringForest,
)
from hilabel.datasets import TablePreparation, write_example
from hilabel.exceptions import HilabelWarning
from hilabel.forests import ForestClassifier
from hilabel.persistence import save_model
from hilabel.semi_supervised import Blend, LabelSpreading, ViewsClassifier
from hilabel.tasks import FitChoices, TableFiles, fit_table, list_methods
from hilabel.testing import make_problem
from hilabel.views import NeighborhoodMeans

# Those that train or load for long, and whose parts other methods have too.
SLOW = ("HierarchicalNetwork", "CHMCNN", "HMCLP", "HMCSSLP", "HMCSSRAkEL", "SSLPCT")
SMALL = {
    "HierarchicalNetwork": {
        "shape": {"layers": (6, 5)},
        "n_members": 2,
        "max_steps": 2,
    },
    "CHMCNN": {"n_hidden": 6, "n_epochs": 1},
    "SSLPCTForest": {"n_estimators": 3, "w": 0.5},
    "PredictiveClusteringForest": {"n_estimators": 3},
    "Blend": {"candidates": {"spreading": LabelSpreading()}, "n_splits": 2},
}


def small_method(name):
    """Return a model of a method that trains in no time, and a problem for it."""
    method = list_methods()[name]
    data = make_problem(*method.method_tags.problem_types[-1])
    model = method(data.hierarchy)
    parameters = model.get_params(deep=False)
    if "random_state" in parameters:
        model.set_params(random_state=0)
    if "estimator" in parameters:
        # A forest per combination of labels makes large models of some methods.
        model.set_params(estimator=ForestClassifier(3))
    model.set_params(**SMALL.get(name, {}))
    # Some methods take counts alone.
    rows = ("X", "X_unlabeled", "X_test")
    return model, replace(data, **{each: np.abs(getattr(data, each)) for each in rows})


def fit_method(name):
    """Return a fitted model of a method."""
    model, data = small_method(name)
    with warnings.catch_warnings():
        # Some methods have something to say on such problems.
        warnings.simplefilter("ignore", HilabelWarning)
        return model.fit(data.X, data.Y, X_unlabeled=data.X_unlabeled)


def fit_others(folder):
    """Return fitted models that hold parts of scikit-learn, or read tables."""
    data = make_problem("T", "SPL", "FD")
    bases = {
        "logistic": LogisticRegression(),
        "trees": RandomForestClassifier(2, random_state=0),
        "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
        "bayes": GaussianNB(),
        "neighbors": KNeighborsClassifier(3, algorithm="brute"),
    }
    models = {
        f"per_node_{name}": LocalClassifierPerNode(data.hierarchy, estimator=base)
        for name, base in bases.items()
    }
    models["per_level_trees"] = LocalClassifierPerLevel(
        data.hierarchy, estimator=bases["trees"]
    )
    models["multi_output_trees"] = MultiOutputAdapter(
        data.hierarchy, estimator=bases["trees"]
    )
    models["pipeline"] = make_pipeline(
        StandardScaler(),
        LocalClassifierPerNode(
            data.hierarchy, estimator=ForestClassifier(2, random_state=0)
        ),
    )
    models["left_out"] = PredictiveClusteringForest(
        data.hierarchy, n_estimators=4, oob_score=True, random_state=0
    )
    models["views"] = ViewsClassifier(
        data.hierarchy,
        estimator=PredictiveClusteringForest(n_estimators=2),
        views=[NeighborhoodMeans(3), PCA(1)],
        random_state=0,
    )
    models["blend"] = Blend(
        data.hierarchy,
        candidates={
            "forest": PredictiveClusteringForest(n_estimators=2),
            "views": ViewsClassifier(estimator=LinearClassifier()),
        },
        n_splits=2,
        random_state=0,
    )
    for model in models.values():
        model.fit(data.X, data.Y)
    models["blend"].fit(data.X, data.Y, X_unlabeled=data.X_unlabeled)
    sparse = sp.csr_array(data.X)
    for name, model in {
        "sparse_logistic": LinearClassifier(data.hierarchy),
        "sparse_neighbors": NeighborsClassifier(data.hierarchy),
        "sparse_spreading": LabelSpreading(data.hierarchy, metric="correlation"),
        "sparse_views": ViewsClassifier(
            data.hierarchy, estimator=LinearClassifier(), random_state=0
        ),
    }.items():
        models[name] = model.fit(sparse, data.Y)
    titles = [f"big pan {i}" if i % 2 else f"small lid {i}" for i in range(50)]
    models["words"] = TablePreparation().fit(
        pd.DataFrame({"title": titles, "x": range(50)})
    )
    files = write_example(folder, "shop")
    chosen = FitChoices(seed=0, method="LocalClassifierPerNode", base="naive-bayes")
    table_files = TableFiles(files["features"], files["labels"], files["hierarchy"])
    models["table"] = fit_table(table_files, chosen).model
    shutil.copy(files["features"], Path(folder) / "features.csv")
    return models


def save_all(folder, *, slow):
    """Save a model of every kind to a folder; those that take long if asked."""
    folder = Path(folder)
    names = [name for name in list_methods() if slow or name not in SLOW]
    models = {name: fit_method(name) for name in names}
    models |= fit_others(folder)
    for name, model in models.items():
        save_model(model, folder / f"{name}.hilabel")
