"""The best few of several models, with unlabelled rows where they help."""

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral, Real
from typing import Annotated, Any, ClassVar, Final, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state

from hilabel._compat import Interval
from hilabel._progress import Progress
from hilabel._saved_types import Array, Maybe, Number, saved_type
from hilabel._typing import FloatArray, IntArray, LabelArray
from hilabel.classifiers import (
    BaseHierarchicalClassifier,
    MethodTags,
    PriorClassifier,
    TrainingData,
)
from hilabel.constraints import cap_by_parents
from hilabel.metrics import average_precision
from hilabel.model_selection import LabeledKFold
from hilabel.semi_supervised._blend_candidates import MOST_CELLS, default_candidates
from hilabel.semi_supervised._chance_precision import chance_precision
from hilabel.semi_supervised._greedy_mean import (
    ROUNDS,
    greedy_shares,
    mean_by_fold,
    nested_shares,
)
from hilabel.semi_supervised._views_classifier import (
    ViewsClassifier,
    WidenedData,
    widen,
)

CONSTANT = "constant predictor"

# Groups of rows that are left out, one after another, to see how much a score depends
# on single rows.
_GROUPS: Final = 20
# With fewer labelled rows each of them counts: there are more folds, and the single
# best candidate is taken.
_FEW_ROWS: Final = 50
_FOLDS_OF_FEW: Final = 10


@saved_type
@dataclass(frozen=True)
class Candidate:
    """A model that a blend tried.

    Attributes
    ----------
    name : str
    uses_unlabeled : bool
    score : float
        Micro average precision out of fold; NaN if it was not trained.
    share : float
        In the mean of those that were taken; 0 if it was not.
    seconds : float
    remark : str
        Why it was left out, if it was.
    """

    name: str
    uses_unlabeled: bool
    score: float
    share: float = 0.0
    seconds: float = 0.0
    remark: str = ""


@saved_type
@dataclass(frozen=True)
class UnlabeledGain:
    """What unlabelled rows were worth, in micro average precision out of fold.

    Shares were chosen, in each fold, on the other folds, so that the scores of neither
    are flattered by having been chosen. With fewer than 50 labelled rows the single
    best candidate was chosen in place of a mean.

    Attributes
    ----------
    score_with, score_without : float
        Of the best mean with methods that use unlabelled rows, and without.
    error : float
        Standard error of the difference, by leaving out groups of rows.
    score_constant : float
        Of label frequencies, rows in random order: what knowing nothing is worth.
    constant_error : float
        Standard error of the difference between ``score_with`` and that.
    """

    score_with: float
    score_without: float
    error: float
    score_constant: float
    constant_error: float

    @property
    def gain(self) -> float:
        """How much better it is with them."""
        return self.score_with - self.score_without

    @property
    def learns(self) -> bool:
        """Whether the features say more than chance would about the labels."""
        return self.score_with - self.score_constant > 2 * self.constant_error

    @property
    def helps(self) -> bool:
        """Whether the blend uses unlabelled rows: also if they make no difference."""
        return self.gain >= 0 and self.learns

    def __str__(self) -> str:
        figures = (
            f"{self.score_with:.3f} with them, {self.score_without:.3f} without, "
            f"difference {self.gain:+.4f}, error {self.error:.4f}"
        )
        if not self.learns:
            return (
                "unlabelled rows are not used, since nothing that was learned is "
                f"clearly better than label frequencies, {self.score_constant:.3f}: "
                f"{figures}"
            )
        if not self.helps:
            return f"unlabelled rows do not help, and are not used: {figures}"
        if self.gain == 0:
            return f"unlabelled rows make no difference: {figures}"
        if self.gain > 2 * self.error:
            return f"unlabelled rows help: {figures}"
        return f"unlabelled rows seem to help, though it may be chance: {figures}"


