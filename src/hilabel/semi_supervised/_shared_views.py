"""Views that candidates of a blend share: computed once, on all rows."""

from collections.abc import Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from hilabel.classifiers import BaseHierarchicalClassifier
from hilabel.semi_supervised._views_classifier import ViewsClassifier
from hilabel.views import (
    BaseLinkView,
    NeighborColumns,
    NeighborhoodMeans,
    default_views,
)


class Sharing(NamedTuple):
    """The views of a classifier that do not depend on labels, and the others.

    Attributes
    ----------
    views : list of transformers
        Not fitted.
    others : list of transformers
        Fitted on rows with the columns of ``views``.
    """

    views: list[Any]
    others: list[Any]

    @property
    def key(self) -> str:
        """What views have in common if they are shared."""
        return repr(self.views)

    @property
    def needs_links(self) -> bool:
        """Whether any of the shared views follows links."""
        return any(isinstance(view, BaseLinkView) for view in self.views)


def sharing_of(
    model: BaseHierarchicalClassifier, is_sparse: bool, **rows: bool
) -> Sharing | None:
    """Return which views of a classifier can be shared, or None if there are none.

    These are the default views, and views of neighbours or over links that are given
    first, unless they depend on labels. ``has_links`` and ``has_columns`` may be given,
    as for :func:`~hilabel.views.default_views`.

    Examples
    --------
    >>> from hilabel.semi_supervised import ViewsClassifier
    >>> from hilabel.semi_supervised._shared_views import sharing_of
    >>> from hilabel.views import LinkIds, LinkLabels
    >>> sharing_of(ViewsClassifier(views=[LinkIds(), LinkLabels()]), is_sparse=True)
    Sharing(views=[LinkIds()], others=[LinkLabels()])
    """
    if not isinstance(model, ViewsClassifier) or model.labeled_only:
        return None
    if model.views is None:
        return Sharing(default_views(is_sparse, **rows), [])
    first = [*takewhile(_needs_no_labels, model.views)]
    return Sharing(first, [*model.views[len(first) :]]) if first else None


def without_shared(
    model: BaseHierarchicalClassifier, sharing: Sharing | None
) -> BaseHierarchicalClassifier:
    """Return the part of a classifier that is trained on rows with shared views."""
    if sharing is None or not isinstance(model, ViewsClassifier):
        return model
    if not sharing.others:
        return model._template()
    return ViewsClassifier(estimator=model.estimator, views=sharing.others)


def _needs_no_labels(view: Any) -> bool:
    if isinstance(view, BaseLinkView):
        return not view.uses_labels
    return isinstance(view, NeighborColumns | NeighborhoodMeans)


def all_views(sets: dict[str, list[Any]]) -> Sequence[Any]:
    """Return the views of all sets, each once."""
    return [view for views in sets.values() for view in views]
