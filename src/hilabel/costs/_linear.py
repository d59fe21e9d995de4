"""The work of linear models."""

from typing import Any, Final

from hilabel.costs._shape import DataShape
from hilabel.costs._work import Job, form_of, job, threads_of

# Rounds of mining, and the negatives that each adds: so many, or so many per positive.
_ROUNDS: Final = 2
_LEAST_MINED: Final = 1_000
_MINED_PER_POSITIVE: Final = 5
# The larger the cost of an error relative to the rows, the more often models see them.
_PASSES_WITH_COST: Final = 0.25
_MOST_PASSES_AT: Final = 1_000.0
# If the cost is chosen, the costs that are usually tried, on this share of the examples
# or on so many; and about the one that is chosen, for rows of norm 1.
_N_TRIED: Final = 3
_SHARE_TRIED: Final = 0.3
_LEAST_TRIED: Final = 1_000_000
_USUAL_COST: Final = {"logistic": 10.0, "squared_hinge": 1.0}


def train_linear(estimator: Any, shape: DataShape) -> Job:
    """Return the work of training a linear model for each node."""
    n_rows, n_nodes = shape.n_rows, shape.n_nodes
    cost = _cost_of_errors(estimator, shape)
    n_examples = float(n_rows) * n_nodes
    if estimator.negatives != "all":
        n_examples = shape.n_examples
    scored = 0.0
    if estimator.negatives == "mined":
        n_positive = n_rows * shape.n_labels / max(n_nodes, 1)
        mined = max(_LEAST_MINED, _MINED_PER_POSITIVE * n_positive)
        n_examples += _ROUNDS * n_nodes * min(mined, n_rows)
        scored = _ROUNDS * n_nodes * n_rows * shape.n_values
    seen, times = n_examples, 1.0
    if estimator.C is None:
        tried = max(_LEAST_TRIED, _SHARE_TRIED * n_examples)
        seen += _N_TRIED * min(tried, n_examples)
        times += _N_TRIED * _SHARE_TRIED
    return job(
        f"linear, {estimator.loss}, {estimator.negatives}, {form_of(shape.is_sparse)}",
        _bytes_of_rows(shape) + _bytes_of_weights(shape, n_examples),
        threads_of(estimator),
        values=seen * shape.n_values * cost**_PASSES_WITH_COST,
        examples=seen,
        scored=times * scored,
        nodes=times * n_nodes * shape.n_columns,
        start=times,
    )


def score_linear(estimator: Any, shape: DataShape, n_rows: int) -> Job:
    """Return the work of scoring rows with linear models."""
    cells = float(n_rows) * shape.n_nodes
    return job(
        f"linear scores, {form_of(shape.is_sparse)}",
        8.0 * cells,
        threads_of(estimator),
        products=cells * shape.n_values,
        cells=cells,
        start=1.0,
    )


def _cost_of_errors(estimator: Any, shape: DataShape) -> float:
    """Return the cost of an error, for rows of norm 1."""
    if estimator.C is None:
        return _USUAL_COST[estimator.loss]
    cost = float(estimator.C * (shape.n_columns if estimator.scale is True else 1))
    return min(cost, _MOST_PASSES_AT)


def _bytes_of_rows(shape: DataShape) -> float:
    """Return the bytes of rows in single precision, sparse ones also by column."""
    per_value = 16.0 if shape.is_sparse else 4.0
    return per_value * shape.n_rows * shape.n_values


def _bytes_of_weights(shape: DataShape, n_examples: float) -> float:
    """Return the bytes of weights: at most one for each value or column of a node."""
    most = float(shape.n_nodes) * shape.n_columns
    if not shape.is_sparse:
        return 4 * most
    return 8 * min(most, n_examples * shape.n_values)
