"""One forest for all nodes, compared with scikit-learn's multi-output regressors."""

import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor

from benchmarks._comparison import Comparison, Measurement
from benchmarks._data import missing_data_reason
from hilabel.classifiers import PredictiveClusteringForest
from hilabel.datasets import HMCDataset, impute, load_go
from hilabel.metrics import average_precision

# The minimum number of rows of a node; the numbers of trees and seeds, smaller if the
# reference takes minutes; and the goal. With few trees, average precision is noisy, so
# it is averaged over the seeds.
SIZES: tuple[tuple[int | None, int, int, float], ...] = (
    (50, 100, 5, 5.0),
    (None, 10, 3, 20.0),
)
# Both grown with the same parameters.
COMMON = {"min_samples_leaf": 3, "n_jobs": 2}
RIVALS = {
    "extra-trees, all features": (
        {"splitter": "random", "bootstrap": False, "max_features": None},
        ExtraTreesRegressor,
        {"bootstrap": False, "max_features": 1.0},
    ),
    "extra-trees, sqrt of features": (
        {"splitter": "random", "bootstrap": False, "max_features": "sqrt"},
        ExtraTreesRegressor,
        {"bootstrap": False, "max_features": "sqrt"},
    ),
    "bagging, all features": (
        {"splitter": "best", "bootstrap": True, "max_features": None},
        RandomForestRegressor,
        {"bootstrap": True, "max_features": 1.0},
    ),
    "bagging, sqrt of features": (
        {"splitter": "best", "bootstrap": True, "max_features": "sqrt"},
        RandomForestRegressor,
        {"bootstrap": True, "max_features": "sqrt"},
    ),
}


def run() -> Iterator[Comparison | Measurement]:
    reason = missing_data_reason()
    if reason:
        print(f"bench_global_trees: {reason}")
        return
    for min_count, n_trees, n_seeds, target in SIZES:
        go = impute(load_go("cellcycle", min_count=min_count))
        X, Y = go.train.X, np.asarray(go.train.Y)
        for form, (ours, rival, theirs) in RIVALS.items():
            model = PredictiveClusteringForest(
                go.hierarchy, n_estimators=n_trees, **COMMON, **ours
            )
            model.fit(X[:50], Y[:50])  # warm-up
            other = rival(n_trees, **COMMON, **theirs)
            # float64, or scikit-learn would convert it while the clock runs.
            timed, rivals = [], []
            for seed in range(n_seeds):  # alternately: a machine has slow minutes
                timed.append(seconds_of(model, X, Y, go.test, seed))
                rivals.append(seconds_of(other, X, Y.astype(np.float64), go.test, seed))
            fit, predict, ap = _summary(timed)
            their_fit, their_predict, their_ap = _summary(rivals)
            work = f"cellcycle_GO, {Y.shape[1]} nodes, {n_trees} trees: {form}"
            name = rival.__name__
            note = f"AP {ap:.4f} and {their_ap:.4f}, {their_ap - ap:+.4f}"
            yield Comparison(
                f"{work}, fit", fit, name, their_fit, target=target, note=note
            )
            yield Comparison(f"{work}, predict", predict, name, their_predict)


def seconds_of(
    model: Any, X: Any, Y: Any, test: HMCDataset, seed: int
) -> tuple[float, float, float]:
    """Return the seconds of fit and of predict, and the average precision."""
    model.set_params(random_state=seed)
    is_ours = isinstance(model, PredictiveClusteringForest)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        model.fit(X, Y)
        fitted = time.perf_counter()
        scores = (model.predict_proba if is_ours else model.predict)(test.X)
        end = time.perf_counter()
    return fitted - start, end - fitted, average_precision(test.Y, scores)


def _summary(timed: list[tuple[float, float, float]]) -> tuple[float, float, float]:
    """Return the minimum seconds and the mean average precision."""
    fits, predictions, aps = zip(*timed)
    return min(fits), min(predictions), float(np.mean(aps))
