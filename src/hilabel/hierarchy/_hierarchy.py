"""The label hierarchy: immutable, validated once, and stored as CSR arrays."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Literal, NoReturn, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from hilabel import _engine
from hilabel._label_matrix import LabelMatrix
from hilabel._typing import BoolArray, FilePath, IntArray, MatrixLike
from hilabel.exceptions import HierarchyError, LabelError
from hilabel.hierarchy import _build, _graph, _paths, _problem_type
from hilabel.hierarchy._closure import spread_labels
from hilabel.hierarchy._problem_type import ProblemType
from hilabel.hierarchy._restrict import edges_among

_ROWS_AT_ONCE: Final = 1_000


class Hierarchy:
    """A directed acyclic graph of labels.

    A node is an integer from 0 to ``n_nodes - 1``, which is its column in ``Y``;
    ``names`` contains the names of the nodes. Edges point from **parent to child**.
    There is no artificial root: the hierarchy may have many roots, and a node may have
    no edges.

    A hierarchy is immutable and hashable. Two hierarchies are equal if they have the
    same names and edges. Hierarchies are usually created by one of the ``from_``
    methods.

    Parameters
    ----------
    names : sequence of str
        One unique name per node.
    edges : array-like of shape (n_edges, 2)
        Pairs (parent, child) of positions in ``names``.
    titles : sequence of str, optional
        Human-readable names, such as the term names of the Gene Ontology. They default
        to ``names`` and do not affect equality.

    Attributes
    ----------
    names, titles : tuple of str
    n_nodes, n_edges : int
    edges : ndarray of shape (n_edges, 2)
        (parent, child) pairs, sorted.
    edges_in_order : ndarray of shape (n_edges, 2)
        The same pairs, ordered so that each comes after all edges above it.
    order : ndarray of shape (n_nodes,)
        All nodes, every parent before its children.
    depth : ndarray of shape (n_nodes,)
        Number of nodes on the longest path from a root; roots have depth 1.
    max_depth : int
    roots, leaves : ndarray
        Nodes without parents and nodes without children. An isolated node is both.
    is_tree : bool
        Whether every node has at most one parent. Several roots are allowed.
    parents_ptr, parents_idx, children_ptr, children_idx : ndarray
        The edges in CSR form, for code that loops over all of them.

    Raises
    ------
    HierarchyError
        For an empty node list, a repeated name or edge, an edge to an unknown node,
        a self-loop or a cycle. The message names the cause.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> h = Hierarchy.from_edges([("a", "c"), ("a", "d"), ("b", "d")])
    >>> h
    Hierarchy(4 nodes, 3 edges, 2 roots, depth 2, DAG)
    >>> [h.names[node] for node in h.parents("d")]
    ['a', 'b']
    >>> h.ancestors("a")  # a root has none
    array([], dtype=int64)
    """

    names: tuple[str, ...]
    titles: tuple[str, ...]
    order: IntArray
    depth: IntArray
    parents_ptr: IntArray
    parents_idx: IntArray
    children_ptr: IntArray
    children_idx: IntArray
    _position: dict[str, int]

    def __init__(
        self,
        names: Sequence[str],
        edges: MatrixLike = (),
        titles: Sequence[str] | None = None,
    ) -> None:
        names = tuple(names)
        _check_names(names)
        titles = names if titles is None else tuple(titles)
        if len(titles) != len(names):
            raise HierarchyError(
                f"Expected one title per node, got {len(titles)} titles for "
                f"{len(names)} nodes."
            )
        pairs = np.asarray(edges, dtype=np.int64).reshape(-1, 2)
        _graph.check_edges(pairs, names)
        parents = _graph.csr_from_pairs(pairs[:, 1], pairs[:, 0], len(names))
        children = _graph.csr_from_pairs(pairs[:, 0], pairs[:, 1], len(names))
        order, depth = _graph.topological_order(parents, children, names)
        # Set attributes in the dictionary, because __setattr__ raises an error.
        self.__dict__.update(
            names=names,
            titles=titles,
            order=order,
            depth=depth,
            parents_ptr=parents[0],
            parents_idx=parents[1],
            children_ptr=children[0],
            children_idx=children[1],
            _position={name: node for node, name in enumerate(names)},
        )

    # Construction -------------------------------------------------------------------

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[Sequence[Hashable]] | Any,
        *,
        nodes: Iterable[Hashable] | None = None,
        titles: Sequence[str] | None = None,
    ) -> Self:
        """Create a hierarchy from (parent, child) pairs of names.

        Parameters
        ----------
        edges : iterable of pairs, array of shape (n_edges, 2) or DataFrame
            **Parent first, child second.**
        nodes : iterable, optional
            All nodes in the desired order, including isolated nodes. By default, the
            nodes of the edges: integers in ascending order, other names in order of
            appearance.
        titles : sequence of str, optional
            Human-readable names, in the order of ``nodes``.

        Examples
        --------
        >>> from hilabel import Hierarchy
        >>> Hierarchy.from_edges([(0, 3), (0, 4), (1, 4), (1, 5)], nodes=range(6))
        Hierarchy(6 nodes, 4 edges, 3 roots, depth 2, DAG)
        """
        names, pairs = _build.parts_from_edges(edges, nodes)
        return cls(names, pairs, titles)

    @classmethod
    def from_dict(cls, children: Mapping[Hashable, Any]) -> Self:
        """Create a hierarchy from ``{parent: [child, ...]}`` or nested dicts.

        The value of a node without children is ``[]`` or ``{}``. A name that occurs
        under two parents is one node with two parents.

        Parameters
        ----------
        children : mapping
            Maps each parent to its children: an iterable of names, or a mapping like
            this one, nested to any depth.

        Examples
        --------
        >>> from hilabel import Hierarchy
        >>> Hierarchy.from_dict({"animal": ["cat", "dog"], "stone": []}).names
        ('animal', 'cat', 'dog', 'stone')
        >>> Hierarchy.from_dict({"food": {"drinks": {"tea": {}}, "bakery": {}}})
        Hierarchy(4 nodes, 3 edges, 1 root, depth 3, tree)
        """
        return cls(*_build.parts_from_dict(children))

    @classmethod
    def from_paths(
        cls, paths: Iterable[str | Sequence[str]], separator: str = "/"
    ) -> Self:
        """Create a tree from root-to-node paths; each prefix of a path is a node.

        Paths may repeat and may be in any order. A node is named by its whole path,
        since the same step may occur in two places.

        Examples
        --------
        >>> from hilabel import Hierarchy
        >>> Hierarchy.from_paths(["01/01", "02", "01"]).names
        ('01', '01/01', '02')
        """
        return cls(*_build.parts_from_paths(paths, separator))

    @classmethod
    def from_labels(cls, y: Any, separator: str | None = None) -> Self:
        """Create the tree defined by the labels of a training set.

        As in hiclass, each position in the tree is a node: a step that occurs below two
        parents is two nodes, and a path such as ``a, b, a`` is not a cycle. A node is
        named by its whole path, and its title is the last step. Paths may repeat, end
        at any depth and be in any order.

        Parameters
        ----------
        y : array, DataFrame or list of n_samples rows
            - paths in columns, a 2-D array or DataFrame, with "", None or NaN where a
              path ends early;
            - a list with a path, or a list of paths, for each row;
            - with ``separator``, a string such as ``"a/b"``, or a list of them, for
              each row.

            An empty row or None is unlabelled and adds nothing.
        separator : str, optional
            Splits the strings of ``y`` into steps, and joins steps into names. Without
            it, strings are not split, and names are joined by ``"/"``.

        Raises
        ------
        LabelError
            If a path has an empty step before its end, or a row is a set.
        HierarchyError
            If two paths result in the same name because a step contains the separator.

        See Also
        --------
        to_paths : Convert label matrices back to paths in columns.

        Examples
        --------
        >>> from hilabel import Hierarchy
        >>> h = Hierarchy.from_labels([["pet", "cat"], ["pet", "other"], ["other", ""]])
        >>> h.names
        ('pet', 'pet/cat', 'pet/other', 'other')
        >>> h.titles
        ('pet', 'cat', 'other', 'other')
        >>> Hierarchy.from_labels(["pet.cat", "pet.dog"], separator=".").names
        ('pet', 'pet.cat', 'pet.dog')
        """
        rows = _paths.read_paths(y, separator)
        return cls(*_paths.parts_from_rows(rows, separator or "/"))

    @classmethod
    def from_networkx(
        cls,
        graph: Any,
        direction: Literal["parent_to_child", "child_to_parent"] = "parent_to_child",
    ) -> Self:
        """Create a hierarchy from a ``networkx.DiGraph``.

        Pass ``direction="child_to_parent"`` for graphs whose edges point upwards, like
        those of obonet.
        """
        return cls(*_build.parts_from_networkx(graph, direction))

    @classmethod
    def from_adjacency(
        cls, adjacency: MatrixLike, names: Iterable[Hashable] | None = None
    ) -> Self:
        """Create a hierarchy from a matrix that is non-zero at ``[parent, child]``.

        Examples
        --------
        >>> from hilabel import Hierarchy
        >>> Hierarchy.from_adjacency([[0, 1], [0, 0]], names=["up", "down"]).leaves
        array([1])
        """
        return cls(*_build.parts_from_adjacency(adjacency, names))

    @classmethod
    def from_obo(
        cls,
        path: FilePath,
        relations: Sequence[str] = ("is_a", "part_of"),
        *,
        lenient: bool = False,
    ) -> "Hierarchy":
        """Create a hierarchy from an OBO file; see ``hilabel.hierarchy.read_obo``."""
        from hilabel.hierarchy._obo import read_obo  # imports this class

        return read_obo(path, relations, lenient=lenient).hierarchy

    # Nodes --------------------------------------------------------------------------

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.names)

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return len(self.parents_idx)

    @cached_property
    def edges(self) -> IntArray:
        """(parent, child) pairs, sorted by parent and then by child."""
        parents = np.repeat(np.arange(self.n_nodes), np.diff(self.children_ptr))
        return _frozen(np.column_stack([parents, self.children_idx]))

    @cached_property
    def edges_in_order(self) -> IntArray:
        """(parent, child) pairs, each listed after all edges above it."""
        rank = np.empty(self.n_nodes, dtype=np.int64)
        rank[self.order] = np.arange(self.n_nodes)
        return _frozen(self.edges[np.argsort(rank[self.edges[:, 1]], kind="stable")])

    @cached_property
    def roots(self) -> IntArray:
        """Nodes without parents."""
        return _frozen(np.flatnonzero(np.diff(self.parents_ptr) == 0))

    @cached_property
    def leaves(self) -> IntArray:
        """Nodes without children."""
        return _frozen(np.flatnonzero(np.diff(self.children_ptr) == 0))

    @cached_property
    def max_depth(self) -> int:
        """Depth of the deepest node."""
        return int(self.depth.max())

    @cached_property
    def is_tree(self) -> bool:
        """Whether every node has at most one parent."""
        return bool((np.diff(self.parents_ptr) <= 1).all())

    def node(self, name: int | str | tuple[str, ...]) -> int:
        """Return the number of a node given by its name, path or number.

        A path is a tuple of steps from a root. A step is a name or, if names are whole
        paths, the last part of a name.

        Examples
        --------
        >>> from hilabel import Hierarchy
        >>> h = Hierarchy.from_labels([["pet", "cat"], ["pet", "dog"]])
        >>> h.node("pet/dog"), h.node(("pet", "dog"))
        (2, 2)
        """
        if isinstance(name, tuple):
            if name in self:
                return self._end_of_path(name)
            raise HierarchyError(
                f"Path {name!r} is not in the hierarchy of {self.n_nodes} nodes; "
                "expected the steps from a root."
            )
        if isinstance(name, int | np.integer):
            if 0 <= name < self.n_nodes:
                return int(name)
            raise HierarchyError(
                f"Expected a node from 0 to {self.n_nodes - 1}, got {name}."
            )
        if name not in self._position:
            raise HierarchyError(
                f"Node {name!r} is not in the hierarchy of {self.n_nodes} nodes."
            )
        return self._position[name]

    def parents(self, node: int | str) -> IntArray:
        """Return the nodes directly above ``node``."""
        node = self.node(node)
        return self.parents_idx[self.parents_ptr[node] : self.parents_ptr[node + 1]]

    def children(self, node: int | str) -> IntArray:
        """Return the nodes directly below ``node``."""
        node = self.node(node)
        return self.children_idx[self.children_ptr[node] : self.children_ptr[node + 1]]

    def ancestors(self, node: int | str) -> IntArray:
        """Return all nodes above ``node`` in ascending order, excluding ``node``."""
        return _graph.reachable(self.node(node), self.parents_ptr, self.parents_idx)

    def descendants(self, node: int | str) -> IntArray:
        """Return all nodes below ``node`` in ascending order, excluding ``node``."""
        return _graph.reachable(self.node(node), self.children_ptr, self.children_idx)

    def siblings(self, node: int | str) -> IntArray:
        """Return the other children of all parents of ``node``.

        Roots are siblings of each other, as if they had a common parent.
        """
        node = self.node(node)
        parents = self.parents(node)
        if parents.size == 0:
            together = self.roots
        else:
            together = np.unique(np.concatenate([self.children(p) for p in parents]))
        return together[together != node]

    @cached_property
    def ancestor_matrix(self) -> sp.csr_array:
        """Sparse boolean matrix, True where node ``j`` is an ancestor of node ``i``.

        It has shape (n_nodes, n_nodes) and stores one entry for each pair of a node and
        one of its ancestors. It is computed on first use and cached.
        """
        ptr, idx = _engine.ancestors_csr(self.parents_ptr, self.parents_idx)
        ones = np.ones(idx.size, dtype=bool)
        return sp.csr_array((ones, idx, ptr), shape=(self.n_nodes, self.n_nodes))

    # Label sets ---------------------------------------------------------------------

    def close(self, Y: MatrixLike) -> Any:
        """Return a copy of ``Y`` in which every ancestor of a label is a label too.

        Parameters
        ----------
        Y : array or sparse matrix of shape (n_samples, n_nodes)
            1 or True where a row has the label. Rows of ``UNLABELED`` or NaN are kept.

        Returns
        -------
        The same type and dtype as ``Y``.

        Examples
        --------
        >>> import numpy as np
        >>> from hilabel import Hierarchy
        >>> h = Hierarchy.from_edges([("a", "b"), ("b", "c")])
        >>> h.close(np.array([[0, 0, 1], [0, 0, 0], [-1, -1, -1]]))
        array([[ 1,  1,  1],
               [ 0,  0,  0],
               [-1, -1, -1]])
        """
        Y = self._check_width(Y)
        if sp.issparse(Y):
            return self._close_sparse(Y)
        closed = self._closed_positives(Y)
        if Y.dtype == bool:
            return closed
        return np.where(closed, Y.dtype.type(1), Y)

    def is_consistent(self, Y: MatrixLike) -> bool:
        """Return whether all ancestors of every label in ``Y`` are labels too."""
        return self.first_inconsistency(Y) is None

    def first_inconsistency(self, Y: MatrixLike) -> tuple[int, int, int] | None:
        """Return the first inconsistency as (row, node, parent), or None.

        The row has the node but not the parent.
        """
        Y = self._check_width(Y)
        if sp.issparse(Y):
            return self._first_inconsistency_sparse(Y)
        if not self.n_edges:
            return None
        positive = Y > 0
        is_wrong = (self._closed_positives(positive) != positive).any(axis=1)
        if not is_wrong.any():
            return None
        row = int(is_wrong.argmax())
        nodes = np.repeat(np.arange(self.n_nodes), np.diff(self.parents_ptr))
        edge = (positive[row, nodes] & ~positive[row, self.parents_idx]).argmax()
        return row, int(nodes[edge]), int(self.parents_idx[edge])

    def most_specific(self, Y: MatrixLike) -> Any:
        """Return a copy of ``Y`` without the labels implied by other labels.

        Closing the result restores ``Y`` if ``Y`` was consistent.

        Examples
        --------
        >>> import numpy as np
        >>> from hilabel import Hierarchy
        >>> h = Hierarchy.from_edges([("a", "b"), ("b", "c")])
        >>> h.most_specific(np.array([[True, True, False]]))
        array([[False,  True, False]])
        """
        Y = self._check_width(Y)
        if sp.issparse(Y):
            closed = self.close(Y) > 0
            implied = (closed.astype(np.int32) @ self._parent_matrix()).astype(bool)
            kept = sp.csr_array(Y > 0) > implied
            return _join_sparse(kept, Y)
        specific = self._closed_positives(Y)
        _engine.drop_implied(specific, self.edges_in_order)
        return np.where((Y > 0) & ~specific, Y.dtype.type(0), Y)

    def to_names(self, Y: MatrixLike) -> list[set[str] | None]:
        """Return the label names of each row of ``Y``, or None for an unlabelled row.

        The ``fit`` and ``score`` methods of estimators also accept this form.

        Examples
        --------
        >>> from hilabel import Hierarchy
        >>> h = Hierarchy.from_edges([("a", "b"), ("a", "c")])
        >>> h.to_names([[1, 0, 0], [0, 0, 0], [-1, -1, -1]])
        [{'a'}, set(), None]
        """
        dense = self._dense(Y)
        names = np.array(self.names, dtype=object)
        known = _labeled_rows(dense)
        return [
            set(names[row > 0].tolist()) if is_known else None
            for row, is_known in zip(dense, known, strict=True)
        ]

    def to_paths(self, Y: MatrixLike) -> Any:
        """Return the path of each row of ``Y``, with one step per column as in hiclass.

        Parameters
        ----------
        Y : array or sparse matrix of shape (n_samples, n_nodes)
            At most one path per row, with or without its ancestors.

        Returns
        -------
        object ndarray of shape (n_samples, max_depth)
            One step per column; ``""`` after the last step and in rows without labels.

        Raises
        ------
        HierarchyError
            If the hierarchy is not a tree, so that paths are not unique.
        LabelError
            If a row has several paths.

        Examples
        --------
        >>> from hilabel import Hierarchy
        >>> h = Hierarchy.from_labels([["pet", "cat"], ["stone"]])
        >>> h.to_paths([[1, 1, 0], [0, 0, 1]])
        array([['pet', 'cat'],
               ['stone', '']], dtype=object)
        """
        if not self.is_tree:
            raise HierarchyError(
                "Expected a tree, but nodes of this DAG have several paths. Use "
                "to_names for the labels of each row."
            )
        ends = self.most_specific(self._dense(Y)) > 0
        several = np.flatnonzero(ends.sum(axis=1) > 1)
        if several.size:
            raise LabelError(
                f"Row {several[0]} of Y has several paths, such as to "
                f"{self.to_names(ends[several[:1]])[0]}; expected one. Use to_names."
            )
        rows, nodes = np.nonzero(ends)
        paths = np.full((ends.shape[0], self.max_depth), "", dtype=object)
        steps = np.array(self._steps, dtype=object)
        while rows.size:
            paths[rows, self.depth[nodes] - 1] = steps[nodes]
            below = np.diff(self.parents_ptr)[nodes] > 0
            rows, nodes = rows[below], nodes[below]
            nodes = self.parents_idx[self.parents_ptr[nodes]]
        return paths

    def problem_type(self, Y: MatrixLike) -> ProblemType:
        """Return the triple (structure, paths, depth) of the labels in ``Y``.

        Unlabelled rows are ignored, as are rows that are known in part and have no
        label. See :class:`~hilabel.hierarchy.ProblemType`.

        Examples
        --------
        >>> import numpy as np
        >>> from hilabel import Hierarchy
        >>> h = Hierarchy.from_edges([("a", "b"), ("a", "c")])
        >>> h.problem_type(np.array([[1, 1, 1], [1, 0, 0]]))
        ProblemType(structure='T', paths='MPL', depth='PD')
        """
        Y = self._check_width(Y)
        n_labeled, is_single, is_full = 0, True, True
        is_leaf = np.diff(self.children_ptr) == 0
        # In blocks, because masks of all cells would need several times the memory of
        # Y.
        for rows in gen_batches(max(1, Y.shape[0]), _ROWS_AT_ONCE):
            dense = self._dense(Y[rows])
            is_whole = ~((dense < 0) | (dense != dense)).any(axis=1)
            labeled = np.asarray(is_whole | (dense > 0).any(axis=1))
            n_labeled += int(labeled.sum())
            positive = dense[labeled] > 0
            single = _problem_type.has_single_paths(
                self._closed_positives(positive), self.parents_ptr, self.parents_idx
            )
            full = _problem_type.has_full_depth(self.most_specific(positive), is_leaf)
            is_single &= bool(single.all())
            is_full &= bool(full.all())
        if not n_labeled:
            raise LabelError(
                "Expected at least one labelled row to determine the problem type, got "
                f"{Y.shape[0]} rows, all unlabelled."
            )
        return ProblemType(
            structure="T" if self.is_tree else "DAG",
            paths="SPL" if is_single else "MPL",
            depth="FD" if is_full else "PD",
        )

    def restrict(self, nodes: MatrixLike) -> "Hierarchy":
        """Return the hierarchy of a subset of the nodes, in the given order.

        If a parent of a node is dropped, the nearest kept ancestors above that parent
        become parents of the node. Among the kept nodes, the ancestors of each node
        therefore stay the same.

        Parameters
        ----------
        nodes : sequence of int or str, or bool mask of shape (n_nodes,)

        Examples
        --------
        >>> from hilabel import Hierarchy
        >>> h = Hierarchy.from_edges([("a", "b"), ("b", "c")])
        >>> h.restrict(["a", "c"]).edges
        array([[0, 1]])
        """
        kept = self._as_nodes(nodes)
        edges = edges_among(kept, self.order, self.parents_ptr, self.parents_idx)
        return Hierarchy(
            [self.names[node] for node in kept],
            edges,
            [self.titles[node] for node in kept],
        )

    # Private ------------------------------------------------------------------------

    def _check_width(self, Y: MatrixLike) -> Any:
        if not (sp.issparse(Y) or isinstance(Y, LabelMatrix)):
            Y = np.asarray(Y)
        if len(Y.shape) != 2 or Y.shape[1] != self.n_nodes:
            raise LabelError(
                f"Expected Y of shape (n_samples, {self.n_nodes}), one column per "
                f"node, got shape {Y.shape}."
            )
        return Y

    def _dense(self, Y: MatrixLike) -> Any:
        Y = self._check_width(Y)
        if isinstance(Y, LabelMatrix):
            return Y.to_array()
        return Y.toarray() if sp.issparse(Y) else Y

    @cached_property
    def _steps(self) -> tuple[str, ...]:
        """The title of each node if its name ends with the title, or else its name."""
        return tuple(
            title if title and name.endswith(title) else name
            for name, title in zip(self.names, self.titles, strict=True)
        )

    @cached_property
    def _places(self) -> dict[tuple[int, str], int]:
        """Mapping from (parent, step or name) to node; the parent of a root is -1."""
        edges = [*((-1, root) for root in self.roots.tolist()), *self.edges.tolist()]
        named = {(above, self.names[node]): node for above, node in edges}
        return {(above, self._steps[node]): node for above, node in edges} | named

    def _end_of_path(self, path: tuple[str, ...]) -> int:
        """Return the node to which a path leads from a root, or -1 if there is none."""
        node = -1
        for step in path:
            node = self._places.get((node, step), -2)
        return max(node, -1)

    def _closed_positives(self, Y: Any) -> BoolArray:
        closed = np.array(Y if Y.dtype == bool else Y > 0, order="C")
        _engine.close_rows(closed, self.edges_in_order)
        return closed

    def _parent_matrix(self) -> sp.csr_array:
        """Return a sparse matrix with 1 where node ``j`` is a parent of node ``i``."""
        ones = np.ones(self.n_edges, dtype=np.int32)
        return sp.csr_array(
            (ones, self.parents_idx, self.parents_ptr),
            shape=(self.n_nodes, self.n_nodes),
        )

    def _close_sparse(self, Y: Any) -> Any:
        return _join_sparse(spread_labels(Y > 0, self.parents_ptr, self.parents_idx), Y)

    def _first_inconsistency_sparse(self, Y: Any) -> tuple[int, int, int] | None:
        positive = sp.csr_array(Y > 0)
        required = (positive.astype(np.int32) @ self._parent_matrix()) > 0
        missing = sp.csr_array(required > positive)
        if missing.nnz == 0:
            return None
        row = int(np.flatnonzero(np.diff(missing.indptr))[0])
        found = self.first_inconsistency(positive[[row]].toarray())
        return None if found is None else (row, *found[1:])

    def _as_nodes(self, nodes: MatrixLike) -> IntArray:
        listed = nodes if isinstance(nodes, np.ndarray) else list(nodes)
        if len(listed) and isinstance(listed[0], bool | np.bool_):
            if len(listed) != self.n_nodes:
                raise HierarchyError(
                    f"Expected a mask of {self.n_nodes} values, got {len(listed)}."
                )
            return np.flatnonzero(listed)
        return np.array([self.node(item) for item in listed], dtype=np.int64)

    # Value semantics ----------------------------------------------------------------

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(
            f"A Hierarchy cannot be changed (tried to set {name!r}); create a new one."
        )

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("A Hierarchy cannot be changed; create a new one.")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Hierarchy, (self.names, self.edges, self.titles)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hierarchy):
            return NotImplemented
        return self is other or (
            self.names == other.names and np.array_equal(self.edges, other.edges)
        )

    @cached_property
    def _hash(self) -> int:
        return hash((self.names, self.edges.tobytes()))

    def __hash__(self) -> int:
        return self._hash

    def __len__(self) -> int:
        return self.n_nodes

    def __contains__(self, name: object) -> bool:
        if isinstance(name, tuple):
            return self._end_of_path(name) >= 0
        return name in self._position

    def __repr__(self) -> str:
        def count(number: int, noun: str) -> str:
            return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

        kind = "tree" if self.is_tree else "DAG"
        return (
            f"Hierarchy({count(self.n_nodes, 'node')}, {count(self.n_edges, 'edge')}, "
            f"{count(self.roots.size, 'root')}, depth {self.max_depth}, {kind})"
        )


def _check_names(names: tuple[str, ...]) -> None:
    if not names:
        raise HierarchyError("Expected at least one node, got an empty list.")
    for node, name in enumerate(names):
        if not isinstance(name, str):
            raise HierarchyError(
                f"Expected node names to be strings, got {name!r} for node {node}; "
                "the from_ methods convert other names."
            )
    if len(set(names)) < len(names):
        (repeated, _), *_ = Counter(names).most_common(1)
        raise HierarchyError(
            f"Node name {repeated!r} occurs more than once; names must be unique."
        )


def _labeled_rows(dense: Any) -> BoolArray:
    return np.asarray(~((dense < 0) | (dense != dense)).all(axis=1))


def _frozen(array: Any) -> Any:
    array.flags.writeable = False
    return array


def _join_sparse(positive: Any, Y: Any) -> Any:
    """Convert ``positive`` to the type and dtype of ``Y``, keeping its -1 and NaN."""
    rest = sp.csr_array(Y, copy=True)
    rest.data[~((rest.data < 0) | (rest.data != rest.data))] = 0
    joined = sp.csr_array(positive).astype(Y.dtype)
    if np.count_nonzero(rest.data):
        joined = joined + rest
    joined.eliminate_zeros()
    return joined if isinstance(Y, sp.csr_array) else type(Y)(joined)
