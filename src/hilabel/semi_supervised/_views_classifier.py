"""A classifier trained on the features of rows and on views fitted on all rows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone

from hilabel._label_matrix import LabelMatrix
from hilabel._matrices import as_dense, stack_rows
from hilabel._score_matrix import ScoreMatrix
from hilabel._typing import BoolArray, FloatArray
from hilabel.classifiers import (
    BaseHierarchicalClassifier,
    BaseLinkedClassifier,
    DelegatesToFitted,
    LocalClassifierPerNode,
    MethodTags,
    PredictiveClusteringForest,
    TrainingData,
    has_columns,
    scores_of_member,
)
from hilabel.exceptions import LinkError
from hilabel.links import LinkedRows, columns_of
from hilabel.views import BaseLinkView, default_views


@dataclass(eq=False, repr=False, kw_only=True)
class ViewsClassifier(DelegatesToFitted, BaseLinkedClassifier):
    """A classifier with additional features learned from labelled and unlabelled rows.

    Views are transformers fitted on all rows, labelled and unlabelled. Their columns
    are appended to the features of the rows, and the classifier is trained on the
    labelled rows. In this way, unlabelled rows contribute to the features of other
    rows, but never get uncertain labels.

    If ``fit`` gets links between the rows, views may describe rows by the rows they are
    linked to: :class:`~hilabel.views.LinkMeans`, :class:`~hilabel.views.LinkIds` and
    :class:`~hilabel.views.LinkLabels`. New rows then need links to training rows; rows
    without links are described by their columns alone. ``X=None`` is possible if there
    are only links.

    Handles the same problems as ``estimator``.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges.
    estimator : hierarchical or local classifier, optional
        By default, a :class:`~hilabel.classifiers.PredictiveClusteringForest`. A local
        classifier is trained for each node by a
        :class:`~hilabel.classifiers.LocalClassifierPerNode`.
    views : sequence of transformers, optional
        By default, for dense rows, the means of the 25 nearest other rows, by distance
        and by correlation, of :class:`~hilabel.views.NeighborhoodMeans` with local
        scaling; for sparse rows, :class:`~hilabel.views.NeighborColumns`. With links,
        :class:`~hilabel.views.LinkMeans` as well; without columns,
        :class:`~hilabel.views.LinkIds` alone.
    labeled_only : bool, default=False
        Whether views are fitted on the labelled rows alone, and on links between them.
        The difference shows what the unlabelled rows contribute.
    n_jobs, random_state
        Used by the parts that do not set them.
    verbose : int, default=0

    Attributes
    ----------
    estimator_ : hierarchical classifier
        Fitted on the rows with the columns of the views.
    views_ : list of transformers
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    Examples
    --------
    >>> from hilabel.datasets import make_artificial
    >>> from hilabel.semi_supervised import ViewsClassifier
    >>> data = make_artificial()
    >>> model = ViewsClassifier(data.hierarchy, random_state=0)
    >>> model = model.fit(data.X_labeled, data.Y_labeled, data.X_unlabeled)
    >>> model.n_features_in_, model.estimator_.n_features_in_
    (2, 6)

    With links between rows, here of rows without columns:

    >>> from hilabel.classifiers import LinearClassifier
    >>> links = [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    >>> model = ViewsClassifier(estimator=LinearClassifier(C=10.0))
    >>> model = model.fit(None, [[1, 0], [-1, -1], [0, 1], [-1, -1]], links=links)
    >>> model.predict(links=[[0, 3, 0, 0], [0, 0, 0, 3]])
    array([[1, 0],
           [0, 1]])
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        semi_supervised=True,
        partial_labels=True,
        name="Views",
        summary="rows and neighbours",
        use="Nearby rows have similar labels, and there are many unlabelled rows.",
        links=True,
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DelegatesToFitted._parameter_constraints,
        "views": [list, tuple, None],
        "labeled_only": ["boolean"],
    }

    views: Sequence[Any] | None = None
    labeled_only: bool = False

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "views_": list[BaseEstimator],
    }

    def _own_base(self, local: Any) -> BaseHierarchicalClassifier:
        if local is None:
            return PredictiveClusteringForest()
        return LocalClassifierPerNode(estimator=local, calibration="prior")

    @property
    def learns_from_unlabeled(self) -> bool:
        """Whether views are fitted on unlabelled rows, too."""
        return not self.labeled_only

    def scores_itself(self, data: TrainingData) -> bool:
        """Return whether its classifier does, and no view has seen the labels."""
        uses_labels = any(getattr(view, "uses_labels", False) for view in self._given())
        return not uses_labels and self._template().scores_itself(data)

    def is_sound(self) -> bool:
        """Return whether links lead to training rows; used to check model files."""
        views = getattr(self, "views_", ())
        return super().is_sound() and all(
            view.n_targets_ <= self.n_linked_rows
            for view in views
            if isinstance(view, BaseLinkView)
        )

    def _given(self) -> Sequence[Any]:
        return () if self.views is None else self.views

    def _fit(self, data: TrainingData) -> None:
        base = self.base_classifier()
        self.estimator_ = base.fit_checked(self._fit_views(data, base))

    def _fit_scoring(self, data: TrainingData) -> ScoreMatrix:
        base = self.base_classifier()
        scores = base.fit_scoring(self._fit_views(data, base))
        self.estimator_ = base
        return scores

    def _fit_views(
        self, data: TrainingData, base: BaseHierarchicalClassifier
    ) -> TrainingData:
        """Fit the views, and return the data with their columns."""
        if self.labeled_only:
            data = data.without_unlabeled()
        widened = WidenedData.of(data, self.views, self.n_jobs)
        self.views_ = widened.views
        if base.method_tags.links:
            return widened.data
        return replace(widened.data, links=None)

    def _is_width_sound(self, fitted: BaseHierarchicalClassifier) -> bool:
        return True  # foreign views are tested with trial rows when a file is loaded

    def widened(self, X: Any) -> Any:
        """Append the columns of the views to rows that have been validated.

        Rows with links, of type :class:`~hilabel.links.LinkedRows`, keep these.
        """
        return widen(X, self.views_)

    def _predict_scores(self, X: Any) -> FloatArray:
        return scores_of_member(self.estimator_, self.widened(X))

    @property
    def _must_cap(self) -> bool:
        return super()._must_cap and self.estimator_._must_cap

    def _predict_labels(self, X: Any) -> BoolArray:
        wide = self.widened(X)
        if getattr(self.estimator_, "uses_links", False):
            return super(DelegatesToFitted, self)._predict_labels(X)
        return self.estimator_._predict_labels(columns_of(wide))


