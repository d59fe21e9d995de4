"""The diagram shows the ranks, and nothing of it is cut off or covered."""

import io

import numpy as np
import pandas as pd
import pytest
from matplotlib.image import imread

from hilabel.exceptions import ScoreError
from hilabel.report import CriticalDifferenceDisplay
from hilabel.report._critical_difference import Layout
from hilabel.studies import compare_ranks, critical_difference

PAPER = {
    **{"LCN": 4.133, "V1": 2.0, "V2": 1.492},
    **{"V3": 2.708, "STML": 5.958, "STHC": 4.708},
}


def random_scores(n_methods, n_blocks, name="method {}"):
    generator = np.random.default_rng(n_methods)
    values = generator.normal(size=(n_blocks, n_methods)) + 0.1 * np.arange(n_methods)
    columns = [name.format(number) for number in range(n_methods)]
    return pd.DataFrame(values, columns=columns)


LONG = "a local classifier per node with many settings, number {}, and some more words"
WIDE = "W" * 60 + " {}"
CASES = {
    "the paper": CriticalDifferenceDisplay.from_ranks(PAPER, 60),
    "two": CriticalDifferenceDisplay.from_scores(random_scores(2, 2)),
    "nine": CriticalDifferenceDisplay.from_scores(random_scores(9, 20)),
    "thirty": CriticalDifferenceDisplay.from_scores(random_scores(30, 40)),
    "thirty in two blocks": CriticalDifferenceDisplay.from_scores(random_scores(30, 2)),
    "long names": CriticalDifferenceDisplay.from_scores(random_scores(12, 9, LONG)),
    "one word": CriticalDifferenceDisplay.from_scores(random_scores(3, 9, WIDE)),
    "ties": CriticalDifferenceDisplay.from_scores(np.ones((4, 5))),
}


@pytest.fixture(params=CASES)
def display(request):
    return CASES[request.param]


def test_nothing_is_cut_off_and_no_text_covers_another(display):
    figure = display.plot()
    figure.draw_without_rendering()
    [axes] = figure.axes
    texts = [text.get_window_extent() for text in axes.texts]
    assert not any(a.overlaps(b) for a in texts for b in texts if a is not b)
    for box in (*texts, *(line.get_window_extent() for line in axes.lines)):
        assert figure.bbox.x0 <= box.x0
        assert box.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= box.y0
        assert box.y1 <= figure.bbox.y1


@pytest.mark.parametrize("box", [None, "tight"])
def test_a_saved_file_has_an_empty_border(display, box):
    file = io.BytesIO()
    display.plot().savefig(file, dpi=50, bbox_inches=box)
    file.seek(0)
    shades = imread(file)[..., :3].min(axis=2)
    border = [shades[0], shades[-1], shades[:, 0], shades[:, -1]]
    assert min(edge.min() for edge in border) == 1
    assert shades.min() < 0.5


def test_the_axis_has_all_ranks_and_numbers_its_ends(display):
    layout, [axes] = Layout(display), display.plot().axes
    n_methods = len(display.ranks)
    line = axes.lines[0]
    np.testing.assert_allclose(line.get_xdata(), [layout.x(1), layout.x(n_methods)])
    told = [text.get_text() for text in axes.texts]
    assert {"1", str(n_methods)} <= set(told)


def test_methods_and_the_difference_stand_at_their_place():
    display = CASES["the paper"]
    layout, [axes] = Layout(display), display.plot().axes
    marks = [line for line in axes.lines if line.get_marker() == "o"]
    assert sorted(mark.get_xdata()[0] for mark in marks) == pytest.approx(
        [layout.x(rank) for rank in sorted(PAPER.values())]
    )
    [scale] = [line for line in axes.lines if line.get_marker() == "|"]
    length = np.diff(scale.get_xdata())[0] / layout.inches_per_rank
    assert length == pytest.approx(critical_difference(6, 60))
    texts = [text.get_text() for text in axes.texts]
    assert {"CD = 0.973", "V2  1.492", "STML  5.958"} <= set(texts)


