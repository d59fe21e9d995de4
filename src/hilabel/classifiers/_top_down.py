"""Local classifiers evaluated from the roots down, with one path per row."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hilabel._typing import BoolArray
from hilabel.classifiers._per_node import LocalClassifierPerNode
from hilabel.classifiers._problem import (
    require_full_depth,
    require_single_paths,
    require_tree,
)
from hilabel.classifiers._tags import MethodTags
from hilabel.classifiers._training_data import TrainingData
from hilabel.hierarchy import Hierarchy
from hilabel.local_models import Examples


@dataclass(eq=False, repr=False, kw_only=True)
class TopDownClassifier(LocalClassifierPerNode):
    """One binary classifier per node, evaluated from the roots down to a leaf.

    Handles trees in which every row has a single path that reaches a leaf. ``predict``
    starts at the most probable root, continues with its most probable child, and stops
    at a leaf; ties go to the node with the lower number. ``predict_proba`` is the same
    as in :class:`LocalClassifierPerNode`.

    Parameters
    ----------
    hierarchy : Hierarchy or None
    estimator, policy, negatives_order, constraint, calibration, on_empty, n_jobs, \
random_state
        As in :class:`LocalClassifierPerNode`, but the default ``policy`` is
        ``"siblings"``: a node is only compared with its siblings.
    check_paths : bool, default=True
        Whether to raise an error for rows with several paths, or with a path that ends
        above a leaf. If False, such rows are used for training, but predictions are
        still one path to a leaf.

    Attributes
    ----------
    hierarchy_, estimators_, prior_, positive_share_, classes_, n_features_in_
        As in :class:`LocalClassifierPerNode`.

    References
    ----------
    Silla and Freitas, "A survey of hierarchical classification across different
    application domains", Data Mining and Knowledge Discovery 22, 2011.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.classifiers import TopDownClassifier
    >>> h = Hierarchy.from_edges([("a", "b"), ("a", "c")])
    >>> X = [[0.0], [0.1], [0.9], [1.0]]
    >>> Y = [{"b"}, {"b"}, {"c"}, {"c"}]
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")  # the only root has no negatives
    ...     model = TopDownClassifier(h, random_state=0).fit(X, Y)
    >>> model.predict([[0.05]])
    array([[1, 1, 0]], dtype=int8)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        structure="T",
        paths="SPL",
        depth="FD",
        name="Top-down LCN",
        summary="from roots to a leaf",
        use="One path to a leaf per row, also in predictions.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LocalClassifierPerNode._parameter_constraints,
        "check_paths": ["boolean"],
    }

    policy: str | Callable[..., Examples] = "siblings"
    check_paths: bool = True

    def _fit(self, data: TrainingData) -> None:
        name, instead = type(self).__name__, "LocalClassifierPerNode"
        require_tree(name, data.hierarchy, instead)
        if self.check_paths:
            require_single_paths(name, data, instead)
            require_full_depth(name, data, instead)
        super()._fit(data)

    def _predict_labels(self, X: Any) -> BoolArray:
        return walk_down(self._local_scores(X), self.hierarchy_)


def walk_down(scores: Any, hierarchy: Hierarchy) -> BoolArray:
    """Follow the highest score from the roots to a leaf for every row.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel.classifiers import walk_down
    >>> h = Hierarchy.from_edges([("a", "b"), ("a", "c")], nodes=["a", "b", "c", "d"])
    >>> walk_down(np.array([[0.6, 0.1, 0.2, 0.5]]), h)  # to a, then c
    array([[ True, False,  True, False]])
    """
    labels = np.zeros(scores.shape, dtype=bool)
    rows = np.arange(scores.shape[0])
    current = hierarchy.roots[scores[:, hierarchy.roots].argmax(axis=1)]
    labels[rows, current] = True
    for node in hierarchy.order:  # parents first, so each row moves once per level
        children = hierarchy.children(node)
        here = np.flatnonzero(current == node)
        if here.size and children.size:
            current[here] = children[scores[np.ix_(here, children)].argmax(axis=1)]
            labels[here, current[here]] = True
    return labels
