"""Batch self-training for any hierarchical classifier, and its special cases."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from hilabel._compat import Interval, StrOptions
from hilabel._progress import Progress
from hilabel._saved_types import Array, Count
from hilabel._typing import BoolArray, IntArray
from hilabel._warning import warn_user
from hilabel.classifiers import (
    HMCBR,
    HMCLP,
    BaseHierarchicalClassifier,
    DelegatesToFitted,
    HMCRAkEL,
    MethodTags,
    TrainingData,
    require_tree,
)
from hilabel.local_models import Examples
from hilabel.semi_supervised._batches import (
    BatchOutcome,
    BatchSummary,
    add_in_batches,
    batch_rows,
)
from hilabel.semi_supervised._pseudo_labels import GivesPseudoLabels, Step


@dataclass(eq=False, repr=False, kw_only=True)
class BatchSelfTraining(GivesPseudoLabels, DelegatesToFitted):
    """Train any hierarchical classifier on its own predictions, batch by batch.

    A classifier trained on the labelled rows predicts a batch of unlabelled rows. These
    rows are added to the training rows with their predicted labels, and the classifier
    is trained again. This is repeated until all unlabelled rows have been used. Without
    unlabelled rows, the result is the supervised classifier. Rows for which no label is
    predicted return to the pool; they are dropped when no remaining row gets a label.
    :class:`HMCSSBR`, :class:`HMCSSLP` and :class:`HMCSSRAkEL` are special cases from
    the literature.

    Parameters
    ----------
    hierarchy : Hierarchy or None
    estimator : estimator, optional
        A hierarchical classifier of hilabel, or any scikit-learn classifier, which
        becomes the local classifier of an :class:`~hilabel.classifiers.HMCBR`. If some
        labels are unknown, the classifier must support that.
    batch_size : float, default=0.1
        Share of the unlabelled rows in each batch, above 0; the number of rows is
        rounded up. With 1, all rows are labelled at once.
    order : {"random", "index"}, default="random"
        The order in which unlabelled rows are used.
    confidence : {"mean"} or None, default=None
        ``"mean"`` adds a row only if the mean probability of its labels is at least
        ``confidence_threshold``; others return to the pool to be tried again (our
        choice).
    confidence_threshold : float, default=0.8
    n_jobs : int, optional
        Passed to the classifier. The result does not depend on it.
    random_state : int, RandomState or None
        Seed of the order and of the classifier; each of its fits starts from this
        state.
    verbose : int, default=0
        1 shows the batches if the fit takes more than two seconds; 2 always shows them.

    Attributes
    ----------
    estimator_ : hierarchical classifier
        Trained on the labelled rows and all added rows.
    n_iter_ : int
        Number of batches; 0 without unlabelled rows.
    termination_condition_ : {"pool_empty", "nothing_added"}
    transduction_ : int8 array of shape (n_rows, n_nodes)
        The labels that ``estimator_`` was trained on. Rows are numbered as passed to
        ``fit``, those of ``X_unlabeled`` last; rows that were not added stay
        ``UNLABELED``.
    labeled_iter_ : int array of shape (n_rows,)
        0 for given labels, the batch in which the row was added otherwise, -1 for rows
        that were not added.
    history_ : list of BatchSummary
        One entry per batch; ``pandas.DataFrame(model.history_)`` creates a table.
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    Examples
    --------
    >>> from hilabel.classifiers import PredictiveClusteringForest
    >>> from hilabel.datasets import make_artificial
    >>> from hilabel.semi_supervised import BatchSelfTraining
    >>> data = make_artificial()
    >>> forest = PredictiveClusteringForest(n_estimators=10)
    >>> model = BatchSelfTraining(
    ...     data.hierarchy, estimator=forest, batch_size=0.5, random_state=0
    ... )
    >>> _ = model.fit(data.X_labeled, data.Y_labeled, X_unlabeled=data.X_unlabeled)
    >>> model.estimator_.n_estimators, model.history_[0].n_drawn
    (10, 165)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        semi_supervised=True,
        transductive=True,
        partial_labels=True,
        name="Batch self-training",
        summary="any, self-trained",
        use="Any method accurate enough to learn from its own predictions.",
    )
    step_name: ClassVar[Step] = "batch"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DelegatesToFitted._parameter_constraints,
        "batch_size": [Interval(Real, 0, 1, closed="right")],
        "order": [StrOptions({"random", "index"})],
        "confidence": [StrOptions({"mean"}), None],
        "confidence_threshold": [Interval(Real, 0, 1, closed="both")],
    }

    batch_size: float = 0.1
    order: str = "random"
    confidence: str | None = None
    confidence_threshold: float = 0.8

    def _own_base(self, local: Any) -> BaseHierarchicalClassifier:
        return HMCBR(estimator=local)

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "history_": list[BatchSummary],
        "n_iter_": Count(),
        "termination_condition_": str,
        "transduction_": Array("i1", ("n_rows", "n_nodes"), -1, 1),
        "labeled_iter_": Array("i8", ("n_rows",), -1),
    }

    def _fit(self, data: TrainingData) -> None:
        n_unlabeled = data.unlabeled_rows.size
        base = self.base_classifier()
        outcome = add_in_batches(
            data,
            self._draw_order(n_unlabeled),
            batch_rows(self.batch_size, n_unlabeled),
            # Clone it, so that every fit starts from the same random state.
            lambda training: clone(base).fit_checked(training),
            self._label,
            Progress(self.verbose),
        )
        if n_unlabeled and not (outcome.added_in > 0).any():
            warn_user(
                f"None of the {n_unlabeled} unlabelled rows was predicted to have a "
                "label; the model was trained on the labelled rows only. Lower "
                "confidence_threshold, if set, or label more rows."
            )
        self._remember(data, outcome)

    def _draw_order(self, n_unlabeled: int) -> IntArray:
        if self.order == "index":
            return np.arange(n_unlabeled)
        # Draw from a copy, so that the base classifier gets a given generator
        # unchanged. Fits with a generator and with its seed are then equivalent.
        generator = check_random_state(copy.deepcopy(self.random_state))
        return generator.permutation(n_unlabeled)

    def _label(self, base: BaseHierarchicalClassifier, X: Any) -> BoolArray:
        labels = base._predict_labels(X)
        if self.confidence == "mean":
            scores = np.where(labels, base._predict_scores(X), 0.0).sum(axis=1)
            mean = scores / np.maximum(labels.sum(axis=1), 1)
            labels = labels & (mean >= self.confidence_threshold)[:, None]
        return labels

    def _remember(self, data: TrainingData, outcome: BatchOutcome) -> None:
        self.estimator_ = outcome.model
        self.history_ = list(outcome.batches)
        self.n_iter_ = len(outcome.batches)
        self.termination_condition_ = (
            "nothing_added" if outcome.training.unlabeled_rows.size else "pool_empty"
        )
        self.transduction_ = outcome.training.transduction
        self.labeled_iter_ = np.zeros(data.n_rows, dtype=np.int64)
        self.labeled_iter_[data.unlabeled_rows] = outcome.added_in


