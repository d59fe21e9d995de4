"""Raise errors for problems that a method cannot handle; warn about missing labels."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from hilabel._typing import IntArray
from hilabel._warning import warn_user
from hilabel.classifiers._training_data import TrainingData
from hilabel.exceptions import HierarchyError, LabelError
from hilabel.hierarchy import Hierarchy
from hilabel.local_models import list_nodes


def require_tree(method: str, hierarchy: Hierarchy, instead: str) -> None:
    """Raise ``HierarchyError`` unless the hierarchy is a tree.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.classifiers import require_tree
    >>> require_tree("MyMethod", Hierarchy.from_edges([("a", "b")]), "SSHMCBLI")
    >>> dag = Hierarchy.from_edges([("a", "c"), ("b", "c")])
    >>> require_tree("MyMethod", dag, "SSHMCBLI")
    Traceback (most recent call last):
        ...
    hilabel.exceptions.HierarchyError: ...
    """
    shared = np.flatnonzero(np.diff(hierarchy.parents_ptr) > 1)
    if shared.size:
        node = int(shared[0])
        parents = ", ".join(repr(hierarchy.names[p]) for p in hierarchy.parents(node))
        raise HierarchyError(
            f"{method} needs a tree, but node {hierarchy.names[node]!r} has several "
            f"parents ({parents}); use {instead}."
        )


def require_full_depth(method: str, data: TrainingData, instead: str) -> None:
    """Raise ``LabelError`` unless the paths of every row reach a leaf."""
    specific = data.hierarchy.most_specific(data.Y_labeled)
    inner = np.diff(data.hierarchy.children_ptr) > 0
    early = (specific & inner).any(axis=1) | ~specific.any(axis=1)
    if early.any():
        position = int(np.argmax(early))
        ends = np.flatnonzero(specific[position] & inner)
        where = (
            f"ends at the inner node {data.hierarchy.names[ends[0]]!r}"
            if ends.size
            else "has no label"
        )
        raise LabelError(
            f"{method} needs rows whose paths reach a leaf, but row "
            f"{data.labeled_rows[position]} of Y {where}; use {instead}."
        )


def require_single_paths(method: str, data: TrainingData, instead: str) -> None:
    """Raise ``LabelError`` if a row has several paths, and name the first such row."""
    n_ends = data.hierarchy.most_specific(data.Y_labeled).sum(axis=1)
    if (n_ends > 1).any():
        position = int(np.argmax(n_ends > 1))
        raise LabelError(
            f"{method} needs one path of labels per row, but row "
            f"{data.labeled_rows[position]} of Y has {n_ends[position]}; use {instead}."
        )


def require_paths_to_leaves(method: str, data: TrainingData, instead: str) -> None:
    """Raise an error unless the hierarchy is a tree and rows have one path to a leaf.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.classifiers import PriorClassifier, require_paths_to_leaves
    >>> class Strict(PriorClassifier):
    ...     def _fit(self, data):
    ...         require_paths_to_leaves("Strict", data, "PriorClassifier")
    >>> h = Hierarchy.from_edges([("a", "b")])
    >>> Strict(h).fit([[0.0]], [[1, 0]])
    Traceback (most recent call last):
        ...
    hilabel.exceptions.LabelError: ...
    """
    require_tree(method, data.hierarchy, instead)
    require_single_paths(method, data, instead)
    require_full_depth(method, data, instead)


def require_non_negative(
    method: str, X: Any, rows: IntArray, feature_names: Any = None
) -> None:
    """Raise ``ValueError`` if ``X`` has negative entries, and report the first one.

    ``rows`` contains the row numbers in the user's data.
    """
    values = X.data if sp.issparse(X) else X
    if values.size == 0 or values.min() >= 0:
        return
    where = sp.coo_array(X < 0)
    first = np.lexsort((where.col, where.row))[0]
    position, column = int(where.row[first]), int(where.col[first])
    name = column if feature_names is None else repr(str(feature_names[column]))
    raise ValueError(
        f"Negative values in data passed to {method}: expected counts or other "
        f"non-negative values, got {X[position, column]:g} in row {rows[position]}, "
        f"column {name}. Pass counts, scale the features with "
        "sklearn.preprocessing.MinMaxScaler(clip=True), or use LocalClassifierPerNode."
    )


def warn_of_absent_labels(data: TrainingData) -> None:
    """Issue one warning about all nodes that no labelled row has."""
    absent = np.flatnonzero(data.Y.n_positive == 0)
    if not absent.size:
        return
    warn_user(
        f"{absent.size} of {data.hierarchy.n_nodes} nodes have no labelled row and get "
        f"probability 0: {list_nodes(absent, data.hierarchy)}."
    )
