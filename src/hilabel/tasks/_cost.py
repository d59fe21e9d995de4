"""How long a training will take, roughly: said before one that takes very long."""

from typing import Any, Final

import numpy as np

from hilabel._progress import duration
from hilabel._warning import warn_user
from hilabel.classifiers import BaseHierarchicalClassifier
from hilabel.datasets import HMCDataset
from hilabel.forests import ForestClassifier

# Of one core, on data of some thousand rows; they may be wrong by a factor of three.
_SECONDS_PER_MODEL: Final = 0.09
_ROWS_OF_A_MODEL: Final = 4_000
_SECONDS_PER_LABEL: Final = 4.5e-6
# Of 4,000 rows, 30 features and 100 nodes; it grows with the square of the rows.
_SECONDS_OF_NEIGHBORS: Final = 0.7
_SAID_FROM: Final = 30 * 60


def warn_of_time(
    estimator: BaseHierarchicalClassifier, data: HMCDataset, n_trainings: int
) -> None:
    """Warn if so many trainings may take more than half an hour."""
    seconds = n_trainings * training_seconds(estimator, data)
    if seconds >= _SAID_FROM:
        warn_user(
            f"{type(estimator).__name__} may take about {duration(seconds)} of one "
            f"core on these files, for {n_trainings} trainings; "
            "PredictiveClusteringForest takes minutes."
        )


def training_seconds(estimator: BaseHierarchicalClassifier, data: HMCDataset) -> float:
    """Return roughly how long one training takes; 0 for methods known to be quick."""
    n_rows, n_features = data.X.shape
    n_labeled, n_nodes = int(data.labeled.sum()), data.hierarchy.n_nodes
    parameters: dict[str, Any] = estimator.get_params(deep=False)
    if "estimator" not in parameters:
        return 0.0
    base = parameters["estimator"]
    if base is None or isinstance(base, ForestClassifier):
        n_labels = int((data.Y == 1).sum())
        seconds = _SECONDS_PER_LABEL * n_labels * float(np.sqrt(n_features))
    else:
        seconds = _SECONDS_PER_MODEL * n_nodes * max(1, n_labeled / _ROWS_OF_A_MODEL)
    if "n_neighbors" in parameters:
        seconds += (
            _SECONDS_OF_NEIGHBORS
            * (n_rows / 4_000) ** 2
            * (n_features / 30)
            * (n_nodes / 100)
        )
    return seconds