@dataclass(eq=False, repr=False, kw_only=True)
class HMCSSBR(BatchSelfTraining):
    """Semi-supervised hierarchical binary relevance (HMC-SSBR).

    This is :class:`BatchSelfTraining` with :class:`~hilabel.classifiers.HMCBR`. Handles
    every problem type; the extension to DAGs is our choice, as in HMC-BR. The size and
    order of the batches and the handling of rows for which no label is predicted are
    also our choices, since the source does not specify them.

    Parameters
    ----------
    hierarchy : Hierarchy or None
    estimator : classifier, optional
        The local classifier, as in :class:`~hilabel.classifiers.HMCBR`.
    policy : str or callable, default="siblings"
    on_empty : {"constant", "raise"}, default="constant"
        As in :class:`~hilabel.classifiers.HMCBR`.
    batch_size, order, confidence, confidence_threshold, n_jobs, random_state, verbose
        As in :class:`BatchSelfTraining`. The attributes are also the same.

    References
    ----------
    Santos and Canuto, "Applying the self-training semi-supervised learning in
    hierarchical multi-label methods", IJCNN 2014.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.semi_supervised import HMCSSBR
    >>> h = Hierarchy.from_dict({"a": ["c", "d"], "b": []})
    >>> X = [[0.0], [0.2], [1.0], [1.2], [9.0], [9.2]]
    >>> Y = [{"c"}, {"c"}, {"d"}, {"d"}, {"b"}, {"b"}]
    >>> model = HMCSSBR(h, batch_size=0.5, random_state=0)
    >>> model.fit(X, Y, X_unlabeled=[[0.1], [1.1], [9.1]]).transduction_[6:]
    array([[1, 1, 0, 0],
           [1, 0, 1, 0],
           [0, 0, 0, 1]], dtype=int8)
    >>> [batch.n_added for batch in model.history_]
    [2, 1]
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        semi_supervised=True,
        transductive=True,
        partial_labels=True,
        name="HMC-SSBR",
        summary="self-trained HMC-BR",
        use="Like HMC-BR, if it is accurate enough to learn from its own predictions.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **HMCBR._parameter_constraints,
        **BatchSelfTraining._parameter_constraints,
    }

    policy: str | Callable[..., Examples] = "siblings"
    on_empty: str = "constant"

    def _own_base(self, local: Any) -> HMCBR:
        return HMCBR(estimator=local, policy=self.policy, on_empty=self.on_empty)


@dataclass(eq=False, repr=False, kw_only=True)
class HMCSSLP(BatchSelfTraining):
    """Semi-supervised hierarchical label powersets (HMC-SSLP).

    This is :class:`BatchSelfTraining` with :class:`~hilabel.classifiers.HMCLP`. It
    handles trees in which each row may have any number of paths, each ending at any
    depth. Only combinations of labels that occur in labelled rows are predicted. Batch
    details that the source does not specify are our choices.

    Parameters
    ----------
    hierarchy : Hierarchy or None
    estimator : classifier, optional
    allow_dag : bool, default=False
        As in :class:`~hilabel.classifiers.HMCLP`.
    batch_size, order, confidence, confidence_threshold, n_jobs, random_state, verbose
        As in :class:`BatchSelfTraining`. The attributes are also the same.

    References
    ----------
    Santos and Canuto, "Applying semi-supervised learning in hierarchical multi-label
    classification", Expert Systems with Applications 41, 2014.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.semi_supervised import HMCSSLP
    >>> h = Hierarchy.from_dict({"a": ["c", "d"], "b": []})
    >>> X = [[0.0], [0.2], [1.0], [1.2], [9.0], [9.2]]
    >>> Y = [{"c", "d"}, {"c", "d"}, {"a"}, {"a"}, {"b"}, {"b"}]
    >>> model = HMCSSLP(h, batch_size=1, random_state=0)
    >>> model.fit(X, Y, X_unlabeled=[[0.1], [1.1]]).transduction_[6:]
    array([[1, 1, 1, 0],
           [1, 0, 0, 0]], dtype=int8)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        structure="T",
        semi_supervised=True,
        transductive=True,
        name="HMC-SSLP",
        summary="self-trained HMC-LP",
        use="Like HMC-LP, if it is accurate enough to learn from its own predictions.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **HMCLP._parameter_constraints,
        **BatchSelfTraining._parameter_constraints,
    }

    allow_dag: bool = False

    def _own_base(self, local: Any) -> HMCLP:
        return HMCLP(estimator=local, allow_dag=self.allow_dag)

    def _fit(self, data: TrainingData) -> None:
        if not self.allow_dag:
            instead = "HMCSSBR, or allow_dag=True to define levels by longest paths"
            require_tree(type(self).__name__, data.hierarchy, instead)
        super()._fit(data)


