"""Single cells that are known besides those that are known by groups of rows."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from hilabel._label_matrix import LabelMatrix
from hilabel._matrices import row_blocks
from hilabel._typing import IntArray
from hilabel.hierarchy import Hierarchy, spread_labels


def with_certain_cells(
    labels: LabelMatrix, hierarchy: Hierarchy, absent: sp.csr_array | None = None
) -> LabelMatrix:
    """Return labels in which positive cells and cells below absent ones are known.

    Rows with such cells get groups of their own, as do nodes; rows that have the same
    additional cells share one.

    Parameters
    ----------
    labels : LabelMatrix
        Positive cells are closed over ancestors, but need not be known.
    hierarchy : Hierarchy
    absent : csr_array of bool of shape (n_rows, n_nodes), optional
        More cells that are absent, closed over descendants.
    """
    n_old_rows, n_old_nodes = labels.knows.shape
    row_group, of_rows = labels.row_group.copy(), _Groups(n_old_rows)
    for part in row_blocks(labels.shape):
        block = labels[part]
        cells = block.positive + _implied_absent(block, hierarchy)
        if absent is not None:
            cells += absent[part]
        row_group[part] = of_rows.regrouped(block.row_group, _unknown(cells, block))
    if not of_rows.old:
        return compact(labels)
    added = of_rows.matrix(labels.shape[1])
    columns = sp.csc_array(added)
    columns.sort_indices()
    of_nodes = _Groups(n_old_nodes)
    node_group = of_nodes.regrouped(labels.node_group, columns)
    of_row = np.append(np.arange(n_old_rows), of_rows.old)
    of_node = np.append(np.arange(n_old_nodes), of_nodes.old)
    knows = labels.knows[np.ix_(of_row, of_node)]
    more = of_nodes.matrix(len(of_rows.old))
    knows[n_old_rows:, n_old_nodes:] |= more.toarray().T
    return compact(LabelMatrix(labels.positive, row_group, node_group, knows))


def compact(labels: LabelMatrix) -> LabelMatrix:
    """Return the same labels without groups that have no row or no node."""
    rows, row_group = np.unique(labels.row_group, return_inverse=True)
    nodes, node_group = np.unique(labels.node_group, return_inverse=True)
    knows = labels.knows[np.ix_(rows, nodes)]
    return LabelMatrix(labels.positive, row_group, node_group, knows)


@dataclass
class _Groups:
    """New groups of rows or nodes, numbered after the old ones.

    Those with the same old group and the same additional cells stay together.
    """

    n_old: int
    old: list[int] = field(default_factory=list)
    cells: list[IntArray] = field(default_factory=list)
    _numbers: dict[tuple[int, bytes], int] = field(default_factory=dict)

    def regrouped(self, group: IntArray, added: Any) -> IntArray:
        """Return new groups for the rows of a CSR matrix, or columns of a CSC matrix.

        Those without cells stay in their group.
        """
        found = group.copy()
        for line in np.flatnonzero(np.diff(added.indptr)):
            cells = added.indices[added.indptr[line] : added.indptr[line + 1]]
            key = int(group[line]), cells.tobytes()
            if key not in self._numbers:
                self._numbers[key] = self.n_old + len(self.old)
                self.old.append(key[0])
                self.cells.append(cells.copy())
            found[line] = self._numbers[key]
        return found

    def matrix(self, n_columns: int) -> sp.csr_array:
        """Return a mask of the additional cells of each new group."""
        lengths = [cells.size for cells in self.cells]
        ends = np.append(0, np.cumsum(lengths))
        index = np.concatenate(self.cells)
        ones = np.ones(index.size, dtype=bool)
        return sp.csr_array((ones, index, ends), shape=(len(lengths), n_columns))


def _implied_absent(labels: LabelMatrix, hierarchy: Hierarchy) -> sp.csr_array:
    """Return the unknown cells below absent ones.

    Only rows that are known in part can have such cells, where an edge leads to a node
    that is known in other rows than its parent.
    """
    group = labels.node_group
    parents, children = hierarchy.edges.T
    crossing = group[parents] != group[children]
    parents, children = parents[crossing], children[crossing]
    rows = np.flatnonzero(labels.in_part if parents.size else ())
    knows = labels.knows[labels.row_group[rows]]
    lacks = knows[:, group[parents]] & ~knows[:, group[children]]
    lacks &= ~labels.positive[rows][:, parents].toarray()
    row, edge = np.nonzero(lacks)
    cells = np.ones(row.size, dtype=bool), (rows[row], children[edge])
    return spread_labels(
        sp.csr_array(cells, shape=labels.shape),
        hierarchy.children_ptr,
        hierarchy.children_idx,
    )


def _unknown(cells: sp.csr_array, labels: LabelMatrix) -> sp.csr_array:
    """Return the cells of a mask that are unknown, sorted by row and node."""
    row = np.repeat(np.arange(len(labels)), np.diff(cells.indptr))
    new = ~labels.knows[labels.row_group[row], labels.node_group[cells.indices]]
    found = sp.csr_array(
        (np.ones(int(new.sum()), dtype=bool), (row[new], cells.indices[new])),
        shape=labels.shape,
    )
    found.sum_duplicates()
    return found
