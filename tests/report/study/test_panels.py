"""Panels side by side, under a legend that has room for its names."""

import pandas as pd
import pytest

from hilabel.report.study._curves import CurveDisplay
from hilabel.report.study._look import looks_of


class Curves(CurveDisplay):
    name = "curves"


def display_of(methods, n_panels):
    rows = [
        {"panel": f"p{panel}", "method": method, "x": x, "y": x + place}
        for panel in range(n_panels)
        for place, method in enumerate(methods)
        for x in (0, 1)
    ]
    return Curves(pd.DataFrame(rows), looks_of(methods))


@pytest.mark.parametrize("n_panels", [1, 4, 6])
@pytest.mark.parametrize("name", ["m{}", "a method with a long name {}"])
def test_the_legend_stays_inside_the_figure_and_off_the_panels(n_panels, name):
    figure = display_of([name.format(n) for n in range(9)], n_panels).plot()
    figure.draw_without_rendering()
    box = figure.legends[0].get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= figure.bbox.width
    for axes in figure.axes:
        assert not axes.axison or axes.get_tightbbox().y1 <= box.y0


def test_a_display_of_nothing_is_false():
    assert display_of(["a"], 1)
    assert not Curves(pd.DataFrame(), {})


def test_the_frame_is_a_copy():
    display = display_of(["a"], 1)
    frame = display.frame()
    frame["y"] = -1
    assert (display.frame()["y"] >= 0).all()


def test_dollar_signs_in_names_are_no_formulas(tmp_path):
    display = display_of(["a$_$b"], 1)
    display.data["panel"] = "p$_$1"
    display.plot().savefig(tmp_path / "figure.svg")
