"""The loop that labels unlabelled rows batch after batch and learns from all of them.

It knows no method: how to fit, and how to label with what was fitted, are given.
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

# 0.07 * 100 is a little more than 7, and must not make a batch of 8.
ROUNDING = 1e-9


@saved_type
@dataclass(frozen=True)
class BatchSummary:
    """One row of ``history_``: what became of a batch of unlabelled rows."""

    iteration: int
    n_drawn: int
    n_added: int
    n_remaining: int


@dataclass(frozen=True)
class BatchOutcome:
    """What the loop came to."""

    model: Any  # fitted to the training data
    training: TrainingData  # with all rows added
    # The batch in which each unlabelled row was added, from 1; -1 if in none.
    added_in: IntArray
    batches: tuple[BatchSummary, ...]


def batch_rows(batch_size: float, n_unlabeled: int) -> int:
    """Return how many rows a share of the unlabelled ones is, rounded up."""
    return math.ceil(batch_size * n_unlabeled - ROUNDING)


def add_in_batches(
    data: TrainingData,
    pool: IntArray,
    n_rows: int,
    fit: Callable[[TrainingData], Model],
    label: Callable[[Model, Any], BoolArray],
    progress: Progress,
) -> BatchOutcome:
    """Fit, label the next rows of the pool, add them, and again until none is left.

    Rows without a label go to the end of the pool. When all that are left have been
    tried since the model last changed, nothing can change any more, and they stay out.

    Parameters
    ----------
    data : TrainingData
    pool : int array of shape (n_unlabeled,)
        The unlabelled rows in the order in which to try them.
    n_rows : int
        Rows per batch.
    fit : function
        Takes training data, returns a model. Called once at first, and then after each
        batch of which a row was added.
    label : function
        Takes a model and rows, returns closed labels; a row without any is not added.
    progress : Progress
    """
    n_unlabeled = data.unlabeled_rows.size
    labels = np.zeros((n_unlabeled, data.hierarchy.n_nodes), dtype=bool)
    added_in = np.full(n_unlabeled, -1)
    batches: list[BatchSummary] = []
    training, model = data, fit(data)
    n_tried = 0
    while n_tried < pool.size:
        batch = pool[: min(n_rows, pool.size - n_tried)]
        proposed = label(model, data.X_unlabeled[batch])
        is_added = proposed.any(axis=1)
        added = batch[is_added]
        pool = np.concatenate([pool[batch.size :], batch[~is_added]])
        batches.append(
            BatchSummary(len(batches) + 1, batch.size, added.size, pool.size)
        )
        progress.report(f"batch {len(batches)}: {added.size} of {batch.size} added")
        if added.size == 0:
            n_tried += batch.size
            continue
        n_tried = 0
        labels[added], added_in[added] = proposed[is_added], len(batches)
        has_labels = added_in > 0
        training = data.with_rows(has_labels, labels[has_labels])
        model = fit(training)
    return BatchOutcome(model, training, added_in, tuple(batches))
