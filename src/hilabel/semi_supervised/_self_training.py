"""Self-training of the local classifiers of all nodes, and its special cases."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from hilabel._compat import Interval, InvalidParameterError, StrOptions
from hilabel._progress import Progress
from hilabel._saved_types import Array, Sparse, Words, saved_type
from hilabel._typing import BoolArray, IntArray
from hilabel._warning import warn_user
from hilabel.classifiers import (
    DelegatesToFitted,
    LocalClassifierPerNode,
    MethodTags,
    TrainingData,
)
from hilabel.local_models import (
    NEGATIVES_ORDERS,
    POLICIES,
    Examples,
    NodeTrainer,
    make_trainer,
    report_one_sided,
    select_examples,
)
from hilabel.semi_supervised._node_learners import NodeLearners
from hilabel.semi_supervised._pseudo_labels import GivesPseudoLabels, Step
from hilabel.semi_supervised._rounds import (
    Acceptance,
    Learners,
    RoundsState,
    run_rounds,
)


@saved_type
@dataclass(frozen=True)
class RoundSummary:
    """One entry of ``history_``: the result of a round of self-training."""

    iteration: int
    n_nodes: int
    n_accepted: int
    n_positive: int


@dataclass(eq=False, repr=False, kw_only=True)
class SelfTraining(GivesPseudoLabels, DelegatesToFitted):
    """Self-train the local classifier of each node separately.

    Every node has a binary classifier. It is trained on the labelled rows, labels the
    unlabelled rows that it predicts with high confidence, and is trained again with
    these rows. This is repeated until no other row qualifies. ``estimator`` determines
    how the scores of the nodes are combined. :class:`STHC`, :class:`STML` and
    :class:`MetzFreitas` are special cases from the literature;
    :class:`BatchSelfTraining` accepts any hierarchical classifier.

    The acceptance rule, the threshold and the limits are those of scikit-learn's
    ``SelfTrainingClassifier``, and the results for each node are bit-identical to those
    of that class. If all labelled rows for a node have the same class, its classifier
    would be certain about every row, so the node is treated as constant and labels no
    rows. A node is not trained on rows in which its label is unknown.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges.
    estimator : estimator, optional
        A :class:`~hilabel.classifiers.LocalClassifierPerNode` or one of its
        subclasses; or any scikit-learn classifier with ``predict_proba``, which
        becomes the local classifier of one. The default uses random forests.
    policy : str or callable, default="less_inclusive"
        Which labelled rows each node is trained on, by default all, unless
        ``estimator`` defines it; see
        :class:`~hilabel.classifiers.LocalClassifierPerNode`. Any unlabelled row may be
        added to them.
    negatives_order : {"index", "siblings_first", "authors", "random"}, \
