"""The mean of the best models, using unlabelled rows if they help."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Annotated, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from hilabel._compat import Interval
from hilabel._progress import Progress
from hilabel._saved_types import Array, Maybe, Number
from hilabel._typing import FloatArray
from hilabel.classifiers import (
    BaseHierarchicalClassifier,
    MethodTags,
    PriorClassifier,
    TrainingData,
)
from hilabel.constraints import cap_by_parents
from hilabel.semi_supervised._blend_candidates import default_candidates
from hilabel.semi_supervised._blend_trials import Candidate, Trials
from hilabel.semi_supervised._unlabeled_gain import UnlabeledGain
from hilabel.semi_supervised._views_classifier import widen

CONSTANT = "constant predictor"


@dataclass(eq=False, repr=False, kw_only=True)
class Blend(BaseHierarchicalClassifier):
    """Mean of the best few of several models, selected out of fold.

    Trains candidates of several families, and scores every labelled row by models that
    were trained without it. These scores determine which candidates to average, and
    with which weights. Candidates that learn from unlabelled rows are used only if the
    mean is at least as good with them; ``unlabeled_gain_`` has both scores. Label
    frequencies are a candidate too, so the blend is hardly ever worse than they are.

    Handles trees and DAGs, one or several paths, full and partial depth, missing
    values, sparse matrices, and labels known in part.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges.
    candidates : mapping of str to hierarchical classifier, optional
        The models to try, cheapest first. By default, forests with small and large
        leaves, nearest neighbours, logistic regression, label spreading, forests and
        logistic regression on neighbourhood means, SSHMC-BLI and, with
        ``hilabel[networks]``, networks. Models that would take too long, given the
        number of rows and nodes, are omitted. Networks are skipped if another model
        scores above 0.995.
    n_splits : int, default=5
        Number of folds for scoring candidates; ten with fewer than 50 labelled rows.
        Networks, and forests with very many labels, provide their own scores.
    budget : float, optional
        Time limit for training in seconds. A candidate that is expected to take longer
        than the time left is skipped, except for the first and for label frequencies.
        The result then depends on the machine.
    n_jobs : int, optional
    random_state : int, RandomState or None
    verbose : int, default=0

    Attributes
    ----------
    candidates_ : list of Candidate
        The models tried: name, whether it uses unlabelled rows, out-of-fold score,
        share in the mean, seconds.
    unlabeled_gain_ : UnlabeledGain or None
        The gain from unlabelled rows; None if there are none, or if it cannot be
        measured.
    members_ : dict of str to hierarchical classifier
        The fitted models in the mean.
    oof_decision_ : ndarray of shape (n_labeled, n_nodes)
        Scores of the labelled rows, by models trained without them. The weights of a
        fold were chosen on the other folds.
    oof_score_ : float
        Their micro average precision. With more than five million cells, this score,
        those of the candidates and their weights are computed on a sample of rows.
    oof_rows_ : ndarray of shape (n_labeled,)
        Their positions among the rows passed to ``fit``.
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
        """Return whether the members, shares and hierarchy match.

        Views, and the number of columns of members with views, are checked when a file
        is loaded.
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
        trials = Trials(data, self.n_splits, int(seed), self.n_jobs, self.budget)
        self._try_all(trials)
        self._choose(trials)
        self.oof_rows_ = data.labeled_rows

    def _try_all(self, trials: Trials) -> None:
        templates = self._templates(trials.data)
        report = Progress(self.verbose).report
        for number, (name, template) in enumerate(templates.items(), start=1):
            report(f"Trying {name}, {number} of {len(templates)}")
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

    def _choose(self, trials: Trials) -> None:
        plain = trials.numbers(uses_unlabeled=False)
        every = trials.numbers(uses_unlabeled=True) + plain  # ties: the first wins
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
            scores = trials.nested(taken, copy=False)  # no longer needed
        self.oof_decision_ = scores
        self.oof_score_ = trials.quality(scores)
        self.candidates_ = [
            replace(record, share=float(share))
            for record, share in zip(trials.records, shares)
        ]
        self._keep(trials, shares)

    def _keep(self, trials: Trials, shares: FloatArray) -> None:
        """Store the members of the mean, trained on all labelled rows."""
        chosen = [int(number) for number in np.flatnonzero(shares)]
        self.members_ = {
            trials.records[number].name: trials.fitted(number) for number in chosen
        }
        self._shares = [float(shares[number]) for number in chosen]
        self._sees_views = [trials.sees_views(number) for number in chosen]
        self.views_ = trials.widened.views if any(self._sees_views) else []

    def member_scores(self, X: Any) -> dict[str, FloatArray]:
        """Return a mapping from the names of the members to their scores.

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
        # Rounding may raise a mean of consistent scores above that of a parent.
        return cap_by_parents(np.clip(mean, 0, 1), self.hierarchy_)

    def _missing_value_advice(self) -> str | None:
        return None
