"""Base class for SSHMC-BLI and SSHC-BLI: pseudo-label rows, then train a classifier."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from hilabel._compat import HasMethods, Interval, InvalidParameterError, StrOptions
from hilabel._progress import Progress
from hilabel._saved_types import Array, Count
from hilabel._typing import BoolArray, FloatArray, IntArray, MatrixLike
from hilabel._warning import warn_user
from hilabel.classifiers import (
    BaseLinkedClassifier,
    MethodTags,
    PriorClassifier,
    TrainingData,
    has_columns,
    rows_or_none,
)
from hilabel.exceptions import LinkError
from hilabel.links import LinkedRows, Links, columns_of
from hilabel.neighbors import (
    BACKENDS,
    ActiveNeighbors,
    ExactSearch,
    Metric,
    NeighborMemory,
    make_search,
)
from hilabel.pseudo_labeling import (
    Cycle,
    LinkDistances,
    LinkedNeighbors,
    Parts,
    PassRecord,
    PassSummary,
    Profile,
    PseudoLabels,
    PseudoLabelSettings,
    find_cycle,
    pack_labels,
    resolve_settings,
    run_passes,
    summarize_passes,
)
from hilabel.semi_supervised._evidence import (
    NewRowEvidence,
    RowEvidence,
    explain_new_row,
    explain_training_row,
)
from hilabel.semi_supervised._pseudo_labels import (
    GivesPseudoLabels,
    Step,
    shares_of_votes,
)
from hilabel.semi_supervised._rows_in_shape import TakesRowsInShape


@dataclass(eq=False, repr=False, kw_only=True)
class BaseLocalInformationClassifier(
    GivesPseudoLabels, TakesRowsInShape, BaseLinkedClassifier
):
    """Pseudo-label rows from their neighbours, then train a hierarchical classifier.

    The parameters are described in :class:`SSHMCBLI`.
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        semi_supervised=True, transductive=True, links=True
    )
    step_name: ClassVar[Step] = "pass"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TakesRowsInShape._parameter_constraints,
        "variant": [StrOptions({"v1", "v2", "v3"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "similarity_threshold": [Interval(Real, 0, 1, closed="both")],
        "label_threshold": [Interval(Real, 0, 1, closed="both")],
        "similarity_span": [Interval(Real, 1, None, closed="neither")],
        "k_step": [Interval(Integral, 1, None, closed="left")],
        # Only a limit ends cycles of three or more passes.
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "metric": [str, callable],
        "backend": [StrOptions(set(BACKENDS))],
        "profile": [StrOptions({"paper", "authors"}), Profile, dict],
        "choose_neighbors": [callable, None],
        "vote": [callable, None],
        "similarity": [callable, None],
        "stop": [callable, None],
        "memory": [HasMethods(["neighbors"]), None],
    }

    variant: str = "v2"
    n_neighbors: int = 3
    similarity_threshold: float = 0.5
    label_threshold: float = 0.5
    similarity_span: float = 3
    k_step: int = 10
    max_iter: int = 50
    metric: Any = "euclidean"
    backend: str = "exact"
    profile: str | Mapping[str, Any] | Profile = "paper"
    choose_neighbors: Callable[..., Any] | None = None
    vote: Callable[..., Any] | None = None
    similarity: Callable[..., Any] | None = None
    stop: Callable[..., Any] | None = None
    memory: NeighborMemory | None = None

    def _validate_params(self) -> None:
        super()._validate_params()
        Profile.of(self.profile)
        is_sisi = self.similarity is None and self.choose_neighbors is None
        if self.n_neighbors == 1 and is_sisi:
            raise InvalidParameterError(
                "Expected n_neighbors of at least 2, got 1; the similarity (SISI) "
                "compares a row's distances to its neighbours with the distances "
                "between them. Use 2 or more, or pass your own similarity."
            )

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "settings_": PseudoLabelSettings,
        "n_iter_": Count(),
        "termination_condition_": str,
        "passes_": tuple[PassRecord, ...],
        "history_": list[PassSummary],
        "cycle_": Cycle | None,
        "training_data_": TrainingData,
        "transduction_": Array("i1", ("n_rows", "n_nodes"), -1, 1),
        "labeled_iter_": Array("i8", ("n_rows",), -1),
        "similarity_": Array("f8", ("n_rows",), gaps=True),
    }

    # Training -----------------------------------------------------------------------

    def pseudo_label(
        self,
        X: MatrixLike | None,
        y: MatrixLike,
        X_unlabeled: MatrixLike | None = None,
        links: Links | MatrixLike | Mapping[str, MatrixLike] | None = None,
    ) -> TrainingData:
        """Run the first half of ``fit``: choose the rows and labels to train on.

        Afterwards, the estimator has all fitted attributes except ``estimator_``. To
        train ``estimator_``, pass the result to ``base_classifier().fit_checked``.

        Parameters
        ----------
        X, y, X_unlabeled, links
            As in ``fit``.

        Returns
        -------
        TrainingData
            The labelled and the accepted rows, with their labels.
        """
        self._validate_params()
        X = rows_or_none(X, links)
        data = self._check_training_data(X, y, X_unlabeled)
        if links is not None:
            data = data.with_links(Links.of(links, data.n_rows))
        self._refuse_unknown(data)
        self._describe(data)
        if hasattr(self, "estimator_"):
            del self.estimator_  # from an earlier fit on other rows
        return self._data_in_shape(self._pseudo_label(data))

    def _fit(self, data: TrainingData) -> None:
        base = self.base_classifier()
        if not (has_columns(data) or _needs_no_columns(base)):
            raise LinkError(
                f"Expected X with columns, which the final {type(base).__name__} is "
                "trained on, got links alone; pass X, or an estimator that learns from "
                "links, such as LinkVotes()."
            )
        training = self._data_in_shape(self._pseudo_label(data))
        if not base.method_tags.links:
            training = replace(training, links=None)
        self.estimator_ = base.fit_checked(training)

    def _pseudo_label(self, data: TrainingData) -> TrainingData:
        self.settings_ = resolve_settings(
            variant=self.variant,
            profile=self.profile,
            k_step=self.k_step,
            n_neighbors=self.n_neighbors,
            similarity_threshold=self.similarity_threshold,
            label_threshold=self.label_threshold,
            similarity_span=self.similarity_span,
            max_iter=self.max_iter,
            single_path=self.method_tags.paths == "SPL",
        )
        progress = Progress(self.verbose)
        if self.vote is not None and data.known is not None:
            raise ValueError(
                "Expected rows whose labels are all known for a vote of your own, got "
                "partly known labels; use vote=None, or fill in the unknown labels."
            )
        outcome = self._run_passes(data, progress)
        if self.vote is not None:
            _check_closed(outcome, data)
        if data.unlabeled_rows.size and not outcome.accepted.any():
            warn_user(
                f"None of the {data.unlabeled_rows.size} unlabelled rows was accepted; "
                "the model was trained on the labelled rows only. Lower "
                "similarity_threshold or scale the features."
            )
        training = data.with_rows(
            outcome.accepted, outcome.accepted_labels, outcome.accepted_known
        )
        progress.report(f"training on {training.labeled_rows.size} rows")
        self._remember(data, training, outcome)
        return training

    def _run_passes(self, data: TrainingData, progress: Progress) -> PseudoLabels:
        if data.unlabeled_rows.size == 0:
            n_nodes = data.hierarchy.n_nodes
            nothing = pack_labels(np.zeros((0, n_nodes), dtype=bool))
            nobody = np.zeros(0, dtype=bool)
            return PseudoLabels(nothing, nobody, (), "unchanged", n_nodes)
        if self.settings_.max_passes == 1:
            warn_user(
                "max_iter=1 stops in the first pass, before any unlabelled row is used."
            )
        parts = Parts(self.choose_neighbors, self.vote, self.similarity, self.stop)
        metric: Any
        if data.links is not None:
            metric = LinkDistances(data.links)
            found: Any = LinkedNeighbors(metric, data.n_labeled)
        else:
            metric = Metric(self.metric)
            found = self._nearest_rows(data, metric)
        return run_passes(
            data.X_labeled,
            data.Y_labeled,
            data.X_unlabeled,
            self.settings_,
            metric,
            found,
            progress,
            data.known,
            parts,
        )

    def _nearest_rows(self, data: TrainingData, metric: Metric) -> Any:
        """Return what finds the neighbours of unlabelled rows by their columns."""
        metric.check_input(data.X_labeled)
        search = make_search(self.backend, metric, self.n_jobs, self.random_state)
        # Without a memory, nothing is looked up, so large data are not hashed.
        find = ActiveNeighbors if self.memory is None else self.memory.neighbors
        return find(data.X_labeled, data.X_unlabeled, search)

    # Prediction ---------------------------------------------------------------------

    def _predict_scores(self, X: Any) -> FloatArray:
        return super()._predict_scores(self._for_base(X))

    def _predict_labels(self, X: Any) -> BoolArray:
        return super()._predict_labels(self._for_base(X))

    def _for_base(self, X: Any) -> Any:
        """Return rows as the final classifier expects them, with links if it can."""
        base = self.estimator_
        order = self._row_order
        if order is None or not getattr(base, "uses_links", False):
            return columns_of(X)
        # Accepted rows come before the other unlabelled rows in its training.
        place = np.argsort(order)
        return LinkedRows(X.columns, X.links.to(place[base._row_order]))

    # Results of fit -----------------------------------------------------------------

    def _remember(
        self, data: TrainingData, training: TrainingData, outcome: PseudoLabels
    ) -> None:
        self.n_iter_ = outcome.n_iter
        self.termination_condition_ = outcome.termination_condition
        self.passes_ = outcome.passes
        self.history_ = summarize_passes(outcome.passes)
        self.cycle_ = find_cycle(outcome.passes, self.history_)
        self.training_data_ = data
        self.transduction_ = training.transduction
        self.labeled_iter_ = np.full(data.n_rows, -1)
        self.labeled_iter_[data.labeled_rows] = 0
        self.similarity_ = np.full(data.n_rows, np.nan)
        if outcome.passes:
            since = _accepted_since(outcome.passes, outcome.accepted)
            self.labeled_iter_[data.unlabeled_rows] = since
            deciding = outcome.passes[self._deciding_pass]
            self.similarity_[data.unlabeled_rows] = deciding.similarity

    @property
    def _deciding_pass(self) -> int:
        # The last pass only confirms the decisions of the one before it.
        return max(self.n_iter_ - 2, 0)

    def pseudo_labels(self, *, rejected: bool = False) -> Any:
        """Return the labels that unlabelled rows received, as a pandas DataFrame.

        Parameters
        ----------
        rejected : bool, default=False
            Whether to add the labels that were proposed for rows that were not
            accepted, and a column ``accepted``.

        Returns
        -------
        DataFrame
            One line per unlabelled row and node that it received, including ancestors,
            in the order of the rows. The columns are ``row``, its number as in ``fit``;
            ``node``, the name of the node; ``vote``, the share of the neighbours with
            the node; ``similarity``, that of the row to its neighbours; and ``pass``,
            since which the row has been accepted, or -1. Votes and similarities are
            those of the deciding pass, which is the second to last.

        Examples
        --------
        >>> from hilabel.datasets import make_artificial
        >>> from hilabel.semi_supervised import SSHMCBLI
        >>> data = make_artificial()
        >>> model = SSHMCBLI(data.hierarchy, variant="v1", random_state=0)
        >>> _ = model.fit(data.X_labeled, data.Y_labeled, data.X_unlabeled)
        >>> model.pseudo_labels().columns.tolist()
        ['row', 'node', 'vote', 'similarity', 'pass']
        >>> rejected = model.pseudo_labels(rejected=True).query("not accepted")
        >>> rejected["row"].nunique()
        2
        """
        rows, nodes = self._received()
        if rejected and self.passes_:
            unlabeled = self.training_data_.unlabeled_rows
            proposed = np.zeros(self.transduction_.shape, dtype=bool)
            proposed[unlabeled] = self.passes_[self._deciding_pass].proposed
            rows, nodes = np.nonzero(proposed & (self.labeled_iter_ != 0)[:, None])
        table = self._frame_of(rows, nodes)
        if rejected:
            table["accepted"] = table["pass"] > 0
        return table

    def _evidence_of(self, rows: IntArray, nodes: IntArray) -> dict[str, Any]:
        votes: Any = np.zeros(rows.size)
        if self.passes_:
            data = self.training_data_
            place = np.zeros(data.n_rows, dtype=np.int64)
            place[data.unlabeled_rows] = np.arange(data.unlabeled_rows.size)
            passes, deciding = self.passes_, self._deciding_pass
            votes = shares_of_votes(place[rows], nodes, passes, deciding, data)
        return {"vote": votes, "similarity": self.similarity_[rows]}

    def explain(
        self,
        row: int | MatrixLike,
        n_neighbors: int | None = None,
        links: Any = None,
    ) -> RowEvidence | NewRowEvidence:
        """Return the evidence for the labels of a row.

        Parameters
        ----------
        row : int, array-like of shape (n_features,), or table of one row
            The number of an unlabelled training row, or a new row. The rows of
            ``X_unlabeled`` are numbered after those of ``X``.
        n_neighbors : int, optional
            The number of neighbours to show for a new row; by default, as many as in
            training.
        links : Links, matrix or dict, of shape (1, n_training_rows), optional
            The links of a new row, if the method was fitted with links.

        Returns
        -------
        RowEvidence or NewRowEvidence
            Both have ``frame()`` and ``plot()``.
        """
        check_is_fitted(self, "passes_")
        if isinstance(row, Integral):
            return explain_training_row(int(row), self.training_data_, self.passes_)
        is_table = sp.issparse(row) or hasattr(row, "columns")
        X = self._linked(row if is_table else self._one_row(row), links)
        if X.shape[0] != 1:
            raise ValueError(f"Expected one row to explain, got {X.shape[0]}.")
        return explain_new_row(
            X,
            self.training_data_,
            self.transduction_,
            self.estimator_,
            ExactSearch(Metric(self.metric)),
            self.settings_.n_neighbors if n_neighbors is None else n_neighbors,
            self._in_shape(self._for_base(X)),
        )

    def is_sound(self) -> bool:
        """Return whether the stored passes match the training rows."""
        data = self.training_data_
        shape = (data.n_rows, self.hierarchy_.n_nodes)
        return (
            super().is_sound()
            and data.hierarchy == self.hierarchy_
            and data.X_labeled.shape[1] == self.n_features_in_
            and self.transduction_.shape == shape
            and all(
                record.n_nodes == self.hierarchy_.n_nodes
                and record.n_rows == data.unlabeled_rows.size
                and record.changed.neighbors.max(initial=-1) < data.n_rows
                for record in self.passes_
            )
        )

    def _missing_value_advice(self) -> str | None:
        return "distances between rows need complete rows"


def _needs_no_columns(base: Any) -> bool:
    return base.method_tags.links or isinstance(base, PriorClassifier)


def _check_closed(outcome: PseudoLabels, data: TrainingData) -> None:
    """Refuse pseudo-labels that violate the hierarchy: a user's vote may do so."""
    if not data.hierarchy.is_consistent(outcome.accepted_labels):
        raise ValueError(
            "Expected vote to give no node a larger share than its parents, but some "
            "rows got a node without its parent."
        )


def _accepted_since(passes: Sequence[PassRecord], accepted: Any) -> Any:
    """Return the pass since which each row has been accepted, or -1 if not accepted."""
    since = np.full(accepted.size, -1)
    for iteration, record in enumerate(passes[:-1], start=1):
        was_accepted = record.accepted
        since[was_accepted & (since < 0)] = iteration
        since[~was_accepted] = -1
    since[~accepted] = -1
    return since
