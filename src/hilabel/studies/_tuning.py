"""Choose parameters on the validation rows, then predict the test rows."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hilabel._typing import FloatArray
from hilabel._warning import warn_user
from hilabel.studies._history import History, read_history
from hilabel.studies._measures import MEASURES, Evaluation
from hilabel.studies._methods import build_estimator
from hilabel.studies._specs import RunSpec
from hilabel.studies._workbench import Trial, Workbench


@dataclass(frozen=True, eq=False)
class Tuned:
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


def tune(run: RunSpec, bench: Workbench) -> Tuned:
    """Try every grid point, and predict the test rows with the best one.

    The best grid point is chosen on the validation rows. Validation rows are never used
    for training, so the best model need not be fitted again. Ties go to the earlier
    grid point. A grid point that fails is recorded with its error and cannot be chosen.
    """
    if not run.method.grid:
        only = _attempt(run, bench, {})
        return _finished({}, only, bench, [])
    sign = 1 if MEASURES[run.tune_on].higher_is_better else -1
    best: tuple[float, dict[str, Any], Trial] | None = None
    grid = []
    errors = []
    for trial, row in _grid_trials(run, bench):
        grid.append(row)
        if isinstance(trial, Exception):
            errors.append(trial)
            continue
        # An undefined value is worse than any other.
        value = -math.inf if math.isnan(row["value"]) else sign * row["value"]
        if best is None or value > best[0]:
            best = value, row["params"], trial
    if best is None:
        raise EveryPointFailedError(grid) from errors[0]
    _warn_of_failures(grid)
    _, params, trial = best
    return _finished(params, trial, bench, grid)


def _grid_trials(
    run: RunSpec, bench: Workbench
) -> Iterator[tuple[Trial | Exception, dict[str, Any]]]:
    """Yield the trial of every grid point, or why it failed, and its record."""
    valid, hierarchy = bench.splits.valid, bench.splits.hierarchy
    for point in run.method.grid_points():
        row: dict[str, Any] = {"params": point, "value": math.nan, "error": ""}
        try:
            trial = _attempt(run, bench, point)
            scores = bench.scores(trial, "valid")
            evaluation = Evaluation(valid.Y, scores, hierarchy)
            row["value"] = float(MEASURES[run.tune_on].compute(evaluation))
        except Exception as error:  # a user's method may raise anything
            yield error, {**row, **read_history(None).facts, "error": error_text(error)}
        else:
            yield trial, {**row, **_history(trial).facts}


def _attempt(run: RunSpec, bench: Workbench, point: dict[str, Any]) -> Trial:
    method = run.method
    estimator = build_estimator(
        method, point, hierarchy=bench.splits.hierarchy, seed=run.cell.model_seed
    )
    return bench.trial(estimator, method.preprocessing, method.unlabeled)


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
) -> Tuned:
    scores = bench.scores(trial, "test")
    return Tuned(params, _history(trial), scores, grid)


def _history(trial: Trial) -> History:
    assert trial.history is not None  # set when the scores were computed
    return trial.history
