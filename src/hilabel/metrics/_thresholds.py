"""Sums over rows at every threshold, without comparing all scores with each of them.

A score is turned once into its *level*, the number of thresholds at or below it: a cell
is predicted at the ``j``-th threshold exactly if its level is above ``j``. All sums
come with one value per threshold, thresholds ascending.
"""

from typing import Any, Literal, TypeAlias

import numpy as np

from hilabel._typing import ArrayLike, BoolArray, FloatArray, IntArray

_DEFAULT_THRESHOLDS = np.arange(1, 101) / 100
_Numbers: TypeAlias = FloatArray | IntArray


def levels_of(
    scores: FloatArray,
    known: BoolArray,
    thresholds: ArrayLike | Literal["all"] | None,
) -> tuple[FloatArray, IntArray]:
    """Return ascending thresholds and the level of each cell, 0 for unknown ones."""
    if isinstance(thresholds, str):
        if thresholds != "all":
            raise ValueError(f"Expected an array, 'all' or None, got {thresholds!r}.")
        levels = np.zeros(scores.shape, dtype=np.int64)
        grid, place = np.unique(scores[known], return_inverse=True)
        levels[known] = place + 1
        return grid, levels
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
    levels = np.searchsorted(grid.astype(scores.dtype), scores, side="right")
    levels[~known] = 0
    return grid, levels


def summed_precision_and_recall(
    levels: IntArray, positive: BoolArray, n_thresholds: int
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return the sums of the rows' precisions and recalls, and how many rows predict.

    As the threshold falls, the values of a row change only at its own scores. The
    changes of all rows are gathered by threshold and summed from the top. Every row
    must have a positive.
    """
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
    return (
        _sum_from_top(step, n_thresholds, _changes(n_true / n_predicted, is_first)),
        _sum_from_top(step, n_thresholds, _changes(n_true / n_positive, is_first)),
        _sum_from_top(step[is_first], n_thresholds),
    )


def _since_row_start(running: IntArray, is_first: BoolArray) -> IntArray:
    """Make a running count start again at each row."""
    starts = np.flatnonzero(is_first)
    before = np.append(0, running)[starts]
    return running - np.repeat(before, np.diff(starts, append=running.size))


def _changes(values: FloatArray, is_first: BoolArray) -> FloatArray:
    """Return the difference to the value before, which is 0 at the start of a row."""
    return values - np.where(is_first, 0.0, np.roll(values, 1))


def summed_information(
    levels: IntArray, wanted: BoolArray, information: FloatArray, n_thresholds: int
) -> FloatArray:
    """Return the summed information of the wanted cells that are predicted."""
    cells = np.flatnonzero(wanted & (levels > 0))
    return _sum_from_top(
        n_thresholds - levels.reshape(-1)[cells],
        n_thresholds,
        information[cells % levels.shape[1]],
    )


def _sum_from_top(
    steps_down: IntArray, n_thresholds: int, weights: FloatArray | None = None
) -> Any:
    """Sum, for each threshold, what comes at it or above; step 0 is the highest."""
    return np.cumsum(np.bincount(steps_down, weights, n_thresholds))[::-1]


def divide(part: _Numbers, whole: _Numbers) -> FloatArray:
    """Return part / whole, 0 where the whole is."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
