"""Train and score the candidates of a blend on the same folds."""

import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from hilabel._label_matrix import LabelMatrix
from hilabel._progress import Report, current_report
from hilabel._score_matrix import RepeatedScores, ScoreMatrix
from hilabel._typing import FloatArray, IntArray
from hilabel._warning import warn_user
from hilabel.classifiers import (
    BaseHierarchicalClassifier,
    PriorClassifier,
    TrainingData,
    has_columns,
)
from hilabel.costs import Cost, DataShape, views_cost, widened_shape
from hilabel.hierarchy import Hierarchy, informative_nodes
from hilabel.metrics import average_precision
from hilabel.model_selection import draw_folds, score_out_of_fold
from hilabel.semi_supervised._blend_candidates import is_expensive
from hilabel.semi_supervised._blend_heat import GROWTH, SHARE, part_of
from hilabel.semi_supervised._blend_limits import (
    UNSURE,
    Limits,
    Proposal,
    plan,
    whole_cost,
)
from hilabel.semi_supervised._blend_linked import uses_links
from hilabel.semi_supervised._candidate import Candidate, Status
from hilabel.semi_supervised._chance_precision import chance_precision
from hilabel.semi_supervised._greedy_mean import (
    ROUNDS,
    nested_shares,
    stable_shares,
    write_mean,
)
from hilabel.semi_supervised._link_gain import LinkGain
from hilabel.semi_supervised._shared_views import (
    Sharing,
    sharing_of,
    without_shared,
)
from hilabel.semi_supervised._unlabeled_gain import UnlabeledGain
from hilabel.semi_supervised._views_classifier import WidenedData

# With many cells, weights and standard errors are computed on rows with this number of
# cells.
_MANY_CELLS: Final = 5_000_000
_CELLS_OF_SAMPLE: Final = 2_000_000
# Number of groups of rows that are left out in turn, for the standard error of a score.
_GROUPS: Final = 20
# With fewer labelled rows, the single best candidate is used.
_FEW_ROWS: Final = 50
# Above this score, the slowest candidates are not worth their time.
_GOOD_ENOUGH: Final = 0.995
# A candidate that is expected to take more than this part of the time is first trained
# on a part of the rows, and given up if it is far below the best there.
_LARGE_PART: Final = 0.15
_FAR_BELOW: Final = 0.1
# What may go wrong in one of several libraries, and is no reason to do without all.
_FAILURES: Final = (
    ArithmeticError,
    ImportError,
    MemoryError,
    RuntimeError,
    ValueError,
)


class _SkippedError(Exception):
    """The reason why a candidate is skipped."""


class _Trial(NamedTuple):
    template: BaseHierarchicalClassifier
    scores: ScoreMatrix | None  # of all labelled rows
    model: BaseHierarchicalClassifier | None


