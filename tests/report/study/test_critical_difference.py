"""The diagram says what the tests say."""

import pandas as pd
import pytest

from hilabel.report.study._critical_difference import CriticalDifferenceDiagram
from hilabel.report.study._look import looks_of
from hilabel.report.study._verdict import Verdict
from hilabel.studies import (
    Comparison,
    critical_difference,
    friedman_test,
    mean_ranks,
)


def diagram_of(scores):
    """Return a verdict without tests of pairs, which take long, and its diagram."""
    ranks, (n_blocks, n_methods) = mean_ranks(scores), scores.shape
    comparison = Comparison(
        mean_ranks=ranks.sort_values(),
        friedman=friedman_test(ranks, n_blocks),
        alpha=0.05,
        critical_difference=critical_difference(n_methods, n_blocks),
        nemenyi=pd.DataFrame(),
        wilcoxon=pd.DataFrame(),
    )
    verdict = Verdict(comparison, scores)
    return verdict, CriticalDifferenceDiagram(verdict, looks_of(list(scores.columns)))


@pytest.fixture
def scores():
    names = ["best", "good", "bad", "worst"]
    return pd.DataFrame([[4, 3, 2, 1]] * 12, columns=names, dtype=float)


def test_ranks_stand_at_their_place_with_their_names(scores):
    verdict, diagram = diagram_of(scores)
    [axes] = diagram.plot_panel("").axes
    texts = [text.get_text() for text in axes.texts]
    for method, rank in verdict.comparison.mean_ranks.items():
        [text] = [text for text in texts if method in text]
        assert f"{rank:.3f}" in text
    assert f"CD = {verdict.comparison.critical_difference:.3f}" in texts


def test_a_bar_spans_each_group_that_is_not_told_apart(scores):
    verdict, diagram = diagram_of(scores)
    [axes] = diagram.plot_panel("").axes
    bars = [line for line in axes.lines if line.get_linewidth() == 4]
    assert len(bars) == len(diagram.cliques) > 0
    for bar, clique in zip(bars, diagram.cliques):
        ranks = verdict.comparison.mean_ranks[list(clique)]
        assert bar.get_xdata() == pytest.approx([ranks.min(), ranks.max()], abs=0.05)


def test_equal_methods_can_be_drawn():
    _, diagram = diagram_of(pd.DataFrame({"a": [1.0, 1.0], "b": [1.0, 1.0]}))
    assert "Groups without significant differences: a, b." in diagram.describe("")
    assert diagram.plot().axes


def test_names_do_not_cross_each_other():
    names = [f"method number {number}" for number in range(19)]
    scores = pd.DataFrame([range(19, 0, -1)] * 3, columns=names, dtype=float)
    figure = diagram_of(scores)[1].plot_panel("")
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    assert not any(a.overlaps(b) for a in boxes for b in boxes if a is not b)
