"""The terms on a page, and the numbers assigned to them."""

from collections.abc import Iterable

import numpy as np

from hilabel._typing import IntArray
from hilabel.hierarchy import Hierarchy
from hilabel.report.page._bounds import MOST_TERMS


class TermNumbers:
    """The terms on the page, numbered with parents before their children.

    If there are too many, the most frequent terms and their ancestors are kept.

    Attributes
    ----------
    nodes : int array
        The node with each number.
    is_here : bool array of shape (n_nodes,)
    """

    def __init__(self, hierarchy: Hierarchy, n_positive: IntArray) -> None:
        kept = np.ones(hierarchy.n_nodes, dtype=bool)
        if kept.size > MOST_TERMS:
            kept[np.argsort(-n_positive, kind="stable")[MOST_TERMS:]] = False
            kept = hierarchy.close(kept[None])[0]
        self.is_here = kept
        self.nodes = hierarchy.order[kept[hierarchy.order]]
        self._number = np.full(hierarchy.n_nodes, -1)
        self._number[self.nodes] = np.arange(self.nodes.size)

    def of(self, nodes: Iterable[int]) -> list[int]:
        """Return the numbers of the given nodes that are on the page."""
        numbers = self._number[np.asarray(nodes, dtype=np.int64)]
        return [int(number) for number in numbers if number >= 0]

    def one(self, node: int) -> int:
        """Return the number of a node, or -1 if it is not on the page."""
        return int(self._number[node])
