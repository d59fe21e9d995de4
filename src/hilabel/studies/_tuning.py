"""Choose parameters on the validation rows, then predict the test rows."""

import json
from dataclasses import dataclass
from typing import Any

from hilabel._typing import FloatArray
from hilabel._warning import warn_user
from hilabel.model_selection import Attempt, TriedPoint, search_grid
from hilabel.studies._estimators import estimator_at
from hilabel.studies._history import History, read_history
from hilabel.studies._measures import MEASURES, ScoredRows
from hilabel.studies._specs import RunSpec
from hilabel.studies._workbench import Trial, Workbench


@dataclass(frozen=True, eq=False)
class TunedRun:
    """The best grid point, and the results of all grid points."""

    params: dict[str, Any]  # of the best grid point; empty without a grid
    history: History
    test_scores: FloatArray  # (n_test, n_nodes)
    # Per grid point: params, value on the validation rows, facts of its history, error.
    grid: list[dict[str, Any]]


class EveryPointFailedError(Exception):
    """No grid point could be trained and evaluated; ``grid`` contains their errors."""

    def __init__(self, grid: list[dict[str, Any]]) -> None:
        self.grid = grid
        first = grid[0]
        point = json.dumps(first["params"])
        n_failed = f"all {len(grid)} grid points failed; " if len(grid) > 1 else ""
        super().__init__(f"{first['error']} ({n_failed}this is {point})")


def tune_run(run: RunSpec, bench: Workbench) -> TunedRun:
    """Try every grid point, and predict the test rows with the best one.

    The best grid point is chosen on the validation rows. Validation rows are never used
    for training, so the best model need not be fitted again. A grid point that fails is
    recorded with its error and cannot be chosen.
    """
    if not run.method.grid:
        return _finished({}, _trial(run, bench, {}), bench, [])
    found = search_grid(
        run.method.grid_points(),
        lambda point: _attempt(run, bench, point),
        higher_is_better=MEASURES[run.tune_on].higher_is_better,
        errors=Exception,  # a user's method may raise anything
    )
    grid = [_row(point) for point in found.points]
    if found.best is None:
        raise EveryPointFailedError(grid) from found.points[0].error
    _warn_of_failures(grid)
    return _finished(found.best.parameters, found.model, bench, grid)


def _trial(run: RunSpec, bench: Workbench, point: dict[str, Any]) -> Trial:
    method = run.method
    estimator = estimator_at(
        method, point, hierarchy=bench.splits.hierarchy, seed=run.cell.model_seed
    )
    return bench.trial(estimator, method.preprocessing, method.unlabeled)


def _attempt(run: RunSpec, bench: Workbench, point: dict[str, Any]) -> Attempt:
    trial = _trial(run, bench, point)
    scores = bench.scores(trial, "valid")
    rows = ScoredRows(bench.splits.valid.Y, scores, bench.splits.hierarchy)
    value = float(MEASURES[run.tune_on].compute(rows))
    return Attempt(value, trial, _history(trial).facts)


def _row(point: TriedPoint) -> dict[str, Any]:
    row = {"params": point.parameters, "value": point.value, "error": ""}
    if point.error is None:
        return {**row, **point.facts}
    return {**row, **read_history(None).facts, "error": error_text(point.error)}


def _warn_of_failures(grid: list[dict[str, Any]]) -> None:
    failed = [row for row in grid if row["error"]]
    if failed:
        first = failed[0]
        warn_user(
            f"{len(failed)} of {len(grid)} grid points failed and were left out; the "
            f"first was {json.dumps(first['params'])}: {first['error']}"
        )


def error_text(error: Exception) -> str:
    """Return the type and message of an error in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def _finished(
    params: dict[str, Any], trial: Trial, bench: Workbench, grid: list[dict[str, Any]]
) -> TunedRun:
    scores = bench.scores(trial, "test")
    return TunedRun(params, _history(trial), scores, grid)


def _history(trial: Trial) -> History:
    assert trial.history is not None  # set when the scores were computed
    return trial.history
