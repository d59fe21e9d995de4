"""Validate the inputs to all measures: known labels, and scores or label sets."""

from collections.abc import Sequence
from typing import Any

from hilabel._label_matrix import LabelMatrix
from hilabel._score_matrix import ScoreMatrix
from hilabel._typing import BoolArray, FloatArray, MatrixLike
from hilabel._validation import check_known_labels, check_scores, is_frame
from hilabel.exceptions import HierarchyError, LabelError, ScoreError
from hilabel.hierarchy import Hierarchy
from hilabel.metrics._cells import ArrayCells, Cells, StoredCells


def check_required_hierarchy(hierarchy: Hierarchy) -> Hierarchy:
    """Return the hierarchy, or raise an error if it is not a ``Hierarchy``."""
    if not isinstance(hierarchy, Hierarchy):
        raise HierarchyError(
            f"Expected a hilabel.Hierarchy, got {type(hierarchy).__name__}; use "
            "Hierarchy.from_edges, from_networkx or similar to create one."
        )
    return hierarchy


def known_labels(
    Y: MatrixLike, hierarchy: Hierarchy | None = None
) -> tuple[BoolArray, BoolArray]:
    """Return (positive, known), each of shape (n_samples, n_nodes).

    An error is raised if no cell is known.

    The columns of a data frame are reordered to match the hierarchy.
    """
    if hierarchy is None:
        positive, known = check_known_labels(Y)
    else:
        names = check_required_hierarchy(hierarchy).names
        positive, known = check_known_labels(_in_order(Y, names, "Y", LabelError))
        if positive.shape[1] != len(names):
            raise LabelError(
                f"Expected Y with {len(names)} columns, one for each node of the "
                f"hierarchy, got {positive.shape[1]}."
            )
    if not known.any():
        raise LabelError(
            f"Expected at least one labelled cell, got Y of shape {known.shape}, all "
            "unlabelled; a measure needs rows whose labels are known."
        )
    return positive, known


def label_matrix(Y: MatrixLike, hierarchy: Hierarchy | None = None) -> LabelMatrix:
    """Return labels as a matrix, which is not checked if they are one already."""
    if isinstance(Y, LabelMatrix):
        if hierarchy is not None and Y.shape[1] != hierarchy.n_nodes:
            raise LabelError(
                f"Expected Y with {hierarchy.n_nodes} columns, one for each node of "
                f"the hierarchy, got {Y.shape[1]}."
            )
        return Y
    return LabelMatrix.of_cells(*known_labels(Y, hierarchy))


def cells_of(
    Y: MatrixLike, scores: MatrixLike, hierarchy: Hierarchy | None = None
) -> Cells:
    """Return labels with their scores, to be read in blocks.

    Matrices that methods filled are not checked again, and may have no known cell.
    """
    if isinstance(Y, LabelMatrix) or isinstance(scores, ScoreMatrix):
        return _stored_cells(Y, scores, hierarchy)
    names = _names(Y, scores, "scores", hierarchy, ScoreError)
    positive, known = known_labels(Y, hierarchy)
    scores = _in_order(scores, names, "scores", ScoreError)
    return ArrayCells(positive, known, check_scores(scores, positive.shape))


def _stored_cells(
    Y: MatrixLike, scores: MatrixLike, hierarchy: Hierarchy | None
) -> StoredCells:
    labels = label_matrix(Y, hierarchy)
    if not isinstance(scores, ScoreMatrix):
        names = None if hierarchy is None else hierarchy.names
        values = _in_order(scores, names, "scores", ScoreError)
        scores = ScoreMatrix.of(check_scores(values, labels.shape))
    if scores.shape != labels.shape:
        raise ScoreError(
            f"Expected scores of shape {labels.shape}, got {scores.shape}."
        )
    return StoredCells(labels, scores)


def known_labels_and_predictions(
    Y: MatrixLike, labels: MatrixLike, hierarchy: Hierarchy | None = None
) -> tuple[BoolArray, BoolArray, BoolArray]:
    """Return (positive, known, predicted), each of shape (n_samples, n_nodes)."""
    names = _names(Y, labels, "labels", hierarchy, LabelError)
    positive, known = known_labels(Y, hierarchy)
    labels = _in_order(labels, names, "labels", LabelError)
    predicted, decided = check_known_labels(labels)
    if predicted.shape != positive.shape:
        raise LabelError(
            f"Expected labels with the shape of Y, {positive.shape}, got "
            f"{predicted.shape}."
        )
    if not decided.all():
        raise LabelError(
            "Expected predicted labels of 0 and 1, got -1 or NaN; only Y may have "
            "unlabelled cells."
        )
    return positive, known, predicted


def scores_over(scores: MatrixLike, hierarchy: Hierarchy) -> FloatArray:
    """Return scores of shape (n_samples, n_nodes) in the order of the hierarchy."""
    names = check_required_hierarchy(hierarchy).names
    ordered = _in_order(scores, names, "scores", ScoreError)
    return check_scores(ordered, (None, len(names)))


def _names(
    Y: MatrixLike,
    other: MatrixLike,
    role: str,
    hierarchy: Hierarchy | None,
    error: type[ValueError],
) -> Sequence[str] | None:
    """Return the column names in order, or None if neither matrix has column names."""
    if hierarchy is not None:
        return check_required_hierarchy(hierarchy).names
    if _is_named(Y) == _is_named(other):
        return [str(name) for name in Y.columns] if _is_named(Y) else None
    named, bare = ("Y", role) if _is_named(Y) else (role, "Y")
    raise error(
        f"Expected Y and {role} both with node names or both without, got a DataFrame "
        f"with names for {named} and none for {bare}, so columns cannot be matched. "
        f"Pass {named}.to_numpy() if the order is right."
    )


def _is_named(matrix: MatrixLike) -> bool:
    """Return whether a data frame has column names other than the default numbers."""
    return is_frame(matrix) and list(matrix.columns) != [*range(matrix.shape[1])]


def _in_order(
    matrix: MatrixLike,
    names: Sequence[str] | None,
    role: str,
    error: type[ValueError],
) -> Any:
    """Reorder data frame columns to match ``names``; return anything else as is."""
    if not is_frame(matrix):
        return matrix
    values = matrix.to_numpy()
    if names is None:
        return values
    columns = [str(column) for column in matrix.columns]
    if sorted(columns) != sorted(names):
        odd = next((name for name in columns if name not in set(names)), None)
        example = "" if odd is None else f" such as {odd!r}"
        raise error(
            f"Expected the columns of {role} to be the {len(names)} node names, got "
            f"{len(columns)} columns{example}. Pass {role}.to_numpy() if the order is "
            "right."
        )
    position = {name: place for place, name in enumerate(columns)}
    return values[:, [position[name] for name in names]]
