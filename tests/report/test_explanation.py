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
