"""Blocks of scores, and the share of the label gap that was closed."""

import numpy as np
import pandas as pd
import pytest

from hilabel.studies import block_scores, gap_closed

# dataset, fraction, repetition, method, value
ROWS = [
    ("s", 0.1, 1, "LCN", 0.4),
    ("s", 0.1, 2, "LCN", 0.6),
    ("s", 0.1, 1, "V1", 0.6),
    ("s", 0.1, 2, "V1", 0.7),
    ("s", 1.0, 1, "LCN", 0.8),
    ("s", 1.0, 2, "LCN", 0.8),
    ("t", 0.1, 1, "LCN", 0.5),
    ("t", 0.1, 1, "V1", 0.4),
    ("t", 1.0, 1, "LCN", 0.5),
]


@pytest.fixture
def results():
    columns = ["dataset", "fraction", "repetition", "method", "value"]
    frame = pd.DataFrame(ROWS, columns=columns).assign(measure="ap")
    other = frame.assign(measure="f1", value=0.0)
    return pd.concat([frame, other], ignore_index=True)


def test_a_block_is_a_data_set_at_a_fraction(results):
    table = block_scores(results, "ap")
    assert list(table.index) == [("s", 0.1), ("t", 0.1)]
    np.testing.assert_allclose(table, [[0.5, 0.65], [0.5, 0.4]])
    assert list(block_scores(results, "ap", ["V1"]).columns) == ["V1"]


def test_a_method_without_results_is_named(results):
    with pytest.raises(ValueError, match="got 'V9'; there are LCN, V1"):
        block_scores(results, "ap", ["V9"])


def test_a_full_fraction_that_was_asked_for_is_a_block(results):
    more = results[results["fraction"] == 1].assign(method="V1", value=0.9)
    table = block_scores(pd.concat([results, more]), "ap")
    assert ("s", 1.0) in table.index


def test_a_full_fraction_that_was_asked_for_keeps_its_holes(results):
    table = block_scores(results, "ap", fractions=[0.1, 1.0])
    assert ("s", 1.0) in table.index
    assert np.isnan(table.loc[("s", 1.0), "V1"])
    assert set(block_scores(results, "ap", fractions=[1.0]).index) == {
        ("s", 1.0),
        ("t", 1.0),
    }


def test_the_gap_in_a_loss_is_closed_downward(results):
    losses = results.assign(measure="hamming_loss", value=1 - results["value"])
    losses = losses.iloc[: len(ROWS)]
    expected = gap_closed(results, {"V1": "LCN"}, "ap")["gap_closed"]
    found = gap_closed(losses, {"V1": "LCN"}, "hamming_loss")["gap_closed"]
    np.testing.assert_allclose(found, expected)
    assert found.notna().any()


def test_a_failed_run_leaves_a_hole(results):
    failed = (results["dataset"] == "t") & (results["method"] == "V1")
    table = block_scores(results[~failed], "ap")
    assert np.isnan(table.loc[("t", 0.1), "V1"])


def test_the_share_of_the_gap_is_worked_out_by_hand(results):
    table = gap_closed(results, {"V1": "LCN", "LCN": "LCN"}, "ap")
    table = table.set_index(["dataset", "method"])
    # From .5 to .8 with all labels; V1 is at .65, half way.
    assert table.loc[("s", "V1"), "gap_closed"] == pytest.approx(0.5)
    assert table.loc[("s", "LCN"), "gap_closed"] == 0
    # All labels bring nothing on t: there is no gap to close.
    assert np.isnan(table.loc[("t", "V1"), "gap_closed"])
    assert table.loc[("t", "V1"), "full_score"] == 0.5


def test_methods_without_counterpart_have_no_gap(results):
    assert set(gap_closed(results, {"V1": "LCN"}, "ap")["method"]) == {"V1"}
