"""The tree of combined classes: the labels of a row at each level form one class."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hilabel._saved_types import Array, saved_type
from hilabel._typing import BoolArray, IntArray
from hilabel.classifiers._label_powerset import combine_labels
from hilabel.hierarchy import Hierarchy
from hilabel.local_models import ClassExamples

STOP = -1
"""The empty combination: a row has no labels at the next level."""


@saved_type
@dataclass(frozen=True)
class CombinedNode:
    """A combination of labels at one level, given the combinations at higher levels."""

    # The nodes of the hierarchy that it represents; empty for the root.
    labels: Annotated[IntArray, Array("i8", ("n_labels",), 0)]
    # Combinations of the next level, by class; STOP for the empty one.
    children: Annotated[IntArray, Array("i8", ("n_children",), STOP)]
    # The rows with this combination and all above it, and their position in children.
    examples: ClassExamples

    @property
    def is_leaf(self) -> bool:
        """Whether no row with this combination has labels at the next level."""
        return bool((self.children == STOP).all())


def combine_paths(Y: BoolArray, hierarchy: Hierarchy) -> tuple[CombinedNode, ...]:
    """Build the tree of the label combinations in ``Y``, with parents before children.

    A level consists of all nodes at the same depth, measured along the longest path.
    ``Y``, of shape (n_samples, n_nodes), must contain the ancestors of every label.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel.classifiers._combined_tree import combine_paths
    >>> h = Hierarchy.from_dict({"A": ["D", "F"]})
    >>> for node in combine_paths(np.array([[True, True, True]]), h):
    ...     print([h.names[label] for label in node.labels], node.children)
    [] [1]
    ['A'] [2]
    ['D', 'F'] []
    """
    levels = [
        np.flatnonzero(hierarchy.depth == depth)
        for depth in range(1, hierarchy.max_depth + 1)
    ]
    tree: list[CombinedNode] = []
    n_known = 1  # nodes in the tree or in the queue
    waiting = deque([(np.empty(0, dtype=np.int64), np.arange(Y.shape[0]), 0)])
    while waiting:
        labels, rows, level = waiting.popleft()
        if level == len(levels):
            nothing = ClassExamples(rows[:0], rows[:0], 0)
            tree.append(CombinedNode(labels, np.empty(0, dtype=np.int64), nothing))
            continue
        classes, codes = combine_labels(Y[np.ix_(rows, levels[level])])
        children = np.full(classes.shape[0], STOP)
        for code in np.flatnonzero(classes.any(axis=1)):
            children[code] = n_known
            n_known += 1
            below = levels[level][classes[code]]
            waiting.append((below, rows[codes == code], level + 1))
        examples = ClassExamples(rows, codes, children.size)
        tree.append(CombinedNode(labels, children, examples))
    return tuple(tree)


def is_tree(tree: Sequence[CombinedNode], n_nodes: int) -> bool:
    """Return whether every node except the first is a child of one earlier node.

    This is used to check model files. ``n_nodes`` is the number of nodes in the
    hierarchy.
    """
    parent = np.full(len(tree), STOP)
    for number, node in enumerate(tree):
        below = node.children[node.children != STOP]
        if not ((below > number) & (below < len(tree))).all():
            return False
        if (parent[below] != STOP).any() or np.unique(below).size < below.size:
            return False
        parent[below] = number
        if node.labels.max(initial=-1) >= n_nodes:
            return False
        if np.unique(node.labels).size < node.labels.size:
            return False
    return len(tree) > 0 and bool((parent[1:] != STOP).all())
