"""One row's evidence, drawn."""

import pandas as pd

from hilabel.report import Display, ExplanationDisplay

DECISIONS = pd.DataFrame(
    {
        "name": ["food", "tea", "a name that is much too long to be shown in full"],
        "depth": [1, 2, 2],
        "own": [0.9, 0.95, 0.2],
        "probability": [0.9, 0.9, 0.2],
        "threshold": [0.5, 0.5, 0.5],
        "predicted": [True, True, False],
    }
)
NEIGHBORS = pd.DataFrame(
    {"id": ["P1", "P2"], "distance": [0.1, 0.4], "labels_given": [True, False]}
)


def test_terms_and_neighbours_are_drawn_side_by_side():
    display = ExplanationDisplay("P7", DECISIONS, NEIGHBORS)
    assert isinstance(display, Display)
    terms, neighbors = display.plot().axes[:2]
    assert [bar.get_width() for bar in terms.patches] == [0.9, 0.9, 0.2]
    labels = [text.get_text() for text in terms.get_yticklabels()]
    assert labels[1].endswith("tea")
    assert labels[1] != "tea"
    assert labels[2].endswith("...")
    assert [text.get_text() for text in neighbors.get_yticklabels()] == ["P1", "P2"]


def test_without_neighbours_there_is_one_panel():
    display = ExplanationDisplay("P7", DECISIONS, pd.DataFrame())
    assert len(display.plot().axes) == 1
    assert display.frame() is DECISIONS


def test_a_method_without_own_probabilities_draws_none():
    with_own = ExplanationDisplay("P7", DECISIONS, pd.DataFrame()).plot()
    without = ExplanationDisplay(
        "P7", DECISIONS.assign(own=float("nan")), pd.DataFrame()
    ).plot()
    counts = [len(figure.axes[0].lines) for figure in (with_own, without)]
    assert counts == [2, 1]
    texts = [text.get_text() for text in without.legends[0].get_texts()]
    assert texts == ["predicted", "not predicted", "threshold"]


def test_identifiers_stand_before_the_names_that_differ():
    decisions = DECISIONS.head(2).assign(term=["food", "T:7"])
    axes = ExplanationDisplay("P7", decisions, pd.DataFrame()).plot().axes[0]
    labels = [text.get_text() for text in axes.get_yticklabels()]
    assert labels[0] == "food"
    assert labels[1].endswith("T:7 tea")


def test_dollar_signs_in_names_are_no_formulas(tmp_path):
    decisions = DECISIONS.assign(name=["a$_$b", "$25 to $50", "tea"])
    neighbors = NEIGHBORS.assign(id=["$_$", "P2"])
    figure = ExplanationDisplay("P$_$7", decisions, neighbors).plot()
    figure.savefig(tmp_path / "figure.svg")
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert labels[1].endswith("$25 to $50")
