"""Scores of nodes, and the nodes on which a method is better or worse."""

from typing import Any, Final, Self

import numpy as np
import pandas as pd

from hilabel.report.study._look import CONSTANT_COLORS, INK, ON_SERIES, SERIES_COLORS
from hilabel.report.study._panels import PanelDisplay
from hilabel.report.study._results import StudyResults

_NODE = ["dataset", "node", "depth", "n_positive"]
_OUTCOMES: Final = {
    "better": SERIES_COLORS[0][0],
    "equal": CONSTANT_COLORS[0],
    "worse": SERIES_COLORS[1][0],
}
# Per data set: the most frequent nodes, the largest gains and the largest losses.
_NOTABLE = 12
# In percent; narrower bars have no space for a number.
_NAMED_SHARE = 6


def node_means(results: StudyResults) -> pd.DataFrame:
    """Return the mean AP of each node and method over fractions and repetitions.

    Only fractions with runs of all methods are used; otherwise, the means of the
    supervised counterparts would include runs with all labels.
    """
    nodes = results.partly_labeled("nodes")[[*_NODE, "method", "average_precision"]]
    if nodes.empty:
        return nodes
    rows = nodes.astype(dict.fromkeys(["dataset", "node", "method"], "category"))
    groups = rows.groupby([*_NODE, "method"], observed=True, sort=False)
    means = groups["average_precision"].mean().reset_index()
    return means.astype({"dataset": "str", "node": "str", "method": "str"})


class NodeWins(PanelDisplay):
    """Number of nodes on which a method is better than its supervised counterpart."""

    name = "node_wins"
    panel_size = (5.6, 3.1)

    @classmethod
    def from_nodes(
        cls, nodes: pd.DataFrame, supervised: dict[str, str], looks: dict[str, Any]
    ) -> Self:
        """Compare the mean AP of each node; see ``node_means``."""
        wide = _wide(nodes)
        rows = [
            {"method": name, "counterpart": other, **_outcome(wide[name], wide[other])}
            for name, other in supervised.items()
            if name in wide and other in wide
        ]
        return cls(pd.DataFrame(rows), looks)

    @property
    def panels(self) -> list[str]:
        """One panel."""
        return ["nodes better, equal and worse"]

    def draw(self, axes: Any, panel: str) -> None:
        """Draw one bar of shares per method, with the first method at the top."""
        total = self.data[list(_OUTCOMES)].sum(axis=1)
        left = np.zeros(len(self.data))
        places = np.arange(len(self.data))[::-1]
        for outcome, color in _OUTCOMES.items():
            share = (100 * self.data[outcome] / total).to_numpy()
            axes.barh(places, share, 0.62, left, color=color, label=outcome)
            left += share
        for outcome, end, side in (("better", 1.5, "left"), ("worse", 98.5, "right")):
            for place, share in zip(places, 100 * self.data[outcome] / total):
                if share >= _NAMED_SHARE:
                    text = f"{share:.0f}"
                    axes.text(end, place, text, ha=side, va="center", color=ON_SERIES)
        axes.set_yticks(places, self.data["method"])
        axes.set_xlabel("nodes (%)")
        axes.set_xlim(0, 100)
        axes.grid(axis="y", visible=False)
        axes.axvline(50, color=INK, linewidth=0.8)

    def describe(self, panel: str) -> str:
        """Return a description of the counts."""
        listed = "; ".join(
            f"{row['method']} against {row['counterpart']}: {row['better']} better, "
            f"{row['equal']} equal, {row['worse']} worse"
            for row in self.data.to_dict("records")
        )
        return f"Nodes by outcome. {listed}."

    def _handles(self) -> list[Any]:
        from matplotlib.patches import Patch

        return [Patch(color=color, label=name) for name, color in _OUTCOMES.items()]


def notable_nodes(
    nodes: pd.DataFrame, focus: str | None, supervised: dict[str, str]
) -> pd.DataFrame:
    """Select the most frequent nodes, and those with the largest gains and losses.

    The table has one row per node, with its AP for every method. If ``focus`` is given,
    the column ``gain`` is the AP of this method minus that of its supervised
    counterpart.
    """
    if nodes.empty:
        return pd.DataFrame(columns=_NODE)
    wide = _wide(nodes).dropna(how="all").reset_index()
    wide = wide[wide["n_positive"] > 0]
    if focus is not None:
        wide["gain"] = wide[focus] - wide[supervised[focus]]
    chosen = []
    for _, rows in wide.groupby("dataset", sort=False):
        places = set(rows.nlargest(_NOTABLE, "n_positive").index)
        if focus is not None:
            places |= set(rows.nlargest(_NOTABLE, "gain").index)
            places |= set(rows.nsmallest(_NOTABLE, "gain").index)
        chosen.append(rows.loc[sorted(places)])
    return pd.concat(chosen, ignore_index=True) if chosen else wide


def _wide(nodes: pd.DataFrame) -> pd.DataFrame:
    if nodes.empty:
        return pd.DataFrame()
    wide = nodes.pivot(index=_NODE, columns="method", values="average_precision")
    return wide[list(nodes["method"].unique())]


def _outcome(scores: pd.Series, others: pd.Series) -> dict[str, int]:
    is_known = scores.notna() & others.notna()
    scores, others = scores[is_known], others[is_known]
    is_equal = np.isclose(scores, others, rtol=0, atol=1e-12)
    return {
        "better": int(((scores > others) & ~is_equal).sum()),
        "equal": int(is_equal.sum()),
        "worse": int(((scores < others) & ~is_equal).sum()),
    }
