"""Groups of nodes that are predicted together, and their training rows."""

from typing import Annotated, NamedTuple

import numpy as np

from hilabel._saved_types import Array, Count, saved_type
from hilabel._typing import BoolArray, IntArray
from hilabel.hierarchy import Hierarchy

ABOVE_ROOTS = -1
"""The virtual root, the parent of all roots."""


@saved_type
class NodeGroup(NamedTuple):
    """A group of nodes among which a model chooses, and the rows it is trained on."""

    nodes: Annotated[IntArray, Array("i8", ("n_nodes",), 0)]
    rows: Annotated[IntArray, Array("i8", ("n_rows",), 0)]  # ascending
    # The parent of these nodes.
    parent: Annotated[int, Count(ABOVE_ROOTS)] = ABOVE_ROOTS


def groups_by_parent(
    Y: BoolArray, hierarchy: Hierarchy, *, with_stops: bool = True
) -> list[NodeGroup]:
    """Return one group of children for the virtual root and for each inner node.

    The virtual root comes first, and parents come before their children. ``with_stops``
    determines whether the group includes rows that have the parent but none of its
    children. ``Y``, of shape (n_samples, n_nodes), must contain the ancestors of every
    label.
    """
    inner = [node for node in hierarchy.order if hierarchy.children(node).size]
    groups = []
    for parent in [ABOVE_ROOTS, *map(int, inner)]:
        if parent == ABOVE_ROOTS:
            nodes, has_parent = hierarchy.roots, np.ones(Y.shape[0], dtype=bool)
        else:
            nodes, has_parent = hierarchy.children(parent), Y[:, parent]
        used = has_parent if with_stops else Y[:, nodes].any(axis=1)
        groups.append(NodeGroup(nodes, np.flatnonzero(used), parent))
    return groups


def groups_by_level(
    Y: BoolArray, hierarchy: Hierarchy, *, with_none: bool
) -> list[NodeGroup]:
    """Return one group of nodes per depth, starting with the roots.

    ``with_none`` determines whether a group includes rows without a label at its depth.
    """
    groups = []
    for depth in range(1, hierarchy.max_depth + 1):
        nodes = np.flatnonzero(hierarchy.depth == depth)
        used = with_none | Y[:, nodes].any(axis=1)
        groups.append(NodeGroup(nodes, np.flatnonzero(used)))
    return groups
