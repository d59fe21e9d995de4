"""Drop nodes from a hierarchy while preserving ancestors."""

import numpy as np

from hilabel._typing import IntArray


def edges_among(
    kept: IntArray, order: IntArray, parents_ptr: IntArray, parents_idx: IntArray
) -> IntArray:
    """Return the remaining (parent, child) edges as positions in ``kept``.

    A kept node whose parent is dropped is attached to the nearest kept nodes above
    it, except to those already above another of its new parents.
    """
    position = {node: i for i, node in enumerate(kept.tolist())}
    nearest: dict[int, set[int]] = {}  # per dropped node: its nearest kept ancestors
    above: dict[int, set[int]] = {}  # per kept node: all kept ancestors
    edges: list[tuple[int, int]] = []
    for node in order.tolist():
        parents = parents_idx[parents_ptr[node] : parents_ptr[node + 1]].tolist()
        direct = {p for p in parents if p in position}
        inherited = set().union(*(nearest[p] for p in parents if p not in position))
        implied = set().union(*(above[p] for p in direct | inherited))
        # Existing edges are kept even if another path implies them; only redundant new
        # edges are removed.
        attached = direct | (inherited - implied)
        if node in position:
            above[node] = attached | implied
            edges += [(position[p], position[node]) for p in sorted(attached)]
        else:
            nearest[node] = attached
    return np.array(edges, dtype=np.int64).reshape(-1, 2)
