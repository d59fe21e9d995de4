"""Sums over rows at every threshold, without comparing all scores with all thresholds.

Each score is converted once to its *level*, the number of thresholds at or below it: a
cell is predicted at the ``j``-th threshold if and only if its level is above ``j``.
Each array of sums has one value per threshold, lowest threshold first. It is
accumulated over blocks of rows in the order of the rows, so the result does not depend
on the blocks, not even in the last bit.
"""

from typing import Any, Final, Literal, TypeAlias

import numpy as np

from hilabel._typing import ArrayLike, BoolArray, FloatArray, IntArray
from hilabel.metrics._blocks import is_large
from hilabel.metrics._cells import Block, Cells

_DEFAULT_THRESHOLDS = np.arange(1, 101) / 100
# The number of thresholds to try if there are too many cells to try each score.
_MOST_THRESHOLDS: Final = 1000
_Numbers: TypeAlias = FloatArray | IntArray


def threshold_grid(
    cells: Cells, thresholds: ArrayLike | Literal["all"] | None
) -> FloatArray:
    """Return the thresholds in ascending order.

    For a very large number of cells, "all" means a thousand scores of positives and the
    highest score: as the threshold decreases, a measure only improves where a positive
    is added.
    """
    if isinstance(thresholds, str):
        if thresholds != "all":
            raise ValueError(f"Expected an array, 'all' or None, got {thresholds!r}.")
        if is_large(cells):
            highest = max(block.pooled.max(initial=-np.inf) for block in cells.blocks())
            return np.unique(np.append(_evenly_spaced(cells.found()), highest))
        return distinct_scores(cells)
    values = _DEFAULT_THRESHOLDS if thresholds is None else thresholds
    try:
        grid = np.unique(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise ValueError(
            "Expected thresholds to be numbers, 'all' or None, got a "
            f"{type(thresholds).__name__}."
        ) from error
    if grid.size == 0 or not np.isfinite(grid).all():
        raise ValueError(f"Expected one or more finite thresholds, got {thresholds!r}.")
    return grid


def distinct_scores(cells: Cells) -> FloatArray:
    """Return the distinct scores of the known cells in ascending order."""
    parts = [np.unique(block.pooled) for block in cells.blocks()]
    return parts[0] if len(parts) == 1 else np.unique(np.concatenate(parts))


def _evenly_spaced(found: FloatArray) -> FloatArray:
    """Return a thousand scores of positives, evenly spaced by rank.

    The lowest one percent is left out: these positives cannot be found with good
    precision, and most other cells score no higher than they do.
    """
    found = np.sort(found)
    lowest, highest = found.size // 100, found.size - 1
    places = np.linspace(lowest, highest, _MOST_THRESHOLDS).astype(np.int64)
    return found[places]


def _reaching(block: Block, grid: FloatArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the rows, nodes and levels of the known cells that reach a threshold."""
    scores = block.scores
    values = grid.astype(scores.dtype)
    cells = np.flatnonzero((scores >= values[0]) & block.known)
    row, node = np.divmod(cells, scores.shape[1])
    return row, node, np.searchsorted(values, scores[row, node], side="right")


def _without_all(cells: Cells, grid: FloatArray) -> tuple[FloatArray, bool]:
    """Drop the lowest threshold if all cells reach it; return whether it was dropped.

    In very large matrices, most cells have the lowest score and need no processing.
    """
    if not is_large(cells) or grid.size == 1:
        return grid, False
    has_all = all((block.pooled >= grid[0]).all() for block in cells.blocks())
    return (grid[1:], True) if has_all else (grid, False)


def summed_precision_and_recall(
    cells: Cells, grid: FloatArray
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return the sums of precision and recall, and the number of rows with predictions.

    As the threshold decreases, the values of a row only change at the scores of this
    row. The changes of all rows are collected by threshold and summed from the highest
    threshold down. Every row with a known cell must have a positive.
    """
    grid, has_all = _without_all(cells, grid)
    # A single column would be summed in another order, which depends on the blocks.
    add = _add_counts if 1 < grid.size <= cells.shape[1] else _add_changes
    sums: Any = (
        np.zeros(grid.size),
        np.zeros(grid.size),
        np.zeros(grid.size, dtype=np.int64),
    )
    for block in cells.blocks():
        row, node, levels = _reaching(block, grid)
        own = block.positive
        add(row, levels, own[row, node], own.sum(axis=1), *sums)
    if add is _add_changes:
        sums = tuple(map(np.cumsum, sums))
    sums = tuple(one[::-1] for one in sums)  # the lowest threshold first
    if not has_all:
        return sums
    n_known = cells.n_known_of_rows
    counts = n_known > 0
    share = cells.n_positive_of_rows[counts] / n_known[counts]
    n_rows = share.size
    everything = share.sum(), n_rows, n_rows
    return tuple(np.append(one, sum_) for one, sum_ in zip(everything, sums))  # type: ignore[return-value]


def _add_counts(
    row: IntArray,
    levels: IntArray,
    is_true: BoolArray,
    n_positive: IntArray,
    precision: FloatArray,
    recall: FloatArray,
    n_predicting: IntArray,
) -> None:
    """Add the values at each threshold to the sums, highest threshold first.

    If there are fewer thresholds than nodes, counting is faster than sorting.
    """
    shape = n_positive.size, precision.size
    place = (row + 1) * precision.size - levels
    n_true, n_predicted = (
        np.bincount(cells, minlength=n_positive.size * precision.size)
        .reshape(shape)
        .cumsum(axis=1)
        for cells in (place[is_true], place)
    )
    _add_rows(precision, n_true / np.maximum(n_predicted, 1))
    _add_rows(recall, n_true / np.maximum(n_positive, 1)[:, None])
    n_predicting += (n_predicted > 0).sum(axis=0)


def _add_rows(total: FloatArray, values: FloatArray) -> None:
    """Add rows in order, so that the result does not depend on the blocks."""
    values[0] += total
    values.sum(axis=0, out=total)


def _add_changes(
    row: IntArray,
    levels: IntArray,
    is_true: BoolArray,
    n_positive: IntArray,
    precision: FloatArray,
    recall: FloatArray,
    n_predicting: IntArray,
) -> None:
    """Add the changes at each threshold to the sums, highest threshold first."""
    n_thresholds = precision.size
    # Sorting values is faster than computing a sorting order, so the label is stored in
    # the lowest bit.
    keys = np.sort(2 * ((row + 1) * n_thresholds - levels) + is_true)
    group, n_new = keys >> 1, keys & 1
    ends = np.flatnonzero(np.append(group[1:] != group[:-1], True)[: group.size])
    row, step = np.divmod(group[ends], n_thresholds)
    is_first = np.append(True, row[1:] != row[:-1])[: row.size]
    n_true = _since_row_start(np.cumsum(n_new)[ends], is_first)
    n_predicted = _since_row_start(ends + 1, is_first)
    np.add.at(precision, step, _changes(n_true / n_predicted, is_first))
    np.add.at(recall, step, _changes(n_true / n_positive[row], is_first))
    np.add.at(n_predicting, step[is_first], 1)


def _since_row_start(running: IntArray, is_first: BoolArray) -> IntArray:
    """Restart a running count at the start of each row."""
    starts = np.flatnonzero(is_first)
    before = np.append(0, running)[starts]
    return running - np.repeat(before, np.diff(starts, append=running.size))


def _changes(values: FloatArray, is_first: BoolArray) -> FloatArray:
    """Return differences from the previous value, which is 0 at the start of a row."""
    return values - np.where(is_first, 0.0, np.roll(values, 1))


def summed_information(
    cells: Cells, grid: FloatArray, information: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the summed information of correctly and of wrongly predicted labels."""
    grid, has_all = _without_all(cells, grid)
    found, wrong = np.zeros(grid.size), np.zeros(grid.size)
    for block in cells.blocks():
        row, node, levels = _reaching(block, grid)
        is_true = block.positive[row, node]
        for total, wanted in ((found, is_true), (wrong, ~is_true)):
            place = grid.size - levels[wanted]
            np.add.at(total, place, information[node[wanted]])
    sums = _from_top(found), _from_top(wrong)
    if not has_all:
        return sums
    n_found = cells.n_positive
    counts = n_found, cells.n_known - n_found
    return tuple(np.append(n @ information, one) for n, one in zip(counts, sums))  # type: ignore[return-value]


def _from_top(changes: Any) -> Any:
    """Return cumulative sums from the highest threshold down, in reverse order."""
    return np.cumsum(changes)[::-1]


def divide(part: _Numbers, whole: _Numbers) -> FloatArray:
    """Return part / whole, or 0 where the whole is 0."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
