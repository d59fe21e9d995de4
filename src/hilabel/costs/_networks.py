"""The work of networks."""

from itertools import pairwise
from typing import Any, Final

import numpy as np

from hilabel.costs._shape import DataShape
from hilabel.costs._work import Job, job
from hilabel.networks import TrainingSettings

# Without a limit, training usually ends within so many steps.
_USUAL_STEPS: Final = 1_600
# Of the cost of a training step on a row, the part of scoring it.
_SCORING_TO_TRAINING: Final = 1 / 3
# Consistency looks at half as many rows, with a teacher and a learner.
_CONSISTENCY_TO_STEP: Final = 0.5 * (1 + _SCORING_TO_TRAINING)
# The weights of a member, its running mean, two moments, the gradient and a copy.
_COPIES: Final = 6
# Units of the layers in memory at a time: forwards, backwards and dropped ones.
_COPIES_OF_UNITS: Final = 4
_BLOCK_ROWS: Final = 256


def train_networks(estimator: Any, shape: DataShape) -> Job | None:
    """Return the work of training an ensemble; None if it has a backbone."""
    settings: TrainingSettings = estimator._settings()
    if settings.backbone is not None:
        return None
    checkpoints = settings.checkpoints(shape.n_rows)
    if settings.max_steps is None:
        checkpoints = [steps for steps in checkpoints if steps <= _USUAL_STEPS]
        checkpoints = checkpoints or [_USUAL_STEPS]
    n_steps, n_scored = max(checkpoints), len(checkpoints) * shape.n_rows
    strengths = np.ravel(estimator.consistency).astype(float)
    members, batch = settings.n_members, settings.batch_size
    n_folds = max(min(estimator.n_folds, members, shape.n_rows), 1)
    runs = len(strengths) * len(settings.shapes)
    passes = sum(1 + _CONSISTENCY_TO_STEP * (one > 0) for one in strengths)
    rows = n_steps * members * batch * passes
    scored = n_scored * (members / n_folds) * len(strengths)
    products = updates = 0.0
    for layers in settings.shapes.values():
        size, _ = _sizes(layers.layers, shape)
        products += size * (rows + scored * _SCORING_TO_TRAINING)
        updates += size * n_steps * members * len(strengths)
    units = max(_sizes(one.layers, shape)[1] for one in settings.shapes.values())
    trained = job(
        "network",
        _bytes_of_training(settings, shape, units),
        products=products,
        units=rows * units * len(settings.shapes),
        updates=updates,
        ranked=runs * n_scored * shape.n_nodes,
    )
    return trained + job("compiling", 0.0, shapes=runs)


def score_by_networks(estimator: Any, shape: DataShape, n_rows: int) -> Job | None:
    """Return the work of scoring rows with an ensemble."""
    settings: TrainingSettings = estimator._settings()
    if settings.backbone is not None:
        return None
    sizes = [_sizes(one.layers, shape) for one in settings.shapes.values()]
    members = settings.n_members
    blocks = members * _BLOCK_ROWS * max(units for _, units in sizes)
    return job(
        "network scores",
        4.0 * (n_rows * shape.n_nodes + blocks),
        products=n_rows * members * sum(size for size, _ in sizes),
        cells=n_rows * shape.n_nodes,
        start=1.0,
    )


def _sizes(layers: tuple[int, ...], shape: DataShape) -> tuple[float, float]:
    """Return the number of weights of a network, and of its units and inputs."""
    widths = [shape.n_columns, *layers, shape.n_nodes]
    weights = sum(one * other for one, other in pairwise(widths))
    return float(weights), float(sum(widths))


def _bytes_of_training(
    settings: TrainingSettings, shape: DataShape, units: float
) -> float:
    """Return the bytes of weights, batches, rows, labels and scores."""
    weights = sum(_sizes(one.layers, shape)[0] for one in settings.shapes.values())
    cells = shape.n_rows * shape.n_nodes
    n_values = 2 * shape.n_values if shape.is_sparse else shape.n_values
    scores = (1 + len(settings.shapes)) * cells
    batches = _COPIES_OF_UNITS * settings.n_members * settings.batch_size * units
    rows = shape.n_all_rows * n_values
    return cells + 4 * (
        _COPIES * settings.n_members * weights + batches + rows + scores
    )
