"""STML and STHC: every node self-trained by itself, without and with the hierarchy."""

from typing import Any, ClassVar

from hilabel._typing import BoolArray
from hilabel.classifiers import LocalClassifierPerNode, MethodTags
from hilabel.semi_supervised._self_trained import BaseSelfTrainedClassifier

__all__ = ["STHC", "STML"]


class STML(BaseSelfTrainedClassifier):
    """Self-trained multi-label classifier: one binary self-training per node.

    Every node has a binary classifier that is trained on the labelled rows, labels the
    unlabelled rows it is sure of, and is trained again with these, until it is sure of
    no other. Nodes do not know of each other: **scores and labels may violate the
    hierarchy**, a child scoring above its parent. :class:`STHC` is the same with the
    hierarchy restored. It is one of the baselines of the paper on :class:`SSHMCBLI`.

    Handles trees and DAGs, one or several paths, full and partial depth, none of which
    it makes use of.

    The source names the method but none of its settings. Ours are: the rule, the
    threshold and the limits of scikit-learn's ``SelfTrainingClassifier``, to which
    every node is equal bit by bit; all labelled rows as examples of every node; nodes
    with one class of labelled rows, which would be sure of everything, are constants
    and label nothing.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges.
    estimator : classifier, optional
        Any scikit-learn classifier with ``predict_proba``. The default is a
        :class:`~hilabel.forests.ForestClassifier`, a random forest of 100 trees; the
        forests of all nodes are then grown in one call per round.
    policy : str or callable, default="less_inclusive"
        Which labelled rows are examples for a node, by default all; see
        :class:`~hilabel.classifiers.LocalClassifierPerNode`. Every unlabelled row can
        join them.
    criterion : {"threshold", "k_best"}, default="threshold"
        In every round accept the labels whose probability is above ``threshold``, or
        the ``k_best`` most probable of each node.
    threshold : float, default=0.75
        A probability equal to it is not enough.
    k_best : int, default=10
    max_iter : int, default=10
        Rounds of a node at most.
    n_jobs : int, optional
        Nodes trained at a time, through joblib. The result does not depend on it.
    random_state : int, RandomState or None
        Seeds each node's classifier, the same in all rounds, unless ``estimator`` has
        a seed of its own.
    verbose : int, default=0
        1 reports the rounds of a fit that takes more than two seconds, 2 of any.

    Attributes
    ----------
    estimator_ : LocalClassifierPerNode
        Every node's classifier trained on its labelled and accepted rows.
    n_iter_ : int array of shape (n_nodes,)
        Rounds of every node; 0 without unlabelled rows.
    termination_condition_ : object array of shape (n_nodes,)
        Why each node stopped: ``"unchanged"`` (it accepted none in its last round),
        ``"all_labeled"`` (no row is left), ``"max_iter"``, or ``"constant"`` (one class
        of labelled rows).
    transduction_ : int8 array of shape (n_rows, n_nodes)
        The labels given and accepted. Rows are those given to ``fit``, those of
        ``X_unlabeled`` last. Since nodes decide alone, a row may be ``UNLABELED`` for
        some of them, and the labels may violate the hierarchy.
    labeled_iter_ : int array of shape (n_rows, n_nodes)
        0 for given labels, else the round in which the label was accepted, -1 for
        those left out.
    history_ : list of RoundSummary
        For each round the nodes that took part and the labels, and positive labels,
        accepted; ``pandas.DataFrame(model.history_)`` makes a table.
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    References
    ----------
    Serrano-Pérez and Sucar, "Semi-Supervised Hierarchical Multi-Label Classifier Based
    on Local Information", which compares with it.

    Yarowsky, "Unsupervised word sense disambiguation rivaling supervised methods",
    1995: the loop.

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
        consistent=False,
        name="STML",
        summary="the same, flat",
        use="To compare with: each node alone, scores may contradict the hierarchy.",
    )

    def _base_classifier(self) -> LocalClassifierPerNode:
        return _local_classifiers(self, constraint=None)

    def _predict_labels(self, X: Any) -> BoolArray:
        return self._predict_scores(X) >= 0.5


class STHC(BaseSelfTrainedClassifier):
    """Self-trained hierarchical classifier: :class:`STML` made consistent.

    Every node self-trains by itself, and no score is let above an ancestor's: the
    scores are those of :class:`STML`, each lowered to the least among the node and its
    ancestors. It is the strongest self-training baseline of the paper on
    :class:`SSHMCBLI`, made from the strategy A of :class:`MetzFreitas` by the same
    means.

    Handles trees and DAGs, one or several paths, full and partial depth. What is ours
    where the source is silent is said in :class:`STML`.

    Parameters
    ----------
    hierarchy : Hierarchy or None
    estimator, policy, criterion, threshold, k_best, max_iter, n_jobs, random_state, \
verbose
        As in :class:`STML`.

    Attributes
    ----------
    estimator_, n_iter_, termination_condition_, transduction_, labeled_iter_, \
history_, hierarchy_, classes_, n_features_in_, feature_names_in_
        As in :class:`STML`.

    References
    ----------
    Serrano-Pérez and Sucar, "Semi-Supervised Hierarchical Multi-Label Classifier Based
    on Local Information", which compares with it.

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
        name="STHC",
        caps=STML,
        summary="self-trained nodes",
        use="Local models whose certainty can be trusted, for any hierarchy.",
    )

    def _base_classifier(self) -> LocalClassifierPerNode:
        return _local_classifiers(self, constraint="min")


def _local_classifiers(
    method: BaseSelfTrainedClassifier, constraint: str | None
) -> LocalClassifierPerNode:
    return LocalClassifierPerNode(
        method.hierarchy,
        estimator=method.estimator,
        policy=method.policy,
        constraint=constraint,
        n_jobs=method.n_jobs,
        random_state=method.random_state,
    )
