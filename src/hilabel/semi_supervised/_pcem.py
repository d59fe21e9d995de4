"""PCEM: PCNB trained with unlabelled rows by expectation maximisation."""

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.special import logsumexp
from sklearn.utils import gen_batches

from hilabel._compat import Interval, StrOptions
from hilabel._saved_types import Count, saved_type
from hilabel._typing import FloatArray
from hilabel.classifiers import PCNB, MethodTags, TrainingData
from hilabel.local_models import LeafMultinomials, PathCounts, count_words

# The log-likelihood before the first pass, which is below any that is computed.
WORST_LOG_LIKELIHOOD = -1.7e38
# Keeps the relative gain finite if a log-likelihood is 0.
TINY = 1e-12
# Number of (row, leaf) probabilities in memory at a time: 32 MiB.
BLOCK_SIZE = 2**22


@saved_type
@dataclass(frozen=True)
class ExpectationPass:
    """One entry of ``history_``: the likelihood of the rows at the start of a pass."""

    iteration: int
    log_likelihood: float


@dataclass(eq=False, repr=False, kw_only=True)
class PCEM(PCNB):
    """Path-cost-sensitive naive Bayes trained by expectation maximisation.

    First, a :class:`~hilabel.classifiers.PCNB` model trained on the labelled rows gives
    every unlabelled row a probability for each leaf. With these probabilities as
    weights, the unlabelled rows are counted together with the labelled rows, and the
    model is estimated again. This is repeated until the likelihood hardly increases.
    Without unlabelled rows, the method is the same as PCNB.

    Handles trees in which every row has one path of labels that reaches a leaf.
    Features must be counts or other non-negative values. Sparse ``X`` stays sparse.

    Training ends with the first pass whose relative gain in log-likelihood is below
    ``tol``, and the model from the previous pass is kept, as in the authors' program.
    In that program, unlabelled rows count only for single leaves, although the name of
    the method suggests counting along paths; ``unlabeled_weight`` offers both variants.

    Parameters
    ----------
    hierarchy : Hierarchy or None
    path_weight, drop_unseen_words
        As in :class:`~hilabel.classifiers.PCNB`.
    unlabeled_weight : {"posterior", "path_score"}, default="posterior"
        Count an unlabelled row for a leaf by the probability of the leaf, or by the sum
        over levels of the probabilities of the nodes on its path, as for labelled rows.
    max_iter : int, default=50
    tol : float, default=1e-3

    Attributes
    ----------
    n_iter_ : int
        Number of passes; 0 without unlabelled rows.
    termination_condition_ : {"converged", "max_iter"}
    history_ : list of ExpectationPass
        One entry per pass; ``pandas.DataFrame(model.history_)`` creates a table.
    leaves_, class_log_prior_, feature_log_prob_, kept_words_
        As in :class:`~hilabel.classifiers.PCNB`.
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    References
    ----------
    Xiao, Liu and Song, "Efficient Path Prediction for Semi-Supervised and Weakly
    Supervised Hierarchical Text Classification", WWW 2019.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.semi_supervised import PCEM
    >>> h = Hierarchy.from_dict({"sport": ["tennis", "chess"], "news": []})
    >>> X = [[2, 0, 0], [0, 2, 0], [0, 0, 2]]
    >>> Y = [{"tennis"}, {"chess"}, {"news"}]
    >>> model = PCEM(h).fit(X, Y, X_unlabeled=[[1, 0, 0], [0, 0, 1], [1, 1, 0]])
    >>> [round(done.log_likelihood, 3) for done in model.history_]
    [-10.615, -10.602, -10.598]
    >>> PCEM(h).fit(X, Y).n_iter_  # no unlabelled rows
    0
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        structure="T",
        paths="SPL",
        depth="FD",
        semi_supervised=True,
        summary="PCNB by EM",
        use="Like PCNB, with few labelled and many unlabelled texts.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **PCNB._parameter_constraints,
        "unlabeled_weight": [StrOptions({"posterior", "path_score"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    unlabeled_weight: str = "posterior"
    max_iter: int = 50
    tol: float = 1e-3

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "history_": list[ExpectationPass],
        "n_iter_": Count(),
        "termination_condition_": str,
    }

    def _fit(self, data: TrainingData) -> None:
        labeled = self._count_labeled(data)
        model = LeafMultinomials.estimate(labeled, self.kept_words_)
        self.history_: list[ExpectationPass] = []
        self.termination_condition_ = "converged"
        if data.unlabeled_rows.size:
            model = self._maximize(data, labeled, model)
        self.n_iter_ = len(self.history_)
        self._keep(model)

    def _maximize(
        self, data: TrainingData, labeled: PathCounts, model: LeafMultinomials
    ) -> LeafMultinomials:
        before = WORST_LOG_LIKELIHOOD
        for iteration in range(1, self.max_iter + 1):
            unlabeled, log_likelihood = self._expect(data.X_unlabeled, model)
            log_likelihood += self._labeled_log_likelihood(data, model)
            self.history_.append(ExpectationPass(iteration, log_likelihood))
            if (log_likelihood - before) / (abs(before) + TINY) < self.tol:
                return model
            model = LeafMultinomials.estimate(labeled + unlabeled, self.kept_words_)
            before = log_likelihood
        self.termination_condition_ = "max_iter"
        return model

    def _expect(self, X: Any, model: LeafMultinomials) -> tuple[PathCounts, float]:
        """Return the expected counts of unlabelled rows and their log-likelihood."""
        n_leaves = model.log_prior.size
        counts = PathCounts(np.zeros(n_leaves), np.zeros(model.log_words.shape))
        log_likelihood = 0.0
        for block in gen_batches(X.shape[0], max(1, BLOCK_SIZE // n_leaves)):
            log_joint = model.log_joint(X[block])
            evidence = logsumexp(log_joint, axis=1, keepdims=True)
            log_likelihood += float(evidence.sum())
            weights = self._unlabeled_weights(np.exp(log_joint - evidence))
            counts = counts + count_words(X[block], weights)
        return counts, log_likelihood

    def _unlabeled_weights(self, posterior: FloatArray) -> FloatArray:
        if self.unlabeled_weight == "posterior":
            return posterior
        return self._paths.scores_of(self._paths.sum_over_leaves(posterior))

    def _labeled_log_likelihood(
        self, data: TrainingData, model: LeafMultinomials
    ) -> float:
        own_leaf = data.Y_labeled[:, self.leaves_].argmax(axis=1)
        log_joint = model.log_joint(data.X_labeled)
        return float(log_joint[np.arange(own_leaf.size), own_leaf].sum())
