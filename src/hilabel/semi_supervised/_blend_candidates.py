"""The default candidates of a blend: several families, since none is always best."""

from importlib.util import find_spec
from typing import Any, Final

import numpy as np
import scipy.sparse as sp

from hilabel.classifiers import (
    BaseHierarchicalClassifier,
    HierarchicalNetwork,
    LinearClassifier,
    LinkVotes,
    NeighborsClassifier,
    PredictiveClusteringForest,
    PriorClassifier,
    TrainingData,
    has_columns,
)
from hilabel.semi_supervised._blend_limits import Proposal
from hilabel.semi_supervised._label_spreading import LabelSpreading
from hilabel.semi_supervised._link_combiner import LinkCombiner
from hilabel.semi_supervised._link_spreading import LinkSpreading
from hilabel.semi_supervised._residual_spreading import ResidualSpreading
from hilabel.semi_supervised._sshmcbli import SSHMCBLI
from hilabel.semi_supervised._views_classifier import ViewsClassifier
from hilabel.views import BaseLinkView, LinkIds, LinkLabels, LinkMeans, NeighborColumns

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
# Before these, if there are links.
_FIRST_OF_LINKED: Final = (
    "link votes",
    "link spreading",
    "links as far as trusted",
    "linear, links and votes",
    "extra-trees, links",
    "linear, mined, near and linked rows",
    "links as far as trusted, linear",
    "links as far as trusted, forest",
    "linear, links of labelled rows",
    "extra-trees, links of labelled rows",
    "linear, links",
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
# The C of conditional linear models of words, whose rows are scaled to length 1.
_USUAL_COST: Final = 50.0
# Over links, where rows of length 1 become longer.
_COST_OVER_LINKS: Final = 10.0
# Rows have about length 1 if nearly all lengths are within this factor.
_NEARLY_ALL: Final = (0.05, 0.95)
_ABOUT: Final = 2.0
# Columns per split of extra-trees: all, up to this number. More are slow and help
# little.
_MOST_COLUMNS: Final = 100
# The row, and the means of its neighbours by distance and by correlation.
_N_VIEWS: Final = 3
# SSHMC-BLI needs three labelled neighbours, also within folds.
_FEWEST_ROWS_THAT_VOTE: Final = 5

Models = dict[str, BaseHierarchicalClassifier]


def default_candidates(data: TrainingData) -> dict[str, Proposal]:
    """Return the models to try on the data, cheapest first.

    Models that do not suit the data have a reason not to be tried.
    """
    plain = {"forest": _forest(), **_forests(data), **_linear(data), **_neighbors()}
    proposed = {name: Proposal(model) for name, model in plain.items()}
    no_views = _why_no_views(data)
    for name, model in (_spreading() | _with_views(data)).items():
        proposed[name] = Proposal(model, no_views)
    no_votes = no_views or _why_no_votes(data)
    proposed["SSHMC-BLI, forest"] = Proposal(SSHMCBLI(estimator=_forest()), no_votes)
    proposed |= _networks(data, no_views)
    if data.links is None:
        return proposed
    if not has_columns(data):
        why = "there are only links, no columns"
        proposed = {name: one._replace(why_not=why) for name, one in proposed.items()}
    return _linked(data) | proposed


def most_promising_first(
    proposals: dict[str, Proposal], is_sparse: bool
) -> dict[str, Proposal]:
    """Return the candidates in the order in which they are given time."""
    first = _FIRST_OF_SPARSE if is_sparse else _FIRST_OF_DENSE
    order = [name for name in (*_FIRST_OF_LINKED, *first) if name in proposals]
    order += [name for name in proposals if name not in order]
    return {name: proposals[name] for name in order}


def is_expensive(model: BaseHierarchicalClassifier) -> bool:
    """Return whether a model takes much longer to train than others, as networks do."""
    return isinstance(getattr(model, "estimator", model), HierarchicalNetwork)


def uses_links(model: BaseHierarchicalClassifier) -> bool:
    """Return whether a model learns from links between rows if there are any."""
    if isinstance(model, ViewsClassifier):
        return any(isinstance(view, BaseLinkView) for view in model.views or ())
    return model.method_tags.links


# Models -------------------------------------------------------------------------------


def _forest(**parameters: Any) -> PredictiveClusteringForest:
    """Return a forest that is scored on the same folds as all other models."""
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
    if sp.issparse(data.X_labeled):
        near = ViewsClassifier(estimator=_mined(1.0), labeled_only=True)
        return {
            "linear": _conditional(10.0),
            "linear, C=50": _conditional(_USUAL_COST),
            "linear, mined": _mined(1.0),
            "linear, mined, C=0.3": _mined(0.3),
            "linear, mined, near labelled rows": near,
        }
    return {
        "linear": LinearClassifier(C=0.03),
        "linear, all rows, C=0.003": LinearClassifier(negatives="all", C=0.003),
        "linear, all rows, C=0.1": LinearClassifier(negatives="all", C=0.1),
    }


def _conditional(C: float) -> LinearClassifier:
    return LinearClassifier(C=C, scale="rows")


def _mined(C: float) -> LinearClassifier:
    return LinearClassifier(loss="squared_hinge", negatives="mined", C=C, scale="rows")


def _neighbors() -> Models:
    return {"neighbours": NeighborsClassifier()}


def _spreading() -> Models:
    return {
        "spreading": LabelSpreading(metric="correlation", local_scaling=True),
        "spreading, far": LabelSpreading(alpha=0.98, metric="raw"),
    }


def _with_views(data: TrainingData) -> Models:
    n_columns = _N_VIEWS * data.X_labeled.shape[1]
    if sp.issparse(data.X_labeled):
        linear = ViewsClassifier(estimator=_conditional(_USUAL_COST))
        return {
            "forest, views": ViewsClassifier(estimator=_forest()),
            "linear, near rows": linear,
            "linear, mined, near rows": ViewsClassifier(estimator=_mined(1.0)),
        }
    return {
        "forest, views": ViewsClassifier(estimator=_forest()),
        "extra-trees, views": ViewsClassifier(estimator=_forest(splitter="random")),
        "extra-trees, all columns, views": ViewsClassifier(
            estimator=_extra_trees(_most_columns(n_columns))
        ),
        "linear, views": ViewsClassifier(
            estimator=LinearClassifier(negatives="all", C=0.003)
        ),
    }


def _linked(data: TrainingData) -> dict[str, Proposal]:
    """Return models that learn from links between rows.

    Each that follows links over unlabelled rows has a control beside it that does not.
    """
    found: Models = {
        "link votes": LinkVotes(),
        "link spreading": LinkSpreading(),
        "links as far as trusted": LinkCombiner(estimator=PriorClassifier()),
    }
    if not has_columns(data):
        found |= _linear_over_links([LinkIds()], scale=False)
    elif sp.issparse(data.X_labeled):
        scale: Any = False if _have_unit_length(data.X_labeled) else "rows"
        found |= _linear_over_links([LinkMeans(2), LinkIds()], scale)
        found["linear, mined, near and linked rows"] = ViewsClassifier(
            views=[NeighborColumns(), LinkMeans()], estimator=_mined(1.0)
        )
        found["links as far as trusted, linear"] = LinkCombiner(
            estimator=_conditional(10.0)
        )
        found["linear, errors over links"] = ResidualSpreading(
            estimator=_conditional(_USUAL_COST)
        )
    else:
        views = [LinkMeans(), LinkLabels()]
        n_columns = 2 * data.X_labeled.shape[1] + views[1].n_directions
        trees = _extra_trees(_most_columns(n_columns))
        found |= {
            "extra-trees, links of labelled rows": ViewsClassifier(
                views=views, estimator=trees, labeled_only=True
            ),
            "extra-trees, links": ViewsClassifier(views=views, estimator=trees),
            "links as far as trusted, forest": LinkCombiner(estimator=_forest()),
            "forest, errors over links": ResidualSpreading(estimator=_forest()),
        }
    why_not = _why_no_views(data)
    return {
        name: Proposal(model, why_not if model.learns_from_unlabeled else "")
        for name, model in found.items()
    }


def _linear_over_links(views: list[Any], scale: Any) -> Models:
    """Return linear models of rows widened over links, whose lengths say how much."""
    linear = LinearClassifier(C=_COST_OVER_LINKS, scale=scale)
    # Of shared views, the others see rows that are about three times as long.
    votes, votes_beside_shared = LinkLabels(), LinkLabels(weight=0.65)
    return {
        "linear, links of labelled rows": ViewsClassifier(
            views=[*views, votes], estimator=linear, labeled_only=True
        ),
        "linear, links": ViewsClassifier(views=views, estimator=linear),
        "linear, links and votes": ViewsClassifier(
            views=[*views, votes_beside_shared], estimator=linear
        ),
    }


def _have_unit_length(X: Any) -> bool:
    """Return whether nearly all rows with values have about length 1, as words do."""
    squares = np.asarray(X.multiply(X).sum(axis=1)).ravel()
    lengths = np.sqrt(squares[squares > 0])
    if not lengths.size:
        return True
    low, high = np.quantile(lengths, _NEARLY_ALL)
    return bool(low >= 1 / _ABOUT and high <= _ABOUT)


def _networks(data: TrainingData, no_views: str) -> dict[str, Proposal]:
    n_labeled = data.n_labeled
    # More rows take more steps, in multiples of what is compiled at once.
    n_steps = min(max(n_labeled // 10 * 10, _FEWEST_STEPS), _MOST_STEPS)
    # So unlabelled rows are not credited with what regularisation gives.
    consistent = _network(n_steps, consistency=0.5, consistency_rows="labeled")
    viewing = ViewsClassifier(estimator=_network(n_steps, consistency=1.0))
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
