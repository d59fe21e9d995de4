"""The constant predictor, which predicts the label frequencies for every row."""

from typing import Any, ClassVar

import numpy as np

from hilabel._saved_types import Array
from hilabel._score_matrix import RepeatedScores, ScoreMatrix
from hilabel._typing import FloatArray
from hilabel.classifiers._base import BaseWeightedClassifier
from hilabel.classifiers._tags import MethodTags
from hilabel.classifiers._training_data import TrainingData


class PriorClassifier(BaseWeightedClassifier):
    """Predict, for every row, the fraction of labelled rows that have each label.

    It ignores ``X``, so any useful method should score higher. On some data sets, it is
    a surprisingly strong baseline for micro-averaged measures, so hilabel reports its
    score next to every result.

    Parameters
    ----------
    hierarchy : Hierarchy or None

    Attributes
    ----------
    prior_ : ndarray of shape (n_nodes,)
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.classifiers import PriorClassifier
    >>> h = Hierarchy.from_edges([("a", "b")])
    >>> model = PriorClassifier(h).fit([[0], [0]], [[1, 0], [1, 1]])
    >>> model.predict_proba([[7]])
    array([[1. , 0.5]])
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        partial_labels=True,
        name="Constant predictor",
        summary="label frequencies",
        use="A baseline for all other methods.",
    )

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "prior_": Array("f8", ("n_nodes",), 0, 1),
    }

    def is_sound(self) -> bool:
        """Return whether there is one label frequency per node."""
        return super().is_sound() and self.prior_.size == self.hierarchy_.n_nodes

    def scores_itself(self, data: TrainingData) -> bool:
        """Return whether there are folds, whose frequencies are known from counts."""
        return data.fold is not None and not data.sets_rows_aside

    def _fit(self, data: TrainingData) -> None:
        self.prior_ = data.prior

    def _fit_scoring(self, data: TrainingData) -> ScoreMatrix:
        self._fit(data)
        fold: Any = data.fold
        return RepeatedScores(data.priors_without(fold, int(fold.max()) + 1), fold)

    def _predict_scores(self, X: Any) -> FloatArray:
        # Closed labels make the shares consistent: no child is more frequent than a
        # parent.
        return np.tile(self.prior_, (X.shape[0], 1))

    def _missing_value_advice(self) -> str | None:
        return None
