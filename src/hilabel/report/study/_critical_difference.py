"""The critical-difference diagram: mean ranks and groups of similar methods."""

from math import ceil, floor
from typing import Any

import pandas as pd

from hilabel.report.study._look import GRID, INK, Look
from hilabel.report.study._panels import PanelDisplay
from hilabel.report.study._verdict import Verdict, cliques

# In lines of text, downwards from the axis.
_FIRST_NAME = 1.4
_FIRST_BAR = 0.45
_BAR_STEP = 0.32
_SCALE_HEIGHT = 1.5
# In inches.
_WIDTH = 7.6
_LINE_HEIGHT = 0.25


class CriticalDifferenceDiagram(PanelDisplay):
    """Mean ranks on an axis, with bars over methods that do not differ significantly.

    Examples
    --------
    The ranks as a table:

    >>> import pandas as pd
    >>> from hilabel.report.study._critical_difference import CriticalDifferenceDiagram
    >>> from hilabel.report.study._look import looks_of
    >>> from hilabel.report.study._verdict import Verdict
    >>> from hilabel.studies import compare_methods
    >>> scores = pd.DataFrame({"a": [0.9, 0.8, 0.7], "b": [0.8, 0.7, 0.8]})
    >>> diagram = CriticalDifferenceDiagram(
    ...     Verdict(compare_methods(scores), scores), looks_of(["a", "b"])
    ... )
    >>> diagram.frame()["method"].to_list()
    ['a', 'b']
    """

    name = "critical_difference"
    has_legend = False  # the ranks are named

    def __init__(self, verdict: Verdict, looks: dict[str, Look]) -> None:
        ranks = verdict.comparison.mean_ranks
        data = ranks.rename("mean_rank").rename_axis("method").reset_index()
        super().__init__(pd.DataFrame(data), looks)
        self.difference = verdict.comparison.critical_difference
        self.cliques = cliques(ranks, self.difference)
        # The height depends on the number of names.
        n_lines = ceil(len(self.data) / 2) + self._names_start + _SCALE_HEIGHT + 0.8
        self.panel_size = _WIDTH, _LINE_HEIGHT * n_lines

    @property
    def panels(self) -> list[str]:
        """One panel."""
        return ["critical difference"]

    @property
    def _names_start(self) -> float:
        return _FIRST_NAME + _BAR_STEP * max(0, len(self.cliques) - 1)

    def draw(self, axes: Any, panel: str) -> None:
        """Draw the axis, ranks, names, bars and critical difference."""
        ranks = self.data.set_index("method")["mean_rank"]
        low, high = floor(ranks.min()), ceil(ranks.max())
        high = max(high, low + 1)
        span = high - low
        n_left = ceil(len(ranks) / 2)
        axes.set_axis_off()
        axes.set_xlim(low - 0.3 * span, high + 0.3 * span)
        axes.set_ylim(self._names_start + n_left - 0.3, -_SCALE_HEIGHT - 0.2)
        _draw_axis(axes, low, high)
        self._draw_difference(axes, low)
        for place, (method, rank) in enumerate(ranks.items()):
            is_left = place < n_left
            line = place if is_left else len(ranks) - 1 - place
            end = low - 0.04 * span if is_left else high + 0.04 * span
            self._draw_name(axes, str(method), rank, end, line)
        for number, clique in enumerate(self.cliques):
            height = _FIRST_BAR + _BAR_STEP * number
            ends = [ranks[clique[0]], ranks[clique[-1]]]
            pad = 0.008 * span
            axes.plot(
                [ends[0] - pad, ends[1] + pad],
                [height] * 2,
                color=INK,
                linewidth=4,
                solid_capstyle="butt",
                zorder=4,
            )

    def describe(self, panel: str) -> str:
        """Return a description of the ranks and groups."""
        rows = self.data.to_dict("records")
        listed = ", ".join(f"{row['method']} {row['mean_rank']:.3f}" for row in rows)
        groups = "; ".join(", ".join(clique) for clique in self.cliques) or "none"
        return (
            f"Mean ranks: {listed}. Critical difference {self.difference:.3f}. "
            f"Groups without significant differences: {groups}."
        )

    def _draw_name(
        self, axes: Any, method: str, rank: float, end: float, line: int
    ) -> None:
        look = self.looks[method]
        height = self._names_start + line
        axes.plot(
            [rank, rank, end],
            [0, height, height],
            color=look.color,
            linewidth=1.1,
            gid=look.gid,
        )
        axes.plot([rank], [0], **{**look.line(), "markersize": 6}, zorder=5)
        is_left = end < rank
        text = f"{method}  {rank:.3f}" if is_left else f"{rank:.3f}  {method}"
        axes.annotate(
            text,
            (end, height),
            xytext=(-4 if is_left else 4, 0),
            textcoords="offset points",
            ha="right" if is_left else "left",
            va="center",
            fontsize=9.5,
        )

    def _draw_difference(self, axes: Any, low: float) -> None:
        height = -_SCALE_HEIGHT + 0.2
        ends = [low, low + self.difference]
        axes.plot(
            ends, [height] * 2, color=INK, linewidth=1.2, marker="|", markersize=7
        )
        axes.annotate(
            f"CD = {self.difference:.3f}",
            (ends[1], height),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
        )


def _draw_axis(axes: Any, low: int, high: int) -> None:
    axes.plot([low, high], [0, 0], color=INK, linewidth=1)
    for rank in range(low, high + 1):
        axes.plot([rank] * 2, [-0.18, 0], color=INK, linewidth=1)
        axes.text(rank, -0.3, str(rank), ha="center", va="bottom")
    for rank in range(low, high):
        axes.plot([rank + 0.5] * 2, [-0.1, 0], color=GRID, linewidth=1)
