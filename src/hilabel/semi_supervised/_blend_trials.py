"""Train and score the candidates of a blend on the same folds."""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
from sklearn.base import clone

from hilabel._saved_types import saved_type
from hilabel._typing import FloatArray, IntArray, LabelArray
from hilabel.classifiers import (
    BaseHierarchicalClassifier,
    PriorClassifier,
    TrainingData,
)
from hilabel.metrics import average_precision
from hilabel.model_selection import LabeledKFold
from hilabel.semi_supervised._blend_candidates import (
    MOST_CELLS,
    is_expensive,
    relative_cost,
)
from hilabel.semi_supervised._chance_precision import chance_precision
from hilabel.semi_supervised._greedy_mean import (
    ROUNDS,
    mean_by_fold,
    nested_shares,
    stable_shares,
)
from hilabel.semi_supervised._unlabeled_gain import UnlabeledGain
from hilabel.semi_supervised._views_classifier import ViewsClassifier, WidenedData

# Number of groups of rows that are left out in turn, for the standard error of a score.
_GROUPS: Final = 20
# With fewer labelled rows, there are more folds, and the single best candidate is used.
_FEW_ROWS: Final = 50
_FOLDS_OF_FEW: Final = 10
# Above this score, the slowest candidates are not worth their time.
_GOOD_ENOUGH: Final = 0.995


@saved_type
@dataclass(frozen=True)
class Candidate:
    """A model that a blend tried.

    Attributes
    ----------
    name : str
    uses_unlabeled : bool
    score : float
        Out-of-fold micro average precision; NaN if it was not trained.
    share : float
        Weight in the mean; 0 if it was not selected.
    seconds : float
    remark : str
        Why it was skipped, if it was.

    Examples
    --------
    >>> from hilabel.semi_supervised import Candidate
    >>> Candidate("forest", uses_unlabeled=False, score=0.71, share=1.0).name
    'forest'
    """

    name: str
    uses_unlabeled: bool
    score: float
    share: float = 0.0
    seconds: float = 0.0
    remark: str = ""


class _SkippedError(Exception):
    """The reason why a candidate is skipped."""


class _Trial(NamedTuple):
    template: BaseHierarchicalClassifier
    scores: Any  # of all labelled rows; None if it was not trained
    model: BaseHierarchicalClassifier | None


@dataclass(frozen=True, eq=False)
class _ConstantScores:
    """Scores that are the same for all rows of a fold, and are stored once."""

    by_fold: FloatArray
    fold: IntArray

    def __getitem__(self, rows: Any) -> FloatArray:
        return self.by_fold[self.fold[rows]]


