"""The default candidates of a blend: several families, since none is always best."""

from importlib.util import find_spec
from typing import Any, Final

import numpy as np
import scipy.sparse as sp

from hilabel.classifiers import (
    BaseHierarchicalClassifier,
    HierarchicalNetwork,
    LinearClassifier,
    NeighborsClassifier,
    TrainingData,
    has_columns,
)
from hilabel.semi_supervised._blend_limits import Proposal
from hilabel.semi_supervised._blend_linked import (
    FIRST_BESIDE_COLUMNS,
    FIRST_OF_LINKED,
    linked_candidates,
)
from hilabel.semi_supervised._blend_models import (
    USUAL_COST,
    conditional,
    extra_trees,
    forest,
    mined,
    most_columns,
)
from hilabel.semi_supervised._label_spreading import LabelSpreading
from hilabel.semi_supervised._sshmcbli import SSHMCBLI
from hilabel.semi_supervised._views_classifier import ViewsClassifier
from hilabel.views import default_views

# The names of candidates that are tried first if there is not time for all: one of each
# family, and then others that were kept most often.
_FIRST_OF_DENSE: Final = (
    "extra-trees, all columns",
    "network, light",
    "forest",
    "network",
    "extra-trees, all columns, views",
    "neighbours",
    "spreading",
    "network, views",
)
_FIRST_OF_SPARSE: Final = (
    "linear, mined",
    "linear, C=50",
    "linear, mined, near rows",
    "linear, near rows",
    "linear, mined, near labelled rows",
    "neighbours",
    "linear",
)
# With more labelled rows, a consistency loss on them no longer helps a network.
_MOST_ROWS_CONSISTENT: Final = 1_000
# The largest number of training steps of a network; with consistency, it is between
# these, since such steps take more than twice as long.
_FEWEST_STEPS: Final = 160
_MOST_STEPS: Final = 640
# With more labelled rows than steps, networks still improve after them: the numbers of
# members and of steps to train if there is time.
_LONGER: Final = ((6, 1_600), (6, 4_000), (12, 4_000), (12, 10_000))
# The row, and the means of its neighbours by distance and by correlation.
_N_VIEWS: Final = 3
# SSHMC-BLI needs three labelled neighbours, also within folds.
_FEWEST_ROWS_THAT_VOTE: Final = 5

Models = dict[str, BaseHierarchicalClassifier]


def default_candidates(data: TrainingData) -> dict[str, Proposal]:
    """Return the models to try on the data, cheapest first.

    Models that do not suit the data have a reason not to be tried.
    """
    plain = {"forest": forest(), **_forests(data), **_linear(data), **_neighbors()}
    proposed = {name: Proposal(model) for name, model in plain.items()}
    no_views = _why_no_views(data)
    for name, model in (_spreading() | _with_views(data)).items():
        proposed[name] = Proposal(model, no_views)
    no_votes = no_views or _why_no_votes(data)
    proposed["SSHMC-BLI, forest"] = Proposal(SSHMCBLI(estimator=forest()), no_votes)
    proposed |= _networks(data, no_views)
    if data.links is None:
        return proposed
    if not has_columns(data):
        why = "there are only links, no columns"
        proposed = {name: one._replace(why_not=why) for name, one in proposed.items()}
    return linked_candidates(data) | proposed


def most_promising_first(
    proposals: dict[str, Proposal], is_sparse: bool, links_tell_much: bool = True
) -> dict[str, Proposal]:
    """Return the candidates in the order in which they are given time."""
    first = _FIRST_OF_SPARSE if is_sparse else _FIRST_OF_DENSE
    of_links = FIRST_OF_LINKED if links_tell_much else FIRST_BESIDE_COLUMNS
    names = dict.fromkeys((*of_links, *first, *proposals))
    return {name: proposals[name] for name in names if name in proposals}


def is_expensive(model: BaseHierarchicalClassifier) -> bool:
    """Return whether a model takes much longer to train than others, as networks do."""
    return isinstance(getattr(model, "estimator", model), HierarchicalNetwork)


# Models -------------------------------------------------------------------------------


def _forests(data: TrainingData) -> Models:
    n_columns = data.X_labeled.shape[1]
    return {
        "forest, large leaves": forest(min_samples_leaf=10),
        "extra-trees": extra_trees("sqrt"),
        "extra-trees, all columns": extra_trees(most_columns(n_columns)),
    }


