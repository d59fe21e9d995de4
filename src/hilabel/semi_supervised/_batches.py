"""The loop that labels unlabelled rows batch by batch and learns from them.

It is independent of the method: functions for fitting and labelling are passed in.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from hilabel._progress import Progress
from hilabel._saved_types import saved_type
from hilabel._typing import BoolArray, IntArray
from hilabel.classifiers import TrainingData

Model = TypeVar("Model")

# 0.07 * 100 is slightly above 7, but must not result in a batch of 8.
ROUNDING = 1e-9


@saved_type
@dataclass(frozen=True)
class BatchSummary:
    """One entry of ``history_``: the result of a batch of unlabelled rows."""

    iteration: int
    n_drawn: int
    n_added: int
    n_remaining: int


@dataclass(frozen=True)
class BatchOutcome:
    """The result of adding unlabelled rows in batches."""

    model: Any  # fitted to the training data
    training: TrainingData  # with all added rows
    # The batch in which each unlabelled row was added, from 1; -1 if it was not.
    added_in: IntArray
    batches: tuple[BatchSummary, ...]


def batch_rows(batch_size: float, n_unlabeled: int) -> int:
    """Convert a batch size from a fraction of unlabelled rows to a number of rows."""
    return math.ceil(batch_size * n_unlabeled - ROUNDING)


def add_in_batches(
    data: TrainingData,
    pool: IntArray,
    n_rows: int,
    fit: Callable[[TrainingData], Model],
    label: Callable[[Model, Any], BoolArray],
    progress: Progress,
) -> BatchOutcome:
    """Repeatedly fit a model, label a batch of rows from the pool and add these rows.

    Rows that get no label move to the end of the pool. The loop ends when the pool is
    empty, or when all remaining rows have been tried since the model last changed,
    because nothing more can change. Rows still in the pool are then dropped.

    Parameters
    ----------
    data : TrainingData
    pool : int array of shape (n_unlabeled,)
        The unlabelled rows, in the order in which to try them.
    n_rows : int
        Rows per batch.
    fit : function
        Takes training data, returns a model. Called once at the start, and after each
        batch in which a row was added.
    label : function
        Takes a model and rows, returns closed labels; a row without any is not added.
    progress : Progress
    """
    n_unlabeled = data.unlabeled_rows.size
    labels = np.zeros((n_unlabeled, data.hierarchy.n_nodes), dtype=bool)
    added_in = np.full(n_unlabeled, -1)
    batches: list[BatchSummary] = []
    training, model = data, fit(data)
    n_tried, total = 0, pool.size
    while n_tried < pool.size:
        batch = pool[: min(n_rows, pool.size - n_tried)]
        proposed = label(model, data.X_unlabeled[batch])
        is_added = proposed.any(axis=1)
        added = batch[is_added]
        pool = np.concatenate([pool[batch.size :], batch[~is_added]])
        batches.append(
            BatchSummary(len(batches) + 1, batch.size, added.size, pool.size)
        )
        told = f"batch {len(batches)}: {added.size} of {batch.size} added"
        with progress.step(told, total - pool.size, total):
            if added.size == 0:
                n_tried += batch.size
                continue
            n_tried = 0
            labels[added], added_in[added] = proposed[is_added], len(batches)
            has_labels = added_in > 0
            training = data.with_rows(has_labels, labels[has_labels])
            model = fit(training)
    return BatchOutcome(model, training, added_in, tuple(batches))
