"""The work of forests: trees of all nodes, and forests of single nodes."""

from typing import Any, Final

import numpy as np

from hilabel._typing import FloatArray
from hilabel.costs._shape import DataShape
from hilabel.costs._work import Job, form_of, job, threads_of
from hilabel.forests import ForestSettings

# A bootstrap sample has this share of the rows.
_SHARE_DRAWN: Final = 0.632
# A leaf has about this many times the fewest rows that it may have.
_LEAF_TO_LEAST: Final = 1.5
# The labels of the rows of a leaf are partly the same: n rows have n to this power
# times as many labels as one row.
_LABELS_BY_ROWS: Final = 0.7
# Bytes of a label of a row, as lists for splits and for leaves; of an entry of a leaf;
# and of a node of a tree.
_PER_LABEL, _PER_ENTRY, _PER_SPLIT = 16, 8, 48
# Rows are encoded in blocks of this many bytes.
_CODES_AT_ONCE: Final = 2**24


def grow(forest: Any, shape: DataShape) -> Job:
    """Return the work of growing the trees of a global forest."""
    how = ForestSettings.of(forest)
    n_trees = how.n_estimators
    n_rows = shape.n_rows * (_SHARE_DRAWN if how.bootstrap else 1.0)
    n_tried = how.n_candidates(shape.n_columns)
    work = _splits_of_words if shape.is_sparse else _splits_of_numbers
    amounts = work(shape, n_rows, n_tried, how)
    form = form_of(shape.is_sparse)
    grown = job(
        f"growing, {how.splitter}, {form}",
        _bytes_of_growing(forest, shape),
        threads_of(forest),
        **{name: n_trees * amount for name, amount in amounts.items()},
        trees=n_trees * (shape.n_rows + shape.n_nodes),
    )
    n_stored = shape.n_rows * shape.n_values
    return grown + job(f"binning, {form}", 0.0, values=n_stored, start=1.0)


def walk(forest: Any, shape: DataShape, n_rows: int) -> Job:
    """Return the work of scoring rows with a global forest."""
    how = ForestSettings.of(forest)
    n_trees = how.n_estimators
    n_drawn = shape.n_rows * (_SHARE_DRAWN if how.bootstrap else 1.0)
    depth = _sizes_of_splits(n_drawn, how.min_samples_leaf, how.max_depth).size + 1
    entries = _labels_of_leaf(forest, shape)
    return job(
        f"walking, {form_of(shape.is_sparse)}",
        4.0 * n_rows * shape.n_nodes + _CODES_AT_ONCE,
        threads_of(forest),
        splits=n_rows * n_trees * depth,
        entries=n_rows * n_trees * entries,
        cells=n_rows * shape.n_nodes,
        values=n_rows * shape.n_columns,
        start=1.0,
    )


def grow_per_node(
    forest: Any, shape: DataShape, n_examples: float, n_threads: int
) -> Job:
    """Return the work of growing a forest for each node.

    ``n_examples`` is the number of pairs of a node and a row that it learns from.
    """
    how = ForestSettings.of(forest)
    n_nodes, n_trees = max(shape.n_nodes, 1), how.n_estimators
    n_rows = n_examples / n_nodes * (_SHARE_DRAWN if how.bootstrap else 1.0)
    n_levels = _sizes_of_splits(n_rows, how.min_samples_leaf, how.max_depth).size
    n_tried = how.n_candidates(shape.n_columns)
    # A row number and a class for each example, and the splits of all trees.
    n_splits = n_nodes * n_trees * n_rows / how.min_samples_leaf
    memory = 12 * n_examples + _PER_SPLIT * n_splits
    form = form_of(shape.is_sparse)
    grown = job(
        f"growing per node, {form}",
        _bytes_of_codes(shape) + memory + _bytes_of_masks(shape),
        n_threads,
        cells=n_nodes * n_trees * n_rows * (n_levels + 1) * n_tried,
        trees=n_nodes * n_trees,
        rows=n_nodes * shape.n_rows,
    )
    n_stored = shape.n_rows * shape.n_values
    return grown + job(f"binning, {form}", 0.0, values=n_stored, start=1.0)