class Trials:
    """Candidates trained and scored on the same folds, within a time budget."""

    def __init__(
        self,
        data: TrainingData,
        n_splits: int,
        seed: int,
        n_jobs: int | None,
        budget: float | None,
    ) -> None:
        self._end = np.inf if budget is None else time.perf_counter() + budget
        self.data = data
        self.records: list[Candidate] = []
        self._trials: list[_Trial] = []
        self._seed = seed
        self._n_jobs = n_jobs
        self._fold = _fold_of_rows(data.labels, n_splits, seed)
        n_cells = data.Y.size
        self._is_large = n_cells > MOST_CELLS["quick"]
        step = int(n_cells // MOST_CELLS["measured"]) if self._is_large else 1
        self._measured = slice(None, None, max(1, step))
        self._labels = data.Y.to_array(self._measured)
        self._widened: WidenedData | None = None

    @property
    def widened(self) -> WidenedData:
        """The rows with neighbourhood means, computed once for all candidates."""
        if self._widened is None:
            self._widened = WidenedData.of(self.data, None, self._n_jobs)
        return self._widened

    @property
    def _n_folds(self) -> int:
        return int(self._fold.max(initial=0)) + 1

    @property
    def can_measure(self) -> bool:
        """Whether there are at least two folds and a positive label."""
        return self._n_folds > 1 and self.data.Y.positive.nnz > 0

    @property
    def _n_rounds(self) -> int:
        """Number of rounds of the greedy selection; one selects a single model."""
        return 1 if len(self._fold) < _FEW_ROWS else ROUNDS

    def run(self, name: str, template: BaseHierarchicalClassifier) -> None:
        """Score a candidate out of fold, or record why it is skipped."""
        start, remark = time.perf_counter(), ""
        try:
            self._check_time(template, self._expected_seconds(template))
            self._check_worth(template)
            with warnings.catch_warnings():
                # Nodes may be rare in a fold; the final models issue the same warnings.
                warnings.simplefilter("ignore", UserWarning)
                trial = self._scored(template)
        except _SkippedError as reason:
            trial, remark = _Trial(template, None, None), str(reason)
        self._trials.append(trial)
        seconds = time.perf_counter() - start
        self._record(name, template, trial.scores, seconds, remark)

    def numbers(self, uses_unlabeled: bool | None = None) -> list[int]:
        """Return the numbers of the candidates that were tried."""
        return [
            number
            for number, (record, trial) in enumerate(zip(self.records, self._trials))
            if trial.scores is not None
            and uses_unlabeled in (None, record.uses_unlabeled)
        ]

    def nested(self, numbers: list[int], *, copy: bool = True) -> FloatArray:
        """Return mean scores. The shares for each fold are chosen on the other folds.

        Without ``copy``, the scores of the first candidate are overwritten.
        """
        first = self._trials[numbers[0]].scores
        if not self.can_measure:
            return first
        shares = nested_shares(
            self._labels,
            self._scores(numbers),
            self._fold[self._measured],
            self._n_folds,
            self._n_rounds,
        )
        is_new = copy or not isinstance(first, np.ndarray) or first.dtype != np.float32
        mean = np.empty(self.data.Y.shape, np.float32) if is_new else first
        scores = [self._trials[number].scores for number in numbers]
        return mean_by_fold(scores, shares, self._fold, mean)

    def shares(self, numbers: list[int]) -> FloatArray:
        """Return the shares of all candidates in the mean of the given candidates."""
        scores, shares = self._scores(numbers), np.zeros(len(self.records))
        shares[numbers] = stable_shares(self._labels, scores, self._n_rounds)
        return shares

    def gain(self, with_them: FloatArray, without: FloatArray) -> UnlabeledGain:
        """Compare the scores with unlabelled rows with those without them."""
        first = partial(self.quality, with_them)
        second = partial(self.quality, without)
        chance = self._chance_quality
        return UnlabeledGain(
            first(),
            second(),
            self._error(lambda rows: first(rows) - second(rows)),
            chance(),
            self._error(lambda rows: first(rows) - chance(rows)),
        )

    def _error(self, measure: Callable[[IntArray], float]) -> float:
        return _jackknife_error(measure, len(self._labels), self._seed)

    def _chance_quality(self, rows: Any = slice(None)) -> float:
        return chance_precision(self._labels[rows], self.data.prior)

    def quality(self, scores: FloatArray, rows: Any = slice(None)) -> float:
        """Return the average precision, or NaN if there are no positive labels.

        ``rows`` selects from the measured rows.
        """
        labels = self._labels[rows]
        if not (labels == 1).any():
            return np.nan
        return float(average_precision(labels, scores[self._measured][rows]))

    def fitted(self, number: int) -> BaseHierarchicalClassifier:
        """Return a candidate trained on all labelled rows."""
        trial = self._trials[number]
        if trial.model is not None:
            return trial.model
        return self._unfitted(trial.template).fit_checked(self._data(trial.template))

    def sees_views(self, number: int) -> bool:
        """Return whether a candidate is trained on the views that candidates share."""
        return _shares_views(self._trials[number].template)

    def _scores(self, numbers: list[int]) -> list[FloatArray]:
        """Return the scores of the measured rows."""
        return [self._trials[number].scores[self._measured] for number in numbers]

    def _record(
        self,
        name: str,
        template: BaseHierarchicalClassifier,
        scores: FloatArray | None,
        seconds: float,
        remark: str,
    ) -> None:
        uses_unlabeled = (
            template.learns_from_unlabeled and self.data.unlabeled_rows.size > 0
        )
        score = np.nan if scores is None else self.quality(scores)
        self.records.append(
            Candidate(name, uses_unlabeled, score, seconds=seconds, remark=remark)
        )

    def _check_time(
        self, template: BaseHierarchicalClassifier, expected: float
    ) -> None:
        """Raise an error if a candidate exceeds the budget, unless it is the first."""
        left = self._end - time.perf_counter() - self._seconds_to_refit()
        if expected <= left or not self.records or _costs_nothing(template):
            return
        if left <= 0:
            raise _SkippedError("the budget was used up")
        raise _SkippedError(
            f"expected to take {expected:.2g} s, with {left:.2g} s of the budget left"
        )

    def _check_worth(self, template: BaseHierarchicalClassifier) -> None:
        """Raise an error if an expensive candidate could hardly improve the score."""
        if not (self.can_measure and is_expensive(template)):
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

    def _expected_seconds(self, template: BaseHierarchicalClassifier) -> float:
        """Estimate the training time of a candidate from the longest time so far."""
        if not self.records:
            return 0.0
        seconds = [record.seconds for record in self.records]
        slowest = self._trials[int(np.argmax(seconds))].template
        return max(seconds) * relative_cost(template, slowest)

    def _seconds_to_refit(self) -> float:
        """Estimate the time for training the chosen models on all labelled rows."""
        in_folds = [
            record.seconds
            for record, trial in zip(self.records, self._trials)
            if trial.scores is not None and trial.model is None
        ]
        return sum(in_folds) / (self._n_folds - 1) if in_folds else 0.0

    def _scored(self, template: BaseHierarchicalClassifier) -> _Trial:
        data = self._data(template)
        estimator = self._unfitted(template)
        if self._is_large and "oob_score" in estimator.get_params():
            estimator.set_params(oob_score=True)
        if _scores_itself(estimator) or not self.can_measure:
            model = estimator.fit_checked(data)
            scores = _take_scores(model)
            if not self.can_measure:
                scores = self._constant()
            if scores is not None:
                return _Trial(template, scores, model)
        if isinstance(estimator, PriorClassifier):
            return _Trial(template, self._constant_in_folds(data), None)
        return _Trial(template, self._in_folds(estimator, data), None)

    def _in_folds(
        self, estimator: BaseHierarchicalClassifier, data: TrainingData
    ) -> FloatArray:
        scores = np.empty(data.Y.shape, np.float32)
        start = time.perf_counter()
        for number in range(self._n_folds):
            if number == 1:  # the time of a fold is known now
                seconds = time.perf_counter() - start
                self._check_time(estimator, seconds * self._n_folds)
            test = self._fold == number
            model = clone(estimator).fit_checked(data.without_rows(test))
            scores[test] = model._predict_scores(data.X_labeled[test])
        return scores

    def _constant_in_folds(self, data: TrainingData) -> _ConstantScores:
        priors = data.priors_without(self._fold, self._n_folds)
        return _ConstantScores(priors.astype(np.float32), self._fold)

    def _constant(self) -> FloatArray:
        prior = self.data.prior.astype(np.float32)
        return np.tile(prior, (len(self._fold), 1))

    def _data(self, template: BaseHierarchicalClassifier) -> TrainingData:
        if _shares_views(template):
            return self.widened.data
        if template.learns_from_unlabeled:
            return self.data
        return self.data.without_unlabeled()

    def _unfitted(
        self, template: BaseHierarchicalClassifier
    ) -> BaseHierarchicalClassifier:
        if isinstance(template, ViewsClassifier) and _shares_views(template):
            template = template._template()
        estimator = clone(template).set_params(hierarchy=self.data.hierarchy)
        for name, value in (("random_state", self._seed), ("n_jobs", self._n_jobs)):
            if estimator.get_params(deep=False).get(name, 0) is None:
                estimator.set_params(**{name: value})
        return estimator


def _jackknife_error(
    measure: Callable[[IntArray], float], n_rows: int, seed: int
) -> float:
    """Return the jackknife standard error of a measure, over groups of rows."""
    n_groups = min(_GROUPS, n_rows)
    group = np.random.default_rng(seed).permutation(n_rows) % n_groups
    values = [measure(np.flatnonzero(group != number)) for number in range(n_groups)]
    spread = np.var([value for value in values if np.isfinite(value)])
    return float(np.sqrt((n_groups - 1) * spread))


def _costs_nothing(template: BaseHierarchicalClassifier) -> bool:
    return isinstance(template, PriorClassifier)


def _shares_views(template: BaseHierarchicalClassifier) -> bool:
    return isinstance(template, ViewsClassifier) and template.views is None


def _scores_itself(estimator: BaseHierarchicalClassifier) -> bool:
    """Return whether training an estimator also scores each row out of fold."""
    asked = estimator.get_params(deep=False).get("oob_score", False)
    return estimator.method_tags.scores_left_out or bool(asked)


def _take_scores(model: BaseHierarchicalClassifier) -> FloatArray | None:
    """Remove the out-of-fold scores from a model, and return them."""
    scores = getattr(model, "oof_decision_", None)
    if scores is None or np.isnan(scores.sum()):  # without a mask of all cells
        return None
    del model.oof_decision_
    return scores


def _fold_of_rows(labels: LabelArray, n_splits: int, seed: int) -> IntArray:
    """Return the fold of each labelled row, or 0 if there is only one row."""
    fold = np.zeros(len(labels), np.int64)
    if len(labels) < _FEW_ROWS:
        n_splits = max(n_splits, _FOLDS_OF_FEW)
    n_splits = min(n_splits, len(labels))
    if n_splits > 1:
        divider = LabeledKFold(n_splits, random_state=seed)
        for number, (_, test) in enumerate(divider.split(None, labels)):
            fold[test] = number
    return fold
