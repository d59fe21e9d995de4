"""Labels of many rows and nodes, without a cell for each of them.

A genome has 20,000 rows and 11,000 terms, but only about 50 labels per row. Positive
cells are therefore stored as a sparse matrix. Which cells are known is stored for
groups of rows and groups of nodes: a row is usually known as a whole, or in whole
aspects of an ontology. Dense arrays are only made for blocks of rows or columns.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, Self

import numpy as np
import scipy.sparse as sp

from hilabel._matrices import row_blocks
from hilabel._saved_types import Array, Sparse, saved_type
from hilabel._typing import UNLABELED, BoolArray, IntArray, LabelArray


@saved_type
@dataclass(frozen=True, eq=False)
class LabelMatrix:
    """The labels of rows: 1, 0 or unknown.

    Attributes
    ----------
    positive : csr_array of bool of shape (n_rows, n_nodes)
        Where a row has a node. All of these cells are known.
    row_group : int array of shape (n_rows,)
        Rows of one group are known in the same nodes.
    node_group : int array of shape (n_nodes,)
        Nodes of one group are known in the same rows.
    knows : bool array of shape (n_row_groups, n_node_groups)
        Whether the nodes of a group are known in the rows of a group.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel._label_matrix import LabelMatrix
    >>> Y = np.array([[1, 0, 0], [0, 1, -1], [-1, -1, -1]], dtype=np.int8)
    >>> labels = LabelMatrix.of(Y)
    >>> labels.labeled, labels.n_positive, labels.n_known
    (array([ True,  True, False]), array([1, 1, 0]), array([2, 2, 1]))
    >>> labels[:2].to_array()
    array([[ 1,  0,  0],
           [ 0,  1, -1]], dtype=int8)
    """

    positive: Annotated[sp.csr_array, Sparse("b1", ("n_rows", "n_nodes"))]
    row_group: Annotated[IntArray, Array("i8", ("n_rows",), 0)]
    node_group: Annotated[IntArray, Array("i8", ("n_nodes",), 0)]
    knows: Annotated[BoolArray, Array("b1", ("n_row_groups", "n_node_groups"))]

    def is_sound(self) -> bool:
        """Return whether groups exist and positive cells are known."""
        n_row_groups, n_node_groups = self.knows.shape
        return bool(
            self.row_group.max(initial=-1) < n_row_groups
            and self.node_group.max(initial=-1) < n_node_groups
            and self._are_positives_known()
        )

    def _are_positives_known(self) -> bool:
        if self.is_whole:
            lengths = np.diff(self.positive.indptr)
            return not lengths[~self.labeled].any()
        of_row = np.repeat(self.row_group, np.diff(self.positive.indptr))
        return bool(self.knows[of_row, self.node_group[self.positive.indices]].all())

    # Construction -------------------------------------------------------------------

    @classmethod
    def of(cls, Y: "LabelMatrix | LabelArray") -> "LabelMatrix":
        """Convert an array of 1, 0 and -1, which is not changed."""
        if isinstance(Y, LabelMatrix):
            return Y
        rows, nodes, lengths = [], [], np.zeros(len(Y), dtype=np.int64)
        for part in row_blocks(Y.shape):
            row, node = np.nonzero(Y[part] > 0)
            lengths[part] = np.bincount(row, minlength=part.stop - part.start)
            rows.append(row)
            nodes.append(node)
        index = np.concatenate([np.empty(0, dtype=np.int64), *nodes])
        pointer = np.append(0, np.cumsum(lengths))
        positive = sp.csr_array(
            (np.ones(index.size, dtype=bool), index, pointer), shape=Y.shape
        )
        return cls(positive, *_groups(Y))

    @classmethod
    def of_rows(cls, positive: Any, labeled: BoolArray) -> "LabelMatrix":
        """Return labels of rows that are known as a whole, or not at all.

        Parameters
        ----------
        positive : bool array or sparse array of shape (n_rows, n_nodes)
        labeled : bool array of shape (n_rows,)
        """
        nodes = np.zeros(positive.shape[1], dtype=np.int64)
        knows = np.array([[False], [True]])
        return cls(_as_csr(positive), labeled.astype(np.int64), nodes, knows)

    @classmethod
    def of_cells(cls, positive: Any, known: BoolArray) -> "LabelMatrix":
        """Return labels from masks of the positive and of the known cells."""
        return cls(_as_csr(positive), *_groups(known.view(np.int8) - np.int8(1)))

    # Size and counts ----------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of nodes."""
        n_rows, n_nodes = self.positive.shape
        return int(n_rows), int(n_nodes)

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def size(self) -> int:
        """Number of cells."""
        return self.shape[0] * self.shape[1]

    @property
    def _known_by_group(self) -> tuple[BoolArray, BoolArray]:
        """For each group of rows, whether some and whether all nodes are known."""
        used = self.knows[:, np.unique(self.node_group)]
        return np.asarray(used.any(axis=1)), np.asarray(used.all(axis=1))

    @property
    def is_whole(self) -> bool:
        """Whether each row is known as a whole, or not at all."""
        some, all_ = self._known_by_group
        return bool((all_ | ~some).all())

    @cached_property
    def labeled(self) -> BoolArray:
        """Mask of the rows with a known cell."""
        some, _ = self._known_by_group
        return some[self.row_group]

    @property
    def in_part(self) -> BoolArray:
        """Mask of the rows that are known only in part."""
        some, all_ = self._known_by_group
        return (some & ~all_)[self.row_group]

    @property
    def is_partly_known(self) -> bool:
        """Whether any row is known only in part."""
        return bool(self.in_part.any())

    @cached_property
    def all_known(self) -> bool:
        """Whether every cell is known."""
        rows, nodes = np.unique(self.row_group), np.unique(self.node_group)
        return bool(self.knows[np.ix_(rows, nodes)].all())

    @property
    def n_positive(self) -> IntArray:
        """Number of rows that have each node."""
        return np.bincount(self.positive.indices, minlength=self.shape[1])

    @property
    def n_known(self) -> IntArray:
        """Number of rows in which each node is known."""
        n_rows = np.bincount(self.row_group, minlength=len(self.knows))
        return np.asarray((n_rows @ self.knows.astype(np.int64))[self.node_group])

    def counts_by(self, part: IntArray, n_parts: int) -> tuple[IntArray, IntArray]:
        """Return the numbers of positive and of known rows by part and node.

        ``part`` has the number of the part of each row; rows with -1 are in none.
        """
        parts = [self[np.flatnonzero(part == number)] for number in range(n_parts)]
        n_positive = np.array([one.n_positive for one in parts])
        n_known = np.array([one.n_known for one in parts])
        shape = n_parts, self.shape[1]
        return n_positive.reshape(shape), n_known.reshape(shape)

    # Parts --------------------------------------------------------------------------

    def __getitem__(self, rows: Any) -> "LabelMatrix":
        """Return the rows selected by a slice, row numbers or a mask."""
        return replace(
            self, positive=self.positive[rows], row_group=self.row_group[rows]
        )

    def of_nodes(self, nodes: Any) -> "LabelMatrix":
        """Return the nodes selected by node numbers or a mask."""
        positive = sp.csr_array(self.positive[:, nodes])
        positive.sort_indices()
        return replace(self, positive=positive, node_group=self.node_group[nodes])

    def without_nodes(self, nodes: BoolArray) -> "LabelMatrix":
        """Return labels that are unknown in the nodes selected by a mask."""
        if not nodes.any():
            return self
        unknown = np.zeros((len(self.knows), 1), dtype=bool)
        return replace(
            self,
            positive=_cells_where(self.positive, ~nodes[self.positive.indices]),
            node_group=np.where(nodes, self.knows.shape[1], self.node_group),
            knows=np.hstack([self.knows, unknown]),
        )

    def without_rows(self, rows: BoolArray) -> "LabelMatrix":
        """Return labels that are unknown in the rows selected by a mask."""
        if not rows.any():
            return self
        kept = np.repeat(~rows, np.diff(self.positive.indptr))
        unknown = np.zeros((1, self.knows.shape[1]), dtype=bool)
        return replace(
            self,
            positive=_cells_where(self.positive, kept),
            row_group=np.where(rows, len(self.knows), self.row_group),
            knows=np.vstack([self.knows, unknown]),
        )

    def complete(self) -> "LabelMatrix":
        """Return labels that are 0 where they are unknown in a row known in part.

        A row known in part that has no node becomes unlabelled.
        """
        if not self.is_partly_known:
            return self
        has_some = np.diff(self.positive.indptr) > 0
        _, all_ = self._known_by_group
        return LabelMatrix.of_rows(self.positive, has_some | all_[self.row_group])

    def stacked_on(self, other: Self) -> "LabelMatrix":
        """Return these rows followed by those of another matrix over the same nodes."""
        both = np.stack([self.node_group, other.node_group])
        pairs, node_group = np.unique(both, axis=1, return_inverse=True)
        knows = np.vstack([self.knows[:, pairs[0]], other.knows[:, pairs[1]]])
        row_group = np.append(self.row_group, other.row_group + len(self.knows))
        positive = sp.csr_array(
            sp.vstack([self.positive, other.positive], format="csr")
        )
        return LabelMatrix(positive, row_group, node_group.reshape(-1), knows)

    # Dense blocks -------------------------------------------------------------------

    def to_array(self, rows: Any = slice(None)) -> LabelArray:
        """Return an int8 array of 1, 0 and -1 for some rows."""
        dense = self.positive[rows].toarray().view(np.int8)
        if not self.all_known:
            dense[~self.known(rows)] = UNLABELED
        return dense

    def present(self, rows: Any = slice(None)) -> BoolArray:
        """Return a mask of the positive cells of some rows."""
        return np.asarray(self.positive[rows].toarray())

    def known(self, rows: Any = slice(None)) -> BoolArray:
        """Return a mask of the known cells of some rows."""
        groups = self.row_group[rows]
        if self.all_known:
            return np.broadcast_to(np.True_, (groups.size, self.shape[1]))
        return self.knows[groups][:, self.node_group]

    def present_columns(self, nodes: IntArray) -> BoolArray:
        """Return a mask of the positive cells of some nodes: one row per node."""
        present = np.zeros((nodes.size, len(self)), dtype=bool)
        for place, node in enumerate(nodes):
            start, end = self.by_node.indptr[node : node + 2]
            present[place, self.by_node.indices[start:end]] = True
        return present

    def known_columns(self, nodes: IntArray) -> BoolArray:
        """Return a mask of the known cells of some nodes: one row per node."""
        if self.all_known:
            return np.broadcast_to(np.True_, (nodes.size, len(self)))
        return self.knows.T[self.node_group[nodes]][:, self.row_group]

    @cached_property
    def by_node(self) -> sp.csc_array:
        """The positive cells by column: the rows that have each node."""
        return sp.csc_array(self.positive)


