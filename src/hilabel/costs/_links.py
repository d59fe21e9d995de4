"""The work of methods that learn from links between rows."""

from typing import Any, Final

import numpy as np

from hilabel.costs._shape import DataShape
from hilabel.costs._work import Job, job, threads_of
from hilabel.links import MOST_FOLLOWED, TRANSFORMS

# Settings are judged on so many rows, with at most so many scores.
_ROWS_TO_JUDGE: Final = 2048
_SCORES_TO_JUDGE: Final = 2**23
# Bytes of a link: its row and weight, both ways and as shares.
_PER_LINK: Final = 40.0
# Bytes of a stored share or error.
_PER_SHARE: Final = 12.0
# Rows whose shares are in memory at a time, for each thread.
_ROWS_AT_ONCE: Final = 512
# Errors of a row that are stored, for each of its labels.
_ERRORS_PER_LABEL: Final = 10.0
# Nodes of a row with some evidence, for each of its labels.
_CELLS_PER_LABEL: Final = 8.0
# Numbers that describe a cell, and their bytes while trees grow.
_INPUTS: Final = 12
_PER_INPUT: Final = 14.0


def vote_over_links(estimator: Any, shape: DataShape) -> Job:
    """Return the work of choosing how linked rows vote."""
    n_tried, n_judged = _n_weightings(estimator), _n_judged(shape)
    votes = _votes(shape, n_judged)
    return n_tried * (
        _weigh(shape) + votes + _rank(estimator, shape, n_judged)
    ).needing(_PER_LINK * shape.n_all_links)


def score_by_link_votes(_: Any, shape: DataShape, n_rows: int) -> Job:
    """Return the work of scoring rows by the labels of linked rows."""
    return _votes(shape, n_rows).needing(4.0 * n_rows * shape.n_nodes)


def spread_over_links(estimator: Any, shape: DataShape) -> Job:
    """Return the work of choosing how labels spread along links."""
    n_judged, n_alphas = _n_judged(shape), _n_alphas(estimator)
    once = n_alphas * (
        _follow(shape, n_judged, shape.n_labels, threads_of(estimator))
        + _rank(estimator, shape, n_judged)
    )
    work = _n_weightings(estimator) * (_weigh(shape) + once)
    return work.needing(_PER_LINK * shape.n_all_links)


def score_by_link_spreading(estimator: Any, shape: DataShape, n_rows: int) -> Job:
    """Return the work of finding what reaches rows."""
    found = _follow(shape, n_rows, shape.n_labels, threads_of(estimator))
    return found.needing(4.0 * n_rows * shape.n_nodes)


def correct_over_links(estimator: Any, shape: DataShape) -> Job:
    """Return the work of choosing how errors spread along links."""
    n_errors = _ERRORS_PER_LABEL * shape.n_labels
    n_judged, n_alphas = _n_judged(shape), _n_alphas(estimator)
    once = n_alphas * (
        _follow(shape, n_judged, n_errors, threads_of(estimator))
        + _rank(estimator, shape, n_judged)
    )
    kept = shape.n_rows * (4.0 * shape.n_nodes + _PER_SHARE * n_errors)
    work = _n_weightings(estimator) * (_weigh(shape) + once)
    return work.needing(_PER_LINK * shape.n_all_links + kept)


def score_by_errors(estimator: Any, shape: DataShape, n_rows: int) -> Job:
    """Return the work of adding the errors of linked rows."""
    n_errors = _ERRORS_PER_LABEL * shape.n_labels
    found = _follow(shape, n_rows, n_errors, threads_of(estimator))
    return found.needing(8.0 * n_rows * shape.n_nodes)


def grow_on_cells(estimator: Any, shape: DataShape) -> Job:
    """Return the work of growing trees on cells of labelled rows."""
    of_row = _cells_of_row(shape)
    n_cells = min(shape.n_rows * of_row, float(estimator.max_cells))
    n_rows = int(n_cells / max(of_row, 1e-9))
    # Scores of all labelled rows out of fold are kept meanwhile.
    kept = 4.0 * shape.n_rows * shape.n_nodes + _PER_LINK * shape.n_all_links
    described = _votes(shape, n_rows) + _follow(shape, n_rows, shape.n_labels, 1)
    grown = job(
        "boosting",
        _INPUTS * _PER_INPUT * n_cells,
        values=n_cells * _INPUTS * estimator.n_trees,
        trees=float(estimator.n_trees),
    )
    return (described + grown).needing(kept)


def walk_on_cells(estimator: Any, shape: DataShape, n_rows: int) -> Job:
    """Return the work of walking through trees with cells of new rows."""
    n_cells = n_rows * _cells_of_row(shape)
    n_threads = threads_of(estimator)
    at_once = min(n_rows, n_threads * _ROWS_AT_ONCE)
    return job(
        "walking boosted trees",
        at_once * (32.0 * shape.n_nodes + 4.0 * _INPUTS * _cells_of_row(shape)),
        n_threads,
        values=n_cells * estimator.n_trees,
        cells=float(n_rows) * shape.n_nodes,
    ).needing(4.0 * n_rows * shape.n_nodes)


# Parts --------------------------------------------------------------------------------


def _weigh(shape: DataShape) -> Job:
    return job("weighing links", 0.0, links=shape.n_all_links, start=1.0)


def _votes(shape: DataShape, n_rows: int) -> Job:
    n_links = n_rows * min(shape.n_links, shape.n_rows)
    return job(
        "link votes",
        _PER_SHARE * n_links,
        labels=n_links * shape.n_labels,
        cells=float(n_rows) * shape.n_nodes,
        start=1.0,
    )


def _follow(shape: DataShape, n_rows: int, n_values: float, n_threads: int) -> Job:
    n_followed = min(float(MOST_FOLLOWED), shape.n_all_links)
    # Between the rows of a small family and those of a graph without any.
    n_reached = min(float(np.sqrt(n_followed * shape.n_links)), shape.n_rows)
    at_once = min(n_rows, n_threads * _ROWS_AT_ONCE)
    return job(
        "link spreading",
        at_once * (_PER_SHARE * n_reached + 8.0 * shape.n_nodes),
        n_threads,
        followed=n_rows * n_followed,
        values=n_rows * n_reached * n_values,
        cells=float(n_rows) * shape.n_nodes,
        start=1.0,
    )


def _rank(estimator: Any, shape: DataShape, n_judged: int) -> Job:
    """Return the work of judging scores with several weights of the prior."""
    given = getattr(estimator, "prior_weight", getattr(estimator, "shrinkage", "auto"))
    times = 5 if given == "auto" else 1
    cells = float(n_judged) * shape.n_nodes
    return times * job("ranking", 16.0 * cells, cells=cells, start=1.0)


def _cells_of_row(shape: DataShape) -> float:
    return min(_CELLS_PER_LABEL * shape.n_labels, float(shape.n_nodes))


def _n_judged(shape: DataShape) -> int:
    at_most = _SCORES_TO_JUDGE // max(shape.n_nodes, 1) + 1
    return min(shape.n_rows, at_most, _ROWS_TO_JUDGE)


def _n_weightings(estimator: Any) -> int:
    is_open = getattr(estimator, "weighting", "auto") == "auto"
    return len(TRANSFORMS) if is_open else 1


def _n_alphas(estimator: Any) -> int:
    return 3 if getattr(estimator, "alpha", "auto") == "auto" else 1
