"""Lines go through the numbers that the statistics give."""

import numpy as np
import pandas as pd
import pytest

from hilabel.report import Display
from hilabel.report.study._curves import (
    DepthCurves,
    FrequencyCurves,
    GapCurves,
    ScoreCurves,
)
from hilabel.report.study._look import looks_of
from hilabel.report.study._results import StudyResults
from hilabel.studies import block_scores


@pytest.fixture(scope="module")
def tiny(tiny_store):
    return StudyResults.read(tiny_store)


def drawn_lines(display, panel):
    """Return the points of each method's line, by its colour."""
    [axes] = display.plot_panel(panel).axes
    return {line.get_gid(): line.get_xydata() for line in axes.lines if line.get_gid()}


def test_the_panels_show_the_block_scores(tiny):
    looks = looks_of(tiny.methods)
    display = ScoreCurves.from_results(tiny, looks)
    assert isinstance(display, Display)
    assert display.panels == ["tree", "dag"]
    blocks = block_scores(tiny.tables["results"])
    for dataset in display.panels:
        lines = drawn_lines(display, dataset)
        for method in tiny.methods:
            points = lines[looks[method].gid]
            np.testing.assert_array_equal(points[:, 0], [20, 50])
            np.testing.assert_array_equal(points[:, 1], blocks.loc[dataset, method])


def test_the_whole_figure_has_a_panel_per_data_set_and_a_legend(tiny):
    figure = ScoreCurves.from_results(tiny, looks_of(tiny.methods)).plot()
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["tree", "dag"]
    [legend] = figure.legends
    assert [text.get_text() for text in legend.texts] == list(tiny.methods)


def test_words_say_where_lines_begin_and_end(record, results_of):
    records = [record("a", 0.25), record("a", 0.5, fraction=0.5)]
    display = ScoreCurves.from_results(results_of(records), looks_of(["a"]))
    assert display.describe("d") == (
        "d: micro AP against labelled rows (%). a 0.250 to 0.500."
    )


def test_a_method_without_runs_on_a_data_set_has_no_line_there(record, results_of):
    records = [record("a", 0.5), record("b", 0.4), record("a", 0.5, "e")]
    looks = looks_of(["a", "b"])
    display = ScoreCurves.from_results(results_of(records), looks)
    assert drawn_lines(display, "e").keys() == {looks["a"].gid}


def test_gaps_are_medians_over_data_sets(record, results_of):
    records = []
    for dataset, score in (("d", 0.45), ("e", 0.5), ("f", 0.6)):
        records.append(record("LCN", 0.4, dataset))
        records.append(record("V", score, dataset))
        records.append(record("LCN", 0.6, dataset, 1.0))
    results = results_of(records, ["LCN", "V"], supervised="LCN")
    display = GapCurves.from_results(results, looks_of(results.methods))
    [row] = display.frame().to_dict("records")
    assert row["method"] == "V"
    assert row["y"] == pytest.approx(50)


def test_huge_gaps_do_not_flatten_the_others(record, results_of):
    records = [record("LCN", 0.5), record("V", 0.2), record("LCN", 0.51, fraction=1.0)]
    results = results_of(records, ["LCN", "V"], supervised="LCN")
    figure = GapCurves.from_results(results, looks_of(results.methods)).plot()
    assert figure.axes[0].get_yscale() == "symlog"


def test_without_counterparts_there_is_no_gap_to_show(record, results_of):
    results = results_of([record("a", 0.5)])
    assert not GapCurves.from_results(results, looks_of(["a"]))


def test_depths_are_means_that_leave_full_labels_out(record, results_of):
    def with_depth(method, value, fraction):
        row = {"depth": 1, "n_nodes": 2, "n_positive": 3}
        row |= {"micro_average_precision": value, "macro_average_precision": value}
        return record(method, value, fraction=fraction, depths=[row])

    records = [with_depth("LCN", 0.2, 0.1), with_depth("LCN", 0.4, 0.5)]
    records += [with_depth("V", 0.3, 0.1), with_depth("V", 0.5, 0.5)]
    records.append(with_depth("LCN", 1.0, 1.0))
    display = DepthCurves.from_results(results_of(records), looks_of(["LCN", "V"]))
    found = display.frame().set_index("method")["y"]
    assert found.to_dict() == {"LCN": pytest.approx(0.3), "V": pytest.approx(0.4)}


def test_nodes_fall_into_bins_by_their_positive_rows():
    counts = [0, 1, 2, 3, 9, 10, 5000]
    nodes = pd.DataFrame({"n_positive": counts, "method": "a"})
    nodes["average_precision"] = [np.nan, 0.1, 0.3, 0.2, 0.4, 0.5, 0.9]
    data = FrequencyCurves.from_nodes(nodes, looks_of(["a"])).frame()
    assert data["positive_rows"].to_list() == [
        "1\N{EN DASH}2",
        "3\N{EN DASH}9",
        "10\N{EN DASH}29",
        "300+",
    ]
    np.testing.assert_allclose(data["y"], [0.2, 0.3, 0.5, 0.9])
    assert data["n_nodes"].to_list() == [2, 2, 1, 1]
