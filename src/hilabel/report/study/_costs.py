"""The cost of methods: running time and memory use per run."""

from typing import Any, Final

import numpy as np
import pandas as pd

from hilabel.report.study._panels import PanelDisplay
from hilabel.report.study._results import StudyResults

_MEBI = 2**20
_PANELS: Final = {"seconds": "seconds of a run", "memory": "peak memory (MiB)"}


def cost_table(results: StudyResults) -> pd.DataFrame:
    """Return the running time and memory use of the successful runs of each method.

    ``seconds`` is the time that a run would take by itself: its own time plus the time
    saved by sharing work with other runs in its cell.
    """
    runs = results.runs[results.runs["error"] == ""]
    alone = runs["seconds"] + runs["seconds_saved"].fillna(0)
    memory = runs["peak_memory"].astype("float64") / _MEBI
    groups = runs.assign(alone=alone, memory=memory).groupby("method", sort=False)
    table = groups.agg(
        n_runs=("run", "size"),
        seconds=("alone", "median"),
        seconds_low=("alone", "min"),
        seconds_high=("alone", "max"),
        total_seconds=("seconds", "sum"),
        saved_seconds=("seconds_saved", "sum"),
        memory=("memory", "median"),
        memory_low=("memory", "min"),
        memory_high=("memory", "max"),
    ).reset_index()
    known = [name for name in results.methods if name in set(table["method"])]
    return table.set_index("method").loc[known].reset_index()


class CostDisplay(PanelDisplay):
    """The costs of each method: the median as a point, and the range as a line."""

    name = "costs"
    panel_size = (4.4, 2.9)
    n_columns = 2
    has_legend = False  # the rows are named

    @property
    def panels(self) -> list[str]:
        """The titles of the panels: time and memory."""
        return list(_PANELS.values())

    def draw(self, axes: Any, panel: str) -> None:
        """Draw one row per method, with the first method at the top."""
        column = self._column(panel)
        places = np.arange(len(self.data))[::-1]
        for place, row in zip(places, self.data.to_dict("records")):
            look = self.looks[row["method"]]
            ends = [row[f"{column}_low"], row[f"{column}_high"]]
            color, gid = look.color, look.gid
            axes.plot(ends, [place] * 2, color=color, linewidth=2, alpha=0.45, gid=gid)
            point = {**look.line(), "linestyle": "", "markersize": 6.5}
            axes.plot([row[column]], [place], **point)
        axes.set_yticks(places, self.data["method"])
        axes.set_xlabel(panel)
        axes.set_ylim(-0.6, len(self.data) - 0.4)
        self._set_scale(axes, column)

    def describe(self, panel: str) -> str:
        """Return a description of the medians."""
        column = self._column(panel)
        listed = "; ".join(
            f"{row['method']} {row[column]:.3g}" for row in self.data.to_dict("records")
        )
        return f"Median {panel}: {listed}."

    def _set_scale(self, axes: Any, column: str) -> None:
        low, high = self.data[f"{column}_low"].min(), self.data[f"{column}_high"].max()
        if low > 0 and high / low > 20:
            from matplotlib.ticker import FuncFormatter

            axes.set_xscale("log")
            axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
            axes.minorticks_off()
        elif column == "memory":
            axes.set_xlim(left=0)

    def _column(self, panel: str) -> str:
        return next(column for column, title in _PANELS.items() if title == panel)
