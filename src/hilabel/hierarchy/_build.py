"""Build a hierarchy from edges, paths, dicts, graphs or matrices.

Each function returns the node names and an (n_edges, 2) array of (parent, child)
positions; ``Hierarchy`` itself checks the result.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from hilabel._typing import IntArray, MatrixLike
from hilabel.exceptions import HierarchyError
from hilabel.hierarchy._paths import parts_from_rows

Parts = tuple[list[str], IntArray]


def parts_from_edges(
    edges: Iterable[Sequence[Hashable]] | Any, nodes: Iterable[Hashable] | None
) -> Parts:
    """Return names and edges from (parent, child) pairs of names."""
    pairs = _as_pairs(edges)
    declared = None if nodes is None else list(nodes)
    return _number(pairs, declared)


def parts_from_dict(children: Mapping[Hashable, Any]) -> Parts:
    """Return names and edges from ``{parent: [child, ...]}`` or nested dicts."""
    pairs: list[tuple[Hashable, Hashable]] = []
    mentioned: dict[Hashable, None] = {}
    known: set[tuple[Hashable, Hashable]] = set()
    for parent, below in _walk(children):
        listed = _listed_children(parent, below)
        mentioned[parent] = None
        # The children of a node with two parents may be listed under both.
        new = [(parent, child) for child in listed if (parent, child) not in known]
        pairs.extend(new)
        known.update(new)
        if not isinstance(below, Mapping):
            mentioned.update(dict.fromkeys(listed))
    return _number(pairs, _natural_order(mentioned))


def _walk(children: Mapping[Hashable, Any]) -> Iterator[tuple[Hashable, Any]]:
    """Yield each node at every level of nesting, with its children.

    The walk is not recursive, since a hierarchy may be deeper than Python's stack. A
    mapping that has already been visited, as in a cycle, is not visited again;
    ``Hierarchy`` reports the cycle.
    """
    levels = [iter(children.items())]
    walked: set[tuple[Hashable, int]] = set()
    while levels:
        entry = next(levels[-1], None)
        if entry is None:
            levels.pop()
            continue
        yield entry
        parent, below = entry
        if isinstance(below, Mapping) and (parent, id(below)) not in walked:
            walked.add((parent, id(below)))
            levels.append(iter(below.items()))


def _listed_children(parent: Hashable, below: Any) -> list[Hashable]:
    if isinstance(below, str) or not isinstance(below, Iterable):
        raise HierarchyError(
            f"Expected a list of children for {parent!r}, or a dictionary, got "
            f"{below!r}; write [{below!r}]."
        )
    return list(below)


def parts_from_paths(paths: Iterable[str | Sequence[str]], separator: str) -> Parts:
    """Return names and edges from root-to-node paths; names are whole paths."""
    rows = []
    for path in paths:
        steps = path.split(separator) if isinstance(path, str) else path
        if not len(steps) or not all(steps):
            raise HierarchyError(
                f"Path {path!r} has an empty step; expected names joined by "
                f"{separator!r}, such as 'a{separator}b'."
            )
        rows.append([tuple(steps)])
    names, edges, _ = parts_from_rows(rows, separator)
    return names, edges


def parts_from_networkx(graph: Any, direction: str) -> Parts:
    """Return names and edges from a ``networkx.DiGraph``."""
    if not graph.is_directed():
        raise HierarchyError("Expected a directed graph (networkx.DiGraph).")
    if direction not in ("parent_to_child", "child_to_parent"):
        raise HierarchyError(
            "Expected direction 'parent_to_child' or 'child_to_parent', "
            f"got {direction!r}."
        )
    # A multigraph, such as obonet's, may connect two nodes by several relations, which
    # become one edge here.
    pairs = list(dict.fromkeys((source, target) for source, target in graph.edges()))
    if direction == "child_to_parent":
        pairs = [(target, source) for source, target in pairs]
    return _number(pairs, list(graph.nodes()))


def parts_from_adjacency(
    adjacency: MatrixLike, names: Iterable[Hashable] | None
) -> Parts:
    """Return names and edges from a matrix that is non-zero at [parent, child]."""
    matrix: Any = adjacency if sp.issparse(adjacency) else np.asarray(adjacency)
    shape = matrix.shape
    if len(shape) != 2 or shape[0] != shape[1]:
        raise HierarchyError(f"Expected a square adjacency matrix, got shape {shape}.")
    parents, children = matrix.nonzero()
    labels = range(shape[0]) if names is None else names
    return _as_names(labels), np.column_stack([parents, children]).astype(np.int64)


def _as_pairs(edges: Any) -> list[tuple[Hashable, Hashable]]:
    if hasattr(edges, "itertuples"):  # a data frame: its first two columns
        if edges.shape[1] < 2:
            raise HierarchyError(
                "Expected a data frame with two columns, parent and child, "
                f"got {edges.shape[1]}."
            )
        edges = edges.iloc[:, :2].itertuples(index=False, name=None)
    elif isinstance(edges, np.ndarray):
        edges = edges.tolist()
    pairs = []
    for edge in edges:
        if isinstance(edge, str) or len(edge) != 2:
            raise HierarchyError(f"Expected (parent, child) pairs, got {edge!r}.")
        pairs.append((edge[0], edge[1]))
    return pairs


def _number(
    pairs: list[tuple[Hashable, Hashable]], declared: list[Hashable] | None
) -> Parts:
    if declared is None:
        seen = dict.fromkeys(name for pair in pairs for name in pair)
        declared = _natural_order(seen)
    names = _as_names(declared)
    position: dict[Hashable, int] = {name: node for node, name in enumerate(names)}
    position.update((label, node) for node, label in enumerate(declared))
    try:
        edges = [(position[parent], position[child]) for parent, child in pairs]
    except KeyError as error:
        parent, child = next(pair for pair in pairs if error.args[0] in pair)
        role = "Parent" if parent == error.args[0] else "Child"
        raise HierarchyError(
            f"{role} {error.args[0]!r} of the edge ({parent!r}, {child!r}) is not "
            f"among the {len(names)} nodes given; add it there or remove the edge."
        ) from None
    return names, np.array(edges, dtype=np.int64).reshape(-1, 2)


def _natural_order(names: Iterable[Hashable]) -> list[Hashable]:
    """Sort integer names, so that node 3 has number 3; do not sort other names."""
    listed = list(names)
    if all(isinstance(name, int | np.integer) for name in listed):
        return sorted(listed)  # type: ignore[type-var]
    return listed


def _as_names(labels: Iterable[Hashable]) -> list[str]:
    return [str(label) for label in labels]
