"""HMC-LP: combine the labels of a row at each level into one class."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hilabel._typing import BoolArray, FloatArray
from hilabel.classifiers._combined_tree import (
    STOP,
    CombinedNode,
    combine_paths,
    is_tree,
)
from hilabel.classifiers._local_estimator import BaseLocalClassifier
from hilabel.classifiers._problem import require_tree, warn_of_absent_labels
from hilabel.classifiers._tags import MethodTags
from hilabel.classifiers._training_data import TrainingData
from hilabel.constraints import cap_by_parents
from hilabel.local_models import MulticlassModel, fit_multiclass_models


@dataclass(eq=False, repr=False, kw_only=True)
class HMCLP(BaseLocalClassifier):
    """Hierarchical multi-label classification with label powersets (HMC-LP).

    All labels of a row at the same level are combined into one class. These classes
    form a new tree: the children of a class are the classes at the next level that
    occur together with it. Each class in this tree has a multiclass classifier that
    chooses among its children. Classes are chosen from the root down and converted back
    to labels. Only combinations that occur in the training rows are predicted.

    Handles trees in which each row may have any number of paths, each ending at any
    depth. The paper does not specify how to handle label paths of different lengths.
    Here, a path that has ended adds no labels at deeper levels. A row without labels at
    the next level gets the empty combination, at which prediction stops (our choice).
    ``predict`` follows the most probable class at each step. ``predict_proba`` returns
    the probability of each label in the whole tree: the sum of the probabilities of all
    combinations that contain it (our choice). Unlabelled rows are ignored.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges: a plain label powerset.
    estimator : classifier, optional
        Any scikit-learn classifier with ``predict_proba``; by default hilabel's random
        forest, :class:`~hilabel.forests.ForestClassifier`.
    allow_dag : bool, default=False
        Whether to accept hierarchies that are not trees; the level of a node is then
        its longest path from a root (our choice).
    n_jobs : int, optional
        Number of classifiers trained in parallel with joblib. The result does not
        depend on it.
    random_state : int, RandomState or None
        Seed of the classifiers, unless ``estimator`` has its own.

    Attributes
    ----------
    combined_tree_ : tuple of CombinedNode
        The tree of combined classes, its root first.
    estimators_ : tuple of MulticlassModel
        The classifier, or constant, of each combined class.
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    See Also
    --------
    HMCBR, HMCRAkEL

    References
    ----------
    Cerri and Carvalho, "Comparing local and global hierarchical multilabel
    classification methods using decision trees", 2009.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.classifiers import HMCLP
    >>> h = Hierarchy.from_dict({"a": ["c", "d"], "b": []})
    >>> X = [[0.0], [0.1], [1.0], [1.1], [9.0], [9.1]]
    >>> Y = [{"c", "d"}, {"c", "d"}, {"a"}, {"a"}, {"b"}, {"b"}]
    >>> model = HMCLP(h, random_state=0).fit(X, Y)
    >>> model.predict([[0.05], [1.05]])  # a, c, d, b; the second row stops at a
    array([[1, 1, 1, 0],
           [1, 0, 0, 0]], dtype=int8)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        structure="T",
        name="HMC-LP",
        summary="label combinations",
        use="Few combinations of labels with many rows each; only these are predicted.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BaseLocalClassifier._parameter_constraints,
        "allow_dag": ["boolean"],
    }

    allow_dag: bool = False

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "combined_tree_": tuple[CombinedNode, ...],
        "estimators_": tuple[MulticlassModel, ...],
    }

    def _fit(self, data: TrainingData) -> None:
        if not self.allow_dag:
            instead = "HMCBR, or allow_dag=True to define levels by longest paths"
            require_tree(type(self).__name__, data.hierarchy, instead)
        warn_of_absent_labels(data)
        self.combined_tree_ = combine_paths(data.Y_labeled, data.hierarchy)
        self.estimators_ = fit_multiclass_models(
            self._local_estimator(),
            data.X_labeled,
            [node.examples for node in self.combined_tree_],
            n_jobs=self.n_jobs,
            random_state=self.random_state,
        )

    def is_sound(self) -> bool:
        """Return whether the combinations form a tree and each has a matching model."""
        tree, models = self.combined_tree_, self.estimators_
        return (
            super().is_sound()
            and len(tree) == len(models)
            and is_tree(tree, self.hierarchy_.n_nodes)
            and all(
                model.n_classes == node.children.size
                and model.takes(self.n_features_in_)
                for node, model in zip(tree, models)
            )
        )

    def _predict_scores(self, X: Any) -> FloatArray:
        scores = np.zeros((X.shape[0], self.hierarchy_.n_nodes))
        # The probability of reaching a combination, for those still to be visited.
        reach = {0: np.ones(X.shape[0])}
        for number, node in enumerate(self.combined_tree_):
            here = reach.pop(number)
            scores[:, node.labels] += here[:, None]
            rows = np.flatnonzero(here)
            if node.is_leaf:
                continue
            onward = self.estimators_[number].predict_proba(X[rows])
            for code in np.flatnonzero(node.children != STOP):
                chance = np.zeros(X.shape[0])
                chance[rows] = here[rows] * onward[:, code]
                reach[int(node.children[code])] = chance
        # Consistent except for rounding: a row with a label has its parents.
        return cap_by_parents(np.minimum(scores, 1.0), self.hierarchy_)

    def _predict_labels(self, X: Any) -> BoolArray:
        labels = np.zeros((X.shape[0], self.hierarchy_.n_nodes), dtype=bool)
        current = np.zeros(X.shape[0], dtype=np.int64)
        for number, node in enumerate(self.combined_tree_):
            here = np.flatnonzero(current == number)
            labels[np.ix_(here, node.labels)] = True
            if here.size and not node.is_leaf:
                onward = self.estimators_[number].predict_proba(X[here])
                current[here] = node.children[onward.argmax(axis=1)]
        return labels
