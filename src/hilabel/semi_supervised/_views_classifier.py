"""A classifier trained on the features of rows and on views fitted on all rows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone

from hilabel._matrices import as_dense, stack_rows
from hilabel._score_matrix import ScoreMatrix
from hilabel._typing import BoolArray, FloatArray
from hilabel.classifiers import (
    BaseHierarchicalClassifier,
    DelegatesToFitted,
    LocalClassifierPerNode,
    MethodTags,
    PredictiveClusteringForest,
    TrainingData,
)
from hilabel.views import default_views


@dataclass(eq=False, repr=False, kw_only=True)
class ViewsClassifier(DelegatesToFitted):
    """A classifier with additional features learned from labelled and unlabelled rows.

    Views are transformers fitted on all rows, labelled and unlabelled. Their columns
    are appended to the features of the rows, and the classifier is trained on the
    labelled rows. In this way, unlabelled rows contribute to the features of other
    rows, but never get uncertain labels.

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
        scaling; for sparse rows, :class:`~hilabel.views.NeighborColumns`.
    labeled_only : bool, default=False
        Whether views are fitted on the labelled rows alone. The difference shows what
        the unlabelled rows contribute.
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
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        semi_supervised=True,
        partial_labels=True,
        name="Views",
        summary="rows and neighbours",
        use="Nearby rows have similar labels, and there are many unlabelled rows.",
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
        """Return whether its classifier does."""
        return self._template().scores_itself(data)

    def _fit(self, data: TrainingData) -> None:
        widened = self._fit_views(data)
        self.estimator_ = self.base_classifier().fit_checked(widened)

    def _fit_scoring(self, data: TrainingData) -> ScoreMatrix:
        widened, base = self._fit_views(data), self.base_classifier()
        scores = base.fit_scoring(widened)
        self.estimator_ = base
        return scores

    def _fit_views(self, data: TrainingData) -> TrainingData:
        """Fit the views, and return the data with their columns."""
        if self.labeled_only:
            data = data.without_unlabeled()
        widened = WidenedData.of(data, self.views, self.n_jobs)
        self.views_ = widened.views
        return widened.data

    def _is_width_sound(self, fitted: BaseHierarchicalClassifier) -> bool:
        return True  # foreign views are tested with trial rows when a file is loaded

    def widened(self, X: Any) -> Any:
        """Append the columns of the views to rows that have been validated."""
        return widen(X, self.views_)

    def _predict_scores(self, X: Any) -> FloatArray:
        return self.estimator_._predict_scores(self.widened(X))

    def _predict_labels(self, X: Any) -> BoolArray:
        return self.estimator_._predict_labels(self.widened(X))


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
            fitted = default_views(sp.issparse(rows), n_jobs)
        else:
            fitted = [*map(clone, views)]
        columns = [view.fit_transform(rows) for view in fitted]
        wide, n_labeled = _side_by_side(rows, columns), data.n_labeled
        widened = replace(
            data, X_labeled=wide[:n_labeled], X_unlabeled=wide[n_labeled:]
        )
        return cls(widened, fitted)


def widen(X: Any, views: Sequence[Any]) -> Any:
    """Append the columns of fitted views to new rows."""
    return _side_by_side(X, [view.transform(X) for view in views])


def _side_by_side(rows: Any, columns: Sequence[Any]) -> Any:
    if sp.issparse(rows):
        return sp.csr_array(sp.hstack([rows, *columns]))
    return np.hstack([rows, *(as_dense(part) for part in columns)])