def test_a_bar_spans_each_group_that_is_not_told_apart():
    display = CASES["the paper"]
    layout, [axes] = Layout(display), display.plot().axes
    bars = [line for line in axes.lines if line.get_linewidth() == 4]
    assert display.groups == [("V2", "V1"), ("V1", "V3"), ("LCN", "STHC")]
    for bar, group in zip(bars, display.groups, strict=True):
        ends = [layout.x(PAPER[group[0]]), layout.x(PAPER[group[-1]])]
        assert bar.get_xdata() == pytest.approx(ends, abs=0.05)


def test_the_numbers_are_those_of_a_study():
    scores = random_scores(5, 8)
    display = CriticalDifferenceDisplay.from_scores(scores, alpha=0.1)
    expected = compare_ranks(scores, alpha=0.1)
    pd.testing.assert_series_equal(display.ranks, expected.mean_ranks)
    assert display.difference == expected.critical_difference
    assert display.friedman == expected.friedman
    frame = display.frame()
    assert frame.mean_rank.is_monotonic_increasing
    for number, group in enumerate(display.groups, start=1):
        assert tuple(frame.method[[number in own for own in frame.groups]]) == group


def test_arrays_dicts_and_losses_are_taken_too():
    scores = np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.1]])
    names = ["method 0", "method 1", "method 2"]
    display = CriticalDifferenceDisplay.from_scores(scores, higher_is_better=False)
    of_dict = CriticalDifferenceDisplay.from_scores(dict(zip(names, -scores.T)))
    pd.testing.assert_frame_equal(display.frame(), of_dict.frame())
    assert display.frame().method.to_list() == ["method 0", "method 2", "method 1"]


def test_the_caption_says_whether_the_methods_differ_at_all():
    def caption(display):
        return " ".join(text.get_text() for text in display.plot().axes[0].texts)

    assert "finds no difference" in caption(CASES["ties"])
    assert "Bars join methods that do not differ significantly" in caption(
        CASES["the paper"]
    )
    apart = CriticalDifferenceDisplay.from_scores([[1.0, 0.0]] * 50)
    assert "All pairs differ significantly" in caption(apart)


# Friedman's test does not reject, but two ranks are further apart than the critical
# difference.
NOT_REJECTED = {"a": 1.8, "b": 3.0, "c": 3.0, "d": 3.0, "e": 4.2}


def test_no_method_is_told_apart_if_friedmans_test_finds_no_difference():
    display = CriticalDifferenceDisplay.from_ranks(NOT_REJECTED, 7)
    assert max(NOT_REJECTED.values()) - min(NOT_REJECTED.values()) > display.difference
    assert display.friedman.chi_square_p > display.alpha
    assert display.groups == [tuple(NOT_REJECTED)]
    assert display.frame()["groups"].to_list() == [(1,)] * 5
    assert "Friedman's test finds no difference" in display.describe()
    assert "without significant differences: a, b, c, d, e." in display.describe()
    bars = [line for line in display.plot().axes[0].lines if line.get_linewidth() == 4]
    assert len(bars) == 1


def test_wrong_scores_are_refused():
    show = CriticalDifferenceDisplay.from_scores
    with pytest.raises(ScoreError, match=r"'b' has 'nan' in block 'yeast'; remove"):
        show(pd.DataFrame({"a": [1.0], "b": [np.nan]}, index=["yeast"]))
    with pytest.raises(ScoreError, match=r"'b' has 'good' in block 1"):
        show({"a": [1.0, 2.0], "b": [1.0, "good"]})
    with pytest.raises(ScoreError, match="two columns called 'a'"):
        show(pd.DataFrame([[1.0, 2.0]] * 2, columns=["a", "a"]))
    with pytest.raises(ValueError, match="two methods and two blocks, got 2 and 1"):
        show([[1.0, 2.0]])
    with pytest.raises(ValueError, match=r"alpha between 0 and 1, got 5"):
        show([[1.0, 2.0], [1.0, 2.0]], alpha=5)
