"""Figures inside a page do not get into each other's way."""

import re
from xml.etree import ElementTree

from hilabel.report._style import new_figure
from hilabel.report.study._look import figure_style, looks_of, theme_colors
from hilabel.report.study._svg import inline_svg


def drawn(name, alt="shows a line"):
    look = looks_of(["a"])["a"]
    with figure_style():
        figure = new_figure(2, 1)
        figure.subplots().plot([0, 1], [0, 1], **look.line())
        return inline_svg(figure, name, alt)


def test_ids_belong_to_one_figure_and_references_find_them():
    first, second = drawn("one"), drawn("two")
    ids = [set(re.findall(r' id="([^"]+)"', svg)) for svg in (first, second)]
    assert not ids[0] & ids[1]
    wanted = set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', first))
    assert wanted
    assert {a or b for a, b in wanted} <= ids[0]


def test_the_page_decides_on_colours_and_fonts():
    svg = drawn("one")
    assert not any(color in svg for color in theme_colors())
    assert "var(--series-0)" in svg
    assert "var(--font)" in svg
    assert "DejaVu" not in svg
    assert ">0.5</text>" in svg  # text, not outlines


def test_methods_can_be_found_by_their_class():
    assert '<g class="series series-0">' in drawn("one")


def test_it_is_well_formed_and_says_what_it_shows():
    svg = ElementTree.fromstring(drawn("one", 'a < b & "c"'))
    assert svg.attrib["role"] == "img"
    assert svg.attrib["aria-label"] == 'a < b & "c"'
    assert "width" not in svg.attrib


def test_the_same_figure_gives_the_same_bytes():
    assert drawn("one") == drawn("one")
