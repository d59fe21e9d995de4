"""Choose parameters on the validation rows, then predict the test rows."""

from dataclasses import dataclass
from typing import Any

from hilabel._typing import FloatArray
from hilabel.studies._history import History
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
    # Per grid point: params, value on the validation rows, facts of its history.
    grid: list[dict[str, Any]]


def tune(run: RunSpec, bench: Workbench) -> Tuned:
    """Try every grid point, and predict the test rows with the best one.

    The best grid point is chosen on the validation rows. Validation rows are never used
    for training, so the best model need not be fitted again. Ties go to the earlier
    grid point.
    """
    hierarchy = bench.splits.hierarchy

    def attempt(point: dict[str, Any]) -> Trial:
        estimator = build_estimator(
            run.method, point, hierarchy=hierarchy, seed=run.cell.model_seed
        )
        method = run.method
        return bench.trial(estimator, method.preprocessing, method.unlabeled)

    if not run.method.grid:
        only = attempt({})
        return _finished({}, only, bench, [])
    measure = MEASURES[run.tune_on]
    sign = 1 if measure.higher_is_better else -1
    best: tuple[float, dict[str, Any], Trial] | None = None
    grid = []
    for point in run.method.grid_points():
        trial = attempt(point)
        scores = bench.scores(trial, "valid")
        valid = bench.splits.valid
        value = float(measure.compute(Evaluation(valid.Y, scores, hierarchy)))
        grid.append({"params": point, "value": value, **_history(trial).facts})
        if best is None or sign * value > sign * best[0]:
            best = value, point, trial
    assert best is not None  # a grid has at least one point
    _, params, trial = best
    return _finished(params, trial, bench, grid)


def _finished(
    params: dict[str, Any], trial: Trial, bench: Workbench, grid: list[dict[str, Any]]
) -> Tuned:
    scores = bench.scores(trial, "test")
    return Tuned(params, _history(trial), scores, grid)


def _history(trial: Trial) -> History:
    assert trial.history is not None  # set when the scores were computed
    return trial.history
