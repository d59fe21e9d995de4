"""Curves of scores against the labelled fraction, node depth and node frequency."""

from typing import Any, ClassVar, Final, Self

import numpy as np
import pandas as pd

from hilabel.report.study._look import INK
from hilabel.report.study._panels import PanelDisplay
from hilabel.report.study._results import StudyResults, measure_title

# Bins of nodes, by the minimum number of positive test rows.
_FREQUENCY_BINS: Final = (1, 3, 10, 30, 100, 300)
# Beyond this, shares of the gap have a logarithmic scale.
_LINEAR_SHARE = 2.0


class CurveDisplay(PanelDisplay):
    """Curves with one line per method.

    The data has the columns ``panel``, ``method``, ``x`` and ``y``.
    """

    x_label: str = ""
    y_label: str = ""
    y_digits: ClassVar[int] = 3

    @property
    def panels(self) -> list[str]:
        """The titles of the panels."""
        return list(self.data["panel"].unique())

    def draw(self, axes: Any, panel: str) -> None:
        """Draw one panel."""
        data = self.data[self.data["panel"] == panel]
        for method in self.methods:
            line = data[data["method"] == method]
            if not line.empty:
                axes.plot(line["x"], line["y"], **self.looks[method].line())
        axes.set_xlabel(self.x_label)
        axes.set_ylabel(self.y_label)
        self._set_ticks(axes, data)

    def describe(self, panel: str) -> str:
        """Return a description of a panel, with the end points of each line."""
        data = self.data[self.data["panel"] == panel]
        parts = []
        for method, line in data.groupby("method", sort=False):
            values = line.sort_values("x")["y"].dropna()
            if len(values):
                first, last = values.iloc[0], values.iloc[-1]
                digits = self.y_digits
                parts.append(f"{method} {first:.{digits}f} to {last:.{digits}f}")
        listed = "; ".join(parts)
        return f"{panel}: {self.y_label} against {self.x_label}. {listed}."

    def _set_ticks(self, axes: Any, data: pd.DataFrame) -> None:
        ticks = np.sort(data["x"].unique())
        axes.set_xticks(ticks)
        axes.margins(x=0.06, y=0.08)


class ScoreCurves(CurveDisplay):
    """The first measure against the labelled fraction, with one panel per data set."""

    name = "scores"
    x_label = "labelled rows (%)"

    @classmethod
    def from_results(cls, results: StudyResults, looks: dict[str, Any]) -> Self:
        """Average the scores over the repetitions."""
        blocks = results.blocks()
        if blocks.empty:
            return cls(pd.DataFrame(), looks)
        tidy = blocks.melt(ignore_index=False, var_name="method", value_name="y")
        data = tidy.dropna(subset="y").reset_index()
        data = data.rename(columns={"dataset": "panel"})
        data["x"] = 100 * data["fraction"]
        display = cls(data.sort_values("x", kind="stable"), looks)
        display.data = _in_order(display.data, results.datasets)
        display.y_label = measure_title(results.measure)
        return display


class GapCurves(CurveDisplay):
    """The share of the label gap closed by each method (median over data sets)."""

    name = "gap"
    panel_size = (5.6, 3.1)
    x_label = "labelled rows (%)"
    y_label = "label gap closed (%)"
    y_digits = 0

    @classmethod
    def from_results(cls, results: StudyResults, looks: dict[str, Any]) -> Self:
        """Compute the median of the shares over the data sets that have a gap."""
        gaps = results.gaps.dropna(subset="gap_closed")
        groups = gaps.groupby(["method", "fraction"], sort=False)["gap_closed"]
        data = (100 * groups.median()).rename("y").reset_index()
        data["x"] = 100 * data["fraction"]
        data["panel"] = "median over data sets"
        return cls(data.sort_values("x", kind="stable"), looks)

    def draw(self, axes: Any, panel: str) -> None:
        """Draw the curves, with lines at 0 % (few labels) and 100 % (all labels)."""
        super().draw(axes, panel)
        for level in (0, 100):
            axes.axhline(level, color=INK, linewidth=0.8, zorder=1.5)
        if self.data["y"].abs().max() > 100 * _LINEAR_SHARE:
            axes.set_yscale("symlog", linthresh=100, linscale=1.2)
            ends = [-1000, -300, -100, 0, 50, 100, 300, 1000]
            low, high = min(self.data["y"].min(), 0), max(self.data["y"].max(), 100)
            shown = [end for end in ends if low * 1.1 <= end <= high * 1.1]
            axes.set_yticks(shown, [f"{end:d}" for end in shown])
            axes.minorticks_off()


class DepthCurves(CurveDisplay):
    """The scores of the nodes at each depth, with one panel per data set."""

    name = "depth"
    x_label = "depth of the node"
    y_label = "micro AP"

    @classmethod
    def from_results(cls, results: StudyResults, looks: dict[str, Any]) -> Self:
        """Average over the repetitions and the fractions common to all methods."""
        depths = results.partly_labeled("depths")
        groups = depths.groupby(["dataset", "method", "depth"], sort=True)
        data = groups["micro_average_precision"].mean().dropna().reset_index()
        data.columns = pd.Index(["panel", "method", "x", "y"])
        return cls(_in_order(data, results.datasets), looks)

    def _set_ticks(self, axes: Any, data: pd.DataFrame) -> None:
        axes.locator_params(axis="x", integer=True)
        axes.margins(x=0.04, y=0.08)


class FrequencyCurves(CurveDisplay):
    """The mean AP of nodes, grouped by their number of positive test rows."""

    name = "frequency"
    panel_size = (5.6, 3.1)
    x_label = "positive test rows of the node"
    y_label = "mean AP of a node"

    @classmethod
    def from_nodes(cls, nodes: pd.DataFrame, looks: dict[str, Any]) -> Self:
        """Average the AP of the nodes in each frequency bin; see ``node_means``."""
        known = nodes[nodes["average_precision"].notna() & (nodes["n_positive"] > 0)]
        edges = np.array(_FREQUENCY_BINS)
        place = np.searchsorted(edges, known["n_positive"], side="right") - 1
        groups = known.assign(x=place).groupby(["method", "x"], observed=True)
        data = groups["average_precision"].agg(y="mean", n_nodes="size").reset_index()
        data["panel"] = "all data sets"
        data["positive_rows"] = data["x"].map(_bin_title)
        places = {name: place for place, name in enumerate(looks)}
        data = data.sort_values("method", key=lambda m: m.map(places), kind="stable")
        return cls(data, looks)

    def _set_ticks(self, axes: Any, data: pd.DataFrame) -> None:
        places = np.sort(data["x"].unique())
        axes.set_xticks(places, [_bin_title(int(place)) for place in places])
        axes.margins(x=0.05, y=0.08)


def _bin_title(place: int) -> str:
    least = _FREQUENCY_BINS[place]
    if place + 1 == len(_FREQUENCY_BINS):
        return f"{least}+"
    return f"{least}\N{EN DASH}{_FREQUENCY_BINS[place + 1] - 1}"


def _in_order(data: pd.DataFrame, datasets: tuple[str, ...]) -> pd.DataFrame:
    """Sort the panels in the order of the study's data sets."""
    places = {name: place for place, name in enumerate(datasets)}
    return data.sort_values("panel", key=lambda names: names.map(places), kind="stable")
