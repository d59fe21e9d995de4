"""Embed figures in a page, using its fonts and colours and unique ids."""

import io
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree

from hilabel.report.study._look import theme_colors

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_XLINK: Final = "{http://www.w3.org/1999/xlink}"
# matplotlib's defaults for all elements, from a style sheet that pages forbid.
_EVERYWHERE: Final = {"stroke-linejoin": "round", "stroke-linecap": "butt"}
# Width of an inch of a figure in a page, in em.
_REM_PER_INCH: Final = 8.4


def inline_svg(figure: "Figure", name: str, alt: str) -> str:
    """Return a figure as an ``<svg>`` element for a page.

    Text remains text and uses the font of the page. Colours become CSS variables, so
    the figure follows the theme. The elements of a method have its CSS class, such as
    ``series-3``. Ids start with ``name``, which must be unique within the page; ``alt``
    is the alternative text. Elements have attributes instead of styles, so that a page
    can forbid inline styles.
    """
    variables = {color: f"var({key})" for color, (key, _, _) in theme_colors().items()}
    root = ElementTree.fromstring(_saved(figure, name))
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.endswith(("}metadata", "}style")):
                parent.remove(child)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        attributes = _attributes(dict(element.attrib), name, variables)
        element.attrib.clear()
        element.attrib.update(attributes)
        # Line breaks in paths, and indentation.
        element.tail = None
        if element.tag not in ("text", "tspan"):
            element.text = None
    width = figure.get_size_inches()[0]
    del root.attrib["height"]
    root.attrib.update(
        _EVERYWHERE | {"width": f"{_REM_PER_INCH * width:.1f}rem"},
        **{"role": "img", "aria-label": alt},
    )
    return ElementTree.tostring(root, encoding="unicode")


def _saved(figure: "Figure", name: str) -> str:
    import matplotlib

    buffer = io.StringIO()
    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": name}
    with matplotlib.rc_context(settings):
        metadata = {"Date": None, "Creator": None, "Format": None, "Type": None}
        figure.savefig(buffer, format="svg", transparent=True, metadata=metadata)
    return buffer.getvalue()


def _attributes(
    given: dict[str, str], name: str, variables: dict[str, str]
) -> dict[str, str]:
    """Return the attributes of an element for a page, without a style attribute."""
    found = {}
    for key, value in given.items():
        if key == "style":
            found.update(_from_style(value, variables))
        elif key == "id" and value.startswith("series-"):
            found["class"] = f"series {value}"
        elif key == "id":
            found["id"] = f"{name}-{value}"
        elif key == f"{_XLINK}href":
            found["href"] = f"#{name}-{value.removeprefix('#')}"
        elif value.startswith("url(#"):
            found[key] = f"url(#{name}-{value.removeprefix('url(#')}"
        elif key == "d":
            found["d"] = " ".join(value.split())
        elif not value.startswith("rotate(-0 "):
            found[key] = value
    return found


def _from_style(style: str, variables: dict[str, str]) -> dict[str, str]:
    """Return the properties of a style, all of which are also SVG attributes."""
    found = {}
    for part in style.split(";"):
        key, _, value = (text.strip() for text in part.partition(":"))
        if key == "font":
            # "bold 9px 'DejaVu Sans'", as some versions of matplotlib write it.
            before, _, _ = value.partition("px")
            *weights, size = before.split()
            found["font-size"] = f"{size}px"
            if weights:
                found["font-weight"] = weights[-1]
        elif key and key != "font-family":
            found[key] = variables.get(value, value)
    return found
