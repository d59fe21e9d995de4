"""What the self-trained classifiers share: parameters, training, fitted attributes."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import Tags, check_random_state, get_tags

from hilabel._compat import HasMethods, Interval, StrOptions
from hilabel._progress import Progress
from hilabel._saved_types import saved_type
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel._warning import warn_user
from hilabel.classifiers import (
    POLICIES,
    BaseHierarchicalClassifier,
    LocalClassifierPerNode,
    MethodTags,
    TrainingData,
)
from hilabel.classifiers._base import empty_transduction
from hilabel.classifiers._local import report_one_sided, select_examples
from hilabel.classifiers._policies import Examples
from hilabel.classifiers._retraining import NodeTrainer, make_trainer
from hilabel.hierarchy import Hierarchy
from hilabel.semi_supervised._node_learners import NodeLearners
from hilabel.semi_supervised._self_training import (
    Acceptance,
    Learners,
    SelfTraining,
    self_train,
)

__all__ = ["BaseSelfTrainedClassifier", "RoundSummary"]


@saved_type
@dataclass(frozen=True)
class RoundSummary:
    """One row of ``history_``: what a round of self-training came to."""

    iteration: int
    n_nodes: int
    n_accepted: int
    n_positive: int


class BaseSelfTrainedClassifier(BaseHierarchicalClassifier):
    """Self-train the local classifiers of all nodes.

    The parameters are described in :class:`STML`.
    """

    method_tags: ClassVar[MethodTags] = MethodTags(semi_supervised=True)

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseHierarchicalClassifier._parameter_constraints,
        "estimator": [HasMethods(["fit", "predict_proba"]), None],
        "policy": [StrOptions(set(POLICIES)), callable],
        "criterion": [StrOptions({"threshold", "k_best"})],
        "threshold": [Interval(Real, 0, 1, closed="both")],
        "k_best": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        hierarchy: Hierarchy | None = None,
        *,
        estimator: Any = None,
        policy: str | Callable[..., Examples] = "less_inclusive",
        criterion: str = "threshold",
        threshold: float = 0.75,
        k_best: int = 10,
        max_iter: int = 10,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.hierarchy = hierarchy
        self.estimator = estimator
        self.policy = policy
        self.criterion = criterion
        self.threshold = threshold
        self.k_best = k_best
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    # Training -----------------------------------------------------------------------

    def _fit(self, data: TrainingData) -> None:
        base = self._base_classifier()
        # As the base itself does: one generator, so that seeds are the same.
        generator = check_random_state(self.random_state)
        examples = select_examples(
            data.Y_labeled, data.hierarchy, self.policy, "index", generator
        )
        report_one_sided(examples, data.hierarchy, "constant")
        trainer = make_trainer(
            base._local_estimator(),
            data.X_labeled,
            data.X_unlabeled,
            data.hierarchy.n_nodes,
            n_jobs=self.n_jobs,
            random_state=generator,
        )
        trainer.fit(np.arange(data.hierarchy.n_nodes), examples)
        outcome = self._self_train(data, examples, trainer)
        if data.unlabeled_rows.size and not (outcome.labeled_iter > 0).any():
            warn_user(
                f"No label of the {data.unlabeled_rows.size} unlabelled rows was "
                "accepted; the model learned from the labelled rows alone. Lower "
                "threshold, or use criterion='k_best'."
            )
        self.estimator_ = base.adopt(trainer.models(), data)
        self._remember(data, outcome)

    def _self_train(
        self, data: TrainingData, examples: Sequence[Examples], trainer: NodeTrainer
    ) -> SelfTraining:
        """Train every node by itself, with all unlabelled rows to label."""
        shape = data.unlabeled_rows.size, data.hierarchy.n_nodes
        state = SelfTraining.before(*shape)
        self._run_loop(
            NodeLearners(trainer, examples, data.labeled_rows.size),
            nodes_with_both_classes(examples),
            np.ones(shape, dtype=bool),
            state,
        )
        return state

    def _run_loop(
        self,
        learners: Learners,
        numbers: IntArray,
        pool: BoolArray,
        state: SelfTraining,
    ) -> None:
        acceptance = Acceptance(self.criterion, self.threshold, self.k_best)
        progress = Progress(self.verbose)
        self_train(learners, numbers, pool, acceptance, self.max_iter, state, progress)

    @abstractmethod
    def _base_classifier(self) -> LocalClassifierPerNode:
        """Return the supervised method, unfitted, whose local models are trained."""

    # What the fit leaves behind -----------------------------------------------------

    def _remember(self, data: TrainingData, outcome: SelfTraining) -> None:
        shape = data.n_rows, data.hierarchy.n_nodes
        self.n_iter_ = outcome.n_iter
        self.termination_condition_ = outcome.termination
        self.transduction_ = empty_transduction(*shape)
        self.transduction_[data.labeled_rows] = data.Y_labeled
        self.transduction_[data.unlabeled_rows] = outcome.accepted
        self.labeled_iter_ = np.zeros(shape, dtype=np.int32)
        self.labeled_iter_[data.unlabeled_rows] = outcome.labeled_iter
        self.history_ = _summaries(outcome)

    # Prediction ---------------------------------------------------------------------

    def _predict_scores(self, X: Any) -> FloatArray:
        return self.estimator_._predict_scores(X)

    def _predict_labels(self, X: Any) -> BoolArray:
        return self.estimator_._predict_labels(X)

    def _missing_value_advice(self) -> str | None:
        return self._base_classifier()._missing_value_advice()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self._base_classifier()).input_tags.sparse
        return tags


def nodes_with_both_classes(examples: Sequence[Examples]) -> IntArray:
    """Return the nodes that can be trained; the others are constants, always sure."""
    return np.flatnonzero([pos.size > 0 and neg.size > 0 for pos, neg in examples])


def _summaries(outcome: SelfTraining) -> list[RoundSummary]:
    summaries = []
    for iteration in range(1, int(outcome.n_iter.max(initial=0)) + 1):
        now = outcome.labeled_iter == iteration
        summaries.append(
            RoundSummary(
                iteration=iteration,
                n_nodes=int((outcome.n_iter >= iteration).sum()),
                n_accepted=int(now.sum()),
                n_positive=int((now & (outcome.accepted == 1)).sum()),
            )
        )
    return summaries
