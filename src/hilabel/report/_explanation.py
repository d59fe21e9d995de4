"""Explain a prediction: probabilities along the hierarchy, and neighbours."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from hilabel.report._style import BLACK, BLUE, GREY, ORANGE, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LONGEST_NAME = 34
# Indentation per level, since axis labels are right-aligned.
_STEP = "\N{MIDDLE DOT} "


@dataclass(frozen=True, eq=False)
class ExplanationDisplay:
    """The evidence behind the prediction for one row.

    Attributes
    ----------
    title : str
    decisions : DataFrame
        One row per term shown, with ``name``, ``depth``, ``own``, ``probability``,
        ``threshold`` and ``predicted``; ``own`` is not drawn if it is NaN, and ``term``
        is written before ``name`` if it differs.
    neighbors : DataFrame
        One row per neighbour, with ``id``, ``distance`` and ``labels_given``; may be
        empty.

    Examples
    --------
    >>> import pandas as pd
    >>> from hilabel.report import ExplanationDisplay
    >>> decisions = pd.DataFrame(
    ...     {"name": ["tea"], "depth": [1], "own": [0.9], "probability": [0.8],
    ...      "threshold": [0.5], "predicted": [True]}
    ... )
    >>> ExplanationDisplay("P1", decisions, pd.DataFrame()).frame().shape
    (1, 6)
    """

    title: str
    decisions: pd.DataFrame
    neighbors: pd.DataFrame

    def frame(self) -> pd.DataFrame:
        """Return the table of decisions."""
        return self.decisions

    def plot(self) -> "Figure":
        """Draw the probabilities of the terms and, if there are any, the neighbours."""
        n_rows = max(len(self.decisions), len(self.neighbors))
        has_neighbors = len(self.neighbors) > 0
        figure = new_figure(10.5 if has_neighbors else 7, 1.6 + 0.3 * n_rows)
        if has_neighbors:
            left, right = figure.subplots(1, 2, width_ratios=[2, 1])
            self._draw_neighbors(right)
        else:
            left = figure.subplots()
        self._draw_decisions(left)
        figure.suptitle(self.title, parse_math=False)
        return figure

    def _draw_decisions(self, axes: Any) -> None:
        shown = self.decisions
        places = np.arange(len(shown))
        colors = np.where(shown["predicted"], BLUE, GREY)
        axes.barh(places, shown["probability"], color=colors, height=0.7)
        # The part of the probability that the cap by the parents removed.
        if self._has_own:
            axes.plot(shown["own"], places, "o", color=ORANGE, markersize=4)
        axes.plot(
            shown["threshold"],
            places,
            "|",
            color=BLACK,
            markersize=14,
            markeredgewidth=2,
        )
        names = [
            _STEP * (depth - 1) + _shortened(name)
            for name, depth in zip(self._names(), shown["depth"], strict=True)
        ]
        axes.set_yticks(places, names, parse_math=False)
        axes.invert_yaxis()
        axes.set(xlim=(0, 1), xlabel="probability", title="Terms")
        self._draw_legend(axes)
        axes.spines[["top", "right"]].set_visible(False)

    @property
    def _has_own(self) -> bool:
        return bool(self.decisions["own"].notna().any())

    def _names(self) -> list[str]:
        """Return the names of terms, preceded by their identifiers if these differ."""
        names = self.decisions["name"]
        terms = self.decisions.get("term", names)
        return [
            name if term == name else f"{term} {name}"
            for term, name in zip(terms, names, strict=True)
        ]

    def _draw_legend(self, axes: Any) -> None:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        def mark(shape: str, color: str, label: str) -> Line2D:
            return Line2D([], [], linestyle="", marker=shape, color=color, label=label)

        handles = [
            Patch(color=BLUE, label="predicted"),
            Patch(color=GREY, label="not predicted"),
            *([mark("o", ORANGE, "own, uncapped")] if self._has_own else []),
            mark("|", BLACK, "threshold"),
        ]
        axes.figure.legend(
            handles=handles,
            loc="outside lower center",
            ncols=len(handles),
            frameon=False,
        )

    def _draw_neighbors(self, axes: Any) -> None:
        shown = self.neighbors
        places = np.arange(len(shown))
        colors = np.where(shown["labels_given"], BLUE, ORANGE)
        axes.barh(places, shown["distance"], color=colors, height=0.7)
        axes.set_yticks(places, shown["id"], parse_math=False)
        axes.invert_yaxis()
        axes.set(xlabel="distance (orange: pseudo-labelled)", title="Neighbours")
        axes.spines[["top", "right"]].set_visible(False)


def _shortened(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 3]}..."
