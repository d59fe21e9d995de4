"""The default candidates of a blend: several families, since none is always best."""

from importlib.util import find_spec
from typing import Any, Final, NamedTuple

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

# The largest numbers of cells (labelled rows times nodes) for which models are tried;
# that of networks is lower. The cost grows with the cells, or with the number of rows
# that are compared; with these limits, each model is trained within minutes.
MOST_CELLS: Final = 5_000_000
MOST_CELLS_OF_NETWORKS: Final = 1_500_000
MOST_ROWS_COMPARED: Final = 30_000
# The largest number of scores that a model which scores all rows once may store.
MOST_SCORES_STORED: Final = 20_000_000
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

Models = dict[str, BaseHierarchicalClassifier]


class Proposal(NamedTuple):
    """A model to try, or the reason why not; "" if there is none."""

    model: BaseHierarchicalClassifier
    why_not: str = ""


def default_candidates(data: TrainingData) -> dict[str, Proposal]:
    """Return the models to try on the data, cheapest first.

    A forest is tried on data of any size. Models that do not suit the data, or that
    would take too long, have a reason not to be tried.
    """
    size = _too_many_cells(data, MOST_CELLS)
    forest = PredictiveClusteringForest(oob_score=bool(size))
    proposed = {"forest": Proposal(forest)}
    for name, model in (_forests(data) | _linear(data) | _neighbors()).items():
        proposed[name] = Proposal(model, size)
    no_views = size or _why_no_views(data)
    no_spreading = no_views or _why_no_spreading(data)
    for name, model in _spreading().items():
        proposed[name] = Proposal(model, no_spreading)
    for name, model in _with_views(data).items():
        proposed[name] = Proposal(model, no_views)
    no_votes = no_views or _why_no_votes(data)
    proposed["SSHMC-BLI, forest"] = Proposal(SSHMCBLI(estimator=_forest()), no_votes)
    return proposed | _networks(data, no_views)


def relative_cost(
    one: BaseHierarchicalClassifier, other: BaseHierarchicalClassifier
) -> float:
    """Return the approximate ratio of the training times of two models."""
    costs_more = is_expensive(one) and not is_expensive(other)
    return _NETWORK_TO_OTHERS if costs_more else 1.0


def is_expensive(model: BaseHierarchicalClassifier) -> bool:
    """Return whether a model takes much longer to train than others, as networks do."""
    return isinstance(getattr(model, "estimator", model), HierarchicalNetwork)


# Models -------------------------------------------------------------------------------


def _forest(**parameters: Any) -> PredictiveClusteringForest:
    """Return a forest that is scored on the same folds as all other models.

    Only with very many cells, a forest per fold would take too long.
    """
    return PredictiveClusteringForest(oob_score=False, **parameters)


def _forests(data: TrainingData) -> Models:
    n_columns = data.X_labeled.shape[1]
    return {
        "forest, large leaves": _forest(min_samples_leaf=10),
        "extra-trees": _extra_trees("sqrt"),
        "extra-trees, all columns": _extra_trees(_most_columns(n_columns)),
    }


def _extra_trees(max_features: str | int) -> PredictiveClusteringForest:
    """Return trees with leaves of one row, which are best for classes with few rows."""
    return _forest(
        splitter="random",
        min_samples_leaf=1,
        bootstrap=False,
        max_features=max_features,
    )


def _most_columns(n_columns: int) -> int:
    return min(n_columns, _MOST_COLUMNS)


def _linear(data: TrainingData) -> Models:
    if sp.issparse(data.X_labeled):  # words, whose rows have norm 1
        strengths, scale = (3.0, 30.0), False
    else:
        strengths, scale = (0.003, 0.1), True
    return {
        f"logistic, C={C:g}": LogisticClassifier(C=C, scale=scale) for C in strengths
    }


def _neighbors() -> Models:
    return {"neighbours": NeighborsClassifier()}


def _spreading() -> Models:
    return {
        "spreading": LabelSpreading(metric="correlation", local_scaling=True),
        "spreading, far": LabelSpreading(alpha=0.98, metric="raw"),
    }