def _linear(data: TrainingData) -> Models:
    if sp.issparse(data.X_labeled):
        near = ViewsClassifier(
            views=default_views(is_sparse=True), estimator=mined(1.0), labeled_only=True
        )
        return {
            "linear": conditional(10.0),
            "linear, C=50": conditional(USUAL_COST),
            "linear, mined": mined(1.0),
            "linear, mined, C=0.3": mined(0.3),
            "linear, mined, near labelled rows": near,
        }
    return {
        "linear": LinearClassifier(C=0.03),
        "linear, all rows, C=0.003": LinearClassifier(negatives="all", C=0.003),
        "linear, all rows, C=0.1": LinearClassifier(negatives="all", C=0.1),
    }


def _neighbors() -> Models:
    return {"neighbours": NeighborsClassifier()}


def _spreading() -> Models:
    return {
        "spreading": LabelSpreading(metric="correlation", local_scaling=True),
        "spreading, far": LabelSpreading(alpha=0.98, metric="raw"),
    }


def _with_views(data: TrainingData) -> Models:
    # Views over links are candidates of their own.
    views = default_views(sp.issparse(data.X_labeled))
    n_columns = _N_VIEWS * data.X_labeled.shape[1]
    if sp.issparse(data.X_labeled):
        linear = ViewsClassifier(views=views, estimator=conditional(USUAL_COST))
        return {
            "forest, views": ViewsClassifier(views=views, estimator=forest()),
            "linear, near rows": linear,
            "linear, mined, near rows": ViewsClassifier(
                views=views, estimator=mined(1.0)
            ),
        }
    return {
        "forest, views": ViewsClassifier(views=views, estimator=forest()),
        "extra-trees, views": ViewsClassifier(
            views=views, estimator=forest(splitter="random")
        ),
        "extra-trees, all columns, views": ViewsClassifier(
            views=views, estimator=extra_trees(most_columns(n_columns))
        ),
        "linear, views": ViewsClassifier(
            views=views, estimator=LinearClassifier(negatives="all", C=0.003)
        ),
    }


def _networks(data: TrainingData, no_views: str) -> dict[str, Proposal]:
    n_labeled = data.n_labeled
    # More rows take more steps, in multiples of what is compiled at once.
    n_steps = min(max(n_labeled // 10 * 10, _FEWEST_STEPS), _MOST_STEPS)
    # So unlabelled rows are not credited with what regularisation gives.
    consistent = _network(n_steps, consistency=0.5, consistency_rows="labeled")
    viewing = ViewsClassifier(
        views=default_views(sp.issparse(data.X_labeled)),
        estimator=_network(n_steps, consistency=1.0),
    )
    no_network = _why_no_networks()
    return {
        "network, light": Proposal(
            _network(_MOST_STEPS, shape="light"),
            no_network,
            longer=_longer_networks(n_labeled, shape="light"),
        ),
        "network": Proposal(
            _network(_MOST_STEPS), no_network, longer=_longer_networks(n_labeled)
        ),
        "network, consistency": Proposal(
            consistent, no_network or _why_not_consistent(data)
        ),
        "network, views": Proposal(
            viewing, no_network or no_views or _why_no_network_with_views(data)
        ),
    }


def _network(
    max_steps: int, shape: str = "deep", n_members: int = 6, **consistency: Any
) -> HierarchicalNetwork:
    """Return a fast network: one shape, half the members, few steps."""
    return HierarchicalNetwork(
        shape=shape, n_members=n_members, max_steps=max_steps, **consistency
    )


def _longer_networks(
    n_labeled: int, shape: str = "deep"
) -> tuple[HierarchicalNetwork, ...]:
    """Return networks that train until scores stop improving; none for few rows."""
    if n_labeled <= _MOST_STEPS:
        return ()
    return tuple(_network(steps, shape, members) for members, steps in _LONGER)


# Reasons ------------------------------------------------------------------------------


def _why_no_views(data: TrainingData) -> str:
    return "" if data.unlabeled_rows.size else "there are no unlabelled rows"


def _why_no_votes(data: TrainingData) -> str:
    if data.n_labeled < _FEWEST_ROWS_THAT_VOTE:
        return f"it needs {_FEWEST_ROWS_THAT_VOTE} labelled rows"
    if _has_missing(data.X_labeled) or _has_missing(data.X_unlabeled):
        return "it needs complete rows, and some values are missing (NaN)"
    return ""


def _why_no_networks() -> str:
    if not all(find_spec(name) is not None for name in ("jax", "optax")):
        return "it needs JAX: pip install 'hilabel[networks]'"
    return ""


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
