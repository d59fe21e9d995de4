"""One panel of a display of pseudo-labels: the rows by kind, and how they are drawn."""

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hilabel._typing import UNLABELED, BoolArray, FloatArray, LabelArray
from hilabel.report._style import BLACK, BLUE, GREY, ORANGE, RED, Mark

WITH: Final = "pseudo-labelled with the node"
WITHOUT: Final = "pseudo-labelled without"
LEFT_OUT: Final = "left out"
UNKNOWN: Final = "unlabelled"

KINDS: Final = {
    "labelled with the node": Mark("*", BLUE, BLACK, 11, 0.8, layer=6),
    "labelled without": Mark("s", ORANGE, BLACK, 6, 0.8, layer=5),
    WITH: Mark("o", BLUE, BLUE, 3.4, 0, layer=4),
    WITHOUT: Mark("D", ORANGE, ORANGE, 2.8, 0, layer=3),
    UNKNOWN: Mark("o", "none", GREY, 3.2, 0.7, layer=2),
    LEFT_OUT: Mark("x", BLACK, BLACK, 4, 1.0, layer=4),
}
"""The kinds of points in a panel, and how each is drawn."""

WRONG: Final = Mark("o", "none", RED, 6.2, 0.9, layer=4.2)
"""A ring around points whose pseudo-label differs from the truth."""
WRONG_TOLD: Final = "wrong pseudo-label"

OUTLINE_SHARE: Final = 0.95

# Marks shrink if there are more of them than this, down to a factor: large ones, of
# labelled rows and wrong labels, and small ones.
_MOST_LARGE_IN_FULL_SIZE = 60
_MOST_IN_FULL_SIZE = 500
_SMALLEST = 0.4
# From this many rows on, points are pixels in vector formats, which would be too large.
_MOST_VECTORS = 2000


class Outline(NamedTuple):
    """The ellipse that contains a given fraction of a Gaussian's points.

    Examples
    --------
    >>> from hilabel.report import Outline
    >>> Outline(center=(0.0, 1.0), half_axes=(2.0, 1.0)).center
    (0.0, 1.0)
    """

    center: tuple[float, float]
    half_axes: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Panel:
    """The panel for one node, showing the initial data or one fitted model.

    Attributes
    ----------
    node : int
    name : str
        ``"initial data"`` or the name of the model.
    title : str
    kinds : str array of shape (n_rows,)
        The kind of each row, as listed in the docstring of
        :class:`PseudoLabelDisplay`.
    truth : int8 array of shape (n_rows,)
        Whether the row belongs to the node: 1, 0, or -1 if this is not known.
    outlines : tuple of Outline
        Ellipses of the node and its descendants, whose rows belong to it too.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.report import Panel
    >>> kinds = np.array(["labelled without", "pseudo-labelled without"])
    >>> panel = Panel(4, "V1", "node 4", kinds, np.array([0, 1], dtype=np.int8))
    >>> panel.is_wrong
    array([False,  True])
    """

    node: int
    name: str
    title: str
    kinds: NDArray[np.str_]
    truth: LabelArray
    outlines: tuple[Outline, ...] = ()

    @property
    def is_wrong(self) -> BoolArray:
        """Mask of the rows whose pseudo-label is known to differ from the truth."""
        absent = (self.kinds == WITH) & (self.truth == 0)
        present = (self.kinds == WITHOUT) & (self.truth == 1)
        return np.asarray(absent | present)

    def draw(self, axes: Any, X: FloatArray, drawn: BoolArray) -> None:
        """Draw the chosen rows, and either outlines or rings around wrong labels."""
        is_given = np.char.startswith(self.kinds, "labelled")
        n_drawn, n_given = int(drawn.sum()), int((drawn & is_given).sum())
        scale = _scale(n_drawn, _MOST_IN_FULL_SIZE)
        scale_given = _scale(n_given, _MOST_LARGE_IN_FULL_SIZE)
        is_raster = n_drawn > _MOST_VECTORS
        for kind, mark in KINDS.items():
            size = scale_given if kind.startswith("labelled") else scale
            mark.draw(axes, X[drawn & (self.kinds == kind)], size, is_raster)
        if self.outlines:
            self._draw_outlines(axes)
        else:
            wrong = drawn & self.is_wrong
            size = min(scale, _scale(int(wrong.sum()), _MOST_LARGE_IN_FULL_SIZE))
            WRONG.draw(axes, X[wrong], size, is_raster)
        axes.set_title(self.title, fontsize="medium", parse_math=False)

    def _draw_outlines(self, axes: Any) -> None:
        from matplotlib.patches import Ellipse

        for outline in self.outlines:
            width, height = (2 * half for half in outline.half_axes)
            # Above the many points, which would hide it, but below the few labelled
            # ones.
            look: Any = {"fill": False, "edgecolor": RED, "linewidth": 1.2}
            axes.add_patch(Ellipse(outline.center, width, height, zorder=4.5, **look))


def _scale(n_points: int, most_in_full_size: int) -> float:
    return max(_SMALLEST, min(1.0, (most_in_full_size / max(n_points, 1)) ** 0.4))


def kinds_of(labels: LabelArray, is_given: BoolArray, unknown: str) -> NDArray[np.str_]:
    """Return the kind of each row, given the node's column of the label matrix.

    ``unknown`` is the kind of the rows without a label that were not given one either.
    """
    cases = {
        "labelled with the node": is_given & (labels == 1),
        "labelled without": is_given & (labels == 0),
        WITH: ~is_given & (labels == 1),
        WITHOUT: ~is_given & (labels == 0),
        # Of a row that is known in part.
        UNKNOWN: is_given & (labels == UNLABELED),
    }
    return np.select(list(cases.values()), list(cases), default=unknown)


def legend_handles(panels: list[Panel]) -> list[Any]:
    """Return legend entries for every kind that occurs, and for the red lines."""
    from matplotlib.lines import Line2D

    seen = np.unique(np.concatenate([panel.kinds for panel in panels]))
    handles = [mark.legend_handle(kind) for kind, mark in KINDS.items() if kind in seen]
    if any(panel.outlines for panel in panels):
        share = f"{OUTLINE_SHARE:.0%} of the points of the node\nor of a node below it"
        handles.append(Line2D([], [], color=RED, label=share))
    elif any(panel.is_wrong.any() for panel in panels):
        handles.append(WRONG.legend_handle(WRONG_TOLD))
    return handles
