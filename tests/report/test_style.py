"""Colours that everybody can tell apart, and life without matplotlib."""

import sys

import pytest

from hilabel.report import has_matplotlib
from hilabel.report._style import BLUE, GREY, ORANGE, new_figure


def luminance(color):
    red, green, blue = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_with_and_without_the_node_differ_in_brightness_too():
    assert luminance(ORANGE) - luminance(BLUE) > 0.2
    assert abs(luminance(GREY) - luminance(BLUE)) > 0.1


def test_new_figures_are_unknown_to_pyplot():
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    new_figure(2, 1)
    assert plt.get_fignums() == before


def test_without_matplotlib_the_error_says_how_to_get_it(monkeypatch):
    assert has_matplotlib()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert not has_matplotlib()
    with pytest.raises(ImportError, match=r"pip install 'hilabel\[plot\]'"):
        new_figure(2, 1)
