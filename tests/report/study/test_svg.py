"""Figures inside a page do not get into each other's way."""

from xml.etree import ElementTree

from hilabel.report._style import new_figure
from hilabel.report.study._look import figure_style, looks_of, theme_colors
from hilabel.report.study._svg import inline_svg


def drawn(name, alt="shows a line"):
    look = looks_of(["a"])["a"]
    with figure_style():
        figure = new_figure(2, 1)
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], **look.line())
        axes.set_title("title")
        return inline_svg(figure, name, alt)


def attributes(svg, *keys):
    elements = [element.attrib for element in ElementTree.fromstring(svg).iter()]
    return [given[key] for given in elements for key in keys if key in given]


def test_ids_belong_to_one_figure_and_references_find_them():
    first, second = drawn("one"), drawn("two")
    ids = set(attributes(first, "id"))
    assert not ids & set(attributes(second, "id"))
    wanted = {value.strip("url(#)") for value in attributes(first, "href", "clip-path")}
    assert wanted
    assert wanted <= ids


def test_the_page_decides_on_colours_and_fonts():
    svg = drawn("one")
    assert not any(color in svg for color in theme_colors())
    assert "var(--series-0)" in attributes(svg, "stroke")
    assert "DejaVu" not in svg
    assert "9px" in attributes(svg, "font-size")
    assert ">0.5</text>" in svg  # text, not outlines


def test_it_has_no_styles_of_its_own():
    svg = drawn("one")
    assert not attributes(svg, "style")
    assert "<style" not in svg


def test_methods_can_be_found_by_their_class():
    assert '<g class="series series-0">' in drawn("one")


def test_it_is_well_formed_and_says_what_it_shows():
    svg = ElementTree.fromstring(drawn("one", 'a < b & "c"'))
    assert svg.attrib["role"] == "img"
    assert svg.attrib["aria-label"] == 'a < b & "c"'
    assert svg.attrib["width"] == "16.8rem"
    assert "height" not in svg.attrib


def test_the_same_figure_gives_the_same_bytes():
    assert drawn("one") == drawn("one")
