"""Drop nodes from a hierarchy without losing who is above whom."""

import numpy as np

from hilabel._typing import IntArray


def edges_among(
    kept: IntArray, order: IntArray, parents_ptr: IntArray, parents_idx: IntArray
) -> IntArray:
    """Return the (parent, child) edges, as positions in ``kept``, after dropping.

    A kept node whose parent is dropped is attached to the nearest kept nodes above
    it, except to those already above another of its new parents.
    """
    position = {node: i for i, node in enumerate(kept.tolist())}
    nearest: dict[int, set[int]] = {}  # per dropped node: the kept ones it hangs from
    above: dict[int, set[int]] = {}  # per kept node: all kept ancestors
    edges: list[tuple[int, int]] = []
    for node in order.tolist():
        parents = parents_idx[parents_ptr[node] : parents_ptr[node + 1]].tolist()
        direct = {p for p in parents if p in position}
        inherited = set().union(*(nearest[p] for p in parents if p not in position))
        implied = set().union(*(above[p] for p in direct | inherited))
        # Given edges stay even where another path implies them: only what
        # re-attaching would add is thinned.
        attached = direct | (inherited - implied)
        if node in position:
            above[node] = attached | implied
            edges += [(position[p], position[node]) for p in sorted(attached)]
        else:
            nearest[node] = attached
    return np.array(edges, dtype=np.int64).reshape(-1, 2)
