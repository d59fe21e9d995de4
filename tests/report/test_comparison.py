"""Methods beside each other in a figure."""

import numpy as np

from hilabel.report import ComparisonDisplay, Display


def test_the_best_is_on_top_and_every_fold_has_a_point():
    display = ComparisonDisplay(
        ("forest", "constant predictor"),
        scores=np.array([0.7, 0.3]),
        fold_scores=np.array([[0.6, 0.8, 0.7], [0.3, 0.3, 0.3]]),
        seconds=np.array([2.0, 0.1]),
        constant=0.3,
    )
    assert isinstance(display, Display)
    assert len(display.frame()) == 6
    quality, cost = display.plot().axes
    labels = [label.get_text() for label in quality.get_yticklabels()]
    assert labels == ["forest", "constant predictor"]
    assert quality.yaxis_inverted()
    assert [line.get_xdata().size for line in quality.lines[:2]] == [3, 3]
    assert cost.get_xscale() == "log"
