"""The diagram of a study says what its tests say, in the looks of its methods."""

import pandas as pd
import pytest

from hilabel.report.study._critical_difference import CriticalDifferenceDiagram
from hilabel.report.study._look import looks_of
from hilabel.report.study._verdict import Verdict
from hilabel.studies import (
    RankComparison,
    critical_difference,
    friedman_test,
    mean_ranks,
)


def diagram_of(scores):
    """Return a verdict without tests of pairs, which take long, and its diagram."""
    ranks, (n_blocks, n_methods) = mean_ranks(scores), scores.shape
    comparison = RankComparison(
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


def test_ranks_and_difference_are_those_of_the_tests(scores):
    verdict, diagram = diagram_of(scores)
    [axes] = diagram.plot_panel("").axes
    texts = [text.get_text() for text in axes.texts]
    for method, rank in verdict.comparison.mean_ranks.items():
        [text] = [text for text in texts if method in text]
        assert f"{rank:.3f}" in text
    assert f"CD = {verdict.comparison.critical_difference:.3f}" in texts


def test_methods_have_the_looks_of_the_study(scores):
    _, diagram = diagram_of(scores)
    [axes] = diagram.plot_panel("").axes
    for name, look in diagram.looks.items():
        lines = [line for line in axes.lines if line.get_gid() == look.gid]
        assert [line.get_color() for line in lines] == [look.color] * 2, name


def test_files_have_a_caption_and_the_page_has_its_own(scores):
    _, diagram = diagram_of(scores)

    def told(figure):
        return " ".join(text.get_text() for text in figure.axes[0].texts)

    assert "over 12 blocks" in told(diagram.plot())
    assert "over 12 blocks" not in told(diagram.plot_panel(""))


def test_equal_methods_can_be_drawn():
    _, diagram = diagram_of(pd.DataFrame({"a": [1.0, 1.0], "b": [1.0, 1.0]}))
    assert "Groups without significant differences: a, b." in diagram.describe("")
    assert diagram.plot().axes
