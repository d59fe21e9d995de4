"""What HMC-SSBR, HMC-SSLP and HMC-SSRAkEL share: a base trained batch after batch."""

import copy
from abc import abstractmethod
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils import Tags, check_random_state, get_tags

from hilabel._compat import HasMethods, Interval, StrOptions
from hilabel._progress import Progress
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel._warning import warn_user
from hilabel.classifiers import BaseHierarchicalClassifier, TrainingData
from hilabel.classifiers._base import empty_transduction
from hilabel.hierarchy import Hierarchy
from hilabel.semi_supervised._batch_adding import (
    BatchOutcome,
    add_in_batches,
    batch_rows,
)

__all__ = ["BaseBatchAddingClassifier"]


class BaseBatchAddingClassifier(BaseHierarchicalClassifier):
    """Train a supervised base on its own predictions, batch after batch.

    A method is a subclass that makes the base; the other parameters are described in
    :class:`HMCSSBR`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseHierarchicalClassifier._parameter_constraints,
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
        "batch_size": [Interval(Real, 0, 1, closed="right")],
        "order": [StrOptions({"random", "index"})],
        "confidence": [StrOptions({"mean"}), None],
        "confidence_threshold": [Interval(Real, 0, 1, closed="both")],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        hierarchy: Hierarchy | None = None,
        *,
        estimator: Any = None,
        batch_size: float = 0.1,
        order: str = "random",
        confidence: str | None = None,
        confidence_threshold: float = 0.8,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.hierarchy = hierarchy
        self.estimator = estimator
        self.batch_size = batch_size
        self.order = order
        self.confidence = confidence
        self.confidence_threshold = confidence_threshold
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @abstractmethod
    def _supervised_base(self) -> BaseHierarchicalClassifier:
        """Return the base, unfitted, with this method's parameters."""

    # Training -----------------------------------------------------------------------

    def _fit(self, data: TrainingData) -> None:
        n_unlabeled = data.unlabeled_rows.size
        outcome = add_in_batches(
            data,
            self._draw_order(n_unlabeled),
            batch_rows(self.batch_size, n_unlabeled),
            self._fit_base,
            self._label,
            Progress(self.verbose),
        )
        if n_unlabeled and not (outcome.added_in > 0).any():
            warn_user(
                f"None of the {n_unlabeled} unlabelled rows was predicted to have a "
                "label; the model learned from the labelled rows alone. Lower "
                "confidence_threshold, if set, or label more rows."
            )
        self._remember(data, outcome)

    def _draw_order(self, n_unlabeled: int) -> IntArray:
        if self.order == "index":
            return np.arange(n_unlabeled)
        # Drawn from a copy: a generator given must reach the base as it came, so that
        # it means the same as its seed, and the same as in the base alone.
        generator = check_random_state(copy.deepcopy(self.random_state))
        return generator.permutation(n_unlabeled)

    def _fit_base(self, training: TrainingData) -> BaseHierarchicalClassifier:
        # A clone, so that every fit starts from the same random state.
        return clone(self._supervised_base()).fit_checked(training)

    def _label(self, base: BaseHierarchicalClassifier, X: Any) -> BoolArray:
        labels = base._predict_labels(X)
        if self.confidence == "mean":
            scores = np.where(labels, base._predict_scores(X), 0.0).sum(axis=1)
            mean = scores / np.maximum(labels.sum(axis=1), 1)
            labels = labels & (mean >= self.confidence_threshold)[:, None]
        return labels

    def _remember(self, data: TrainingData, outcome: BatchOutcome) -> None:
        training = outcome.training
        self.estimator_ = outcome.model
        self.history_ = list(outcome.batches)
        self.n_iter_ = len(outcome.batches)
        self.termination_condition_ = (
            "nothing_added" if training.unlabeled_rows.size else "pool_empty"
        )
        self.transduction_ = empty_transduction(data.n_rows, data.hierarchy.n_nodes)
        self.transduction_[training.labeled_rows] = training.Y_labeled
        self.labeled_iter_ = np.zeros(data.n_rows, dtype=np.int64)
        self.labeled_iter_[data.unlabeled_rows] = outcome.added_in

    # Prediction ---------------------------------------------------------------------

    def _predict_scores(self, X: Any) -> FloatArray:
        return self.estimator_._predict_scores(X)

    def _predict_labels(self, X: Any) -> BoolArray:
        return self.estimator_._predict_labels(X)

    def _missing_value_advice(self) -> str | None:
        return self._supervised_base()._missing_value_advice()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        base = get_tags(self._supervised_base())
        tags.input_tags.sparse = base.input_tags.sparse
        return tags
