"""Pseudo-labelling: the share accepted in each pass, and why the passes ended."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import pandas as pd

from hilabel.report.study._look import SEQUENCE_COLORS
from hilabel.report.study._panels import PanelDisplay
from hilabel.report.study._results import StudyResults

_RUN = ["dataset", "fraction", "method", "repetition"]
_PASS_COLUMNS = ["iteration", "n_accepted", "n_newly_accepted", "n_dropped"]
# "unchanged 3, max_iter 9": for methods that treat every node separately.
_COUNTED_REASON: Final = re.compile(r"(\w+) (\d+)")
_Y_LABELS: Final = {"rows": "rows labelled (%)", "labels": "labels assigned (%)"}
_LINE_WIDTHS = (0.5, 2.0)
# Height of a name next to its line, as a share of the panel.
_NAME_HEIGHT = 0.065


def pass_table(results: StudyResults) -> pd.DataFrame:
    """Return a table of the shares accepted, with one row per run and pass.

    For methods that accept whole rows, ``unit`` is "rows", and ``share`` is the share
    of the unlabelled rows accepted in this pass. For methods that accept rows node by
    node, ``unit`` is "labels", and ``share`` is the share of all labels (unlabelled
    rows times nodes) accepted up to this pass.
    """
    passes = results.tables["passes"]
    passes = passes[passes["n_accepted"].notna()]
    if passes.empty:
        return pd.DataFrame(columns=[*_RUN, *_PASS_COLUMNS, "unit", "share"])
    n_unlabeled = results.runs.set_index("run")["n_unlabeled"].astype("float64")
    rows = passes[[*_RUN, *_PASS_COLUMNS]].astype({"n_accepted": "float64"})
    is_by_node = passes["n_nodes"].notna()
    per_run = passes.groupby("run", sort=False)
    total = per_run["n_accepted"].cumsum().astype("float64")
    n_nodes = per_run["n_nodes"].transform("first").astype("float64")
    available = passes["run"].map(n_unlabeled)
    by_row = rows["n_accepted"] / available
    rows["unit"] = is_by_node.map({True: "labels", False: "rows"})
    rows["share"] = by_row.where(~is_by_node, total / (available * n_nodes))
    return rows


def stop_reasons(results: StudyResults) -> pd.DataFrame:
    """Return how often each reason ended the passes of each method.

    The table has one row per method, with ``unit`` ("runs" or "nodes"), ``n_passes``
    (the mean), and one column of counts per reason.
    """
    runs = results.runs[results.runs["stop_reason"] != ""]
    # If all rows are labelled, there is nothing to pseudo-label.
    runs = runs[runs["n_unlabeled"].fillna(0) > 0]
    rows = []
    for method in results.methods:
        mine = runs[runs["method"] == method]
        if mine.empty:
            continue
        counts: dict[str, int] = {}
        is_counted = False
        for text in mine["stop_reason"]:
            found = _COUNTED_REASON.findall(text)
            is_counted = is_counted or bool(found)
            for reason, count in found or [(text, 1)]:
                counts[reason] = counts.get(reason, 0) + int(count)
        rows.append(
            {
                "method": method,
                "unit": "nodes" if is_counted else "runs",
                "n_passes": float(mine["n_passes"].astype("float64").mean()),
                **counts,
            }
        )
    return pd.DataFrame(rows)


class PassCurves(PanelDisplay):
    """One panel per method, with a thin line per run and the mean for each fraction.

    Runs that ended earlier contribute their last value to the mean.
    """

    name = "passes"
    has_legend = False  # the lines are named

    @property
    def panels(self) -> list[str]:
        """The methods that report their passes."""
        return self.methods

    def draw(self, axes: Any, panel: str) -> None:
        """Draw the runs of one method."""
        data = self.data[self.data["method"] == panel]
        fractions = sorted(data["fraction"].unique())
        colors = _sequence(len(fractions))
        thin, bold = _LINE_WIDTHS
        ends = []
        for fraction, color in zip(fractions, colors):
            wide = 100 * self._runs(data[data["fraction"] == fraction])
            axes.plot(wide.index, wide, color=color, linewidth=thin, alpha=0.25)
            mean = wide.ffill().mean(axis=1)
            axes.plot(mean.index, mean, color=color, linewidth=bold)
            ends.append((mean.index[-1], mean.iloc[-1]))
        axes.set_ylim(bottom=0)
        heights = _spread([y for _, y in ends], _NAME_HEIGHT * axes.get_ylim()[1])
        for (x, _), y, fraction, color in zip(ends, heights, fractions, colors):
            axes.annotate(
                f"{100 * fraction:g} %",
                (x, y),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                color=color,
                fontsize=7,
            )
        axes.set_xlabel("pass")
        axes.set_ylabel(_Y_LABELS[data["unit"].iloc[0]])
        axes.locator_params(axis="x", integer=True)

    def describe(self, panel: str) -> str:
        """Return a description of the final means."""
        data = self.data[self.data["method"] == panel]
        listed = "; ".join(
            f"{100 * self._runs(rows).ffill().mean(axis=1).iloc[-1]:.0f} % at "
            f"{100 * fraction:g} % labelled"
            for fraction, rows in data.groupby("fraction")
        )
        unit = data["unit"].iloc[0]
        return (
            f"{panel}: mean share of unlabelled {unit} labelled at the end: {listed}."
        )

    @staticmethod
    def _runs(data: pd.DataFrame) -> pd.DataFrame:
        return data.pivot_table(
            index="iteration", columns=["dataset", "repetition"], values="share"
        )


def _sequence(n_steps: int) -> list[str]:
    """Return a colour for each step; the last colour is the strongest."""
    last = len(SEQUENCE_COLORS) - 1
    return [
        SEQUENCE_COLORS[round(last * step / max(1, n_steps - 1))][0]
        for step in range(n_steps)
    ]


def _spread(values: Sequence[float], least: float) -> list[float]:
    """Increase values, keeping their order, until all differ by at least ``least``."""
    moved = list(values)
    order = sorted(range(len(moved)), key=lambda place: moved[place])
    for below, above in pairwise(order):
        moved[above] = max(moved[above], moved[below] + least)
    return moved