@dataclass(frozen=True, eq=False)
class WidenedData:
    """Training data that includes the columns of the views.

    Attributes
    ----------
    data : TrainingData
    views : list of transformers
        Fitted on all rows.
    """

    data: TrainingData
    views: list[Any]

    @classmethod
    def of(
        cls, data: TrainingData, views: Sequence[Any] | None, n_jobs: int | None = None
    ) -> Self:
        """Fit the given or the default views on all rows, and append their columns."""
        rows = stack_rows(data.X_labeled, data.X_unlabeled)
        if views is None:
            fitted = default_views(
                sp.issparse(rows),
                n_jobs,
                has_links=data.links is not None,
                has_columns=has_columns(data),
            )
        else:
            fitted = [_with_jobs(clone(view), n_jobs) for view in views]
        columns = [_fit_view(view, rows, data) for view in fitted]
        wide, n_labeled = _side_by_side(rows, columns, fitted), data.n_labeled
        widened = replace(
            data, X_labeled=wide[:n_labeled], X_unlabeled=wide[n_labeled:]
        )
        return cls(widened, fitted)


def widen(X: Any, views: Sequence[Any]) -> Any:
    """Append the columns of fitted views to new rows, which keep their links."""
    rows = columns_of(X)
    wide = _side_by_side(rows, [_seen(view, X) for view in views], views)
    return LinkedRows(wide, X.links) if isinstance(X, LinkedRows) else wide


def _with_jobs(view: Any, n_jobs: int | None) -> Any:
    """Return a view that uses as many threads, unless it sets their number."""
    if view.get_params(deep=False).get("n_jobs", 0) is None:
        view.set_params(n_jobs=n_jobs)
    return view


def _fit_view(view: Any, rows: Any, data: TrainingData) -> Any:
    if not isinstance(view, BaseLinkView):
        return view.fit_transform(rows)
    if data.links is None:
        name = type(view).__name__
        raise LinkError(
            f"Expected links, since views contains {name}; pass links= to fit, or "
            f"leave {name} out."
        )
    labels = _labels_of_all(data) if view.uses_labels else None
    return view.fit_transform(rows, labels, data.links)


def _labels_of_all(data: TrainingData) -> LabelMatrix:
    shape = data.unlabeled_rows.size, data.hierarchy.n_nodes
    nothing = sp.csr_array(shape, dtype=bool)
    return data.Y.stacked_on(
        LabelMatrix.of_rows(nothing, np.zeros(shape[0], dtype=bool))
    )


def _seen(view: Any, X: Any) -> Any:
    """Return the columns of a fitted view; labelled targets come first."""
    if not isinstance(view, BaseLinkView):
        return view.transform(columns_of(X))
    if not isinstance(X, LinkedRows):
        raise LinkError(f"Expected rows with links for {type(view).__name__}.")
    near = X.to_first(view.n_targets_)
    return view.transform(near.columns, near.links)


def _side_by_side(rows: Any, columns: Sequence[Any], views: Sequence[Any]) -> Any:
    linked = [view for view in views if isinstance(view, BaseLinkView)]
    if sp.issparse(rows) or any(view.is_always_sparse() for view in linked):
        return sp.csr_array(sp.hstack([sp.csr_array(rows), *columns], format="csr"))
    return np.hstack([rows, *(as_dense(part) for part in columns)])
