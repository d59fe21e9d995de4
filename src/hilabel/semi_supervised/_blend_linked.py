"""The candidates of a blend that learn from links between rows."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import scipy.sparse as sp

from hilabel.classifiers import (
    BaseHierarchicalClassifier,
    LinearClassifier,
    LinkVotes,
    PriorClassifier,
    TrainingData,
    has_columns,
)
from hilabel.semi_supervised._blend_limits import Proposal
from hilabel.semi_supervised._blend_models import (
    USUAL_COST,
    conditional,
    extra_trees,
    forest,
    mined,
    most_columns,
)
from hilabel.semi_supervised._link_combiner import LinkCombiner
from hilabel.semi_supervised._link_spreading import LinkSpreading
from hilabel.semi_supervised._residual_spreading import ResidualSpreading
from hilabel.semi_supervised._views_classifier import ViewsClassifier
from hilabel.views import BaseLinkView, LinkIds, LinkLabels, LinkMeans, NeighborColumns

BY_LINKS_ALONE: Final[tuple[str, ...]] = ("link votes", "link spreading")
"""Candidates that take little time, and show how much links tell."""

FIRST_OF_LINKED: Final = (
    *BY_LINKS_ALONE,
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
"""Those that are given time before all others if links tell much by themselves."""

FIRST_BESIDE_COLUMNS: Final = (
    *BY_LINKS_ALONE,
    "linear, mined, near and linked rows",
    "linear, near and linked rows",
    "linear, mined",
    "extra-trees, links",
)
"""Those that are given time before all others if links tell little by themselves."""

# Links tell much if a method without columns is so far above label frequencies.
_MUCH: Final = 0.1

# Over links, where rows of length 1 become longer.
_COST_OVER_LINKS: Final = 10.0
# Rows have about length 1 if nearly all lengths are within this factor.
_NEARLY_ALL: Final = (0.05, 0.95)
_ABOUT: Final = 2.0

Models = dict[str, BaseHierarchicalClassifier]


def linked_candidates(data: TrainingData) -> dict[str, Proposal]:
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
        both = [NeighborColumns(), LinkMeans()]
        found |= {
            "linear, near and linked rows": ViewsClassifier(
                views=both, estimator=conditional(USUAL_COST)
            ),
            "linear, mined, near and linked rows": ViewsClassifier(
                views=both, estimator=mined(1.0)
            ),
        }
        found["links as far as trusted, linear"] = LinkCombiner(
            estimator=conditional(10.0)
        )
        found["linear, errors over links"] = ResidualSpreading(
            estimator=conditional(USUAL_COST)
        )
    else:
        views = [LinkMeans(), LinkLabels()]
        n_columns = 2 * data.X_labeled.shape[1] + views[1].n_directions
        trees = extra_trees(most_columns(n_columns))
        found |= {
            "extra-trees, links of labelled rows": ViewsClassifier(
                views=views, estimator=trees, labeled_only=True
            ),
            "extra-trees, links": ViewsClassifier(views=views, estimator=trees),
            "links as far as trusted, forest": LinkCombiner(estimator=forest()),
            "forest, errors over links": ResidualSpreading(estimator=forest()),
        }
    why_not = "" if data.unlabeled_rows.size else "there are no unlabelled rows"
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


def uses_links(model: BaseHierarchicalClassifier) -> bool:
    """Return whether a model learns from links between rows if there are any."""
    if isinstance(model, ViewsClassifier):
        inner = model._template()
        return (
            model.views is None
            or any(isinstance(view, BaseLinkView) for view in model.views)
            or inner.method_tags.links
        )
    return model.method_tags.links


def links_tell_much(scores: Mapping[str, float], constant: float) -> bool:
    """Return whether links alone score far above label frequencies, or may do so.

    Parameters
    ----------
    scores : mapping of str to float
        Of the candidates that were tried; NaN if a score was not measured.
    constant : float
        The score of label frequencies.
    """
    known = [scores.get(name, np.nan) for name in BY_LINKS_ALONE]
    known = [score for score in known if not np.isnan(score)]
    return not known or max(known) > constant + _MUCH


def without_links_alone(proposals: Mapping[str, Proposal]) -> dict[str, Proposal]:
    """Return candidates with a reason for another that uses links and no columns."""
    found = dict(proposals)
    name = "links as far as trusted"
    if name in found and not found[name].why_not:
        why_not = "links tell little by themselves"
        found[name] = found[name]._replace(why_not=why_not)
    return found
