"""The grid point that is best on the validation rows."""

from dataclasses import replace

import numpy as np
import pytest

from hilabel.exceptions import HilabelWarning
from hilabel.metrics import average_precision
from hilabel.semi_supervised import SSHMCBLI
from hilabel.studies import MEASURES, make_plan, read_study, run_one
from hilabel.studies._estimators import estimator_at
from hilabel.studies._tuning import tune_run
from hilabel.studies._workbench import Workbench


@pytest.fixture
def run(tiny):
    plan = make_plan(read_study(tiny))
    return next(run for run in plan if run.method.name == "V2")


def test_tuning_is_the_plain_loop_over_the_grid(run):
    bench = Workbench(run.cell)
    splits = bench.splits
    values, test_scores = [], []
    for point in run.method.grid_points():
        model = estimator_at(
            run.method, point, hierarchy=splits.hierarchy, seed=run.cell.model_seed
        )
        assert isinstance(model, SSHMCBLI)
        model.fit(splits.train.X, bench.Y)
        values.append(
            average_precision(splits.valid.Y, model.predict_proba(splits.valid.X))
        )
        test_scores.append(model.predict_proba(splits.test.X))
    tuned = tune_run(run, bench)
    assert [row["value"] for row in tuned.grid] == values
    best = int(np.argmax(values))
    assert tuned.params == run.method.grid_points()[best]
    np.testing.assert_array_equal(tuned.test_scores, test_scores[best])


def test_at_equal_values_the_earlier_grid_point_wins(run):
    method = replace(run.method, grid={"verbose": [0, 0], "n_neighbors": [3]})
    tuned = tune_run(replace(run, method=method), Workbench(run.cell))
    assert tuned.params == {"verbose": 0, "n_neighbors": 3}
    assert tuned.grid[0]["value"] == tuned.grid[1]["value"]


def test_a_loss_is_tuned_downwards(run):
    tuned = tune_run(replace(run, tune_on="hamming_loss"), Workbench(run.cell))
    values = {str(row["params"]): row["value"] for row in tuned.grid}
    assert len(set(values.values())) > 1
    assert values[str(tuned.params)] == min(values.values())


def test_without_a_grid_nothing_is_validated(run):
    tuned = tune_run(
        replace(run, method=replace(run.method, grid={})), Workbench(run.cell)
    )
    assert tuned.grid == []
    assert tuned.params == {}


def with_grid(run, **grid):
    return replace(run, method=replace(run.method, grid=grid))


def test_a_grid_point_that_fails_is_recorded_and_the_best_of_the_others_is_used(run):
    # A study of 60 training rows has fewer than 500 neighbours for each.
    with pytest.warns(HilabelWarning, match=r"1 of 3 grid points failed.*: 500\}"):
        tuned = tune_run(with_grid(run, n_neighbors=[500, 2, 3]), Workbench(run.cell))
    alone = tune_run(with_grid(run, n_neighbors=[2, 3]), Workbench(run.cell))
    assert tuned.params == alone.params
    np.testing.assert_array_equal(tuned.test_scores, alone.test_scores)
    failed, *others = tuned.grid
    assert failed["error"].startswith("ValueError: ")
    assert "n_neighbors=500" in failed["error"]
    assert np.isnan(failed["value"])
    assert others == alone.grid


def test_a_run_fails_only_if_every_grid_point_fails(run):
    one = run_one(with_grid(run, n_neighbors=[500, 2]))
    assert one.error == ""
    assert one.facts["warnings"].startswith("HilabelWarning: 1 of 2 grid points failed")
    none = run_one(with_grid(run, n_neighbors=[500, 501]))
    assert "(all 2 grid points failed; this is" in none.error
    assert none.measures == {}
    for record, n_failed in ((one, 1), (none, 2)):
        rows = record.table("grid")
        assert [row["error"] != "" for row in rows].count(True) == n_failed
        assert rows[0]["params"] == '{"n_neighbors": 500}'


def test_an_undefined_value_is_never_the_best(run, monkeypatch):
    values = iter([float("nan"), 0.2, float("nan"), 0.1])
    measure = MEASURES[run.tune_on]._replace(compute=lambda _: next(values))
    monkeypatch.setitem(MEASURES, run.tune_on, measure)
    tuned = tune_run(run, Workbench(run.cell))
    assert tuned.params == run.method.grid_points()[1]
