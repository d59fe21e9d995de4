"""Arrays that represent a directed acyclic graph: CSR form, order and depths."""

from collections.abc import Sequence

import numpy as np

from hilabel._typing import IntArray
from hilabel.exceptions import HierarchyError


def check_edges(edges: IntArray, names: Sequence[str]) -> None:
    """Raise ``HierarchyError`` for a self-loop, an unknown node or a repeated edge."""
    n_nodes = len(names)
    outside = np.flatnonzero(((edges < 0) | (edges >= n_nodes)).any(axis=1))
    if outside.size:
        parent, child = edges[outside[0]]
        raise HierarchyError(
            f"Edge ({parent}, {child}) names a node that does not exist: expected "
            f"integers from 0 to {n_nodes - 1}, one for each of the {n_nodes} names."
        )
    loops = np.flatnonzero(edges[:, 0] == edges[:, 1])
    if loops.size:
        name = names[edges[loops[0], 0]]
        raise HierarchyError(
            f"Node {name!r} is its own parent; remove the edge ({name!r}, {name!r})."
        )
    keys = edges[:, 0] * n_nodes + edges[:, 1]
    unique, first = np.unique(keys, return_index=True)
    if unique.size < keys.size:
        repeated = np.setdiff1d(np.arange(keys.size), first)[0]
        parent, child = (names[i] for i in edges[repeated])
        raise HierarchyError(
            f"Edge ({parent!r}, {child!r}) occurs more than once; list each (parent, "
            "child) pair once."
        )


def csr_from_pairs(
    keys: IntArray, values: IntArray, n_nodes: int
) -> tuple[IntArray, IntArray]:
    """Group ``values`` by ``keys``; values are in ascending order within each group."""
    ptr = np.zeros(n_nodes + 1, dtype=np.int64)
    np.cumsum(np.bincount(keys, minlength=n_nodes), out=ptr[1:])
    idx = values[np.lexsort((values, keys))].astype(np.int64)
    ptr.flags.writeable = idx.flags.writeable = False
    return ptr, idx


def topological_order(
    parents: tuple[IntArray, IntArray],
    children: tuple[IntArray, IntArray],
    names: Sequence[str],
) -> tuple[IntArray, IntArray]:
    """Return a topological order and depths; raise ``HierarchyError`` for a cycle.

    Depth counts the nodes on the longest path from a root, so roots have depth 1. The
    running time is O(nodes + edges).
    """
    # Plain lists, because indexing NumPy scalars is slower.
    children_ptr, children_idx = children[0].tolist(), children[1].tolist()
    waiting_for = np.diff(parents[0]).tolist()
    depth = [1] * len(waiting_for)
    order = [node for node, count in enumerate(waiting_for) if count == 0]
    for node in order:  # grows during iteration: a simple queue
        below = depth[node] + 1
        for child in children_idx[children_ptr[node] : children_ptr[node + 1]]:
            depth[child] = max(depth[child], below)
            waiting_for[child] -= 1
            if waiting_for[child] == 0:
                order.append(child)
    if len(order) < len(waiting_for):
        cycle = _find_cycle(parents, {n for n, c in enumerate(waiting_for) if c > 0})
        raise HierarchyError(
            "The hierarchy has a cycle: "
            + " -> ".join(repr(names[node]) for node in cycle)
            + "; a node cannot be its own ancestor. Remove one of these edges."
        )
    result = np.array(order, dtype=np.int64), np.array(depth, dtype=np.int64)
    for array in result:
        array.flags.writeable = False
    return result


def _find_cycle(parents: tuple[IntArray, IntArray], blocked: set[int]) -> list[int]:
    """Find a cycle among the ``blocked`` nodes, each of which has a blocked parent.

    The cycle runs from parent to child and ends with its first node.
    """
    ptr, idx = parents
    path = [min(blocked)]
    position = {path[0]: 0}
    while True:
        node = path[-1]
        above = next(p for p in idx[ptr[node] : ptr[node + 1]].tolist() if p in blocked)
        if above in position:
            return [above, *reversed(path[position[above] :])]
        position[above] = len(path)
        path.append(above)


def reachable(start: int, ptr: IntArray, idx: IntArray) -> IntArray:
    """Return all nodes reachable from ``start``, excluding it, in ascending order."""
    seen = {start}
    stack = [start]
    while stack:
        node = stack.pop()
        for other in idx[ptr[node] : ptr[node + 1]].tolist():
            if other not in seen:
                seen.add(other)
                stack.append(other)
    seen.remove(start)
    return np.array(sorted(seen), dtype=np.int64)
