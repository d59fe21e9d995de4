"""Drop nodes from a hierarchy, preserving ancestry among the others."""

import numpy as np

from hilabel._typing import IntArray


def edges_among(
    kept: IntArray, order: IntArray, parents_ptr: IntArray, parents_idx: IntArray
) -> IntArray:
    """Return the (parent, child) edges among kept nodes, as positions in ``kept``.

    A kept node whose parent is dropped becomes a child of the nearest kept nodes above
    it, except those that are ancestors of another of its parents.
    """
    position = {node: i for i, node in enumerate(kept.tolist())}
    rank = {node: i for i, node in enumerate(order.tolist())}
    # Nearest kept ancestors of dropped nodes, and parents of kept ones.
    hangs_from: dict[int, set[int]] = {}
    edges: list[tuple[int, int]] = []
    for node in order.tolist():
        parents = parents_idx[parents_ptr[node] : parents_ptr[node + 1]].tolist()
        direct = {p for p in parents if p in position}
        inherited = set().union(*(hangs_from[p] for p in parents if p not in position))
        # Existing edges are kept even if another path implies them; only redundant new
        # edges are omitted.
        inherited -= direct
        if inherited and len(direct) + len(inherited) > 1:
            inherited -= _above(direct | inherited, inherited, hangs_from, rank)
        hangs_from[node] = direct | inherited
        if node in position:
            edges += [(position[p], position[node]) for p in sorted(hangs_from[node])]
    return np.array(edges, dtype=np.int64).reshape(-1, 2)


def _above(
    nodes: set[int],
    wanted: set[int],
    hangs_from: dict[int, set[int]],
    rank: dict[int, int],
) -> set[int]:
    """Return the ancestors of nodes, except those ranked before all of ``wanted``."""
    highest = min(rank[node] for node in wanted)
    above: set[int] = set()
    waiting = list(nodes)
    while waiting:
        parents = hangs_from[waiting.pop()] - above
        further = {parent for parent in parents if rank[parent] >= highest}
        above |= further
        waiting += further
    return above
