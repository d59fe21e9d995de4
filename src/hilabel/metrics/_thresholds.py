"""Sums over rows at every threshold, without comparing all scores with each of them.

A score is turned once into its *level*, the number of thresholds at or below it: a cell
is predicted at the ``j``-th threshold exactly if its level is above ``j``. All sums
come with one value per threshold, thresholds ascending. They are added up block of rows
by block of rows, in the order of the rows: the blocks change no bit.
"""

from typing import Any, Literal, TypeAlias

import numpy as np

from hilabel._typing import ArrayLike, BoolArray, FloatArray, IntArray
from hilabel.metrics._blocks import is_large, row_blocks

_DEFAULT_THRESHOLDS = np.arange(1, 101) / 100
_Numbers: TypeAlias = FloatArray | IntArray


def threshold_grid(
    scores: FloatArray,
    positive: BoolArray,
    known: BoolArray,
    thresholds: ArrayLike | Literal["all"] | None,
) -> FloatArray:
    """Return the thresholds, ascending.

    Of very many cells "all" are the scores of positives and the highest score: as the
    threshold falls, a measure can only get better where it takes a positive in.
    """
    if isinstance(thresholds, str):
        if thresholds != "all":
            raise ValueError(f"Expected an array, 'all' or None, got {thresholds!r}.")
        if is_large(scores):
            highest = scores.max(where=known, initial=-np.inf)
            return np.unique(np.append(scores[positive], highest))
        return np.unique(scores[known])
    values = _DEFAULT_THRESHOLDS if thresholds is None else thresholds
    try:
        grid = np.unique(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise ValueError(
            "Expected thresholds as numbers, 'all' or None, got a "
            f"{type(thresholds).__name__}."
        ) from error
    if grid.size == 0 or not np.isfinite(grid).all():
        raise ValueError(
            f"Expected at least one threshold, all finite, got {thresholds!r}."
        )
    return grid


def _levels(scores: FloatArray, known: BoolArray, grid: FloatArray) -> IntArray:
    """Return the level of each cell, 0 for unknown ones."""
    levels = np.searchsorted(grid.astype(scores.dtype), scores, side="right")
    levels[~known] = 0
    return levels


def summed_precision_and_recall(
    scores: FloatArray, positive: BoolArray, known: BoolArray, grid: FloatArray
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return the sums of the rows' precisions and recalls, and how many rows predict.

    As the threshold falls, the values of a row change only at its own scores. The
    changes of all rows are gathered by threshold and summed from the top. Every row
    must have a positive.
    """
    precision, recall = np.zeros(grid.size), np.zeros(grid.size)
    n_predicting = np.zeros(grid.size, dtype=np.int64)
    for rows in row_blocks(scores):
        levels = _levels(scores[rows], known[rows], grid)
        _add_changes(levels, positive[rows], precision, recall, n_predicting)
    return _from_top(precision), _from_top(recall), _from_top(n_predicting)


def _add_changes(
    levels: IntArray,
    positive: BoolArray,
    precision: FloatArray,
    recall: FloatArray,
    n_predicting: IntArray,
) -> None:
    """Add, in place, what changes at each threshold, the highest first."""
    n_thresholds = precision.size
    rows = np.arange(len(levels))[:, np.newaxis]
    # Sorted values are quicker to get than a sorting order, hence the label in the
    # lowest bit.
    keys = 2 * ((rows + 1) * n_thresholds - levels) + positive
    keys = np.sort(keys[levels > 0])
    group, is_true = keys >> 1, keys & 1
    ends = np.flatnonzero(np.append(group[1:] != group[:-1], True)[: group.size])
    row, step = np.divmod(group[ends], n_thresholds)
    is_first = np.append(True, row[1:] != row[:-1])[: row.size]
    n_true = _since_row_start(np.cumsum(is_true)[ends], is_first)
    n_predicted = _since_row_start(ends + 1, is_first)
    n_positive = positive.sum(axis=1)[row]
    np.add.at(precision, step, _changes(n_true / n_predicted, is_first))
    np.add.at(recall, step, _changes(n_true / n_positive, is_first))
    np.add.at(n_predicting, step[is_first], 1)


def _since_row_start(running: IntArray, is_first: BoolArray) -> IntArray:
    """Make a running count start again at each row."""
    starts = np.flatnonzero(is_first)
    before = np.append(0, running)[starts]
    return running - np.repeat(before, np.diff(starts, append=running.size))


def _changes(values: FloatArray, is_first: BoolArray) -> FloatArray:
    """Return the difference to the value before, which is 0 at the start of a row."""
    return values - np.where(is_first, 0.0, np.roll(values, 1))


def summed_information(
    scores: FloatArray,
    positive: BoolArray,
    known: BoolArray,
    grid: FloatArray,
    information: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return the summed information of positives and of negatives predicted."""
    found, wrong = np.zeros(grid.size), np.zeros(grid.size)
    for rows in row_blocks(scores):
        levels = _levels(scores[rows], known[rows], grid)
        is_predicted = levels > 0
        for total, wanted in ((found, positive[rows]), (wrong, ~positive[rows])):
            row, node = np.nonzero(wanted & is_predicted)
            np.add.at(total, grid.size - levels[row, node], information[node])
    return _from_top(found), _from_top(wrong)


def _from_top(changes: Any) -> Any:
    """Sum, for each threshold, what comes at it or above; the highest comes first."""
    return np.cumsum(changes)[::-1]


def divide(part: _Numbers, whole: _Numbers) -> FloatArray:
    """Return part / whole, 0 where the whole is."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
