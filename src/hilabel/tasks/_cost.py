"""Estimate the training time, and warn before very long runs."""

from typing import Any, Final

import numpy as np

from hilabel._progress import duration
from hilabel._warning import warn_user
from hilabel.classifiers import BaseHierarchicalClassifier, HierarchicalNetwork
from hilabel.datasets import HMCDataset
from hilabel.forests import ForestClassifier

# For one core, fitted to runs on 2,000 and 4,000 rows with 100 to 400 nodes. On other
# data, they may be wrong by a factor of two or more.
_SECONDS_PER_MODEL: Final = 0.006
_SECONDS_PER_FOREST: Final = 0.1  # scikit-learn's, with a hundred trees
_ROWS_OF_A_MODEL: Final = 4_000
_SECONDS_PER_LABEL: Final = 4.5e-6
# For 4,000 rows, 30 features and 100 nodes; grows with the square of the number of
# rows.
_SECONDS_OF_NEIGHBORS: Final = 0.35
# Networks, derived from benchmarks/results/network_training.md, not measured here:
# multiplications per weight and row of a batch, multiplications per second, units per
# layer, and the usual number of steps without a limit.
_PER_WEIGHT: Final = 6
_PER_SECOND: Final = 4e10
_UNITS: Final = 512
_USUAL_STEPS: Final = 5_000
_SHAPES_TRIED: Final = 3
_SAID_FROM: Final = 30 * 60


def warn_of_time(
    estimator: BaseHierarchicalClassifier, data: HMCDataset, n_trainings: int
) -> None:
    """Warn if training may take more than half an hour in total."""
    seconds = n_trainings * training_seconds(estimator, data)
    if seconds >= _SAID_FROM:
        warn_user(
            f"{type(estimator).__name__} may take about {duration(seconds)} of one "
            f"core on these files, for {n_trainings} trainings; "
            "PredictiveClusteringForest takes minutes."
        )


def training_seconds(estimator: BaseHierarchicalClassifier, data: HMCDataset) -> float:
    """Return a rough estimate of the training time, or 0 for fast methods."""
    n_rows, n_features = data.X.shape
    n_labeled, n_nodes = int(data.labeled.sum()), data.hierarchy.n_nodes
    parameters: dict[str, Any] = estimator.get_params(deep=False)
    if isinstance(estimator, HierarchicalNetwork):
        return _network_seconds(estimator, n_features, n_nodes)
    if "estimator" not in parameters:
        return 0.0
    base = parameters["estimator"]
    if isinstance(base, HierarchicalNetwork):
        seconds = _network_seconds(base, n_features, n_nodes)
    elif base is None or isinstance(base, ForestClassifier):
        n_labels = int((data.Y == 1).sum())
        seconds = _SECONDS_PER_LABEL * n_labels * float(np.sqrt(n_features))
    else:
        is_forest = hasattr(base, "n_estimators")
        each = _SECONDS_PER_FOREST if is_forest else _SECONDS_PER_MODEL
        seconds = each * n_nodes * max(1, n_labeled / _ROWS_OF_A_MODEL)
    if "n_neighbors" in parameters:
        seconds += (
            _SECONDS_OF_NEIGHBORS
            * (n_rows / 4_000) ** 2
            * (n_features / 30)
            * (n_nodes / 100)
        )
    elif "max_iter" in parameters and n_rows > n_labeled:
        # The method is trained repeatedly, in the end on almost all rows.
        seconds *= parameters["max_iter"] * n_rows / max(n_labeled, 1)
    return seconds


def _network_seconds(
    estimator: HierarchicalNetwork, n_features: int, n_nodes: int
) -> float:
    weights = _UNITS * (n_features + _UNITS + n_nodes)
    n_steps = estimator.max_steps or _USUAL_STEPS
    n_networks = estimator.n_members * (
        _SHAPES_TRIED if estimator.shape == "auto" else 1
    )
    operations = _PER_WEIGHT * weights * estimator.batch_size * n_steps * n_networks
    return operations / _PER_SECOND
