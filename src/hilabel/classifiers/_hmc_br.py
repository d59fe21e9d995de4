"""HMC-BR: binary relevance at every node, evaluated from the roots down."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from hilabel.classifiers._per_node import LocalClassifierPerNode
from hilabel.classifiers._tags import MethodTags
from hilabel.local_models import Examples


@dataclass(eq=False, repr=False, kw_only=True)
class HMCBR(LocalClassifierPerNode):
    """Hierarchical multi-label classification with binary relevance (HMC-BR).

    Every node has a binary classifier that distinguishes it from its siblings.
    ``predict`` descends from the roots to every node whose own probability is at least
    0.5, and ends a path where no child qualifies. As a result, a row may get several
    paths, paths that end early, or no labels.

    Handles every problem type. In a DAG, a node is reached only if all of its parents
    are reached (our choice; the source covers only trees). ``predict_proba`` caps the
    probability of each node at the lowest probability of its ancestors (our choice), so
    ``predict`` returns the nodes with a probability of at least 0.5. Unlabelled rows
    are ignored.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges: plain binary relevance.
    estimator : classifier, optional
        Any scikit-learn classifier with ``predict_proba``. By default, the random
        forests of all nodes are grown in one call.
    policy : str or callable, default="siblings"
        Which rows each node is trained on, as in :class:`LocalClassifierPerNode`. With
        the siblings policy, rows that end at the parent are not used for its children,
        and a node without siblings is always predicted when its parent is.
    on_empty, n_jobs, random_state
        As in :class:`LocalClassifierPerNode`.

    Attributes
    ----------
    hierarchy_, forests_, estimators_, prior_, positive_share_, classes_, \
n_features_in_, feature_names_in_
        As in :class:`LocalClassifierPerNode`.

    See Also
    --------
    HMCLP, HMCRAkEL

    References
    ----------
    Cerri and Carvalho, "Comparing local and global hierarchical multilabel
    classification methods using decision trees", 2009.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.classifiers import HMCBR
    >>> h = Hierarchy.from_dict({"a": ["c", "d"], "b": []})
    >>> X = [[0.0], [0.1], [1.0], [1.1], [9.0], [9.1]]
    >>> Y = [{"c"}, {"c"}, {"c", "d"}, {"d"}, {"b"}, {"b"}]
    >>> model = HMCBR(h, random_state=0).fit(X, Y)
    >>> model.predict([[0.05], [9.05]])[:, [h.node("a"), h.node("b")]]
    array([[1, 0],
           [0, 1]], dtype=int8)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        partial_labels=True,
        name="HMC-BR",
        summary="nodes, from the top",
        use="Several paths per row, nearly independent labels.",
    )

    policy: str | Callable[..., Examples] = "siblings"
    # Fixed by the method, not parameters.
    negatives_order: str = field(default="index", init=False)
    constraint: str | None = field(default="min", init=False)
    calibration: str | None = field(default=None, init=False)