@dataclass(eq=False, repr=False, kw_only=True)
class HMCSSRAkEL(BatchSelfTraining):
    """Semi-supervised hierarchical random k-labelsets (HMC-SSRAkEL).

    This is :class:`BatchSelfTraining` with :class:`~hilabel.classifiers.HMCRAkEL`. It
    handles trees in which each row may have any number of paths, each ending at any
    depth. Batch details that the source does not specify are our choices.

    Parameters
    ----------
    hierarchy : Hierarchy or None
    estimator : classifier, optional
    labelset_size : int, default=3
    n_labelsets : int, optional
    voting : {"hard", "soft"}, default="hard"
        As in :class:`~hilabel.classifiers.HMCRAkEL`.
    batch_size, order, confidence, confidence_threshold, n_jobs, random_state, verbose
        As in :class:`BatchSelfTraining`. The attributes are also the same.

    References
    ----------
    Santos and Canuto, "Applying semi-supervised learning in hierarchical multi-label
    classification", Expert Systems with Applications 41, 2014.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.semi_supervised import HMCSSRAkEL
    >>> h = Hierarchy.from_dict({"a": ["c", "d"], "b": []})
    >>> X = [[0.0], [0.2], [1.0], [1.2], [9.0], [9.2]]
    >>> Y = [{"c", "d"}, {"c", "d"}, {"a"}, {"a"}, {"b"}, {"b"}]
    >>> model = HMCSSRAkEL(h, batch_size=1, random_state=0)
    >>> model.fit(X, Y, X_unlabeled=[[0.1], [1.1]]).transduction_[6:]
    array([[1, 1, 1, 0],
           [1, 0, 0, 0]], dtype=int8)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        structure="T",
        semi_supervised=True,
        transductive=True,
        name="HMC-SSRAkEL",
        summary="self-trained RAkEL",
        use="Like HMC-RAkEL, if it is accurate enough to learn from its own "
        "predictions.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **HMCRAkEL._parameter_constraints,
        **BatchSelfTraining._parameter_constraints,
    }

    labelset_size: int = 3
    n_labelsets: int | None = None
    voting: str = "hard"

    def _own_base(self, local: Any) -> HMCRAkEL:
        return HMCRAkEL(
            estimator=local,
            labelset_size=self.labelset_size,
            n_labelsets=self.n_labelsets,
            voting=self.voting,
        )

    def _fit(self, data: TrainingData) -> None:
        require_tree(type(self).__name__, data.hierarchy, "HMCSSBR")
        super()._fit(data)