class Trials:
    """Candidates trained and scored on the same folds, within a time budget."""

    def __init__(
        self,
        data: TrainingData,
        n_splits: int | None,
        seed: int,
        n_jobs: int | None,
        limits: Limits,
    ) -> None:
        self._limits = limits
        # By default, candidates are chosen by what they are expected to take, so that
        # all machines choose the same, and the clock only ends what takes far longer.
        patience = 1 if limits.is_given else UNSURE
        self._end = time.perf_counter() + patience * limits.seconds
        self._best_in_heats = -np.inf
        fold = _fold_of_rows(data, n_splits, seed)
        self.data = replace(data, fold=fold)
        rows = np.flatnonzero(fold >= 0)  # those that are scored
        self._fold = fold[rows]
        self.is_stopped = False  # by the user
        self.records: list[Candidate] = []
        self._trials: list[_Trial] = []
        self._seed = seed
        self._n_jobs = n_jobs
        self._known = _without_uninformative(data.Y[rows], data.hierarchy)
        self._sample = _sampled_rows(self._known)
        self._widened: dict[str, WidenedData] = {}
        self._nested: dict[tuple[int, ...], list[FloatArray]] = {}

    def widened(self, sharing: Sharing) -> WidenedData:
        """Return the rows with shared views, computed once for all candidates."""
        if sharing.key not in self._widened:
            self._widened[sharing.key] = WidenedData.of(
                self.data, sharing.views, self._n_jobs
            )
        return self._widened[sharing.key]

    def _sharing(self, template: BaseHierarchicalClassifier) -> Sharing | None:
        return sharing_of(
            template,
            sp.issparse(self.data.X_labeled),
            has_links=self.data.links is not None,
            has_columns=has_columns(self.data),
        )

    @property
    def _n_folds(self) -> int:
        return int(self._fold.max(initial=0)) + 1

    @property
    def can_measure(self) -> bool:
        """Whether there are at least two folds and a label that is not on all rows."""
        return self._n_folds > 1 and self._known.positive.nnz > 0

    @property
    def _n_rounds(self) -> int:
        """Number of rounds of the greedy selection; one selects a single model."""
        return 1 if self.data.n_labeled < _FEW_ROWS else ROUNDS

    # Trying -------------------------------------------------------------------------

    def planned(
        self, proposals: dict[str, Proposal], spent: float = 0.0
    ) -> dict[str, Proposal]:
        """Return the candidates with a reason for those that do not fit the limits.

        Of the time, so many seconds were spent before.
        """
        shape = DataShape.of(self.data)
        limits = replace(self._limits, seconds=max(self._limits.seconds - spent, 0.0))
        return plan(proposals, lambda model: self._cost(model, shape), limits)

    def _cost(
        self, template: BaseHierarchicalClassifier, shape: DataShape
    ) -> Cost | None:
        n_trainings, n_scored = self._n_trainings(template), len(self._known)
        sharing, model = self._sharing(template), self._unfitted(template)
        if sharing is None:
            return whole_cost(model, shape, n_trainings, n_scored)
        seeing = views_cost(sharing.views, shape, self._n_jobs)
        wide = widened_shape(sharing.views, shape)
        found = whole_cost(model, wide, n_trainings, n_scored)
        if seeing is None or found is None:
            return None
        # Those that come first compute the views for all, but any may be the first.
        return seeing + found.needing(seeing.memory)

    def _n_trainings(self, template: BaseHierarchicalClassifier) -> int:
        """Return the number of trainings to score a candidate and to keep it."""
        model, data = self._unfitted(template), self._data_of(template)
        if not self.can_measure or model.scores_itself(data):
            return 1
        if data.sets_rows_aside:
            return 2
        return self._n_folds  # on the rows outside each fold, and on all rows

    def _data_of(self, template: BaseHierarchicalClassifier) -> TrainingData:
        """Return the data of a candidate without the columns of shared views."""
        data = self.data
        if not template.learns_from_unlabeled:
            data = data.without_unlabeled()
        return data if uses_links(template) else replace(data, links=None)

    def run(self, name: str, proposal: Proposal, *, may_fail: bool) -> None:
        """Score a candidate out of fold, or record why it is skipped.

        With ``may_fail``, an error is recorded, too, unless it is the first candidate.
        """
        template, reason = proposal.model, proposal.why_not
        start = time.perf_counter()
        scores = model = None
        status: Status = "tried"
        try:
            self._check_proposal(proposal)
            with warnings.catch_warnings():
                # Nodes may be rare in a fold; the final models issue the same warnings.
                warnings.simplefilter("ignore", UserWarning)
                self._check_in_heat(template, proposal.seconds)
                scores, model = self._scored(template)
        except _SkippedError as why:
            status, reason = "skipped", str(why)
        except _FAILURES as error:
            if not (may_fail and self.records):
                raise
            status, reason = "failed", f"{type(error).__name__}: {error}"
            warn_user(f"The candidate {name!r} failed and is left out. {reason}")
        seconds = time.perf_counter() - start
        score = np.nan if scores is None else self.quality(scores)
        self._record(name, proposal, status, reason, score, seconds)
        self._trials.append(_Trial(template, scores, model))

    def skip(self, name: str, proposal: Proposal, reason: str) -> None:
        """Record that a candidate is not tried."""
        self._record(name, proposal, "skipped", proposal.why_not or reason)
        self._trials.append(_Trial(proposal.model, None, None))

    @property
    def has_found(self) -> bool:
        """Whether a candidate was tried."""
        return any(one.was_tried for one in self.records)

    def _record(
        self,
        name: str,
        proposal: Proposal,
        status: Status,
        reason: str,
        score: float = np.nan,
        seconds: float = 0.0,
    ) -> None:
        is_skipped = status == "skipped"
        expected = self._expected_seconds(proposal) if is_skipped else None
        self.records.append(
            Candidate(
                name,
                uses_unlabeled=self._uses_unlabeled(proposal.model),
                status=status,
                score=score,
                seconds=seconds,
                reason=reason,
                expected_seconds=expected,
                uses_links=self.data.links is not None and uses_links(proposal.model),
            )
        )

    def _scored(
        self, template: BaseHierarchicalClassifier
    ) -> tuple[ScoreMatrix | None, BaseHierarchicalClassifier | None]:
        """Return out-of-fold scores, and the model if this has trained it."""
        data, estimator = self._data(template), self._unfitted(template)
        if not self.can_measure:
            return None, estimator.fit_checked(data)
        report = current_report()
        if not isinstance(template, PriorClassifier):
            report = self._stopping_in_time(report)
        if not (estimator.scores_itself(data) or data.sets_rows_aside):
            report = self._stopping_after_a_fold(estimator, report)
        found = score_out_of_fold(estimator, data, report=report)
        if any(
            np.isnan(found.scores.read(one)).any() for one in found.scores.row_blocks()
        ):
            raise ArithmeticError("some of its scores are not numbers")
        return found.scores, found.model

    def _check_proposal(self, proposal: Proposal) -> None:
        """Raise an error if a candidate should be skipped."""
        template = proposal.model
        if proposal.why_not:
            raise _SkippedError(proposal.why_not)
        if self.records and not self.can_measure:
            n_rows = self.data.n_labeled
            raise _SkippedError(
                "models cannot be compared, since no row has a label"
                if n_rows > 1
                else f"models cannot be compared on {n_rows} labelled row"
            )
        self._check_time(template, self._expected_seconds(proposal))
        self._check_need(template)

    def _check_time(
        self, template: BaseHierarchicalClassifier, expected: float | None
    ) -> None:
        """Raise an error if a candidate exceeds the budget, unless it is the first."""
        left = self._end - time.perf_counter() - self._seconds_to_refit()
        is_free = isinstance(template, PriorClassifier)
        is_first = not self.has_found
        if is_free or is_first or expected is None or expected <= left:
            return
        if left <= 0:
            raise _SkippedError("the budget was used up")
        raise _SkippedError(
            f"expected to take {expected:.2g} s, with {left:.2g} s of the budget left"
        )

    def _check_need(self, template: BaseHierarchicalClassifier) -> None:
        """Raise an error if an expensive candidate could hardly improve the score."""
        if not is_expensive(template):
            return
        # A model without unlabelled rows is also needed for measuring their gain.
        scores = [
            record.score
            for record in self.records
            if template.learns_from_unlabeled or not record.uses_unlabeled
        ]
        best = np.max(scores, initial=0.0, where=np.isfinite(scores))
        if best > _GOOD_ENOUGH:
            raise _SkippedError(f"others already score {best:.3f}")

    def _expected_seconds(self, proposal: Proposal) -> float | None:
        """Return the predicted time or, if there is none, the longest so far."""
        if proposal.seconds is not None:
            return proposal.seconds
        return max((one.seconds for one in self.records if one.was_tried), default=None)

    def _check_in_heat(
        self, template: BaseHierarchicalClassifier, expected: float | None
    ) -> None:
        """Train a large candidate on a part of the rows; raise an error if hopeless."""
        is_large = (expected or 0.0) >= _LARGE_PART * self._limits.seconds
        if not (is_large and self.can_measure):
            return
        part = part_of(self._data(template), self._seed)
        if part is None:
            return
        start = time.perf_counter()
        found = score_out_of_fold(
            self._unfitted(template),
            part,
            report=self._stopping_in_time(current_report()),
        )
        once = (time.perf_counter() - start) * SHARE**-GROWTH
        known = _without_uninformative(found.labels, self.data.hierarchy)
        if not known.positive.nnz:
            return
        score = float(average_precision(known, found.scores))
        best = self._best_in_heats = max(self._best_in_heats, score)
        if score < best - _FAR_BELOW:
            raise _SkippedError(
                f"trained on a ninth of the rows, it scores {score:.3f}, and another "
                f"{best:.3f}"
            )
        self._check_time(template, once * self._n_trainings(template))

    def _seconds_to_refit(self) -> float:
        """Estimate the time for training the chosen models on all labelled rows."""
        in_folds = [
            record.seconds
            for record, trial in zip(self.records, self._trials)
            if trial.scores is not None and trial.model is None
        ]
        return sum(in_folds) / (self._n_folds - 1) if in_folds else 0.0

    def _stopping_in_time(self, report: Report) -> Report:
        """Return a report that raises an error once the time is over."""

        def stopping(message: str, done: int, total: int) -> None:
            is_over = time.perf_counter() > self._end
            if is_over and self.has_found:
                raise _SkippedError("stopped, since it took longer than expected")
            report(message, done, total)

        return stopping

    def _stopping_after_a_fold(
        self, estimator: BaseHierarchicalClassifier, report: Report
    ) -> Report:
        """Return a report that raises an error if the first fold took too long."""
        start, is_known = time.perf_counter(), False

        def stopping(message: str, done: int, total: int) -> None:
            nonlocal is_known
            if done == 1 and not is_known:  # the time of a fold is known now
                is_known = True
                self._check_time(estimator, (time.perf_counter() - start) * total)
            report(message, done, total)

        return stopping

    def _data(self, template: BaseHierarchicalClassifier) -> TrainingData:
        sharing = self._sharing(template)
        if sharing is None:
            return self._data_of(template)
        data = self.widened(sharing).data
        left = without_shared(template, sharing)
        return data if left.method_tags.links else replace(data, links=None)

    def _uses_unlabeled(self, template: BaseHierarchicalClassifier) -> bool:
        has_some = self.data.unlabeled_rows.size > 0
        return template.learns_from_unlabeled and has_some

    def _unfitted(
        self, template: BaseHierarchicalClassifier
    ) -> BaseHierarchicalClassifier:
        template = without_shared(template, self._sharing(template))
        estimator = clone(template).set_params(hierarchy=self.data.hierarchy)
        for name, value in (("random_state", self._seed), ("n_jobs", self._n_jobs)):
            if estimator.get_params(deep=False).get(name, 0) is None:
                estimator.set_params(**{name: value})
        return estimator

    # Measuring ----------------------------------------------------------------------

    def numbers(self, *, uses_unlabeled: bool) -> list[int]:
        """Return the numbers of the candidates that were tried."""
        return [
            number
            for number, one in enumerate(self.records)
            if one.was_tried and one.uses_unlabeled == uses_unlabeled
        ]

    def without_links(self, numbers: list[int]) -> list[int]:
        """Return the numbers of the candidates that use no links."""
        return [number for number in numbers if not self.records[number].uses_links]

    def quality(self, scores: ScoreMatrix) -> float:
        """Return the average precision without uninformative roots."""
        return float(average_precision(self._known, scores))

    def shares(self, numbers: list[int]) -> FloatArray:
        """Return the shares of all candidates in the mean of the given candidates."""
        shares = np.zeros(len(self.records))
        if not self.can_measure:
            shares[numbers[0]] = 1
            return shares
        scores = self._scores(numbers)
        shares[numbers] = stable_shares(
            self._known, scores, self._sample, self._n_rounds
        )
        return shares

    def mean(self, numbers: list[int]) -> ScoreMatrix:
        """Return mean scores; the shares for each fold are chosen on other folds."""
        return self._mean_in(ScoreMatrix(self._known.shape), numbers)

    def take_mean(self, numbers: list[int]) -> ScoreMatrix:
        """Return mean scores, and drop those of the candidates to save memory."""
        first = self._scores(numbers)[0]
        is_fixed = isinstance(first, RepeatedScores)
        mean = self._mean_in(
            ScoreMatrix(self._known.shape) if is_fixed else first, numbers
        )
        self.drop_scores()
        return mean

    def drop_scores(self) -> None:
        """Drop the scores of the candidates to save memory."""
        self._trials = [trial._replace(scores=None) for trial in self._trials]

    def _mean_in(self, mean: ScoreMatrix, numbers: list[int]) -> ScoreMatrix:
        scores, key = self._scores(numbers), tuple(numbers)
        if key not in self._nested:
            self._nested[key] = nested_shares(
                self._known, scores, self._sample, self._fold, self._n_rounds
            )
        shares = self._nested[key]
        return write_mean(scores, shares, self._fold, self.data.hierarchy, mean)

    def gain(self, every: list[int], plain: list[int]) -> UnlabeledGain:
        """Compare the mean of all candidates with that of the plain ones."""
        with_score, without_score, error = self._compared(every, plain)
        with_them = self.mean(every)
        known = self._known[self._sample]
        first = partial(_quality_of, known, with_them[self._sample])

        def chance(rows: IntArray) -> float:
            few = known[rows]
            return chance_precision(few.n_positive, few.n_known, self.data.prior)

        counts = self._known.n_positive, self._known.n_known
        of_columns = None
        others = self.without_links(every), self.without_links(plain)
        if self.data.links is not None and all(others):
            one, other = (self.quality(self.mean(some)) for some in others)
            of_columns = one - other
        return UnlabeledGain(
            with_score,
            without_score,
            error,
            chance_precision(*counts, self.data.prior),
            self._error(lambda rows: first(rows) - chance(rows)),
            of_columns,
        )

    def link_gain(self, every: list[int]) -> LinkGain | None:
        """Compare the mean of candidates with that of those without links."""
        others = self.without_links(every)
        if self.data.links is None or not others or not self.can_measure:
            return None
        return LinkGain(*self._compared(every, others))

    def _compared(self, one: list[int], other: list[int]) -> tuple[float, float, float]:
        """Return the scores of two means, and the error of their difference."""
        means = self.mean(one), self.mean(other)
        known = self._known[self._sample]
        first, second = (
            partial(_quality_of, known, scores[self._sample]) for scores in means
        )
        error = self._error(lambda rows: first(rows) - second(rows))
        return self.quality(means[0]), self.quality(means[1]), error

    def _error(self, measure: Callable[[IntArray], float]) -> float:
        return _jackknife_error(measure, self._sample.size, self._seed)

    def _scores(self, numbers: list[int]) -> list[ScoreMatrix]:
        found = [self._trials[number].scores for number in numbers]
        return [scores for scores in found if scores is not None]

    # Members ------------------------------------------------------------------------

    def fitted(self, number: int) -> BaseHierarchicalClassifier:
        """Return a candidate trained on all labelled rows."""
        trial = self._trials[number]
        if trial.model is not None:
            return trial.model
        return self._unfitted(trial.template).fit_checked(self._data(trial.template))

    def seen_views(self, number: int) -> tuple[str, list[Any]]:
        """Return the key and the fitted views that a candidate shares with others."""
        sharing = self._sharing(self._trials[number].template)
        if sharing is None:
            return "", []
        return sharing.key, self.widened(sharing).views