def _as_csr(positive: Any) -> sp.csr_array:
    matrix = sp.csr_array(positive, dtype=bool)
    if not matrix.has_canonical_format or not matrix.data.all():
        matrix = matrix.copy()
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    return matrix


def _cells_where(matrix: sp.csr_array, kept: BoolArray) -> sp.csr_array:
    """Return a matrix of only those stored cells that a mask selects."""
    ends = np.append(0, np.cumsum(kept))[matrix.indptr]
    return sp.csr_array(
        (matrix.data[kept], matrix.indices[kept], ends), shape=matrix.shape
    )


def _groups(Y: LabelArray) -> tuple[IntArray, IntArray, BoolArray]:
    """Return the groups of rows and nodes that are known together, and where."""
    n_nodes = Y.shape[1]
    packed = np.concatenate(
        [
            np.empty((0, -(-n_nodes // 8)), dtype=np.uint8),
            *(np.packbits(Y[part] >= 0, axis=1) for part in row_blocks(Y.shape)),
        ]
    )
    patterns, row_group = _distinct(packed)
    known = np.unpackbits(patterns, axis=1, count=n_nodes)
    columns, node_group = _distinct(np.packbits(known.T, axis=1))
    knows = np.unpackbits(columns, axis=1, count=len(patterns)).T.astype(bool)
    return row_group, node_group, np.ascontiguousarray(knows)


def _distinct(rows: Any) -> tuple[Any, IntArray]:
    """Return the distinct rows of an array of bytes, and which of them each row is."""
    if not rows.size:
        return rows[:1], np.zeros(len(rows), dtype=np.int64)
    rows = np.ascontiguousarray(rows)
    as_one = rows.view(np.dtype((np.void, rows.shape[1]))).reshape(-1)
    _, first, which = np.unique(as_one, return_index=True, return_inverse=True)
    return rows[first], which.reshape(-1).astype(np.int64)