def walk_per_node(
    forest: Any, shape: DataShape, n_examples: float, n_rows: int, n_threads: int
) -> Job:
    """Return the work of scoring rows with a forest for each node."""
    how = ForestSettings.of(forest)
    n_trees = how.n_estimators
    n_drawn = n_examples / max(shape.n_nodes, 1)
    depth = _sizes_of_splits(n_drawn, how.min_samples_leaf, how.max_depth).size + 1
    return job(
        "walking per node",
        8.0 * n_rows * shape.n_nodes + _CODES_AT_ONCE,
        n_threads,
        splits=n_rows * shape.n_nodes * n_trees * depth,
        values=n_rows * shape.n_columns,
        start=1.0,
    )


def _sizes_of_splits(n_rows: float, least: int, max_depth: int | None) -> FloatArray:
    """Return the number of rows in the nodes of each level that is split.

    Rows are halved from level to level, as long as both halves may be leaves.
    """
    smallest = 2.0 * least
    if max_depth is not None:
        smallest = max(smallest, n_rows / 2.0 ** (max_depth - 1))
    if n_rows < smallest:
        return np.zeros(0)
    n_levels = int(np.log2(n_rows / smallest)) + 1
    return smallest * 2.0 ** np.arange(n_levels)


def _splits_of_numbers(
    shape: DataShape, n_rows: float, n_tried: int, how: ForestSettings
) -> dict[str, float]:
    """Return the work of splitting the nodes of a tree on dense columns."""
    sizes = _sizes_of_splits(n_rows, how.min_samples_leaf, how.max_depth)
    # In small nodes, products of rows replace their labels.
    labels = np.minimum(shape.n_labels, sizes).sum()
    return {
        "cells": n_rows * sizes.size * n_tried,
        "labels": float(n_rows * n_tried * labels),
        "rows": n_rows * (sizes.size + 1) * shape.n_labels,
        "draws": float((n_rows / sizes).sum()) * n_tried,
    }


def _splits_of_words(
    shape: DataShape, n_rows: float, n_tried: int, how: ForestSettings
) -> dict[str, float]:
    """Return the work of splitting the nodes of a tree on sparse columns.

    Few rows have a word, so a split separates few from many. The most frequent of the
    words that are tried determines how few, and how many splits it takes until it would
    separate less than a leaf. The frequency of words is inverse to their rank.
    """
    least, n_columns = how.min_samples_leaf, max(shape.n_columns, 2)
    share = shape.n_values * n_tried / (n_columns * np.log(n_columns))
    share = min(share, 0.5)
    n_levels = np.log(max(n_rows * share / least, 1.0)) / -np.log1p(-share)
    if how.max_depth is not None:
        n_levels = min(n_levels, how.max_depth)
    cells = float(n_rows * (n_levels + 1) * n_tried)
    return {
        "cells": cells,
        "labels": cells * min(shape.n_labels, n_rows),
        "rows": float(n_rows * (n_levels + 1)) * (shape.n_labels + shape.n_values),
        "draws": n_rows / least * n_columns,
    }


def _labels_of_leaf(forest: Any, shape: DataShape) -> float:
    """Return the number of nodes that the rows of a leaf have."""
    n_rows = forest.min_samples_leaf
    if n_rows > 1:
        n_rows *= _LEAF_TO_LEAST
    found = shape.n_labels * min(n_rows, shape.n_rows) ** _LABELS_BY_ROWS
    return min(found, shape.n_nodes)


def _bytes_of_growing(forest: Any, shape: DataShape) -> float:
    how = ForestSettings.of(forest)
    n_drawn = shape.n_rows * (_SHARE_DRAWN if how.bootstrap else 1.0)
    n_leaves = how.n_estimators * n_drawn / max(how.min_samples_leaf, 1)
    trees = n_leaves * (2 * _PER_SPLIT + _PER_ENTRY * _labels_of_leaf(forest, shape))
    labels = _PER_LABEL * shape.n_rows * shape.n_labels
    return _bytes_of_codes(shape) + labels + trees


def _bytes_of_codes(shape: DataShape) -> float:
    """Return the bytes of encoded rows; those of sparse ones by column and by row."""
    per_value = 10.0 if shape.is_sparse else 1.0
    return per_value * shape.n_rows * shape.n_values


def _bytes_of_masks(shape: DataShape) -> float:
    """Return the bytes of dense labels."""
    return float(shape.n_rows * shape.n_nodes)