default="random"
        For ``policy="balanced_bottom_up"``, as in
        :class:`~hilabel.classifiers.LocalClassifierPerNode`.
    criterion : {"threshold", "k_best"}, default="threshold"
        In every round, accept the labels whose probability is above ``threshold``, or
        the ``k_best`` most probable labels of each node.
    threshold : float, default=0.75
        A probability equal to the threshold is not sufficient.
    k_best : int, default=10
    max_iter : int, default=10
        Maximum number of rounds of a node.
    n_jobs : int, optional
        Number of nodes trained in parallel with joblib. The result does not depend on
        it.
    random_state : int, RandomState or None
        Seed of the classifiers, the same in all rounds, unless ``estimator`` has its
        own.
    verbose : int, default=0
        1 shows the rounds if the fit takes more than two seconds; 2 always shows them.

    Attributes
    ----------
    estimator_ : LocalClassifierPerNode
        The classifier of every node, trained on its labelled and accepted rows.
    n_iter_ : int array of shape (n_nodes,)
        Number of rounds of every node; 0 without unlabelled rows.
    termination_condition_ : object array of shape (n_nodes,)
        Why each node stopped: ``"unchanged"`` (no row was accepted in the last round),
        ``"all_labeled"`` (no row is left), ``"max_iter"``, or ``"constant"`` (a single
        class of labelled rows).
    transduction_ : int8 array of shape (n_rows, n_nodes)
        The given and accepted labels. Rows are numbered as passed to ``fit``, those of
        ``X_unlabeled`` last. Since nodes decide separately, a row may be ``UNLABELED``
        for some of them, and the labels may violate the hierarchy.
    labeled_iter_ : int array of shape (n_rows, n_nodes)
        0 for given labels, the round in which the label was accepted otherwise, -1 for
        labels that were not accepted.
    confidence_ : csr_array of shape (n_rows, n_nodes)
        The probability with which each positive label was accepted; nothing is stored
        for other labels.
    history_ : list of RoundSummary
        For each round, the number of participating nodes, of accepted labels and of
        positive labels among them; ``pandas.DataFrame(model.history_)`` creates a
        table.
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    References
    ----------
    Yarowsky, "Unsupervised word sense disambiguation rivaling supervised methods",
    ACL 1995: the loop.

    Examples
    --------
    >>> from hilabel.classifiers import HMCBR
    >>> from hilabel.datasets import make_artificial
    >>> from hilabel.semi_supervised import SelfTraining
    >>> data = make_artificial()
    >>> model = SelfTraining(data.hierarchy, estimator=HMCBR(), random_state=0)
    >>> _ = model.fit(data.X_labeled, data.Y_labeled, X_unlabeled=data.X_unlabeled)
    >>> model.estimator_.policy, model.history_[0].n_nodes
    ('siblings', 6)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        semi_supervised=True,
        transductive=True,
        separate_nodes=True,
        partial_labels=True,
        name="Self-training",
        summary="any, nodes alone",
        use="Any classifier per node with reliable probabilities.",
    )
    step_name: ClassVar[Step] = "round"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DelegatesToFitted._parameter_constraints,
        "policy": [StrOptions(set(POLICIES)), callable],
        "negatives_order": [StrOptions(set(NEGATIVES_ORDERS))],
        "criterion": [StrOptions({"threshold", "k_best"})],
        "threshold": [Interval(Real, 0, 1, closed="both")],
        "k_best": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    policy: str | Callable[..., Examples] = "less_inclusive"
    negatives_order: str = "random"
    criterion: str = "threshold"
    threshold: float = 0.75
    k_best: int = 10
    max_iter: int = 10

    def _own_base(self, local: Any) -> LocalClassifierPerNode:
        return LocalClassifierPerNode(
            estimator=local, policy=self.policy, negatives_order=self.negatives_order
        )

    def base_classifier(self) -> LocalClassifierPerNode:
        """Return the unfitted classifier whose local models will be self-trained."""
        base = super().base_classifier()
        if not isinstance(base, LocalClassifierPerNode):
            raise InvalidParameterError(
                f"The 'estimator' parameter of {type(self).__name__} must be a "
                "LocalClassifierPerNode, one of its subclasses, or a local classifier. "
                f"Got a {type(base).__name__} instead; use BatchSelfTraining."
            )
        return base

    # Training -----------------------------------------------------------------------

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "history_": list[RoundSummary],
        "n_iter_": Array("i8", ("n_nodes",), 0),
        "termination_condition_": Words("n_nodes"),
        "transduction_": Array("i1", ("n_rows", "n_nodes"), -1, 1),
        "labeled_iter_": Array("i4", ("n_rows", "n_nodes"), -1),
        "confidence_": Sparse("f4", ("n_rows", "n_nodes"), 0, 1),
    }

    def _fit(self, data: TrainingData) -> None:
        base = self.base_classifier()
        # Use one generator, as the base classifier does, so that the seeds are the
        # same.
        generator = check_random_state(base.random_state)
        examples = select_examples(
            data.Y_labeled,
            data.hierarchy,
            base.policy,
            base.negatives_order,
            generator,
            data.known,
        )
        report_one_sided(examples, data.hierarchy, base.on_empty)
        trainer = make_trainer(
            base._local_estimator(),
            data.X_labeled,
            data.X_unlabeled,
            data.hierarchy.n_nodes,
            n_jobs=base.n_jobs,
            random_state=generator,
        )
        trainer.fit(np.arange(data.hierarchy.n_nodes), examples)
        outcome = self._self_train(data, base, examples, trainer)
        if data.unlabeled_rows.size and not (outcome.labeled_iter > 0).any():
            warn_user(
                f"No label of the {data.unlabeled_rows.size} unlabelled rows was "
                "accepted; the model was trained on the labelled rows only. Lower "
                "threshold, or use criterion='k_best'."
            )
        self.estimator_ = base.adopt(trainer.models(), data)
        self._remember(data, outcome)

    def _self_train(
        self,
        data: TrainingData,
        base: LocalClassifierPerNode,
        examples: Sequence[Examples],
        trainer: NodeTrainer,
    ) -> RoundsState:
        """Self-train every node separately on all unlabelled rows."""
        shape = data.unlabeled_rows.size, data.hierarchy.n_nodes
        state = RoundsState.before(*shape)
        self._run_rounds(
            NodeLearners(trainer, examples, data.labeled_rows.size),
            nodes_with_both_classes(examples),
            np.ones(shape, dtype=bool),
            state,
        )
        return state

    def _run_rounds(
        self, learners: Learners, numbers: IntArray, pool: BoolArray, state: RoundsState
    ) -> None:
        acceptance = Acceptance(self.criterion, self.threshold, self.k_best)
        progress = Progress(self.verbose)
        run_rounds(learners, numbers, pool, acceptance, self.max_iter, state, progress)

    # Results of fit -----------------------------------------------------------------

    def _remember(self, data: TrainingData, outcome: RoundsState) -> None:
        self.n_iter_ = outcome.n_iter
        self.termination_condition_ = outcome.termination
        self.transduction_ = data.transduction
        self.transduction_[data.unlabeled_rows] = outcome.accepted
        self.labeled_iter_ = np.zeros(self.transduction_.shape, dtype=np.int32)
        if data.known is not None:
            self.labeled_iter_[self.transduction_ < 0] = -1
        self.labeled_iter_[data.unlabeled_rows] = outcome.labeled_iter
        self.confidence_ = _of_positives(data, outcome)
        self.history_ = _summaries(outcome)

    def _evidence_of(self, rows: IntArray, nodes: IntArray) -> dict[str, Any]:
        found = np.zeros(0)
        if rows.size:  # otherwise, SciPy returns a sparse array
            found = self.confidence_[rows, nodes].astype(np.float64)
        return {"probability": found}


