"""Find the rows that have relatives of a node, sharing work between nodes."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from hilabel._typing import BoolArray, IntArray
from hilabel.hierarchy import Hierarchy

# Roots are siblings, as if they had this parent.
_ABOVE_ROOTS = -1


class Relatives:
    """The rows that have a node or its relatives.

    Nodes share relatives, so the result for a parent is cached for its other children.
    For a star or a chain of many nodes, the cost is therefore linear in the number of
    labels, not in the number of pairs of nodes.

    Parameters
    ----------
    Y : ndarray of bool, shape (n_samples, n_nodes)
        Closed labels.
    hierarchy : Hierarchy
    known : ndarray of bool, shape (n_samples, n_nodes), optional
        If given, only rows in which a node is known are returned for it.
    """

    def __init__(
        self, Y: BoolArray, hierarchy: Hierarchy, known: BoolArray | None = None
    ) -> None:
        self._Y = Y
        self._hierarchy = hierarchy
        self._known = known
        self._with_child: dict[int, BoolArray] = {}
        self._ending_at_child: dict[int, BoolArray] = {}
        self._levels: dict[int, IntArray] = {}
        self._level_type = np.min_scalar_type(hierarchy.max_depth)
        self._n_children: dict[int, IntArray] = {}
        self._generations: dict[int, IntArray] = {}
        # One more than there can be, for rows without any relative.
        self._no_generation = hierarchy.max_depth + 1

    def rows(self, node: int) -> IntArray | None:
        """Return the rows in which the node is known; None means all rows."""
        return None if self._known is None else np.flatnonzero(self._known[:, node])

    def is_root(self, node: int) -> bool:
        """Return whether the node has no parents."""
        return self._hierarchy.parents(node).size == 0

    def has(self, node: int) -> BoolArray:
        """Return which rows have the node."""
        return self._known_of(node, self._Y[:, node])

    def has_parent(self, node: int) -> BoolArray:
        """Return which rows have a parent of the node; for a root, all rows."""
        if self.is_root(node):
            return np.ones_like(self.has(node))
        parents = self._hierarchy.parents(node)
        return self._known_of(node, self._Y[:, parents].any(axis=1))

    def has_sibling(self, node: int) -> BoolArray:
        """Return which rows have the node or a sibling."""
        families = [self._rows_with_child(above) for above in self._above(node)]
        return self._known_of(node, _any_of(families))

    def ends(self, node: int) -> BoolArray:
        """Return which rows have the node but none of its children."""
        return self._known_of(node, self._ends(node))

    def ends_at_sibling(self, node: int) -> BoolArray:
        """Return which rows end at the node or a sibling."""
        families = [self._rows_ending_at_child(above) for above in self._above(node)]
        return self._known_of(node, _any_of(families))

    def nearest_level(self, node: int) -> IntArray:
        """Return the depth of the node's deepest ancestor present in each row, or 0."""
        self._fill_downwards(self._levels, node, self._level_of)
        return self._known_of(node, self._levels[node])

    def generation(self, node: int) -> IntArray:
        """Return how many steps up the nearest relative of each row branches off.

        A row with a sibling of the node is of generation 1, one with an uncle (a
        sibling of a parent) of generation 2, and so on. Rows without such relatives,
        for example rows that end at an ancestor, have ``max_depth + 1``.
        """
        self._fill_downwards(self._generations, node, self._generation_of)
        return self._known_of(node, self._generations[node])

    def _fill_downwards(
        self,
        columns: dict[int, IntArray],
        node: int,
        column_of: Callable[[int], IntArray],
    ) -> None:
        """Compute the column of a node after those of its ancestors, each once."""
        waiting = [node]
        while waiting:  # no recursion: hierarchies may be deeper than Python's stack
            parents = self._hierarchy.parents(waiting[-1]).tolist()
            missing = [parent for parent in parents if parent not in columns]
            waiting += missing
            if not missing:
                here = waiting.pop()
                columns[here] = column_of(here)

    def _level_of(self, node: int) -> IntArray:
        level = np.zeros(self._Y.shape[0], dtype=self._level_type)
        for parent in self._hierarchy.parents(node).tolist():
            np.maximum(level, self._levels[parent], out=level)
            own = self._hierarchy.depth[parent].astype(self._level_type)
            np.maximum(level, self._Y[:, parent] * own, out=level)
        return level

    def _generation_of(self, node: int) -> IntArray:
        kind = np.min_scalar_type(self._no_generation)
        nearest = np.full(self._Y.shape[0], self._no_generation, dtype=kind)
        for parent in self._hierarchy.parents(node).tolist():
            np.minimum(nearest, self._generations[parent], out=nearest)
        nearest[nearest < self._no_generation] += 1
        own = self._Y[:, node]
        for above in self._above(node):
            # The node itself is among the children, but is not its own sibling.
            nearest[self._count_children(above) > own] = 1
        return nearest

    def _count_children(self, parent: int) -> IntArray:
        if parent not in self._n_children:
            below = self._Y[:, self._below(parent)]
            self._n_children[parent] = np.asarray(below.sum(axis=1, dtype=np.int32))
        return self._n_children[parent]

    def _known_of(self, node: int, column: Any) -> Any:
        return column if self._known is None else column[self._known[:, node]]

    def _above(self, node: int) -> list[int]:
        return self._hierarchy.parents(node).tolist() or [_ABOVE_ROOTS]

    def _below(self, parent: int) -> IntArray:
        if parent == _ABOVE_ROOTS:
            return self._hierarchy.roots
        return self._hierarchy.children(parent)

    def _rows_with_child(self, parent: int) -> BoolArray:
        if parent not in self._with_child:
            below = self._Y[:, self._below(parent)]
            self._with_child[parent] = np.asarray(below.any(axis=1))
        return self._with_child[parent]

    def _rows_ending_at_child(self, parent: int) -> BoolArray:
        if parent not in self._ending_at_child:
            ending = (self._ends(child) for child in self._below(parent).tolist())
            self._ending_at_child[parent] = _any_of(ending)
        return self._ending_at_child[parent]

    def _ends(self, node: int) -> BoolArray:
        below = self._hierarchy.children(node)
        return np.asarray(self._Y[:, node] & ~self._Y[:, below].any(axis=1))


def _any_of(columns: Iterable[BoolArray]) -> BoolArray:
    first, *others = columns
    found = first.copy()
    for column in others:
        found |= column
    return found