def _without_uninformative(labels: LabelMatrix, hierarchy: Hierarchy) -> LabelMatrix:
    counts = labels.n_positive, labels.n_known
    return labels.without_nodes(~informative_nodes(hierarchy, *counts))


def _jackknife_error(
    measure: Callable[[IntArray], float], n_rows: int, seed: int
) -> float:
    """Return the jackknife standard error of a measure, over groups of rows."""
    n_groups = min(_GROUPS, n_rows)
    group = np.random.default_rng(seed).permutation(n_rows) % n_groups
    values = [measure(np.flatnonzero(group != number)) for number in range(n_groups)]
    spread = np.var([value for value in values if np.isfinite(value)])
    return float(np.sqrt((n_groups - 1) * spread))


def _quality_of(labels: LabelMatrix, scores: ScoreMatrix, rows: IntArray) -> float:
    few = labels[rows]
    return float(average_precision(few, scores[rows])) if few.positive.nnz else np.nan


def _fold_of_rows(data: TrainingData, n_splits: int | None, seed: int) -> IntArray:
    """Return the fold of each labelled row: those of the data, or drawn."""
    if data.fold is not None:
        return data.fold
    n_folds = None if n_splits is None else min(n_splits, data.n_labeled)
    return draw_folds(data.Y, n_folds, seed)


def _sampled_rows(labels: LabelMatrix) -> IntArray:
    """Return the rows that weights are chosen on: all, unless there are very many."""
    step = labels.size // _CELLS_OF_SAMPLE if labels.size > _MANY_CELLS else 1
    return np.arange(0, len(labels), max(1, step))
