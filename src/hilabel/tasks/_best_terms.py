"""Select the most probable branches of each row."""

from typing import Final

import numpy as np
from sklearn.utils import gen_batches

from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.hierarchy import Hierarchy

# Bounds the memory of counting.
_CELLS_TO_COUNT: Final = 2**21


def first_branches(
    scores: FloatArray, shown: BoolArray, hierarchy: Hierarchy, n_branches: int
) -> BoolArray:
    """Select the most probable terms, with a limited number of most specific ones.

    Terms are selected in order of probability until the next one would result in more
    than ``n_branches`` terms without a selected descendant.
    """
    kept = np.zeros(shown.shape, dtype=bool)
    order = hierarchy.order
    for part in gen_batches(len(shown), max(1, _CELLS_TO_COUNT // hierarchy.n_nodes)):
        # Lists, since few terms are shown; parents first among ties.
        rows, places = np.divmod(np.flatnonzero(shown[part][:, order]), order.size)
        if not rows.size:
            continue
        rows, rank, nodes = _ranked(rows, order[places], scores[part])
        n_specific = _count_specific(rows, rank, nodes, hierarchy)
        too_many = np.flatnonzero(n_specific > n_branches)[::-1]
        end = np.full(rows[-1] + 1, hierarchy.n_nodes)
        end[rows[too_many]] = rank[too_many]  # the first of a row is written last
        is_kept = rank < end[rows]
        kept[part][rows[is_kept], nodes[is_kept]] = True
    return kept


def _ranked(
    rows: IntArray, nodes: IntArray, scores: FloatArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the rows, ranks and nodes of cells, ranked by score within each row."""
    n_cells = np.bincount(rows)
    rank = np.arange(rows.size) - (np.cumsum(n_cells) - n_cells)[rows]
    lowest_first = np.full((n_cells.size, n_cells.max()), np.inf, dtype=scores.dtype)
    lowest_first[rows, rank] = -scores[rows, nodes]
    listed = np.zeros(lowest_first.shape, dtype=nodes.dtype)
    listed[rows, rank] = nodes
    ranking = lowest_first.argsort(axis=1, kind="stable")
    return rows, rank, np.take_along_axis(listed, ranking, axis=1)[rows, rank]


def _count_specific(
    rows: IntArray, rank: IntArray, nodes: IntArray, hierarchy: Hierarchy
) -> IntArray:
    """Count the most specific terms among the most probable terms of each row.

    The count for a cell covers the cells of its row up to and including this cell.
    """
    n_nodes, cells = hierarchy.n_nodes, np.arange(nodes.size)
    # A term is no longer most specific from its first child on.
    parents, start = _parent_lists(hierarchy)
    n_parents = np.diff(start)[nodes]
    children = np.repeat(cells, n_parents)
    step = np.arange(children.size) - (np.cumsum(n_parents) - n_parents)[children]
    above = parents[start[nodes[children]] + step]
    until = np.full((rows[-1] + 1, n_nodes), n_nodes, dtype=np.int32)
    # The first child is written last.
    until[rows[children[::-1]], above[::-1]] = rank[children[::-1]]
    end = until[rows, nodes]
    ended = (cells - rank + end)[end < n_nodes]
    total = np.cumsum(1 - np.bincount(ended, minlength=cells.size))
    before = np.concatenate([[0], total])[cells - rank]
    counted: IntArray = total - before
    return counted


def _parent_lists(hierarchy: Hierarchy) -> tuple[IntArray, IntArray]:
    """Return an array of all nodes' parents, and where those of each node start."""
    edges = hierarchy.edges[hierarchy.edges[:, 1].argsort(kind="stable")]
    return edges[:, 0], np.searchsorted(edges[:, 1], np.arange(hierarchy.n_nodes + 1))
