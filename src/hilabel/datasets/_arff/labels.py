"""Convert the class list of an ARFF header to a hierarchy, and label fields to Y."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from hilabel._typing import UNLABELED, IntArray, LabelArray
from hilabel.datasets._arff.table import ArffTable
from hilabel.exceptions import DatasetFormatError, HierarchyError
from hilabel.hierarchy import Hierarchy

ROOT = "root"
_NO_NODE = -1  # the node of the artificial root


@dataclass(frozen=True)
class LabelScheme:
    """A hierarchy and a mapping from label spellings to nodes."""

    hierarchy: Hierarchy
    node_of: dict[str, int]


def label_scheme(table: ArffTable, form: str, separator: str | None) -> LabelScheme:
    """Build the hierarchy declared in a header.

    ``form`` is "dag", "tree" or "auto"; ``separator=None`` detects the separator.
    """
    if form not in ("auto", "dag", "tree"):
        raise ValueError(f"Expected form 'auto', 'dag' or 'tree', got {form!r}.")
    classes = table.header.classes
    separator = _detect_separator(classes) if separator is None else separator
    steps = [entry.split(separator) for entry in classes]
    if form == "auto":
        form = "dag" if _are_pairs(steps) else "tree"
    try:
        build = _dag_scheme if form == "dag" else _tree_scheme
        return build(steps, separator)
    except HierarchyError as error:
        where = table.text.place(table.header.label_line)
        raise DatasetFormatError(str(error), **where) from error


def label_matrix(table: ArffTable, scheme: LabelScheme) -> LabelArray:
    """Return the labels and all their ancestors; rows with ``?`` are unlabelled."""
    node_of = scheme.node_of
    rows: list[int] = []
    nodes: list[int] = []
    for row, field in enumerate(table.labels):
        if field and field != "?":
            try:
                found = [node_of[label] for label in field.split("@")]
            except KeyError:
                labels = [label.strip() for label in field.split("@")]
                found = [_find_node(label, table, scheme, row) for label in labels]
            rows += [row] * len(found)
            nodes += found
    Y = _closed(np.array([rows, nodes], dtype=np.int64), len(table.labels), scheme)
    Y[[field == "?" for field in table.labels]] = UNLABELED
    return Y


def _closed(labels: IntArray, n_rows: int, scheme: LabelScheme) -> LabelArray:
    labels = labels[:, labels[1] != _NO_NODE]
    # Few of many nodes are set, so closing a sparse matrix is faster.
    sparse = sp.coo_array(
        (np.ones(labels.shape[1], dtype=np.int8), tuple(labels)),
        shape=(n_rows, scheme.hierarchy.n_nodes),
    )
    closed = scheme.hierarchy.close(sp.csr_array(sparse))
    return np.asarray((closed > 0).toarray(), dtype=np.int8)


def _find_node(label: str, table: ArffTable, scheme: LabelScheme, row: int) -> int:
    if label not in scheme.node_of:
        where = table.text.place(table.text.line_of_row(row))
        raise DatasetFormatError(
            f"label {label!r} is not in the hierarchy of {scheme.hierarchy.n_nodes} "
            "nodes that the header declares.",
            **where,
        )
    return scheme.node_of[label]


def _detect_separator(classes: Sequence[str]) -> str:
    for separator in "/.":
        if any(separator in entry for entry in classes):
            return separator
    return "/"


def _are_pairs(steps: list[list[str]]) -> bool:
    """Return whether the list contains parent/child pairs rather than paths.

    In a list of pairs, no entry has more than two steps, and the top nodes are children
    of "root".
    """
    has_root = any(entry[0] == ROOT and len(entry) == 2 for entry in steps)
    return has_root and max(map(len, steps)) <= 2


def _tree_scheme(steps: list[list[str]], separator: str) -> LabelScheme:
    hierarchy = Hierarchy.from_paths([separator.join(e) for e in steps], separator)
    return LabelScheme(hierarchy, {n: i for i, n in enumerate(hierarchy.names)})


def _dag_scheme(steps: list[list[str]], separator: str) -> LabelScheme:
    _check_pairs(steps, separator)
    pairs = list(dict.fromkeys((e[0], e[1]) for e in steps if len(e) == 2))
    names = dict.fromkeys(name for entry in steps for name in entry if name != ROOT)
    node_of = {name: node for node, name in enumerate(names)}
    edges = [(node_of[p], node_of[c]) for p, c in pairs if p != ROOT]
    hierarchy = Hierarchy(list(names), edges)
    node_of[ROOT] = _NO_NODE
    # A label may also be written as in the list, parent first.
    node_of |= {separator.join(entry): node_of[entry[-1]] for entry in steps}
    return LabelScheme(hierarchy, node_of)


def _check_pairs(steps: list[list[str]], separator: str) -> None:
    for entry in steps:
        if len(entry) > 2 or "" in entry:
            raise HierarchyError(
                f"Expected pairs 'parent{separator}child', got "
                f"{separator.join(entry)!r}; for full paths use form='tree'."
            )
        if len(entry) == 2 and entry[1] == ROOT:
            raise HierarchyError(
                f"Expected {ROOT!r} above all nodes, got the pair "
                f"{separator.join(entry)!r}."
            )
