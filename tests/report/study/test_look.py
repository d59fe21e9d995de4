"""Lines that everybody can tell apart, on light and on dark pages."""

import re
from importlib import resources

import pytest

from hilabel.report.study._look import (
    CONSTANT_COLORS,
    SEQUENCE_COLORS,
    SERIES_COLORS,
    SURFACES,
    looks_of,
    theme_colors,
)


def luminance(color):
    parts = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [
        p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first, second):
    low, high = sorted([luminance(first), luminance(second)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("side", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("pair", [*SERIES_COLORS, CONSTANT_COLORS, *SEQUENCE_COLORS])
def test_lines_stand_out_as_accessibility_guidelines_ask(pair, side):
    assert contrast(pair[side], SURFACES[side]) >= 3


def test_forty_methods_look_different():
    looks = looks_of([f"m{number}" for number in range(40)]).values()
    assert len({(look.color, look.mark, str(look.dash)) for look in looks}) == 40


def test_the_constant_predictor_is_grey_and_takes_no_colour_from_the_others():
    looks = looks_of(["a", "constant", "b"], "constant")
    assert looks["constant"].color == CONSTANT_COLORS[0]
    assert looks["b"] == looks_of(["a", "x", "b"], "x")["b"]
    assert looks["b"].color == SERIES_COLORS[1][0]


def test_every_colour_has_one_variable():
    variables = [variable for variable, _, _ in theme_colors().values()]
    assert len(set(variables)) == len(variables)


def test_the_style_of_pages_has_the_same_colours():
    style = (resources.files("hilabel.report.page") / "assets/page.css").read_text()
    for variable, light, dark in theme_colors().values():
        found = re.findall(rf"{variable}:\s*(#\w+)", style)
        assert found == [light, dark, dark], variable
