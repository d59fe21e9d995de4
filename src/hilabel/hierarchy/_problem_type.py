"""The type of a hierarchical problem, as a triple (Silla and Freitas, 2011)."""

from typing import NamedTuple

import numpy as np

from hilabel._typing import BoolArray, IntArray


class ProblemType(NamedTuple):
    """Structure, paths and depth of a hierarchical classification problem.

    Attributes
    ----------
    structure : {"T", "DAG"}
        ``"T"`` when every node has at most one parent.
    paths : {"SPL", "MPL"}
        ``"SPL"`` (single path of labels) when the labels of every row are on one path
        from a root. A node with two parents is on two paths.
    depth : {"FD", "PD"}
        ``"FD"`` (full depth) when every path of every row ends in a leaf. A row without
        labels ends above the roots, which counts as partial depth.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> h = Hierarchy.from_edges([("a", "b"), ("a", "c")])
    >>> print(h.problem_type([[1, 1, 0], [1, 0, 0]]))  # the second row ends at a
    (T, SPL, PD)
    """

    structure: str
    paths: str
    depth: str

    def __str__(self) -> str:
        return f"({self.structure}, {self.paths}, {self.depth})"


def has_single_paths(
    closed: BoolArray, parents_ptr: IntArray, parents_idx: IntArray
) -> BoolArray:
    """Return a mask of the rows that have at most one path.

    ``closed`` has shape (n_rows, n_nodes).
    """
    n_labels = closed.sum(axis=1)
    children = np.repeat(np.arange(closed.shape[1]), np.diff(parents_ptr))
    # A closed set of m labels is one path exactly when it has one root and m - 1
    # edges, no two of them from the same parent or into the same child.
    on_edges = closed[:, children]
    n_edges = on_edges.sum(axis=1)
    is_root = np.diff(parents_ptr) == 0
    one_root = closed[:, is_root].sum(axis=1) <= 1
    is_tree_like = n_edges == np.maximum(n_labels - 1, 0)
    n_leaves = n_labels - _count_inner(closed, on_edges, parents_idx)
    return one_root & is_tree_like & (n_leaves <= 1)


def has_full_depth(most_specific: BoolArray, is_leaf: BoolArray) -> BoolArray:
    """Return a mask of the rows that have labels and whose paths all end at leaves."""
    stops_early = most_specific & ~is_leaf
    return np.asarray(most_specific.any(axis=1) & ~stops_early.any(axis=1))


def _count_inner(
    closed: BoolArray, on_edges: BoolArray, parents_idx: IntArray
) -> IntArray:
    """Count the labels of each row that have a child among its labels."""
    inner = np.zeros(closed.shape, dtype=bool)
    rows, edges = np.nonzero(on_edges)
    inner[rows, parents_idx[edges]] = True
    return inner.sum(axis=1)
