"""Self-training of a top-down classifier, with the strategies of Metz and Freitas."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from hilabel._compat import StrOptions
from hilabel.classifiers import (
    LocalClassifierPerNode,
    MethodTags,
    TopDownClassifier,
    TrainingData,
    require_paths_to_leaves,
)
from hilabel.local_models import Examples, NodeTrainer
from hilabel.semi_supervised._node_learners import NodeLearners, PathLearner, paths_to
from hilabel.semi_supervised._rounds import RoundsState
from hilabel.semi_supervised._self_training import SelfTraining, nodes_with_both_classes


@dataclass(eq=False, repr=False, kw_only=True)
class MetzFreitas(SelfTraining):
    """Self-training for trees, with top-down prediction.

    Handles trees in which every row has one path of labels that reaches a leaf; for
    other problems, use :class:`STHC`. Every node has a decision tree that distinguishes
    it from its siblings; ``predict`` starts at the most probable root and continues
    with the most probable child down to a leaf. There are three strategies for
    labelling unlabelled rows:

    - ``"A"``: every node is self-trained separately, on all unlabelled rows.
    - ``"B"``, cascade: nodes are self-trained from the roots down; the children of a
      node label only the rows that the self-trained node predicts as positive.
    - ``"C"``, global: the whole classifier assigns a path to each row. Its confidence
      in a path is the lowest probability of any node on the path, and accepted rows are
      added to the training rows of all nodes according to the policy.

    The source is known to use top-down prediction, decision trees, local self-training
    and three strategies; strategy A is as described above. **The details of B and C are
    not known and are our choice.** The threshold and the limits, which are those of
    scikit-learn, and the minimum leaf size are also our choices. Without a minimum leaf
    size, fully grown trees would predict only probabilities of 0 and 1, and accept
    every row in the first round.

    Parameters
    ----------
    hierarchy : Hierarchy or None
    strategy : {"A", "B", "C"}, default="A"
    estimator : classifier, optional
        Any scikit-learn classifier with ``predict_proba``. The default is
        ``DecisionTreeClassifier(min_samples_leaf=5)``.
    policy : str or callable, default="siblings"
        Which labelled rows each node is trained on.
    negatives_order, criterion, threshold, k_best, max_iter, n_jobs, random_state, \
verbose
        As in :class:`SelfTraining`. With strategy C, rounds and ``k_best`` apply to all
        nodes together.

    Attributes
    ----------
    estimator_ : TopDownClassifier
        The classifier of every node, trained on its labelled and accepted rows.
    n_iter_, termination_condition_, transduction_, labeled_iter_, confidence_, \
history_, hierarchy_, classes_, n_features_in_, feature_names_in_
        As in :class:`SelfTraining`. With strategy C, they are the same for all nodes,
        and ``transduction_`` contains whole paths.

    References
    ----------
    Metz and Freitas, "Extending hierarchical classification with semi-supervised
    learning", UKCI 2009.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.semi_supervised import MetzFreitas
    >>> h = Hierarchy.from_edges([("a", "c"), ("a", "d")], nodes=["a", "b", "c", "d"])
    >>> X = [[i / 10] for i in range(10)] + [[5 + i / 10] for i in range(10)]
    >>> X += [[9 + i / 10] for i in range(10)]
    >>> Y = [{"c"}] * 10 + [{"d"}] * 10 + [{"b"}] * 10
    >>> model = MetzFreitas(h, strategy="C", random_state=0)
    >>> model.fit(X, Y, X_unlabeled=[[0.55], [5.55]]).transduction_[30:]
    array([[1, 0, 1, 0],
           [1, 0, 0, 1]], dtype=int8)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        structure="T",
        paths="SPL",
        depth="FD",
        semi_supervised=True,
        transductive=True,
        separate_nodes=True,
        name="Metz and Freitas, self-training A, B, C",
        summary="self-trained, 1 path",
        use="One path to a leaf per row, and local models with reliable probabilities.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SelfTraining._parameter_constraints,
        "strategy": [StrOptions({"A", "B", "C"})],
    }

    strategy: str = "A"
    policy: str | Callable[..., Examples] = "siblings"

    def _fit(self, data: TrainingData) -> None:
        require_paths_to_leaves(type(self).__name__, data, "STHC")
        super()._fit(data)

    def _own_base(self, local: Any) -> LocalClassifierPerNode:
        if local is None:
            local = DecisionTreeClassifier(min_samples_leaf=5)
        return TopDownClassifier(
            estimator=local, policy=self.policy, negatives_order=self.negatives_order
        )

    def _self_train(
        self,
        data: TrainingData,
        base: LocalClassifierPerNode,
        examples: Sequence[Examples],
        trainer: NodeTrainer,
    ) -> RoundsState:
        strategies = {
            "A": super()._self_train,
            "B": self._cascade,
            "C": self._global,
        }
        return strategies[self.strategy](data, base, examples, trainer)

    def _cascade(
        self,
        data: TrainingData,
        base: LocalClassifierPerNode,
        examples: Sequence[Examples],
        trainer: NodeTrainer,
    ) -> RoundsState:
        """Self-train level by level, on rows predicted as positive for the parent."""
        hierarchy = data.hierarchy
        shape = data.unlabeled_rows.size, hierarchy.n_nodes
        state = RoundsState.before(*shape)
        learners = NodeLearners(trainer, examples, data.labeled_rows.size)
        trainable = nodes_with_both_classes(examples)
        pool = np.ones(shape, dtype=bool)
        for depth in range(1, hierarchy.max_depth + 1):
            level = np.flatnonzero(hierarchy.depth == depth)
            self._run_rounds(learners, np.intersect1d(level, trainable), pool, state)
            rows = [np.flatnonzero(pool[:, node]) for node in level]
            for node, own, guess in zip(level, rows, learners.guess(level, rows)):
                positive = np.zeros(shape[0], dtype=bool)
                positive[own[guess.label == 1]] = True
                pool[:, hierarchy.children(int(node))] = positive[:, None]
        return state

    def _global(
        self,
        data: TrainingData,
        base: LocalClassifierPerNode,
        examples: Sequence[Examples],
        trainer: NodeTrainer,
    ) -> RoundsState:
        """Self-train the top-down classifier as one classifier that predicts leaves."""
        hierarchy = data.hierarchy
        learner = PathLearner(trainer, data.Y_labeled, hierarchy, base.policy, examples)
        n_unlabeled, n_nodes = data.unlabeled_rows.size, hierarchy.n_nodes
        leaves = RoundsState.before(n_unlabeled, 1, np.int32)
        everyone = np.ones((n_unlabeled, 1), dtype=bool)
        self._run_rounds(learner, np.array([0]), everyone, leaves)
        state = RoundsState.before(n_unlabeled, n_nodes)
        known = leaves.accepted[:, 0] >= 0
        state.accepted[known] = paths_to(leaves.accepted[known, 0], hierarchy)
        state.labeled_iter[:] = leaves.labeled_iter
        state.confidence[:] = leaves.confidence
        state.n_iter[:] = leaves.n_iter
        state.termination[:] = leaves.termination
        return state