@dataclass(eq=False, repr=False, kw_only=True)
class Blend(BaseHierarchicalClassifier):
    """The mean of the best few of several models, chosen out of fold.

    Trains candidates of several families, and scores every labelled row by models that
    were trained without it. These scores choose which candidates to average, and how
    much each counts. Candidates that learn from unlabelled rows take part only if the
    mean is better with them than without; :attr:`unlabeled_gain_` has both figures.
    Label frequencies are among the candidates, so that the blend is hardly ever worse
    than they are.

    Handles trees and DAGs, one or several paths, full and partial depth, missing
    values, sparse matrices, and labels known in part.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges.
    candidates : mapping of str to hierarchical classifier, optional
        What is tried, the cheapest first. By default forests with small and large
        leaves, nearest neighbours, logistic regression, spreading of labels, forests
        and logistic regression on neighbourhood means, SSHMC-BLI and, with
        ``hilabel[networks]``, networks. Those that would take too long, given the
        number of rows and nodes, are left out.
    n_splits : int, default=5
        Folds in which candidates are scored; ten with fewer than 50 labelled rows.
        Networks bring scores of their own, and so
        do forests where there are very many labels.
    budget : float, optional
        Seconds after which no more candidates are tried. What is tried then depends on
        the machine.
    n_jobs : int, optional
    random_state : int, RandomState or None
    verbose : int, default=0

    Attributes
    ----------
    candidates_ : list of Candidate
        What was tried: name, whether it uses unlabelled rows, score out of fold, share
        in the mean, seconds.
    unlabeled_gain_ : UnlabeledGain or None
        What unlabelled rows are worth; None if there are none, or nothing to measure.
    members_ : dict of str to hierarchical classifier
        Those of which the mean is taken, fitted.
    oof_decision_ : ndarray of shape (n_labeled, n_nodes)
        Scores of the labelled rows, by models trained without them. How much each
        counts was chosen on the other folds.
    oof_score_ : float
        Their micro average precision. Of more than five million cells this is, like
        what candidates score and how much each counts, that of every so-many-th row.
    oof_rows_ : ndarray of shape (n_labeled,)
        Their places among the rows given to ``fit``.
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    Examples
    --------
    >>> from hilabel.classifiers import NeighborsClassifier, PredictiveClusteringForest
    >>> from hilabel.datasets import make_artificial
    >>> from hilabel.semi_supervised import Blend, LabelSpreading
    >>> data = make_artificial()
    >>> candidates = {
    ...     "forest": PredictiveClusteringForest(),
    ...     "neighbours": NeighborsClassifier(),
    ...     "spreading": LabelSpreading(),
    ... }
    >>> model = Blend(data.hierarchy, candidates=candidates, random_state=0)
    >>> model = model.fit(data.X_labeled, data.Y_labeled, data.X_unlabeled)
    >>> model.unlabeled_gain_.helps
    True
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        semi_supervised=True,
        partial_labels=True,
        scores_left_out=True,
        name="Blend",
        summary="mean of the best",
        use="The best scores, if training may take a minute.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseHierarchicalClassifier._parameter_constraints,
        "candidates": [dict, None],
        "n_splits": [Interval(Integral, 2, None, closed="left")],
        "budget": [Interval(Real, 0, None, closed="left"), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    candidates: Mapping[str, BaseHierarchicalClassifier] | None = None
    n_splits: int = 5
    budget: float | None = None
    n_jobs: int | None = None
    random_state: Any = None
    verbose: int = 0

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "candidates_": list[Candidate],
        "unlabeled_gain_": UnlabeledGain | None,
        "members_": dict[str, BaseHierarchicalClassifier],
        "_shares": list[Annotated[float, Number(0, 1)]],
        "_sees_views": list[bool],
        "views_": list[BaseEstimator],
        "oof_rows_": Maybe(Array("i8", ("n_labeled",), 0)),
        # A mean of ones may be rounded up.
        "oof_decision_": Maybe(Array("f4", ("n_labeled", "n_nodes"), 0, 1.001)),
        "oof_score_": float,
    }

    def is_sound(self) -> bool:
        """Say whether every member has a share, takes these rows, scores these nodes.

        Views, and the width of the rows that members see with them, are tried when a
        file is loaded.
        """
        members = self.members_.values()
        return (
            super().is_sound()
            and len(members) == len(self._shares) == len(self._sees_views)
            and all(member._is_fitted_for(self.hierarchy_) for member in members)
            and all(
                member.n_features_in_ == self.n_features_in_
                for member, sees_views in zip(members, self._sees_views)
                if not sees_views
            )
        )

    def _fit(self, data: TrainingData) -> None:
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        trials = _Trials(data, self.n_splits, int(seed), self.n_jobs)
        self._try_all(trials)
        self._choose(trials)
        self.oof_rows_ = data.labeled_rows

    def _try_all(self, trials: "_Trials") -> None:
        templates = self._templates(trials.data)
        report = Progress(self.verbose).report
        started = time.perf_counter()
        for number, (name, template) in enumerate(templates.items()):
            spent = time.perf_counter() - started
            is_over = self.budget is not None and spent >= self.budget
            if number and is_over and name != CONSTANT:  # which costs nothing
                trials.leave_out(name, template, "the budget was spent")
                continue
            report(f"Trying {name}, {number + 1} of {len(templates)}")
            trials.run(name, template)

    def _templates(self, data: TrainingData) -> dict[str, BaseHierarchicalClassifier]:
        chosen = self.candidates
        chosen = default_candidates(data) if chosen is None else dict(chosen)
        if not chosen:
            raise ValueError("Expected at least one candidate, got none.")
        for name, one in chosen.items():
            if not isinstance(one, BaseHierarchicalClassifier):
                raise TypeError(
                    f"Expected hierarchical classifiers as candidates, got {one!r} of "
                    f"type {type(one).__name__} for {name!r}; wrap a classifier of "
                    "scikit-learn in LocalClassifierPerNode."
                )
        return {**chosen, CONSTANT: PriorClassifier()}

    def _choose(self, trials: "_Trials") -> None:
        plain = trials.numbers(uses_unlabeled=False)
        every = trials.numbers(uses_unlabeled=True) + plain  # of equals, the first
        taken = plain
        self.unlabeled_gain_ = None
        if len(every) > len(plain) and trials.can_measure:
            with_them, scores = trials.nested(every), trials.nested(plain)
            self.unlabeled_gain_ = trials.gain(with_them, scores)
            if self.unlabeled_gain_.helps:
                taken, scores = every, with_them
            shares = trials.shares(taken)
        else:
            shares = trials.shares(taken)
            scores = trials.nested(taken, copy=False)  # nobody asks for theirs again
        self.oof_decision_ = scores
        self.oof_score_ = trials.quality(scores)
        self.candidates_ = [
            replace(record, share=float(share))
            for record, share in zip(trials.records, shares)
        ]
        self._keep(trials, shares)

    def _keep(self, trials: "_Trials", shares: FloatArray) -> None:
        """Keep, trained on all labelled rows, what the mean is taken of."""
        chosen = [int(number) for number in np.flatnonzero(shares)]
        self.members_ = {
            trials.records[number].name: trials.fitted(number) for number in chosen
        }
        self._shares = [float(shares[number]) for number in chosen]
        self._sees_views = [trials.sees_views(number) for number in chosen]
        self.views_ = trials.widened.views if any(self._sees_views) else []

    def member_scores(self, X: Any) -> dict[str, FloatArray]:
        """Return what each of the members says, by name.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        dict of str to ndarray of shape (n_samples, n_nodes)
        """
        X = self._check_new_rows(X)
        return dict(zip(self.members_, self._each(X)))

    def _each(self, X: Any) -> Any:
        wide = widen(X, self.views_) if self.views_ else X
        for member, sees_views in zip(self.members_.values(), self._sees_views):
            yield member._predict_scores(wide if sees_views else X)

    def _predict_scores(self, X: Any) -> FloatArray:
        mean = np.zeros((X.shape[0], self.hierarchy_.n_nodes), np.float32)
        for share, scores in zip(self._shares, self._each(X)):
            mean += np.float32(share) * scores
        # Rounding may lift a mean of consistent scores above its parents'.
        return cap_by_parents(np.clip(mean, 0, 1), self.hierarchy_)

    def _missing_value_advice(self) -> str | None:
        return None


class _Trial(NamedTuple):
    template: BaseHierarchicalClassifier
    scores: Any  # of all labelled rows, by rows; None if it was not trained
    model: BaseHierarchicalClassifier | None


@dataclass(frozen=True, eq=False)
class _ConstantScores:
    """Scores that are the same in all rows of a fold, and take no memory."""

    by_fold: FloatArray
    fold: IntArray

    def __getitem__(self, rows: Any) -> FloatArray:
        return self.by_fold[self.fold[rows]]


class _Trials:
    """Candidates trained and scored on the same folds."""

    def __init__(
        self, data: TrainingData, n_splits: int, seed: int, n_jobs: int | None
    ) -> None:
        self.data = data
        self.records: list[Candidate] = []
        self._trials: list[_Trial] = []
        self._seed = seed
        self._n_jobs = n_jobs
        self._fold = _fold_of_rows(data.labels, n_splits, seed)
        n_cells = data.Y_labeled.size
        self._is_large = n_cells > MOST_CELLS["quick"]
        step = int(n_cells // MOST_CELLS["measured"]) if self._is_large else 1
        self._measured = slice(None, None, max(1, step))
        self._labels = data.labels_of(self._measured)
        self._widened: WidenedData | None = None

    @property
    def widened(self) -> WidenedData:
        """The rows with neighbourhood means, computed once for all candidates."""
        if self._widened is None:
            self._widened = WidenedData.of(self.data, None, self._n_jobs)
        return self._widened

    @property
    def can_measure(self) -> bool:
        """Whether there are folds, and a label to find."""
        return self._fold.max(initial=0) > 0 and bool(self.data.Y_labeled.any())

    @property
    def _n_rounds(self) -> int:
        """Of the choice: one, for the single best, where rows are few."""
        return 1 if len(self._fold) < _FEW_ROWS else ROUNDS

    def run(self, name: str, template: BaseHierarchicalClassifier) -> None:
        """Score a candidate out of fold."""
        start = time.perf_counter()
        with warnings.catch_warnings():
            # Of nodes that are rare in a fold; the models kept say so themselves.
            warnings.simplefilter("ignore", UserWarning)
            trial = self._scored(template)
        self._trials.append(trial)
        self._record(name, template, trial.scores, time.perf_counter() - start)

    def leave_out(
        self, name: str, template: BaseHierarchicalClassifier, remark: str
    ) -> None:
        """Note a candidate that is not tried."""
        self._trials.append(_Trial(template, None, None))
        self._record(name, template, None, 0.0, remark)

    def numbers(self, uses_unlabeled: bool | None = None) -> list[int]:
        """Return the numbers of those that were tried."""
        return [
            number
            for number, (record, trial) in enumerate(zip(self.records, self._trials))
            if trial.scores is not None
            and uses_unlabeled in (None, record.uses_unlabeled)
        ]

    def nested(self, numbers: list[int], *, copy: bool = True) -> FloatArray:
        """Return mean scores; shares are chosen on other folds.

        If not ``copy``, the scores of the first candidate are overwritten.
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
        mean = np.empty(self.data.Y_labeled.shape, np.float32) if is_new else first
        scores = [self._trials[number].scores for number in numbers]
        return mean_by_fold(scores, shares, self._fold, mean)

    def shares(self, numbers: list[int]) -> FloatArray:
        """Return the share of every candidate in the mean of some."""
        scores, shares = self._scores(numbers), np.zeros(len(self.records))
        shares[numbers] = greedy_shares(self._labels, scores, self._n_rounds)
        return shares

    def gain(self, with_them: FloatArray, without: FloatArray) -> UnlabeledGain:
        """Compare scores with and without unlabelled rows, fold by fold."""
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
        """Return the average precision; NaN without a label to find.

        ``rows`` are some of those that are measured.
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
        """Whether a candidate is trained on the views that all share."""
        return _shares_views(self._trials[number].template)

    def _scores(self, numbers: list[int]) -> list[FloatArray]:
        """Return the scores of the rows that are measured."""
        return [self._trials[number].scores[self._measured] for number in numbers]

    def _record(
        self,
        name: str,
        template: BaseHierarchicalClassifier,
        scores: FloatArray | None,
        seconds: float,
        remark: str = "",
    ) -> None:
        uses_unlabeled = (
            template.method_tags.semi_supervised and self.data.unlabeled_rows.size > 0
        )
        score = np.nan if scores is None else self.quality(scores)
        self.records.append(
            Candidate(name, uses_unlabeled, score, seconds=seconds, remark=remark)
        )

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
        scores = np.empty(data.Y_labeled.shape, np.float32)
        for number in range(self._n_folds):
            test = self._fold == number
            model = clone(estimator).fit_checked(data.without_rows(test))
            scores[test] = model._predict_scores(data.X_labeled[test])
        return scores

    def _constant_in_folds(self, data: TrainingData) -> _ConstantScores:
        priors = data.priors_without(self._fold, self._n_folds)
        return _ConstantScores(priors.astype(np.float32), self._fold)

    @property
    def _n_folds(self) -> int:
        return int(self._fold.max()) + 1

    def _constant(self) -> FloatArray:
        prior = self.data.prior.astype(np.float32)
        return np.tile(prior, (len(self._fold), 1))

    def _data(self, template: BaseHierarchicalClassifier) -> TrainingData:
        return self.widened.data if _shares_views(template) else self.data

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
    """Return the standard error of a measure of rows, by leaving out groups of them."""
    n_groups = min(_GROUPS, n_rows)
    group = np.random.default_rng(seed).permutation(n_rows) % n_groups
    values = [measure(np.flatnonzero(group != number)) for number in range(n_groups)]
    spread = np.var([value for value in values if np.isfinite(value)])
    return float(np.sqrt((n_groups - 1) * spread))


def _shares_views(template: BaseHierarchicalClassifier) -> bool:
    return isinstance(template, ViewsClassifier) and template.views is None


def _scores_itself(estimator: BaseHierarchicalClassifier) -> bool:
    """Whether training brings scores of rows by models that have not seen them."""
    asked = estimator.get_params(deep=False).get("oob_score", False)
    return estimator.method_tags.scores_left_out or bool(asked)


def _take_scores(model: BaseHierarchicalClassifier) -> FloatArray | None:
    """Return the scores that came of training, which the model need not keep."""
    scores = getattr(model, "oof_decision_", None)
    if scores is None or np.isnan(scores.sum()):  # which makes no mask
        return None
    del model.oof_decision_
    return scores


def _fold_of_rows(labels: LabelArray, n_splits: int, seed: int) -> IntArray:
    """Return the fold of every labelled row; of a single row, 0."""
    fold = np.zeros(len(labels), np.int64)
    if len(labels) < _FEW_ROWS:
        n_splits = max(n_splits, _FOLDS_OF_FEW)
    n_splits = min(n_splits, len(labels))
    if n_splits > 1:
        divider = LabeledKFold(n_splits, random_state=seed)
        for number, (_, test) in enumerate(divider.split(None, labels)):
            fold[test] = number
    return fold
