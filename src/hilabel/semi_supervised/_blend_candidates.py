"""The default candidates of a blend: several families, since none is always best."""

from importlib.util import find_spec
from typing import Any, Final

import numpy as np
import scipy.sparse as sp

from hilabel.classifiers import (
    BaseHierarchicalClassifier,
    HierarchicalNetwork,
    LogisticClassifier,
    NeighborsClassifier,
    PredictiveClusteringForest,
    TrainingData,
)
from hilabel.semi_supervised._label_spreading import LabelSpreading
from hilabel.semi_supervised._sshmcbli import SSHMCBLI
from hilabel.semi_supervised._views_classifier import ViewsClassifier

# The largest number of cells (labelled rows times nodes) for which a kind of model is
# tried. The cost grows with the cells, or with the number of rows that are compared;
# with these limits, each model is trained within minutes. Above the limit for quick
# models, the selection uses a sample with the number of cells under "measured".
MOST_CELLS: Final = {"quick": 5e6, "network": 1.5e6, "measured": 2e6}
MOST_ROWS_COMPARED: Final = 30_000
# Networks take about this many times as long as the slowest of the others.
_NETWORK_TO_OTHERS: Final = 10.0
# With more labelled rows, a consistency loss on them no longer helps a network.
_MOST_ROWS_CONSISTENT: Final = 1_000
# The largest number of training steps of a network; with consistency, it is between
# these, since such steps take more than twice as long.
_FEWEST_STEPS: Final = 160
_MOST_STEPS: Final = 640
# Columns per split of extra-trees: all, up to this number. More are slow and help
# little.
_MOST_COLUMNS: Final = 100
# The row, and the means of its neighbours by distance and by correlation.
_N_VIEWS: Final = 3
# SSHMC-BLI needs three labelled neighbours, also within folds.
_FEWEST_ROWS_THAT_VOTE: Final = 5


def default_candidates(data: TrainingData) -> dict[str, BaseHierarchicalClassifier]:
    """Return the models to try on the data, cheapest first.

    A forest is included for data of any size. Models that learn from unlabelled rows
    are included only if there are such rows.
    """
    n_cells = data.Y.size
    found: dict[str, BaseHierarchicalClassifier] = {
        "forest": PredictiveClusteringForest()
    }
    if n_cells > MOST_CELLS["quick"]:
        return found
    found |= _forests(data.X_labeled) | _linear(data.X_labeled)
    found["neighbours"] = NeighborsClassifier()
    looks_around = 0 < data.unlabeled_rows.size <= MOST_ROWS_COMPARED
    if looks_around:
        found |= _semi_supervised(data)
    if n_cells <= MOST_CELLS["network"] and _has_networks():
        found |= _networks(data, looks_around)
    return found


def relative_cost(
    one: BaseHierarchicalClassifier, other: BaseHierarchicalClassifier
) -> float:
    """Return the approximate ratio of the training times of two models."""
    costs_more = is_expensive(one) and not is_expensive(other)
    return _NETWORK_TO_OTHERS if costs_more else 1.0


def is_expensive(model: BaseHierarchicalClassifier) -> bool:
    """Return whether a model takes much longer to train than others, as networks do."""
    return isinstance(getattr(model, "estimator", model), HierarchicalNetwork)


def _networks(
    data: TrainingData, looks_around: bool
) -> dict[str, BaseHierarchicalClassifier]:
    n_labeled = data.n_labeled
    found: dict[str, BaseHierarchicalClassifier] = {"network": _network(_MOST_STEPS)}
    # More rows take more steps, in multiples of what is compiled at once.
    n_steps = min(max(n_labeled // 10 * 10, _FEWEST_STEPS), _MOST_STEPS)
    if n_labeled <= _MOST_ROWS_CONSISTENT:
        # So unlabelled rows are not credited with what regularisation gives.
        found["network, consistency"] = _network(
            n_steps, consistency=0.5, consistency_rows="labeled"
        )
    has_many = data.unlabeled_rows.size >= n_labeled
    if looks_around and has_many and not sp.issparse(data.X_labeled):
        found["network, views"] = ViewsClassifier(
            estimator=_network(n_steps, consistency=1.0)
        )
    return found


def _network(max_steps: int, **consistency: Any) -> HierarchicalNetwork:
    """Return a fast network: one shape, half the members, few steps."""
    return HierarchicalNetwork(
        shape="deep", n_members=6, max_steps=max_steps, **consistency
    )


def _forests(X: Any) -> dict[str, BaseHierarchicalClassifier]:
    return {
        "forest, large leaves": PredictiveClusteringForest(min_samples_leaf=10),
        "extra-trees": _extra_trees("sqrt"),
        "extra-trees, all columns": _extra_trees(_most_columns(X.shape[1])),
    }


def _extra_trees(max_features: str | int) -> PredictiveClusteringForest:
    """Return trees with leaves of one row, which are best for classes with few rows."""
    return PredictiveClusteringForest(
        splitter="random",
        min_samples_leaf=1,
        bootstrap=False,
        max_features=max_features,
    )


def _most_columns(n_columns: int) -> int:
    return min(n_columns, _MOST_COLUMNS)


def _linear(X: Any) -> dict[str, BaseHierarchicalClassifier]:
    if sp.issparse(X):  # words, whose rows have norm 1
        strengths, scale = (3.0, 30.0), False
    else:
        strengths, scale = (0.003, 0.1), True
    return {
        f"logistic, C={C:g}": LogisticClassifier(C=C, scale=scale) for C in strengths
    }


def _semi_supervised(data: TrainingData) -> dict[str, BaseHierarchicalClassifier]:
    found: dict[str, BaseHierarchicalClassifier] = {
        "spreading": LabelSpreading(metric="correlation", local_scaling=True),
        "spreading, far": LabelSpreading(alpha=0.98, metric="raw"),
        "forest, views": ViewsClassifier(),
        "extra-trees, views": ViewsClassifier(
            estimator=PredictiveClusteringForest(splitter="random")
        ),
        "extra-trees, all columns, views": ViewsClassifier(
            estimator=_extra_trees(_most_columns(_N_VIEWS * data.X_labeled.shape[1]))
        ),
        "logistic, views": ViewsClassifier(estimator=LogisticClassifier(C=0.003)),
    }
    can_vote = data.n_labeled >= _FEWEST_ROWS_THAT_VOTE
    has_gaps = _has_missing(data.X_labeled) or _has_missing(data.X_unlabeled)
    if can_vote and not has_gaps:
        found["SSHMC-BLI, forest"] = SSHMCBLI(estimator=PredictiveClusteringForest())
    return found


def _has_missing(X: Any) -> bool:
    return bool(np.isnan(X.data if sp.issparse(X) else X).any())


def _has_networks() -> bool:
    return all(find_spec(name) is not None for name in ("jax", "optax"))
