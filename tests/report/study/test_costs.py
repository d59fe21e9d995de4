"""What a run would cost on its own."""

import pytest

from hilabel.report.study._costs import CostDisplay, cost_table
from hilabel.report.study._look import looks_of


@pytest.fixture
def table(record, results_of):
    mib = 2**20
    return cost_table(
        results_of(
            [
                record("a", 0.5, seconds=1.0, seconds_saved=2.0, peak_memory=5 * mib),
                record("a", 0.5, repetition=2, seconds=5.0, peak_memory=7 * mib),
                record("b", 0.5, seconds=0.01),
                record("b", None, repetition=2, seconds=99.0, error="ValueError: no"),
            ]
        )
    ).set_index("method")


def test_what_a_run_was_spared_is_added(table):
    assert table.loc["a", ["seconds_low", "seconds", "seconds_high"]].to_list() == [
        3,
        4,
        5,
    ]
    assert table.loc["a", "total_seconds"] == 6
    assert table.loc["a", "memory"] == 6


def test_failed_runs_do_not_count(table):
    assert table.loc["b", "n_runs"] == 1
    assert table.loc["b", "seconds_high"] == 0.01


def test_times_of_different_size_are_drawn_on_a_logarithmic_axis(table):
    display = CostDisplay(table.reset_index(), looks_of(["a", "b"]))
    seconds, memory = display.plot().axes
    assert seconds.get_xscale() == "log"
    assert memory.get_xscale() == "linear"
    assert display.describe(display.panels[0]) == (
        "Median seconds of a run: a 4; b 0.01."
    )
