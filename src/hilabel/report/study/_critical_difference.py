"""The critical-difference diagram of a study, in the looks of its methods."""

from typing import TYPE_CHECKING, Any

import pandas as pd

from hilabel.report._critical_difference import (
    CriticalDifferenceDisplay,
    Layout,
    draw_diagram,
)
from hilabel.report.study._look import GRID, INK, Look, figure_style
from hilabel.report.study._panels import PanelDisplay
from hilabel.report.study._verdict import Verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class CriticalDifferenceDiagram(PanelDisplay):
    """Mean ranks on an axis, with bars over methods that do not differ significantly.

    Examples
    --------
    The ranks as a table:

    >>> import pandas as pd
    >>> from hilabel.report.study._critical_difference import CriticalDifferenceDiagram
    >>> from hilabel.report.study._look import looks_of
    >>> from hilabel.report.study._verdict import Verdict
    >>> from hilabel.studies import compare_ranks
    >>> scores = pd.DataFrame({"a": [0.9, 0.8, 0.7], "b": [0.8, 0.7, 0.8]})
    >>> diagram = CriticalDifferenceDiagram(
    ...     Verdict(compare_ranks(scores), scores), looks_of(["a", "b"])
    ... )
    >>> diagram.frame()["method"].to_list()
    ['a', 'b']
    """

    name = "critical_difference"
    has_legend = False  # the ranks are named

    def __init__(self, verdict: Verdict, looks: dict[str, Look]) -> None:
        tests = verdict.comparison
        data = tests.mean_ranks.rename("mean_rank").rename_axis("method").reset_index()
        super().__init__(pd.DataFrame(data), looks)
        self.display = CriticalDifferenceDisplay(
            tests.mean_ranks, tests.friedman, tests.critical_difference, tests.alpha
        )

    @property
    def panels(self) -> list[str]:
        """One panel."""
        return ["critical difference"]

    def plot(self) -> "Figure":
        """Return the diagram with a caption."""
        return self._drawn(Layout(self.display))

    def plot_panel(self, panel: str) -> "Figure":
        """Return the diagram without a caption, whose content the page has."""
        return self._drawn(Layout(self.display, has_caption=False))

    def draw(self, axes: Any, panel: str) -> None:
        """Draw the diagram without a caption, on axes of the size of its layout."""
        self._draw(axes, Layout(self.display, has_caption=False))

    def describe(self, panel: str) -> str:
        """Return a description of the ranks and groups."""
        return self.display.describe()

    def _drawn(self, layout: Layout) -> "Figure":
        with figure_style():
            figure = layout.new_figure()
            self._draw(figure.axes[0], layout)
        return figure

    def _draw(self, axes: Any, layout: Layout) -> None:
        looks = {method: self.looks[method].line() for method in self.methods}
        draw_diagram(axes, self.display, layout, ink=INK, grid=GRID, looks=looks)
