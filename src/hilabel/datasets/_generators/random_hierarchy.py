"""Random trees and directed acyclic graphs."""

from typing import Any, Final, Literal

from sklearn.utils import check_random_state

from hilabel._validation import check_integer
from hilabel.exceptions import HierarchyError
from hilabel.hierarchy import Hierarchy

# Probability of each additional parent of a node in a DAG. With this value, about a
# third of the nodes have more than one parent, as in the Gene Ontology.
FURTHER_PARENT_RATE: Final = 0.2


def make_hierarchy(
    n_nodes: int,
    structure: Literal["tree", "dag"] = "tree",
    *,
    max_parents: int = 3,
    max_depth: int | None = None,
    n_roots: int = 3,
    random_state: Any = None,
) -> Hierarchy:
    """Generate a random hierarchy.

    Every node except the roots gets a random parent from the nodes before it. In a DAG,
    siblings of that parent may also become parents of the node. The parents of a node
    are therefore related, as in the Gene Ontology; they are all one level above the
    node, and no edge is implied by other edges. Nodes are named ``n0``, ``n1`` and so
    on, with parents before children.

    Parameters
    ----------
    n_nodes : int
    structure : {"tree", "dag"}, default="tree"
        In a tree, every node has at most one parent; in a DAG, at least one node has
        several.
    max_parents : int, default=3
        Maximum number of parents of a node in a DAG, at least 2; ignored for a tree.
    max_depth : int, optional
        Maximum number of nodes on a path from a root. Small values result in wide, flat
        hierarchies; by default, the depth grows with the logarithm of ``n_nodes``.
    n_roots : int, default=3
        Number of roots, at most ``n_nodes``.
    random_state : int, RandomState or None
        Random seed.

    Raises
    ------
    HierarchyError
        If no hierarchy of this kind exists, such as a DAG with two nodes.

    Examples
    --------
    >>> from hilabel.datasets import make_hierarchy
    >>> make_hierarchy(20, "dag", max_depth=4, random_state=0)
    Hierarchy(20 nodes, 26 edges, 3 roots, depth 4, DAG)
    >>> make_hierarchy(1)
    Hierarchy(1 node, 0 edges, 1 root, depth 1, tree)
    """
    _check(n_nodes, structure, max_parents, max_depth, n_roots)
    n_roots = min(n_roots, n_nodes)
    generator = check_random_state(random_state)
    growth = _Growth(n_roots, n_nodes if max_depth is None else max_depth)
    if structure == "dag":
        growth.add_diamond()
    while len(growth.parents) < n_nodes:
        first = growth.open[generator.randint(len(growth.open))]
        further: list[int] = []
        if structure == "dag":
            n_further = generator.binomial(max_parents - 1, FURTHER_PARENT_RATE)
            siblings = growth.siblings(first)
            further = list(generator.permutation(siblings)[:n_further])
        growth.add([first, *further])
    return Hierarchy([f"n{node}" for node in range(n_nodes)], growth.edges())


class _Growth:
    """A hierarchy that is built node by node, from the roots down."""

    def __init__(self, n_roots: int, max_depth: int) -> None:
        self.max_depth = max_depth
        self.parents: list[list[int]] = [[] for _ in range(n_roots)]
        self.children: list[list[int]] = [[] for _ in range(n_roots)]
        self.depth = [1] * n_roots
        self.roots = list(range(n_roots))
        # Nodes that may have children.
        self.open = list(self.roots) if max_depth > 1 else []

    def add(self, parents: list[int]) -> None:
        node = len(self.parents)
        self.parents.append(parents)
        self.children.append([])
        self.depth.append(self.depth[parents[0]] + 1)
        for parent in parents:
            self.children[parent].append(node)
        if self.depth[node] < self.max_depth:
            self.open.append(node)

    def add_diamond(self) -> None:
        """Ensure that some node has two parents, even if few nodes are added later."""
        if len(self.roots) > 1:
            self.add([0, 1])
            return
        self.add([0])
        self.add([0])
        self.add([1, 2])

    def siblings(self, node: int) -> list[int]:
        """Return the other children of the node's parents.

        All parents of a node are siblings, so by induction they have the same depth,
        and none is an ancestor of another.
        """
        if not self.parents[node]:
            return [root for root in self.roots if root != node]
        groups = (self.children[parent] for parent in self.parents[node])
        return sorted({child for group in groups for child in group} - {node})

    def edges(self) -> list[tuple[int, int]]:
        return [
            (parent, node)
            for node, parents in enumerate(self.parents)
            for parent in parents
        ]


def _check(
    n_nodes: int, structure: str, max_parents: int, max_depth: int | None, n_roots: int
) -> None:
    check_integer("n_nodes", n_nodes, 1)
    check_integer("n_roots", n_roots, 1)
    if max_depth is not None:
        check_integer("max_depth", max_depth, 1)
    if structure not in ("tree", "dag"):
        raise ValueError(f"Expected structure 'tree' or 'dag', got {structure!r}.")
    if max_depth == 1 and n_nodes > n_roots:
        raise HierarchyError(
            f"Expected n_roots={n_nodes} for {n_nodes} nodes of depth 1, which are "
            f"all roots, got n_roots={n_roots}; raise n_roots or max_depth."
        )
    if structure == "dag":
        check_integer("max_parents", max_parents, 2)
        _check_room_for_diamond(n_nodes, max_depth, n_roots)


def _check_room_for_diamond(n_nodes: int, max_depth: int | None, n_roots: int) -> None:
    least_nodes, least_depth = (4, 3) if n_roots == 1 else (n_roots + 1, 2)
    if n_nodes < least_nodes or (max_depth is not None and max_depth < least_depth):
        raise HierarchyError(
            f"Expected n_nodes >= {least_nodes} and max_depth >= {least_depth} for a "
            f"DAG with n_roots={n_roots}, in which some node has two parents; got "
            f"n_nodes={n_nodes} and max_depth={max_depth}. Use structure='tree', or "
            "change these numbers."
        )
