"""One run, from specification to record."""

from dataclasses import replace

import numpy as np
import pytest

from hilabel.classifiers import PriorClassifier
from hilabel.metrics import average_precision, per_node_table
from hilabel.model_selection import mask_labels
from hilabel.studies import make_plan, read_study, run_one
from hilabel.studies._data import load_dataset, prepare
from hilabel.studies._workbench import Workbench


@pytest.fixture
def plan(tiny):
    return make_plan(read_study(tiny))


def run_of(plan, method):
    return next(run for run in plan if run.method.name == method)


def test_a_run_is_what_one_would_compute_by_hand(plan):
    run = run_of(plan, "constant")
    record = run_one(run)
    cell = run.cell
    splits = prepare(load_dataset(cell.dataset), run.method.preprocessing)
    Y = mask_labels(splits.train.Y, 0.2, random_state=cell.label_seed)
    model = PriorClassifier(splits.hierarchy).fit(splits.train.X, Y)
    scores = model.predict_proba(splits.test.X)
    expected = average_precision(splits.test.Y, scores)
    assert record.measures["micro_average_precision"] == expected
    nodes = per_node_table(splits.test.Y, scores, splits.hierarchy)
    np.testing.assert_array_equal(
        [row["average_precision"] for row in record.nodes], nodes["average_precision"]
    )
    assert len(record.depths) == splits.hierarchy.max_depth
    assert [row["measure"] for row in record.rows] == list(run.measures)


def test_a_tuned_run_tells_its_grid_and_its_passes(plan):
    record = run_one(run_of(plan, "V1"))
    assert len(record.grid) == 4
    best = max(record.grid, key=lambda row: row["value"])
    assert record.facts["params"] == best["params"]
    assert record.facts["n_passes"] == len(record.passes) == best["n_passes"]
    assert record.facts["stop_reason"] == best["stop_reason"] == "unchanged"


def test_a_run_gives_the_same_alone_and_after_others(plan):
    bench = Workbench(plan[0].cell)
    for run in plan[:4]:
        shared, alone = run_one(run, bench), run_one(run)
        assert shared.measures == alone.measures
        assert shared.nodes == alone.nodes
        assert shared.grid == alone.grid
        assert shared.passes == alone.passes


def test_a_failure_is_a_record_with_its_error(plan):
    run = run_of(plan, "V1")
    # More neighbours than there are labelled rows.
    method = replace(run.method, grid={"n_neighbors": [50]})
    record = run_one(replace(run, method=method))
    assert record.error.startswith("ValueError: Expected at least n_neighbors=50")
    assert "in pseudo_label\n" in record.traceback
    assert record.measures == {}
    [row] = record.rows
    assert row["measure"] == ""
    assert np.isnan(row["value"])


def test_data_that_cannot_be_loaded_are_a_failure_of_the_run(plan):
    run = plan[0]
    dataset = replace(run.cell.dataset, options=(("n_samples", -1),))
    record = run_one(replace(run, cell=replace(run.cell, dataset=dataset)))
    assert "n_samples" in record.error


def test_warnings_are_kept_once_each(plan):
    run = run_of(plan, "V1")
    method = replace(
        run.method,
        grid={},
        params={**run.method.params, "max_iter": 1, "profile": "authors"},
    )
    record = run_one(replace(run, method=method))
    lines = record.facts["warnings"].splitlines()
    assert any("max_iter=1 stops in the first pass" in line for line in lines)
    assert len(lines) == len(set(lines))
