"""The style of figures (colours and markers), and the creation of empty figures."""

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Blue and orange of Okabe and Ito, which colour-blind readers can distinguish. Red is
# only used for lines, so that no point must be distinguished from it by colour.
BLUE: Final = "#0072B2"
ORANGE: Final = "#E69F00"
RED: Final = "#CC3311"
GREY: Final = "#8A8A8A"
BLACK: Final = "#000000"


@dataclass(frozen=True)
class Mark:
    """How one kind of point is drawn; kinds differ in both shape and colour."""

    shape: str
    face: str
    edge: str
    size: float
    edge_width: float
    layer: float

    def draw(
        self, axes: Any, X: Any, scale: float = 1.0, rasterized: bool = False
    ) -> None:
        """Draw the points in an array of shape (n_points, 2)."""
        look = self._look() | {
            "markersize": scale * self.size,
            "markeredgewidth": scale * self.edge_width,
        }
        axes.plot(X[:, 0], X[:, 1], **look, rasterized=rasterized)

    def legend_handle(self, label: str) -> Any:
        """Return the legend handle for this kind of point."""
        from matplotlib.lines import Line2D

        return Line2D([], [], label=label, **self._look())

    def _look(self) -> dict[str, Any]:
        return {
            "linestyle": "",
            "marker": self.shape,
            "markersize": self.size,
            "markerfacecolor": self.face,
            "markeredgecolor": self.edge,
            "markeredgewidth": self.edge_width,
            "zorder": self.layer,
        }


def has_matplotlib() -> bool:
    """Return whether matplotlib is installed; tables do not need it.

    Examples
    --------
    >>> from hilabel.report import has_matplotlib
    >>> has_matplotlib()  # with pip install 'hilabel[plot]'
    True
    """
    return find_spec("matplotlib") is not None


def new_figure(width: float, height: float) -> "Figure":
    """Return an empty figure that is not registered with pyplot.

    The size is in inches. ``ImportError`` is raised if matplotlib is not installed.
    """
    if not has_matplotlib():
        raise ImportError(
            "Figures need matplotlib: pip install 'hilabel[plot]'. The same data are "
            "in frame(), which does not need it."
        )
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")
