"""Nodes: means, wins and losses, and the few that are worth a row."""

import pandas as pd
import pytest

from hilabel.report.study._look import looks_of
from hilabel.report.study._nodes import NodeWins, node_means, notable_nodes


def node(name, value, n_positive=5):
    row = {"node": name, "depth": 1, "n_positive": n_positive, "roc_auc": 0.5}
    return {**row, "average_precision": value}


@pytest.fixture
def results(record, results_of):
    records = []
    for fraction, lift in ((0.1, 0.0), (0.5, 0.2)):
        few = [node("x", 0.1 + lift), node("y", 0.4), node("z", float("nan"), 0)]
        more = [node("x", 0.3 + lift), node("y", 0.4), node("z", float("nan"), 0)]
        records.append(record("LCN", 0.5, fraction=fraction, nodes=few))
        records.append(record("V", 0.6, fraction=fraction, nodes=more))
    records.append(record("LCN", 0.9, fraction=1.0, nodes=[node("x", 1.0)]))
    return results_of(records, ["LCN", "V"], supervised="LCN")


def test_means_are_over_the_fractions_that_all_methods_have(results):
    means = node_means(results).set_index(["node", "method"])["average_precision"]
    assert means["x", "LCN"] == pytest.approx(0.2)
    assert means["x", "V"] == pytest.approx(0.4)


def test_wins_are_counted_against_the_counterpart(results):
    looks = looks_of(results.methods)
    display = NodeWins.from_nodes(node_means(results), results.supervised, looks)
    [row] = display.frame().to_dict("records")
    # z has no positive rows, so nothing is known of it.
    expected = {
        "method": "V",
        "counterpart": "LCN",
        "better": 1,
        "equal": 1,
        "worse": 0,
    }
    assert row == expected
    assert "V against LCN: 1 better, 1 equal, 0 worse" in display.describe("")
    assert len(display.plot().axes) == 1


def test_the_nodes_helped_and_harmed_most_get_a_row():
    names = [f"n{number:02d}" for number in range(60)]
    columns = {"dataset": "d", "node": names, "depth": 1}
    base = pd.DataFrame({**columns, "n_positive": range(60, 0, -1)})
    gains = [0.0] * 30 + [0.3] + [0.0] * 28 + [-0.3]
    nodes = pd.concat(
        [
            base.assign(method="LCN", average_precision=0.5),
            base.assign(method="V", average_precision=[0.5 + g for g in gains]),
        ]
    )
    chosen = notable_nodes(nodes, "V", {"V": "LCN"}).set_index("node")
    assert {"n00", "n30", "n59"} <= set(chosen.index)
    assert len(chosen) < 40
    assert chosen.loc["n30", "gain"] == pytest.approx(0.3)


def test_without_a_counterpart_the_frequent_nodes_remain(results):
    chosen = notable_nodes(node_means(results), None, {})
    assert chosen["node"].to_list() == ["x", "y"]
    assert "gain" not in chosen


def test_no_nodes_at_all_are_no_problem(record, results_of):
    means = node_means(results_of([record("a", 0.5)]))
    assert means.empty
    assert notable_nodes(means, None, {}).empty
    assert not NodeWins.from_nodes(means, {"a": "b"}, {})
