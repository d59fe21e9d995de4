"""What SSHMC-BLI and SSHC-BLI share: pseudo-label by neighbours, then train."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from hilabel._compat import HasMethods, Interval, StrOptions
from hilabel._progress import Progress
from hilabel._saved_types import saved_type
from hilabel._typing import FloatArray, LabelArray, MatrixLike
from hilabel._warning import warn_user
from hilabel.classifiers import BaseHierarchicalClassifier, MethodTags, TrainingData
from hilabel.classifiers._base import empty_transduction
from hilabel.exceptions import HierarchyError
from hilabel.hierarchy import Hierarchy
from hilabel.neighbors import (
    BACKENDS,
    ActiveNeighbors,
    ExactSearch,
    Metric,
    NeighborMemory,
    make_search,
)
from hilabel.pseudo_labeling import (
    PassRecord,
    PseudoLabels,
    PseudoLabelSettings,
    pack_labels,
    pseudo_label,
    resolve_settings,
)
from hilabel.semi_supervised._evidence import (
    NewRowEvidence,
    RowEvidence,
    explain_new_row,
    explain_training_row,
)

__all__ = ["BaseLocalInformationClassifier", "PassSummary"]

# Explicit choices that win over the profile; None leaves the profile's.
OVERRIDES = (
    "exclude_self",
    "similarity_average",
    "similarity_set",
    "acceptance",
    "convergence",
    "stop_on_cycle",
    "iteration_limit",
)
PROFILE_NEGATIVES_ORDER = {"paper": "index", "authors": "authors"}


@saved_type
@dataclass(frozen=True)
class PassSummary:
    """One row of ``history_``: what a pass over the unlabelled rows came to."""

    iteration: int
    n_neighbors: int
    n_proposed: int
    n_accepted: int
    n_newly_accepted: int
    n_dropped: int
    mean_similarity: float


class BaseLocalInformationClassifier(BaseHierarchicalClassifier):
    """Pseudo-label from neighbours, then train a hierarchical classifier.

    The parameters are described in :class:`SSHMCBLI`.
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        semi_supervised=True, transductive=True
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseHierarchicalClassifier._parameter_constraints,
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
        "variant": [StrOptions({"v1", "v2", "v3"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "similarity_threshold": [Interval(Real, 0, 1, closed="both")],
        # At 0 every label would be positive for every row.
        "label_threshold": [Interval(Real, 0, 1, closed="right")],
        "similarity_span": [Interval(Real, 1, None, closed="neither")],
        "k_step": [Interval(Integral, 1, None, closed="left")],
        # Cycles of three passes and more are only ever ended by a limit.
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "metric": [str, callable],
        "backend": [StrOptions(set(BACKENDS))],
        "profile": [StrOptions({"paper", "authors"})],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "exclude_self": ["boolean", None],
        "similarity_average": [StrOptions({"pairs", "members"}), None],
        "similarity_set": [StrOptions({"neighbors", "contributors"}), None],
        "acceptance": [StrOptions({"at_least", "above"}), None],
        "convergence": [StrOptions({"accepted", "proposed"}), None],
        "stop_on_cycle": ["boolean", None],
        "iteration_limit": [StrOptions({"beyond", "at"}), None],
        "negatives_order": [StrOptions({"index", "authors", "random"}), None],
    }

    def __init__(
        self,
        hierarchy: Hierarchy | None = None,
        *,
        estimator: Any = None,
        variant: str = "v2",
        n_neighbors: int = 3,
        similarity_threshold: float = 0.5,
        label_threshold: float = 0.5,
        similarity_span: float = 3,
        k_step: int = 10,
        max_iter: int = 50,
        metric: Any = "euclidean",
        backend: str = "exact",
        profile: str = "paper",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        exclude_self: bool | None = None,
        similarity_average: str | None = None,
        similarity_set: str | None = None,
        acceptance: str | None = None,
        convergence: str | None = None,
        stop_on_cycle: bool | None = None,
        iteration_limit: str | None = None,
        negatives_order: str | None = None,
    ) -> None:
        self.hierarchy = hierarchy
        self.estimator = estimator
        self.variant = variant
        self.n_neighbors = n_neighbors
        self.similarity_threshold = similarity_threshold
        self.label_threshold = label_threshold
        self.similarity_span = similarity_span
        self.k_step = k_step
        self.max_iter = max_iter
        self.metric = metric
        self.backend = backend
        self.profile = profile
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.exclude_self = exclude_self
        self.similarity_average = similarity_average
        self.similarity_set = similarity_set
        self.acceptance = acceptance
        self.convergence = convergence
        self.stop_on_cycle = stop_on_cycle
        self.iteration_limit = iteration_limit
        self.negatives_order = negatives_order

    # Training -----------------------------------------------------------------------

    def pseudo_label(
        self,
        X: MatrixLike,
        y: MatrixLike,
        X_unlabeled: MatrixLike | None = None,
        *,
        memory: NeighborMemory | None = None,
    ) -> TrainingData:
        """Do the first half of ``fit``: choose rows and labels to train on.

        Afterwards the estimator has all fitted attributes but ``estimator_``, and
        ``base_classifier().fit_checked(...)`` of the result would be that one.

        Parameters
        ----------
        X, y, X_unlabeled
            As in ``fit``.
        memory : NeighborMemory, optional
            Where to look for, and leave, the lists of neighbours. They depend on the
            rows alone, so fits with other parameters need not compute them again.

        Returns
        -------
        TrainingData
            The labelled rows and the accepted ones, with their labels.
        """
        self._validate_params()
        data = self._check_training_data(X, y, X_unlabeled)
        self._describe(data)
        if hasattr(self, "estimator_"):
            del self.estimator_  # of an earlier fit, on other rows
        return self._choose_rows(data, memory)

    def __sklearn_is_fitted__(self) -> bool:
        """Say whether the second half of ``fit`` is done too."""
        return hasattr(self, "estimator_")

    def base_classifier(self) -> BaseHierarchicalClassifier:
        """Return the classifier to train: the default, the one given, or a wrapper."""
        if not isinstance(self.estimator, BaseHierarchicalClassifier):
            return self._default_base(self.estimator)
        base = clone(self.estimator)
        if base.hierarchy is None:
            base.set_params(hierarchy=self.hierarchy_)
        elif base.hierarchy != self.hierarchy_:
            raise HierarchyError(
                f"The estimator has another hierarchy, {base.hierarchy!r}, than "
                f"{type(self).__name__}, {self.hierarchy_!r}; give the same to both, "
                "or None to the estimator."
            )
        # What the estimator leaves open follows the method as a whole.
        params = base.get_params(deep=False)
        for name in ("random_state", "n_jobs"):
            if name in params and params[name] is None:
                base.set_params(**{name: getattr(self, name)})
        return base

    def _fit(self, data: TrainingData) -> None:
        training = self._choose_rows(data, None)
        self.estimator_ = self.base_classifier().fit_checked(training)

    def _choose_rows(
        self, data: TrainingData, memory: NeighborMemory | None
    ) -> TrainingData:
        self.settings_ = self._resolve_settings()
        progress = Progress(self.verbose)
        outcome = self._pseudo_label(data, memory, progress)
        if data.unlabeled_rows.size and not outcome.accepted.any():
            warn_user(
                f"None of the {data.unlabeled_rows.size} unlabelled rows was accepted; "
                "the model learned from the labelled rows alone. Lower "
                "similarity_threshold or scale the features."
            )
        training = data.with_rows(outcome.accepted, outcome.accepted_labels)
        progress.report(f"training on {training.labeled_rows.size} rows")
        self._remember(data, training, outcome)
        return training

    def _pseudo_label(
        self, data: TrainingData, memory: NeighborMemory | None, progress: Progress
    ) -> PseudoLabels:
        if data.unlabeled_rows.size == 0:
            n_nodes = data.hierarchy.n_nodes
            nothing = pack_labels(np.zeros((0, n_nodes), dtype=bool))
            nobody = np.zeros(0, dtype=bool)
            return PseudoLabels(nothing, nobody, (), "unchanged", n_nodes)
        if self.settings_.max_passes == 1:
            warn_user(
                "max_iter=1 ends in the first pass, before any unlabelled row is used."
            )
        metric = Metric(self.metric)
        metric.check_input(data.X_labeled)
        search = make_search(self.backend, metric, self.n_jobs, self.random_state)
        # Without a memory nothing is looked up, so that large data are not hashed.
        find = ActiveNeighbors if memory is None else memory.neighbors
        return pseudo_label(
            data.X_labeled,
            data.Y_labeled,
            data.X_unlabeled,
            self.settings_,
            metric,
            find(data.X_labeled, data.X_unlabeled, search),
            progress,
        )

    def _resolve_settings(self) -> PseudoLabelSettings:
        common = (
            "n_neighbors",
            "similarity_threshold",
            "label_threshold",
            "similarity_span",
            "max_iter",
            "k_step",
            "variant",
            "profile",
        )
        return resolve_settings(
            overrides={name: getattr(self, name) for name in OVERRIDES},
            **{name: getattr(self, name) for name in common},
        )

    @abstractmethod
    def _default_base(self, local: Any) -> BaseHierarchicalClassifier:
        """Return the method's own base, with ``local`` as its local classifier."""

    def _negatives_order(self) -> str:
        return self.negatives_order or PROFILE_NEGATIVES_ORDER[self.profile]

    # What the fit leaves behind -----------------------------------------------------

    def _remember(
        self, data: TrainingData, training: TrainingData, outcome: PseudoLabels
    ) -> None:
        self.n_iter_ = outcome.n_iter
        self.termination_condition_ = outcome.termination_condition
        self.passes_ = outcome.passes
        self.history_ = _summaries(outcome.passes)
        self.training_data_ = data
        self.transduction_ = _transduction(training)
        self.labeled_iter_ = np.full(data.n_rows, -1)
        self.labeled_iter_[data.labeled_rows] = 0
        self.similarity_ = np.full(data.n_rows, np.nan)
        if outcome.passes:
            since = _accepted_since(outcome.passes, outcome.accepted)
            self.labeled_iter_[data.unlabeled_rows] = since
            # The last pass only confirms; the one before it decided.
            deciding = outcome.passes[max(outcome.n_iter - 2, 0)]
            self.similarity_[data.unlabeled_rows] = deciding.similarity

    def explain(
        self, row: int | MatrixLike, n_neighbors: int | None = None
    ) -> RowEvidence | NewRowEvidence:
        """Show where the labels of a row come from.

        Parameters
        ----------
        row : int, array-like of shape (n_features,), or table of one row
            The number of an unlabelled row of the training data, those of
            ``X_unlabeled`` counted after those of ``X``; or a new row.
        n_neighbors : int, optional
            Of a new row, how many neighbours are shown; by default as many as a row
            asks in training.

        Returns
        -------
        RowEvidence or NewRowEvidence
            Both have ``frame()`` and ``plot()``.
        """
        check_is_fitted(self, "passes_")
        if isinstance(row, Integral):
            return explain_training_row(int(row), self.training_data_, self.passes_)
        is_table = sp.issparse(row) or hasattr(row, "columns")
        X = self._check_new_rows(row if is_table else np.atleast_2d(row))
        if X.shape[0] != 1:
            raise ValueError(f"Expected one row to explain, got {X.shape[0]}.")
        return explain_new_row(
            X,
            self.training_data_,
            self.transduction_,
            self.estimator_,
            ExactSearch(Metric(self.metric)),
            self.settings_.n_neighbors if n_neighbors is None else n_neighbors,
        )

    # Prediction ---------------------------------------------------------------------

    def _predict_scores(self, X: Any) -> FloatArray:
        return self.estimator_._predict_scores(X)

    def _predict_labels(self, X: Any) -> Any:
        return self.estimator_._predict_labels(X)

    def _missing_value_advice(self) -> str | None:
        return "distances between rows need complete rows"

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if self.estimator is not None:
            tags.input_tags.sparse = get_tags(self.estimator).input_tags.sparse
        return tags


def _summaries(passes: Sequence[PassRecord]) -> list[PassSummary]:
    summaries = []
    before: Any = False
    for iteration, record in enumerate(passes, start=1):
        accepted = record.accepted
        has_proposal = record.words.any(axis=1)
        similarity = record.similarity[has_proposal]
        summaries.append(
            PassSummary(
                iteration=iteration,
                n_neighbors=record.n_neighbors,
                n_proposed=int(has_proposal.sum()),
                n_accepted=int(accepted.sum()),
                n_newly_accepted=int((accepted & ~np.asarray(before)).sum()),
                n_dropped=int((before & ~accepted).sum()),
                mean_similarity=float(similarity.mean()) if similarity.size else 0.0,
            )
        )
        before = accepted
    return summaries


def _accepted_since(passes: Sequence[PassRecord], accepted: Any) -> Any:
    """Return, per row, the pass from which on it stayed accepted; -1 if it is not."""
    since = np.full(accepted.size, -1)
    for iteration, record in enumerate(passes[:-1], start=1):
        was_accepted = record.accepted
        since[was_accepted & (since < 0)] = iteration
        since[~was_accepted] = -1
    since[~accepted] = -1
    return since


def _transduction(training: TrainingData) -> LabelArray:
    labels = empty_transduction(training.n_rows, training.hierarchy.n_nodes)
    labels[training.labeled_rows] = training.Y_labeled
    return labels
