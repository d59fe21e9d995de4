"""Which rows the model of a node learns from."""

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any, Final, NamedTuple

import numpy as np
from scipy.special import logit

from hilabel._label_matrix import LabelMatrix
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.hierarchy import Hierarchy

# Nodes of one task together have at most about this share of all examples, so that
# threads end at about the same time.
_TASKS: Final = 200
_MOST_NODES: Final = 64


class Examples(NamedTuple):
    """The rows of several nodes, one after the other.

    Attributes
    ----------
    nodes : int64 array of shape (n_some,)
    pointers : int64 array of shape (n_some + 1,)
    rows : int32 array of shape (n_examples,)
    positive : bool array of shape (n_examples,)
    """

    nodes: IntArray
    pointers: IntArray
    rows: IntArray
    positive: BoolArray

    def log_odds(self, weight: FloatArray) -> FloatArray:
        """Return the log odds of the positives of each node, one half more of each."""
        costs = weight[self.rows] if weight.size else np.ones(self.rows.size)
        n_positive = self._sums(costs * self.positive)
        return np.asarray(logit((n_positive + 0.5) / (self._sums(costs) + 1)))

    def _sums(self, values: FloatArray) -> FloatArray:
        return np.diff(np.append(0, np.cumsum(values))[self.pointers])


class ExampleRows:
    """The rows that each node learns from.

    A node either learns from all rows in which it is known or, with ``of_parents``,
    from those that have all its parents.
    """

    def __init__(
        self, labels: LabelMatrix, hierarchy: Hierarchy, of_parents: bool
    ) -> None:
        self._labels = labels
        self._hierarchy = hierarchy
        self._of_parents = of_parents
        self._all: Any = np.arange(len(labels), dtype=np.int32)

    def of(self, nodes: Sequence[int]) -> Examples:
        """Return the examples of some nodes."""
        lists = [self._rows(node) for node in nodes]
        flags = [
            np.isin(rows, self._positive_rows(node), assume_unique=True)
            for node, rows in zip(nodes, lists, strict=True)
        ]
        return Examples(
            np.asarray(nodes, dtype=np.int64),
            _pointers(lists),
            np.concatenate(lists),
            np.concatenate(flags),
        )

    def unknown(self, nodes: Sequence[int]) -> tuple[IntArray, IntArray]:
        """Return pointers and rows in which some nodes are not known."""
        lists = [self._all[~self._is_known(node)] for node in nodes]
        return _pointers(lists), np.concatenate(lists)

    def sizes(self) -> IntArray:
        """Return the largest possible number of examples of each node."""
        sizes = self._labels.n_known
        if self._of_parents:
            n_positive = self._labels.n_positive
            for parent, child in self._hierarchy.edges:
                sizes[child] = min(sizes[child], n_positive[parent])
        return sizes

    def tasks(self) -> Iterator[list[int]]:
        """Yield groups of nodes, those with most examples first."""
        sizes = self.sizes()
        enough = max(int(sizes.sum()) // _TASKS, 1)
        task: list[int] = []
        size = 0
        for node in np.argsort(-sizes, kind="stable"):
            task.append(int(node))
            size += int(sizes[node])
            if size >= enough or len(task) == _MOST_NODES:
                yield task
                task, size = [], 0
        if task:
            yield task

    def _rows(self, node: int) -> IntArray:
        """Return the rows that a node learns from, in order."""
        rows = self._all
        parents = self._hierarchy.parents(node)
        if self._of_parents and parents.size:
            rows = reduce(_in_both, map(self._positive_rows, parents))
        if not self._labels.all_known:
            rows = rows[self._is_known(node)[rows]]
        return rows

    def _positive_rows(self, node: int) -> IntArray:
        """Return the rows that have a node, in order."""
        by_node = self._labels.by_node
        found = by_node.indices[by_node.indptr[node] : by_node.indptr[node + 1]]
        return np.sort(found).astype(np.int32, copy=False)

    def _is_known(self, node: int) -> BoolArray:
        return self._labels.known_columns(np.array([node]))[0]


def _in_both(rows: IntArray, others: IntArray) -> IntArray:
    return np.intersect1d(rows, others, assume_unique=True)


def _pointers(lists: Sequence[IntArray]) -> IntArray:
    lengths = [rows.size for rows in lists]
    return np.append(0, np.cumsum(lengths)).astype(np.int64)