class STML(SelfTraining):
    """Self-trained multi-label classifier: every node is self-trained independently.

    This is :class:`SelfTraining` with independent nodes: **scores and labels may
    violate the hierarchy**, because a child may score higher than its parent.
    :class:`STHC` is the same method with consistent scores. STML is one of the
    baselines in the paper on :class:`SSHMCBLI`.

    Handles trees and DAGs, with one or several paths per row that may end at any depth,
    but does not use the hierarchy. The source names the method but not its settings;
    our choice is to use the settings of :class:`SelfTraining` and to train every node
    on all labelled rows.

    Parameters
    ----------
    hierarchy : Hierarchy or None
    estimator, policy, negatives_order, criterion, threshold, k_best, max_iter, \
n_jobs, random_state, verbose
        As in :class:`SelfTraining`. The attributes are also the same.

    References
    ----------
    Serrano-Pérez and Sucar, "Semi-Supervised Hierarchical Multi-Label Classifier Based
    on Local Information", arXiv:2405.00184, 2024, which compares with it.

    Examples
    --------
    >>> from hilabel.datasets import make_artificial
    >>> from hilabel.metrics import hierarchy_violations
    >>> from hilabel.semi_supervised import STHC, STML
    >>> data = make_artificial()
    >>> rows = data.X_labeled, data.Y_labeled, data.X_unlabeled
    >>> raw = STML(data.hierarchy, random_state=0).fit(*rows)
    >>> hierarchy_violations(raw.predict_proba(data.X_test), data.hierarchy).n_cells > 0
    True
    >>> capped = STHC(data.hierarchy, random_state=0).fit(*rows)
    >>> hierarchy_violations(capped.predict_proba(data.X_test), data.hierarchy).n_cells
    0
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        semi_supervised=True,
        transductive=True,
        separate_nodes=True,
        consistent=False,
        partial_labels=True,
        name="STML",
        summary="the same, flat",
        use="For comparison: each node alone; scores may contradict the hierarchy.",
    )

    def _own_base(self, local: Any) -> LocalClassifierPerNode:
        return super()._own_base(local).set_params(constraint=None)

    def _predict_labels(self, X: Any) -> BoolArray:
        return self._predict_scores(X) >= 0.5


class STHC(SelfTraining):
    """Self-trained hierarchical classifier: :class:`STML` with consistent scores.

    Every node is self-trained separately, and no node scores higher than an ancestor:
    the scores are those of :class:`STML`, each lowered to the minimum over the node and
    its ancestors. STHC is the strongest self-training baseline in the paper on
    :class:`SSHMCBLI`, derived from strategy A of :class:`MetzFreitas`.

    Handles trees and DAGs, with one or several paths per row that may end at any depth.
    See :class:`STML` for our choices where the source gives no details.

    Parameters
    ----------
    hierarchy : Hierarchy or None
    estimator, policy, negatives_order, criterion, threshold, k_best, max_iter, \
n_jobs, random_state, verbose
        As in :class:`SelfTraining`. The attributes are also the same.

    References
    ----------
    Serrano-Pérez and Sucar, "Semi-Supervised Hierarchical Multi-Label Classifier Based
    on Local Information", arXiv:2405.00184, 2024, which compares with it.

    Examples
    --------
    >>> from hilabel.datasets import make_artificial
    >>> from hilabel.semi_supervised import STHC
    >>> data = make_artificial()
    >>> model = STHC(data.hierarchy, random_state=0)
    >>> model.fit(data.X_labeled, data.Y_labeled, X_unlabeled=data.X_unlabeled)
    STHC(hierarchy=Hierarchy(6 nodes, 4 edges, 3 roots, depth 2, DAG),
         random_state=0)
    >>> model.history_[0].n_nodes, model.history_[0].iteration
    (6, 1)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        semi_supervised=True,
        transductive=True,
        separate_nodes=True,
        partial_labels=True,
        name="STHC",
        caps=STML,
        summary="self-trained nodes",
        use="Local models with reliable probabilities, for any hierarchy.",
    )


def nodes_with_both_classes(examples: Sequence[Examples]) -> IntArray:
    """Return the nodes with both positive and negative rows; others are constant."""
    return np.flatnonzero([pos.size > 0 and neg.size > 0 for pos, neg in examples])


def _of_positives(data: TrainingData, outcome: RoundsState) -> sp.csr_array:
    """Return the confidence in the accepted positive labels of all rows."""
    rows, nodes = np.nonzero(outcome.accepted == 1)
    where = data.unlabeled_rows[rows], nodes
    shape = data.n_rows, data.hierarchy.n_nodes
    return sp.csr_array((outcome.confidence[rows, nodes], where), shape=shape)


def _summaries(outcome: RoundsState) -> list[RoundSummary]:
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
