"""Passes and the reasons they ended for."""

import pytest

from hilabel.report.study._look import looks_of
from hilabel.report.study._pseudo_labeling import (
    PassCurves,
    _spread,
    pass_table,
    stop_reasons,
)


def row_pass(iteration, n_accepted):
    newly = {"n_newly_accepted": n_accepted, "n_dropped": 0}
    return {"iteration": iteration, "n_accepted": n_accepted, **newly}


def node_round(iteration, n_nodes, n_accepted):
    return {"iteration": iteration, "n_nodes": n_nodes, "n_accepted": n_accepted}


@pytest.fixture
def results(record, results_of):
    rounds = [node_round(1, 4, 80), node_round(2, 2, 40)]
    return results_of(
        [
            record(
                "V",
                0.5,
                passes=[row_pass(1, 20), row_pass(2, 50)],
                n_passes=2,
                stop_reason="cycle",
            ),
            record("V", 0.5, repetition=2, passes=[row_pass(1, 40)], n_passes=1),
            record("S", 0.5, passes=rounds, stop_reason="max_iter 3, no_change 1"),
            record("a", 0.5),
        ]
    )


def test_rows_are_shares_of_the_unlabelled_rows(results):
    table = pass_table(results)
    mine = table[(table["method"] == "V") & (table["repetition"] == 1)]
    assert mine["share"].to_list() == [0.2, 0.5]
    assert set(mine["unit"]) == {"rows"}


def test_labels_given_node_by_node_add_up(results):
    mine = pass_table(results).query("method == 'S'")
    # Of 100 rows times the 4 nodes of the first round.
    assert mine["share"].to_list() == [pytest.approx(0.2), pytest.approx(0.3)]
    assert set(mine["unit"]) == {"labels"}


def test_runs_that_ended_early_keep_their_last_value_in_the_mean(results):
    display = PassCurves(pass_table(results), looks_of(results.methods))
    assert display.panels == ["V", "S"]
    [axes] = display.plot_panel("V").axes
    thick = max(axes.lines, key=lambda line: line.get_linewidth())
    # 20 and 40 first, then 50 and the 40 of the run that had ended.
    assert thick.get_ydata().tolist() == [pytest.approx(30), pytest.approx(45)]
    assert "45 % at 10 % labelled" in display.describe("V")


def test_reasons_are_counted_by_run_or_by_node(results):
    table = stop_reasons(results).set_index("method")
    assert table.loc["V", "unit"] == "runs"
    assert table.loc["V", "cycle"] == 1
    assert table.loc["S", "unit"] == "nodes"
    assert table.loc["S", ["max_iter", "no_change"]].to_list() == [3, 1]
    assert "a" not in table.index


def test_names_beside_lines_do_not_overlap():
    assert _spread([5.0, 1.0, 5.5], 2.0) == [5.0, 1.0, 7.0]
    assert _spread([], 1.0) == []
