"""What SSL-PCT trees and forests share: aims, and the choice of their weight."""

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import KFold

from hilabel._compat import Interval
from hilabel._matrices import stack_rows
from hilabel._typing import FloatArray
from hilabel.classifiers import BaseClusteringClassifier, MethodTags, TrainingData
from hilabel.forests import ClusteringTargets
from hilabel.metrics import average_precision

__all__ = ["BaseSemiSupervisedClustering"]

# The larger of equally good weights wins, so the largest comes first.
CANDIDATES = tuple(step / 10 for step in range(10, -1, -1))


@dataclass(eq=False, repr=False, kw_only=True)
class BaseSemiSupervisedClustering(BaseClusteringClassifier):
    """Clustering trees whose splits aim at labels and features.

    The parameters are described in :class:`SSLPCT`.
    """

    method_tags: ClassVar[MethodTags] = MethodTags(semi_supervised=True)

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseClusteringClassifier._parameter_constraints,
        "w": [Interval(Real, 0, 1, closed="both"), None],
        "cv": [Interval(Integral, 2, None, closed="left")],
    }

    w: float | None = None
    cv: int = 5

    def _fit(self, data: TrainingData) -> None:
        seed = self._draw_seed()
        self.w_scores_ = None
        if self.w is not None:
            self.w_ = float(self.w)
        elif data.unlabeled_rows.size == 0 or data.labeled_rows.size < 2:
            self.w_ = 1.0  # nothing to choose, or nothing to choose it by
        else:
            self.w_scores_ = self._cross_validate(data, seed)
            self.w_ = max(CANDIDATES, key=self.w_scores_.__getitem__)
        self._grow(*self._aims(data), seed)

    def _aims(self, data: TrainingData) -> tuple[Any, ClusteringTargets]:
        """Return the rows to grow trees on, labelled ones first, and their aims."""
        weights = self._node_weights(data)
        if self.w_ == 1:  # unlabelled rows would have no aim at all
            targets = ClusteringTargets.from_labels(data.Y_labeled, weights)
            return data.X_labeled, targets
        X = stack_rows(data.X_labeled, data.X_unlabeled)
        _refuse_sparse_gaps(X)
        return X, ClusteringTargets.from_labels_and_features(
            data.Y_labeled, X, weights, self.w_
        )

    def _cross_validate(self, data: TrainingData, seed: int) -> dict[float, float]:
        """Return, for every candidate, the average precision summed over folds."""
        n_folds = min(self.cv, data.labeled_rows.size)
        folds = KFold(n_folds, shuffle=True, random_state=seed)
        splits = list(folds.split(np.arange(data.labeled_rows.size)))
        return {
            w: sum(self._score_fold(data, w, seed, *split) for split in splits)
            for w in CANDIDATES
        }

    def _score_fold(
        self, data: TrainingData, w: float, seed: int, train: Any, test: Any
    ) -> float:
        Y_test = data.Y_labeled[test]
        if not Y_test.any():
            return 0.0  # no precision without a label; the same for all candidates
        part = TrainingData(
            X_labeled=data.X_labeled[train],
            Y_labeled=data.Y_labeled[train],
            X_unlabeled=data.X_unlabeled,
            labeled_rows=data.labeled_rows[train],
            unlabeled_rows=data.unlabeled_rows,
            hierarchy=data.hierarchy,
        )
        model = self._candidate(w, seed).fit_checked(part)
        scores: FloatArray = model._predict_scores(data.X_labeled[test])
        return float(average_precision(Y_test, scores))

    def _candidate(self, w: float, seed: int) -> Self:
        """Return an unfitted model to be scored in cross-validation."""
        return clone(self).set_params(w=w, random_state=seed)


def _refuse_sparse_gaps(X: Any) -> None:
    if sp.issparse(X) and np.isnan(X.data).any():
        row = int(np.flatnonzero(np.isnan(X.data))[0])
        row = int(np.searchsorted(X.indptr, row, side="right")) - 1
        raise ValueError(
            "Expected no missing values in a sparse X whose features are part of the "
            f"aim (w < 1), got NaN in row {row} of the training rows, labelled ones "
            "first. Fill them, give a dense X, or use w=1 or PredictiveClusteringTree."
        )
