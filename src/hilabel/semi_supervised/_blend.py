"""The mean of the best models, using unlabelled rows if they help."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Annotated, Any, ClassVar, Final, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from hilabel._compat import Interval, StrOptions
from hilabel._progress import Progress
from hilabel._saved_types import Number
from hilabel._score_matrix import ScoreMatrix
from hilabel._typing import FloatArray
from hilabel.classifiers import (
    BaseHierarchicalClassifier,
    BaseLinkedClassifier,
    MethodTags,
    PriorClassifier,
    TrainingData,
    scores_of_member,
)
from hilabel.costs import DataShape
from hilabel.semi_supervised._blend_candidates import (
    default_candidates,
    most_promising_first,
)
from hilabel.semi_supervised._blend_limits import EFFORTS, Limits, Proposal
from hilabel.semi_supervised._blend_linked import (
    BY_LINKS_ALONE,
    links_tell_much,
    without_links_alone,
)
from hilabel.semi_supervised._blend_trials import Trials
from hilabel.semi_supervised._candidate import Candidate, members_sentence
from hilabel.semi_supervised._greedy_mean import mean_scores
from hilabel.semi_supervised._link_gain import LinkGain
from hilabel.semi_supervised._shared_views import all_views
from hilabel.semi_supervised._unlabeled_gain import UnlabeledGain
from hilabel.semi_supervised._views_classifier import widen

CONSTANT = "constant predictor"
_STOPPED: Final = "training was interrupted before it was tried"
# Progress counts tenths of the seconds that candidates are expected to take.
_STEPS_PER_SECOND: Final = 10


@dataclass(eq=False, repr=False, kw_only=True)
class Blend(BaseLinkedClassifier):
    """Mean of the best few of several models, selected out of fold.

    Trains candidates of several families, and scores every labelled row by models that
    were trained without it. These scores determine which candidates to average, and
    with which weights. Candidates that learn from unlabelled rows are used only if the
    mean is at least as good with them; ``unlabeled_gain_`` has both scores. Label
    frequencies are a candidate too, so the blend is hardly ever worse than they are.

    If ``fit`` gets links between rows, there are candidates that learn from them, and
    ``link_gain_`` has the score without them.

    Handles trees and DAGs, one or several paths, full and partial depth, missing
    values, sparse matrices, links, and labels known in part.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges.
    candidates : mapping of str to hierarchical classifier, optional
        The models to try, cheapest first. By default, forests with small and large
        leaves, nearest neighbours, logistic regression, label spreading, forests and
        logistic regression on neighbourhood means, SSHMC-BLI and, with
        ``hilabel[networks]``, networks. Models that do not suit the data, or that would
        take too long, are skipped, with a reason in ``candidates_``; so are networks if
        another model scores above 0.995. One that fails is left out, with a warning;
        one of your own raises its error.
    n_splits : int, optional
        Number of folds for scoring candidates; by default, five, or ten with fewer than
        50 labelled rows. Folds that are given, as by ``hilabel fit``, are used instead.
        Networks, and forests with very many labels, provide their own scores.
    effort : {"normal", "best"}, default="normal"
        ``"normal"`` plans candidates for about eight seconds, and a second for each
        thousand labels to learn, up to a few minutes; ``"best"`` tries all. Others are
        skipped; ``candidates_`` says what they would take.
    budget : float, optional
        Time limit for training in seconds, instead of that of ``effort``. The result
        then depends on the machine.
    memory : float, optional
        Limit of the memory of a candidate in bytes; by default, 80 % of what is free.
    keep_best : bool, default=False
        Whether Ctrl-C (``KeyboardInterrupt``) ends the search and keeps the best of the
        candidates tried so far, once there is one. Otherwise, it ends ``fit``.
    n_jobs : int, optional
    random_state : int, RandomState or None
    verbose : int, default=0

    Attributes
    ----------
    candidates_ : tuple of Candidate
        All models: name, whether it uses unlabelled rows, whether it was kept, tried,
        skipped or failed, out-of-fold score, share in the mean, seconds, and the reason
        why it was not tried.
    members_sentence : str
        Which of them are averaged, in words.
    unlabeled_gain_ : UnlabeledGain or None
        The gain from unlabelled rows; None if there are none, or if it cannot be
        measured.
    link_gain_ : LinkGain or None
        The gain from links; None without links, or if it cannot be measured.
    members_ : dict of str to hierarchical classifier
        The fitted models in the mean.
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in other estimators.

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
        links=True,
        name="Blend",
        summary="mean of the best",
        use="The best scores, if training may take a minute.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseHierarchicalClassifier._parameter_constraints,
        "candidates": [dict, None],
        "n_splits": [Interval(Integral, 2, None, closed="left"), None],
        "effort": [StrOptions(set(EFFORTS))],
        "budget": [Interval(Real, 0, None, closed="left"), None],
        "memory": [Interval(Real, 0, None, closed="neither"), None],
        "keep_best": ["boolean"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    candidates: Mapping[str, BaseHierarchicalClassifier] | None = None
    n_splits: int | None = None
    effort: Literal["normal", "best"] = "normal"
    budget: float | None = None
    memory: float | None = None
    keep_best: bool = False
    n_jobs: int | None = None
    random_state: Any = None
    verbose: int = 0

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "candidates_": tuple[Candidate, ...],
        "unlabeled_gain_": UnlabeledGain | None,
        "link_gain_": LinkGain | None,
        "members_": dict[str, BaseHierarchicalClassifier],
        "_shares": list[Annotated[float, Number(0, 1)]],
        "_sees": list[str],
        "_views": dict[str, list[BaseEstimator]],
    }

    def is_sound(self) -> bool:
        """Return whether the members, shares and hierarchy match.

        Views, and the number of columns of members with views, are checked when a file
        is loaded.
        """
        members = self.members_.values()
        return (
            super().is_sound()
            and len(members) == len(self._shares) == len(self._sees)
            and {key for key in self._sees if key} == set(self._views)
            and all(member._is_fitted_for(self.hierarchy_) for member in members)
            and all(
                member.n_features_in_ == self.n_features_in_
                for member, key in zip(members, self._sees)
                if not key
            )
        )

    def scores_itself(self, data: TrainingData) -> bool:
        """Return whether candidates can be compared."""
        return data.n_labeled > 1 and data.Y.positive.nnz > 0

    def _fit(self, data: TrainingData) -> None:
        trials = self._try_all(data)
        self._choose(trials)
        self._keep(trials)

    def _fit_scoring(self, data: TrainingData) -> ScoreMatrix:
        trials = self._try_all(data)
        taken = self._choose(trials)
        scores = trials.take_mean(taken)
        self._keep(trials)
        return scores

    def _try_all(self, data: TrainingData) -> Trials:
        """Train and score the candidates on the same folds."""
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        limits = Limits.of(DataShape.of(data), self.effort, self.budget, self.memory)
        trials = Trials(data, self.n_splits, int(seed), self.n_jobs, limits)
        proposals = self._proposals(data)
        if self.candidates is None:
            proposals = self._planned(trials, proposals)
        self._run_all(trials, proposals)
        return trials

    def _planned(
        self, trials: Trials, proposals: dict[str, Proposal]
    ) -> dict[str, Proposal]:
        """Return the candidates with a reason for those that do not fit the limits.

        Methods that use links alone are tried before: they take little time, and show
        whether links or columns come first.
        """
        alone = {name: proposals[name] for name in BY_LINKS_ALONE if name in proposals}
        spent = 0.0
        if alone:
            alone = trials.planned(alone)
            spent = sum(one.seconds or 0 for one in alone.values() if not one.why_not)
            self._run_all(trials, alone | {CONSTANT: proposals[CONSTANT]})
        tried = {one.name: one.score for one in trials.records}
        others = {name: one for name, one in proposals.items() if name not in tried}
        constant = {name: others.pop(name) for name in (CONSTANT,) if name in others}
        tell_much = links_tell_much(tried, tried.get(CONSTANT, np.nan))
        if not tell_much:
            others = without_links_alone(others)
        is_sparse = sp.issparse(trials.data.X_labeled)
        in_order = most_promising_first(others, is_sparse, tell_much)
        planned = trials.planned(in_order, spent) | constant  # which takes no time
        return {name: planned[name] for name in proposals if name in planned}

    def _run_all(self, trials: Trials, proposals: dict[str, Proposal]) -> None:
        wanted = [name for name, one in proposals.items() if not one.why_not]
        steps = _steps([proposals[name].seconds for name in wanted])
        done, total, progress = 0, sum(steps), Progress(self.verbose)
        for name, proposal in proposals.items():
            if trials.is_stopped:
                trials.skip(name, proposal, _STOPPED)
                continue
            number = wanted.index(name) if name in wanted else len(wanted) - 1
            told = f"Trying {name}, {number + 1} of {len(wanted)}"
            try:
                with progress.step(told, done, total):
                    trials.run(name, proposal, may_fail=self.candidates is None)
            except KeyboardInterrupt:
                if not (self.keep_best and trials.has_found):
                    raise
                progress.announce("Interrupted: keeping the best model so far")
                trials.skip(name, proposal, _STOPPED)
                trials.is_stopped = True
            done += 0 if proposal.why_not else steps[number]

    def _proposals(self, data: TrainingData) -> dict[str, Proposal]:
        """Return the candidates and, last, label frequencies."""
        constant = {CONSTANT: Proposal(PriorClassifier())}
        if self.candidates is None:
            return default_candidates(data) | constant
        if not self.candidates:
            raise ValueError("Expected at least one candidate, got none.")
        for name, one in self.candidates.items():
            if not isinstance(one, BaseHierarchicalClassifier):
                raise TypeError(
                    f"Expected hierarchical classifiers as candidates, got {one!r} of "
                    f"type {type(one).__name__} for {name!r}; wrap a classifier of "
                    "scikit-learn in LocalClassifierPerNode."
                )
        given = {name: Proposal(one) for name, one in self.candidates.items()}
        return given | constant

    def _choose(self, trials: Trials) -> list[int]:
        """Choose the members, and return the candidates they were chosen from."""
        Progress(self.verbose).report("Selecting the members of the mean")
        plain = trials.numbers(uses_unlabeled=False)
        others = trials.numbers(uses_unlabeled=True)
        every = others + plain  # ties: the first wins
        taken = plain or every
        self.unlabeled_gain_ = None
        if others and plain:
            self.unlabeled_gain_ = trials.gain(every, plain)
            taken = every if self.unlabeled_gain_.helps else plain
        self.link_gain_ = trials.link_gain(taken)
        shares = trials.shares(taken)
        self.candidates_ = tuple(
            replace(one, share=float(share), status="kept") if share else one
            for one, share in zip(trials.records, shares, strict=True)
        )
        return taken

    def _keep(self, trials: Trials) -> None:
        """Store the members of the mean, trained on all labelled rows."""
        trials.drop_scores()
        kept = [place for place, one in enumerate(self.candidates_) if one.share]
        progress, total = Progress(self.verbose), len(kept)
        self.members_ = {}
        for done, place in enumerate(kept):
            name = self.candidates_[place].name
            told = f"Training member {done + 1} of {total}, {name}"
            with progress.step(told, done, total):
                self.members_[name] = trials.fitted(place)
        self._shares = [self.candidates_[place].share for place in kept]
        seen = [trials.seen_views(place) for place in kept]
        self._sees = [key for key, _ in seen]
        self._views = {key: views for key, views in seen if key}

    @property
    def views_(self) -> Sequence[Any]:
        """The fitted views that members share."""
        return all_views(self._views)

    @property
    def members_sentence(self) -> str:
        """Which candidates are averaged, out of how many."""
        check_is_fitted(self)
        return members_sentence(self.candidates_)

    def member_scores(self, X: Any, links: Any = None) -> dict[str, FloatArray]:
        """Return a mapping from the names of the members to their scores.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        links : Links, matrix or dict, of shape (n_samples, n_training_rows), optional

        Returns
        -------
        dict of str to ndarray of shape (n_samples, n_nodes)
        """
        return dict(zip(self.members_, self._each(self._linked(X, links))))

    def _each(self, X: Any) -> Iterator[FloatArray]:
        wide: dict[str, Any] = {"": X}
        for member, key in zip(self.members_.values(), self._sees):
            if key not in wide:
                wide[key] = widen(X, self._views[key])
            yield scores_of_member(member, wide[key])

    def _predict_scores(self, X: Any) -> FloatArray:
        return mean_scores(self._each(X), self._shares, self.hierarchy_)

    def _missing_value_advice(self) -> str | None:
        return None


def _steps(expected: list[float | None]) -> list[int]:
    """Return the steps that progress counts for each candidate.

    They are the expected times or, if one is unknown, equal.
    """
    known = [seconds for seconds in expected if seconds is not None]
    if len(known) < len(expected):
        return [1] * len(expected)
    return [1 + round(_STEPS_PER_SECOND * seconds) for seconds in known]
