"""One classifier per inner node, which chooses among its children."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hilabel._typing import BoolArray, FloatArray
from hilabel.classifiers._joint_choice import BaseGroupedClassifier
from hilabel.classifiers._node_groups import ABOVE_ROOTS, groups_by_parent
from hilabel.classifiers._tags import MethodTags
from hilabel.classifiers._training_data import TrainingData


@dataclass(eq=False, repr=False, kw_only=True)
class LocalClassifierPerParentNode(BaseGroupedClassifier):
    """One classifier per inner node, which chooses among its children (LCPN).

    An additional model chooses among the roots. Handles every problem type:

    - One path of labels per row: the models are multiclass. If the paths of some rows
      end at the parent, "stop" is one of the classes (our choice). ``predict`` follows
      the most probable class from the roots down.
    - Several paths per row: every child has a binary model, trained on the rows that
      have its parent. ``predict`` descends to every child whose probability, given its
      parent, is at least 0.5 (our choice).
    - A node with several parents must be reached through all of them (our choice).

    ``predict_proba`` returns the product along the path: the probability of the parent
    times that of the node given its parent. For a node with several parents, the
    smallest product is used (our choice). A model trained on a single class is
    constant. Unlabelled rows are ignored.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges: one model that chooses among all nodes.
    estimator : classifier, optional
        Any scikit-learn classifier with ``predict_proba``. The default is hilabel's
        random forests; those for several paths are grown in one call.
    stop : bool, default=True
        Whether to learn from rows with a parent but none of its children. If False,
        multiclass models always choose a child, so that every prediction reaches a
        leaf.
    n_jobs : int, optional
        Number of models trained in parallel with joblib. The result does not depend on
        it.
    random_state : int, RandomState or None
        Seed of the models, unless ``estimator`` has its own.

    Attributes
    ----------
    groups_ : tuple of NodeGroup
        The children of each parent and the training rows of its model; the roots come
        first, with parent -1.
    multiclass_ : bool
        Whether every row has one path, so that the models are multiclass.
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    References
    ----------
    Silla and Freitas, "A survey of hierarchical classification across different
    application domains", Data Mining and Knowledge Discovery 22, 2011.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.classifiers import LocalClassifierPerParentNode
    >>> h = Hierarchy.from_dict({"a": ["c", "d"], "b": []})
    >>> X = [[0.0], [0.1], [1.0], [1.1], [9.0], [9.1]]
    >>> Y = [{"c"}, {"c"}, {"a"}, {"a"}, {"b"}, {"b"}]
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")  # no row has d
    ...     model = LocalClassifierPerParentNode(h, random_state=0).fit(X, Y)
    >>> model.predict([[0.05], [1.05]])  # a, c, d, b; the second row stops at a
    array([[1, 1, 0, 0],
           [1, 0, 0, 0]], dtype=int8)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        name="LCPN",
        summary="one per inner node",
        use="Competing children, so that one model should choose among them.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseGroupedClassifier._parameter_constraints,
        "stop": ["boolean"],
    }

    stop: bool = True

    def _fit(self, data: TrainingData) -> None:
        groups = groups_by_parent(data.Y_labeled, data.hierarchy, with_stops=self.stop)
        self._fit_groups(data, data.Y_labeled, groups)

    def _predict_scores(self, X: Any) -> FloatArray:
        scores = np.ones((X.shape[0], self.hierarchy_.n_nodes))
        for group, choice in self._choices(X):  # parents first
            through = choice.scores
            if group.parent != ABOVE_ROOTS:
                through = through * scores[:, [group.parent]]
            scores[:, group.nodes] = np.minimum(scores[:, group.nodes], through)
        return scores

    def _predict_labels(self, X: Any) -> BoolArray:
        labels = np.ones((X.shape[0], self.hierarchy_.n_nodes), dtype=bool)
        for group, choice in self._choices(X):  # parents first
            through = choice.chosen
            if group.parent != ABOVE_ROOTS:
                through = through & labels[:, [group.parent]]
            labels[:, group.nodes] &= through
        return labels
