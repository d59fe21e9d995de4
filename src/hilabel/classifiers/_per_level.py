"""One classifier per level, which chooses among the nodes at that level."""

from typing import Any, ClassVar

import numpy as np

from hilabel._typing import BoolArray, FloatArray
from hilabel._warning import warn_user
from hilabel.classifiers._joint_choice import BaseGroupedClassifier
from hilabel.classifiers._node_groups import groups_by_level
from hilabel.classifiers._tags import MethodTags
from hilabel.classifiers._training_data import TrainingData
from hilabel.constraints import cap_by_parents, labels_from_scores


class LocalClassifierPerLevel(BaseGroupedClassifier):
    """A classifier for every level of the hierarchy (LCL).

    Handles every problem type. The model for a level is trained on the rows with a
    label at that level. If any row has a path that ends above a leaf, the models are
    instead trained on all rows, with "none" as an additional class. If every row has at
    most one label at each level, the models are multiclass; otherwise, every node has a
    one-vs-rest model. The models for different levels are independent and may
    contradict each other. Therefore, ``predict_proba`` caps the probability of each
    node at the lowest probability of its ancestors (our choice), and ``predict`` keeps
    a chosen node only if all of its ancestors are chosen too (our choice). Unlabelled
    rows are ignored.

    In a DAG, the depth of a node is the length of its longest path from a root, so a
    node may be many levels below one of its parents; ``fit`` warns if the hierarchy is
    not a tree.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges: a single level.
    estimator : classifier, optional
        Any scikit-learn classifier with ``predict_proba``. The default is hilabel's
        random forests; those for several labels per level are grown in one call.
    n_jobs : int, optional
        Number of models trained in parallel with joblib. The result does not depend on
        it.
    random_state : int, RandomState or None
        Seed of the models, unless ``estimator`` has its own.

    Attributes
    ----------
    groups_ : tuple of NodeGroup
        The nodes of each level, roots first, and their training rows.
    multiclass_ : bool
        Whether no row has two labels of one level, so that the models are multiclass.
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    References
    ----------
    Silla and Freitas, "A survey of hierarchical classification across different
    application domains", Data Mining and Knowledge Discovery 22, 2011.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.classifiers import LocalClassifierPerLevel
    >>> h = Hierarchy.from_dict({"a": ["c", "d"], "b": ["e"]})
    >>> X = [[0.0], [0.1], [1.0], [1.1], [9.0], [9.1]]
    >>> Y = [{"c"}, {"c"}, {"d"}, {"d"}, {"e"}, {"e"}]
    >>> model = LocalClassifierPerLevel(h, random_state=0).fit(X, Y)
    >>> model.predict([[0.05], [9.05]])  # columns a, c, d, b, e
    array([[1, 1, 0, 0, 0],
           [0, 0, 0, 1, 1]], dtype=int8)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        name="LCL",
        summary="one per level",
        use="Few levels with mutually exclusive classes.",
    )

    def _fit(self, data: TrainingData) -> None:
        hierarchy = data.hierarchy
        if not hierarchy.is_tree:
            warn_user(
                "The hierarchy is not a tree: the level of a node is that of its "
                "longest path from a root."
            )
        ends_early = hierarchy.problem_type(data.Y_labeled).depth == "PD"
        groups = groups_by_level(data.Y_labeled, hierarchy, with_none=ends_early)
        self._fit_groups(data, data.Y_labeled, groups)

    def _predict_scores(self, X: Any) -> FloatArray:
        scores = np.empty((X.shape[0], self.hierarchy_.n_nodes))
        for group, choice in self._choices(X):
            scores[:, group.nodes] = choice.scores
        return cap_by_parents(scores, self.hierarchy_)

    def _predict_labels(self, X: Any) -> BoolArray:
        chosen = np.empty((X.shape[0], self.hierarchy_.n_nodes))
        for group, choice in self._choices(X):
            chosen[:, group.nodes] = choice.chosen
        return labels_from_scores(chosen, self.hierarchy_, on_conflict="drop")
