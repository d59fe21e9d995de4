"""The look of each method in figures: colour, marker and line style."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

SURFACES: Final = ("#ffffff", "#16181d")
"""Background colours of figures, light and dark."""
INK: Final = "#23262d"
GRID: Final = "#dcdfe5"
ON_SERIES: Final = "#fefefe"
"""Colour of text on an area in the colour of a series."""

# Light and dark variants. The hues are those of Okabe and Ito, which colour-blind
# readers can distinguish, with enough contrast on both backgrounds.
SERIES_COLORS: Final = (
    ("#0072b2", "#4db2f0"),  # blue
    ("#d55e00", "#ff8a4c"),  # vermilion
    ("#00835f", "#2bc79a"),  # green
    ("#aa3f8c", "#e58ccb"),  # purple
    ("#a97600", "#e6b437"),  # ochre
    ("#3a8fc4", "#9ad5f7"),  # sky
    ("#5a4fc0", "#aaa0fa"),  # indigo
    ("#7d4a1c", "#cf9f74"),  # brown
)
CONSTANT_COLORS: Final = ("#6c6f76", "#a6a9b0")
# For ordered values: larger values have more contrast with the background.
SEQUENCE_COLORS: Final = (
    ("#5f93cc", "#4f83c4"),
    ("#3f77b5", "#74a5de"),
    ("#285a94", "#9cc3f0"),
    ("#173f70", "#c3ddf9"),
    ("#0b2545", "#e8f3ff"),
)
# Their number does not divide the number of colours, so pairs repeat late.
_MARKS: Final = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "h", "p")
_DASHES: Final = ("-", (0, (5, 2)), (0, (1.5, 1.5)))


@dataclass(frozen=True)
class Look:
    """The look of one method; methods differ in both marker and colour."""

    number: int  # the position of the method in the study
    color: str
    mark: str
    dash: Any  # a line style of matplotlib

    @property
    def gid(self) -> str:
        """The CSS class of the method's elements in a figure."""
        return f"series-{self.number}"

    def line(self) -> dict[str, Any]:
        """Return the arguments for ``Axes.plot``."""
        return {
            "color": self.color,
            "linestyle": self.dash,
            "linewidth": 1.4,
            "marker": self.mark,
            "markersize": 4.6,
            # A cross consists of its edge only.
            "markeredgewidth": 1.3 if self.mark == "x" else 0,
            "gid": self.gid,
        }


def looks_of(methods: Sequence[str], constant: str | None = None) -> dict[str, Look]:
    """Assign a look to every method; the constant predictor gets a grey dashed line."""
    looks = {}
    n_colored = 0
    for number, method in enumerate(methods):
        if method == constant:
            looks[method] = Look(number, CONSTANT_COLORS[0], "x", _DASHES[1])
            continue
        turn, place = divmod(n_colored, len(SERIES_COLORS))
        mark = _MARKS[n_colored % len(_MARKS)]
        dash = _DASHES[turn % len(_DASHES)]
        looks[method] = Look(number, SERIES_COLORS[place][0], mark, dash)
        n_colored += 1
    return looks


def theme_colors() -> Mapping[str, tuple[str, str, str]]:
    """Return the CSS variable, light value and dark value of every figure colour."""
    colors = {
        INK: ("--figure-ink", INK, "#d8dbe2"),
        GRID: ("--figure-grid", GRID, "#343842"),
        ON_SERIES: ("--on-series", ON_SERIES, "#14161a"),
        CONSTANT_COLORS[0]: ("--series-constant", *CONSTANT_COLORS),
    }
    for name, pairs in (("series", SERIES_COLORS), ("step", SEQUENCE_COLORS)):
        for number, (light, dark) in enumerate(pairs):
            colors[light] = (f"--{name}-{number}", light, dark)
    return colors


@contextmanager
def figure_style() -> Iterator[None]:
    """Draw and save figures in the style of the report."""
    import matplotlib

    settings: Any = {
        "font.size": 9,
        "text.color": INK,
        "axes.edgecolor": INK,
        "axes.labelcolor": INK,
        "axes.linewidth": 0.7,
        "axes.titlesize": 9.5,
        "axes.titleweight": "bold",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": GRID,
        "grid.linewidth": 0.7,
        "xtick.color": INK,
        "ytick.color": INK,
        "xtick.major.size": 3,
        "ytick.major.size": 0,
        "legend.frameon": False,
        # Names may contain dollar signs; no text here is a formula.
        "text.parse_math": False,
    }
    with matplotlib.rc_context(settings):
        yield
