"""Learn the leaves as flat classes and derive their ancestors."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hilabel._compat import StrOptions
from hilabel._typing import BoolArray, FloatArray
from hilabel.classifiers._joint_choice import BaseGroupedClassifier
from hilabel.classifiers._node_groups import NodeGroup
from hilabel.classifiers._problem import require_full_depth
from hilabel.classifiers._tags import MethodTags
from hilabel.classifiers._training_data import TrainingData
from hilabel.constraints import raise_to_children


@dataclass(eq=False, repr=False, kw_only=True)
class FlatClassifier(BaseGroupedClassifier):
    """Learn the leaves without using the hierarchy, then add their ancestors.

    This baseline shows the benefit of using the hierarchy. If no row has more than one
    leaf, a single multiclass model chooses among the leaves; otherwise, every leaf has
    its own binary model, trained on all rows. In ``predict_proba``, an inner node gets
    the largest probability among the leaves below it. ``predict`` returns the most
    probable leaf or, with binary models, all leaves with a probability of at least 0.5,
    and always at least one (our choice). The ancestors of these leaves are added.

    Handles trees and DAGs in which each row has one or several paths that all reach a
    leaf; with ``targets="most_specific"``, paths may also end early. Unlabelled rows
    are ignored.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges, so every node is a leaf.
    estimator : classifier, optional
        Any scikit-learn classifier with ``predict_proba``. The default is random
        forests: scikit-learn's if one leaf is chosen, and hilabel's, grown in one call,
        for several leaves.
    targets : {"leaves", "most_specific"}, default="leaves"
        ``"most_specific"`` uses the nodes at which rows end as classes, including inner
        nodes. A prediction may then end early or have no label.
    n_jobs : int, optional
        Number of models trained in parallel with joblib. The result does not depend on
        it.
    random_state : int, RandomState or None
        Seed of the models, unless ``estimator`` has its own.

    Attributes
    ----------
    groups_ : tuple of NodeGroup
        One group with the nodes that are learned.
    multiclass_ : bool
        Whether no row has two of them, so that one multiclass model learns them.
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    References
    ----------
    Silla and Freitas, "A survey of hierarchical classification across different
    application domains", Data Mining and Knowledge Discovery 22, 2011.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.classifiers import FlatClassifier
    >>> h = Hierarchy.from_dict({"a": ["c", "d"], "b": []})
    >>> X = [[0.0], [0.1], [1.0], [1.1], [9.0], [9.1]]
    >>> Y = [{"c"}, {"c"}, {"d"}, {"d"}, {"b"}, {"b"}]
    >>> model = FlatClassifier(h, random_state=0).fit(X, Y)
    >>> model.predict([[0.05], [9.05]])  # columns a, c, d, b
    array([[1, 1, 0, 0],
           [0, 0, 0, 1]], dtype=int8)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        depth="FD",
        name="Flat",
        summary="leaves only",
        use="As a baseline: what is lost without learning from the hierarchy.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseGroupedClassifier._parameter_constraints,
        "targets": [StrOptions({"leaves", "most_specific"})],
    }

    targets: str = "leaves"

    def _fit(self, data: TrainingData) -> None:
        ends = data.hierarchy.most_specific(data.Y_labeled)
        if self.targets == "leaves":
            instead = "targets='most_specific' or LocalClassifierPerNode"
            require_full_depth(type(self).__name__, data, instead)
            nodes = data.hierarchy.leaves
        else:
            nodes = np.arange(data.hierarchy.n_nodes)
        rows = np.arange(data.Y_labeled.shape[0])
        self._fit_groups(data, ends, [NodeGroup(nodes, rows)])

    def _are_decided(self, nodes: list[int]) -> bool:
        is_known = len(nodes) > 0 and max(nodes) < self.hierarchy_.n_nodes
        return is_known and len(self.groups_) == 1

    def _predict_scores(self, X: Any) -> FloatArray:
        scores = np.zeros((X.shape[0], self.hierarchy_.n_nodes))
        ((group, choice),) = self._choices(X)
        scores[:, group.nodes] = choice.scores
        return raise_to_children(scores, self.hierarchy_)

    def _predict_labels(self, X: Any) -> BoolArray:
        labels = np.zeros((X.shape[0], self.hierarchy_.n_nodes), dtype=bool)
        ((group, choice),) = self._choices(X)
        labels[:, group.nodes] = choice.chosen
        if self.targets == "leaves":
            without = np.flatnonzero(~choice.chosen.any(axis=1))
            best = group.nodes[choice.scores[without].argmax(axis=1)]
            labels[without, best] = True
        return self.hierarchy_.close(labels)
