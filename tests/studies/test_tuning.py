"""The grid point that is best on the validation rows."""

from dataclasses import replace

import numpy as np
import pytest

from hilabel.metrics import average_precision
from hilabel.semi_supervised import SSHMCBLI
from hilabel.studies import make_plan, read_study
from hilabel.studies._methods import build_estimator
from hilabel.studies._tuning import tune
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
        model = build_estimator(
            run.method, point, hierarchy=splits.hierarchy, seed=run.cell.model_seed
        )
        assert isinstance(model, SSHMCBLI)
        model.fit(splits.train.X, bench.Y)
        values.append(
            average_precision(splits.valid.Y, model.predict_proba(splits.valid.X))
        )
        test_scores.append(model.predict_proba(splits.test.X))
    tuned = tune(run, bench)
    assert [row["value"] for row in tuned.grid] == values
    best = int(np.argmax(values))
    assert tuned.params == list(run.method.grid_points())[best]
    np.testing.assert_array_equal(tuned.test_scores, test_scores[best])


def test_at_equal_values_the_earlier_grid_point_wins(run):
    method = replace(run.method, grid={"verbose": [0, 0], "n_neighbors": [3]})
    tuned = tune(replace(run, method=method), Workbench(run.cell))
    assert tuned.params == {"verbose": 0, "n_neighbors": 3}
    assert tuned.grid[0]["value"] == tuned.grid[1]["value"]


def test_a_loss_is_tuned_downwards(run):
    tuned = tune(replace(run, tune_on="hamming_loss"), Workbench(run.cell))
    values = {str(row["params"]): row["value"] for row in tuned.grid}
    assert len(set(values.values())) > 1
    assert values[str(tuned.params)] == min(values.values())


def test_without_a_grid_nothing_is_validated(run):
    tuned = tune(replace(run, method=replace(run.method, grid={})), Workbench(run.cell))
    assert tuned.grid == []
    assert tuned.params == {}
