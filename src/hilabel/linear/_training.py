"""Train the models of all nodes, largest first, on several threads."""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import numpy as np
from joblib import Parallel, delayed

from hilabel import _engine
from hilabel._label_matrix import LabelMatrix
from hilabel._progress import Progress
from hilabel._typing import FloatArray
from hilabel.hierarchy import Hierarchy
from hilabel.linear._examples import ExampleRows
from hilabel.linear._models import LinearModels
from hilabel.linear._rows import LinearRows
from hilabel.linear._settings import LOSSES, LinearSettings

# Two rounds of mining, each of which adds this many rows, or this many per positive.
_ROUNDS: Final = 2
_LEAST_MINED: Final = 1_000
_MINED_PER_POSITIVE: Final = 5

_PATIENCE_SECONDS: Final = 2.0

Found = tuple[Any, ...]
"""Pointers, columns and values of the weights of some nodes, and their biases."""


def train_models(
    rows: LinearRows,
    labels: LabelMatrix,
    hierarchy: Hierarchy,
    settings: LinearSettings,
    weight: FloatArray | None = None,
) -> LinearModels:
    """Train a linear model for each node.

    Each node has random numbers of its own, so that results do not depend on the number
    of threads.

    Parameters
    ----------
    rows : LinearRows
    labels : LabelMatrix of shape (n_rows, n_nodes)
    hierarchy : Hierarchy
    settings : LinearSettings
    weight : ndarray of shape (n_rows,), optional
        Weights of the rows.

    Returns
    -------
    LinearModels

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel._label_matrix import LabelMatrix
    >>> from hilabel.linear import LinearRows, LinearSettings, train_models
    >>> h = Hierarchy.from_edges([("a", "b")])
    >>> rows = LinearRows(np.array([[-1.0], [0.0], [1.0], [2.0]]))
    >>> labels = LabelMatrix.of(np.array([[0, 0], [1, 0], [1, 0], [1, 1]]))
    >>> models = train_models(rows, labels, h, LinearSettings(cost=10.0))
    >>> (models.outputs(np.array([[-1.0], [2.0]])) > 0).astype(int)
    array([[0, 0],
           [1, 1]])
    """
    weights = np.empty(0) if weight is None else np.asarray(weight, dtype=np.float64)
    examples = ExampleRows(labels, hierarchy, settings.negatives != "all")
    train = _trainer(rows, examples, settings, weights)
    tasks = [*examples.tasks()]
    found = _one_by_one(settings.n_jobs)(delayed(train)(nodes) for nodes in tasks)
    return LinearModels.assembled(tasks, [*_told(found, len(tasks))], rows.shape[1])


def _trainer(
    rows: LinearRows,
    examples: ExampleRows,
    settings: LinearSettings,
    weights: FloatArray,
) -> Callable[[list[int]], Found]:
    """Return a function that trains the models of some nodes."""
    tolerance, max_passes = settings.stopping(rows.shape[0], rows.is_sparse)
    how = (
        LOSSES.index(settings.loss),
        float(settings.cost),
        float(tolerance),
        max_passes,
        float(settings.pruning),
    )
    is_mined = settings.negatives == "mined"
    lists = rows.columns if is_mined else ()

    def train(nodes: list[int]) -> Found:
        some = examples.of(nodes)
        bias: FloatArray = np.zeros(len(nodes))
        if settings.begins_at_prior:
            bias = some.log_odds(weights)
        given: Any = (rows.table, *lists, *some, bias, weights)
        if not is_mined:
            given += (*how, settings.seed)
            return _engine.train_linear(*given)
        amounts = _ROUNDS, _LEAST_MINED, _MINED_PER_POSITIVE
        given += (*examples.unknown(nodes), *how, *amounts, settings.seed)
        return _engine.train_mined(*given)

    return train


def _one_by_one(n_jobs: int | None) -> Parallel:
    """Return a ``Parallel`` that yields models as soon as possible."""
    try:
        return Parallel(n_jobs=n_jobs, return_as="generator", require="sharedmem")
    except ValueError:  # not supported by the user's backend, such as multiprocessing
        return Parallel(n_jobs=n_jobs, require="sharedmem")


def _told(found: Iterable[Found], n_tasks: int) -> Iterator[Found]:
    """Yield what was found, and report progress if training takes a while."""
    progress, start = Progress(0), time.monotonic()
    for number, one in enumerate(found, start=1):
        if time.monotonic() - start > _PATIENCE_SECONDS:
            progress.report("Training linear models", number, n_tasks)
        yield one