def _with_views(data: TrainingData) -> Models:
    n_columns = _N_VIEWS * data.X_labeled.shape[1]
    return {
        "forest, views": ViewsClassifier(estimator=_forest()),
        "extra-trees, views": ViewsClassifier(estimator=_forest(splitter="random")),
        "extra-trees, all columns, views": ViewsClassifier(
            estimator=_extra_trees(_most_columns(n_columns))
        ),
        "logistic, views": ViewsClassifier(estimator=LogisticClassifier(C=0.003)),
    }


def _networks(data: TrainingData, no_views: str) -> dict[str, Proposal]:
    n_labeled = data.n_labeled
    # More rows take more steps, in multiples of what is compiled at once.
    n_steps = min(max(n_labeled // 10 * 10, _FEWEST_STEPS), _MOST_STEPS)
    # So unlabelled rows are not credited with what regularisation gives.
    consistent = _network(n_steps, consistency=0.5, consistency_rows="labeled")
    viewing = ViewsClassifier(estimator=_network(n_steps, consistency=1.0))
    no_network = _why_no_networks(data)
    return {
        "network": Proposal(_network(_MOST_STEPS), no_network),
        "network, consistency": Proposal(
            consistent, no_network or _why_not_consistent(data)
        ),
        "network, views": Proposal(
            viewing, no_network or no_views or _why_no_network_with_views(data)
        ),
    }


def _network(max_steps: int, **consistency: Any) -> HierarchicalNetwork:
    """Return a fast network: one shape, half the members, few steps."""
    return HierarchicalNetwork(
        shape="deep", n_members=6, max_steps=max_steps, **consistency
    )


# Reasons ------------------------------------------------------------------------------


def _too_many_cells(data: TrainingData, most: int) -> str:
    if data.Y.size <= most:
        return ""
    return (
        f"{data.Y.size:,} cells (labelled rows times nodes) are more than {most:,}, so "
        "it would take too long"
    )


def _why_no_views(data: TrainingData) -> str:
    n_unlabeled = data.unlabeled_rows.size
    if n_unlabeled == 0:
        return "there are no unlabelled rows"
    if n_unlabeled > MOST_ROWS_COMPARED:
        return (
            f"{n_unlabeled:,} unlabelled rows are more than {MOST_ROWS_COMPARED:,}, so "
            "comparing them would take too long"
        )
    return ""


def _why_no_spreading(data: TrainingData) -> str:
    n_scores = data.n_rows * data.hierarchy.n_nodes
    if n_scores <= MOST_SCORES_STORED:
        return ""
    return (
        f"{n_scores:,} scores (all rows times nodes) are more than "
        f"{MOST_SCORES_STORED:,}, so the model would be too large"
    )


def _why_no_votes(data: TrainingData) -> str:
    if data.n_labeled < _FEWEST_ROWS_THAT_VOTE:
        return f"it needs {_FEWEST_ROWS_THAT_VOTE} labelled rows"
    if _has_missing(data.X_labeled) or _has_missing(data.X_unlabeled):
        return "it needs complete rows, and some values are missing (NaN)"
    return ""


def _why_no_networks(data: TrainingData) -> str:
    if not all(find_spec(name) is not None for name in ("jax", "optax")):
        return "it needs JAX: pip install 'hilabel[networks]'"
    return _too_many_cells(data, MOST_CELLS_OF_NETWORKS)


def _why_not_consistent(data: TrainingData) -> str:
    if data.n_labeled <= _MOST_ROWS_CONSISTENT:
        return ""
    return f"it does not help with more than {_MOST_ROWS_CONSISTENT:,} labelled rows"


def _why_no_network_with_views(data: TrainingData) -> str:
    if data.unlabeled_rows.size < data.n_labeled:
        return "there are fewer unlabelled than labelled rows"
    if sp.issparse(data.X_labeled):
        return "it needs dense columns"
    return ""


def _has_missing(X: Any) -> bool:
    return bool(np.isnan(X.data if sp.issparse(X) else X).any())
