"""Figures as parts of a page: its fonts, its colours, names that are theirs alone."""

import html
import io
import re
from typing import TYPE_CHECKING, Any

from hilabel.report.study._look import theme_colors

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ID = re.compile(r'\bid="([^"]+)"')
_REFERENCE = re.compile(r'(href="#|url\(#)([^")]+)')
_SERIES = re.compile(r'\bid="(series-\d+)"')
# As one property or as several; that depends on the version of matplotlib.
_FONT = re.compile(r"(font: [^;\"]*?[\d.]+px |font-family: )[^;\"]*")
_NO_TURN = re.compile(r' transform="rotate\(-0 [^)]*\)"')
_SIZE = re.compile(r' width="([\d.]+)pt" height="([\d.]+)pt"')


def inline_svg(figure: "Figure", name: str, alt: str) -> str:
    """Return a figure as an ``<svg>`` element to be put into a page.

    Text stays text, in the font of the page. Colours become CSS variables, so that the
    figure follows the theme. The parts of a method carry its class, ``series-3``. The
    ids start with ``name``, unlike that of any other figure of the page; ``alt`` says
    what the figure shows, for those who do not see it.
    """
    import matplotlib

    buffer = io.StringIO()
    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": name}
    with matplotlib.rc_context(settings):
        metadata = {"Date": None, "Creator": None, "Format": None, "Type": None}
        figure.savefig(buffer, format="svg", transparent=True, metadata=metadata)
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = _SERIES.sub(r'class="series \1"', svg)
    svg = _ID.sub(rf'id="{name}-\1"', svg)
    svg = _REFERENCE.sub(rf"\g<1>{name}-\2", svg)
    svg = _FONT.sub(r"\1var(--font)", svg)
    svg = _NO_TURN.sub("", svg)
    svg = _SIZE.sub("", svg, count=1)
    for color, (variable, _, _) in theme_colors().items():
        svg = svg.replace(color, f"var({variable})")
    svg = re.sub(r"\n\s*", "\n", svg).strip()
    return svg.replace("<svg", f'<svg role="img" aria-label="{html.escape(alt)}"', 1)
