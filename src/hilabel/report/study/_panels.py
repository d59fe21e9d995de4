"""Displays with several panels: one figure in a file, separate figures on a page."""

from abc import ABC, abstractmethod
from math import ceil
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd

from hilabel.report._style import new_figure
from hilabel.report.study._look import Look, figure_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# In inches.
_LEGEND_HEIGHT = 0.26
_LEGEND_KEY_WIDTH = 0.65
_LETTER_WIDTH = 0.08


class PanelDisplay(ABC):
    """A display of several methods in one or more panels.

    Subclasses define the panels, and how to draw and describe each of them. Empty
    displays evaluate to false. ``data`` is tidy and is returned by ``frame()``;
    ``looks`` contains the look of each method.
    """

    name: ClassVar[str]
    """The name of the files, and of the figure in a page."""
    panel_size: tuple[float, float] = (3.0, 2.35)
    n_columns: ClassVar[int] = 4
    has_legend: ClassVar[bool] = True

    def __init__(self, data: pd.DataFrame, looks: dict[str, Look]) -> None:
        self.data = data
        self.looks = looks

    def __bool__(self) -> bool:
        return not self.data.empty

    @property
    @abstractmethod
    def panels(self) -> list[str]:
        """The titles of the panels."""

    @abstractmethod
    def draw(self, axes: Any, panel: str) -> None:
        """Draw one panel."""

    @abstractmethod
    def describe(self, panel: str) -> str:
        """Return a description of a panel."""

    @property
    def methods(self) -> list[str]:
        """The methods in the legend, in the order of the study."""
        present = set(self.data["method"])
        return [name for name in self.looks if name in present]

    def frame(self) -> pd.DataFrame:
        """Return the data behind the figure."""
        return self.data.copy()

    def plot(self) -> "Figure":
        """Return all panels in one figure, with titles and a legend."""
        n_columns = min(self.n_columns, len(self.panels))
        n_rows = ceil(len(self.panels) / n_columns)
        width, height = self.panel_size
        handles = self._handles() if self.has_legend else []
        longest = max((len(handle.get_label()) for handle in handles), default=0)
        entry_width = _LEGEND_KEY_WIDTH + _LETTER_WIDTH * longest
        most_columns = max(1, int(width * n_columns / entry_width))
        n_legend_rows = ceil(len(handles) / most_columns)
        # Rows of about equal length.
        n_legend_columns = ceil(len(handles) / max(1, n_legend_rows))
        with figure_style():
            figure = new_figure(
                width * n_columns, height * n_rows + _LEGEND_HEIGHT * n_legend_rows
            )
            grid = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
            for axes, panel in zip(grid, self.panels):
                self.draw(axes, panel)
                axes.set_title(panel, loc="left")
            for axes in grid[len(self.panels) :]:
                axes.set_axis_off()
            if handles:
                figure.legend(
                    handles=handles,
                    loc="outside upper left",
                    ncols=n_legend_columns,
                )
        return figure

    def plot_panel(self, panel: str) -> "Figure":
        """Return one panel without a title and legend, which the page adds."""
        with figure_style():
            figure = new_figure(*self.panel_size)
            self.draw(figure.subplots(), panel)
        return figure

    def _handles(self) -> list[Any]:
        from matplotlib.lines import Line2D

        return [
            Line2D([], [], label=name, **self.looks[name].line())
            for name in self.methods
        ]
