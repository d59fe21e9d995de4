"""Comparison of methods by their scores on each fold and their running times."""

from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from hilabel._typing import FloatArray
from hilabel.report._style import BLACK, BLUE, GREY, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


# Width of a label next to the bars; long settings are wrapped.
_LETTERS: Final = 30


@dataclass(frozen=True, eq=False)
class ComparisonDisplay:
    """Average precision and running time of several methods on the same folds.

    Attributes
    ----------
    methods : tuple of str
        The best first.
    scores : ndarray of shape (n_methods,)
        Micro average precision over all folds.
    fold_scores : ndarray of shape (n_methods, n_folds)
        Micro average precision of each fold.
    seconds : ndarray of shape (n_methods,)
    constant : float
        Score of the constant predictor, drawn as a dashed line.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.report import ComparisonDisplay
    >>> display = ComparisonDisplay(
    ...     ("forest", "tree"),
    ...     scores=np.array([0.7, 0.6]),
    ...     fold_scores=np.array([[0.6, 0.8], [0.6, 0.6]]),
    ...     seconds=np.array([2.0, 1.0]),
    ...     constant=0.3,
    ... )
    >>> display.frame().head(2)
       method  fold  micro_average_precision
    0  forest     1                      0.6
    1  forest     2                      0.8
    """

    methods: tuple[str, ...]
    scores: FloatArray
    fold_scores: FloatArray
    seconds: FloatArray
    constant: float

    def frame(self) -> pd.DataFrame:
        """Return a table of micro average precisions, one row per method and fold."""
        n_folds = self.fold_scores.shape[1]
        return pd.DataFrame(
            {
                "method": np.repeat(self.methods, n_folds),
                "fold": np.tile(np.arange(1, n_folds + 1), len(self.methods)),
                "micro_average_precision": self.fold_scores.ravel(),
            }
        )

    def plot(self) -> "Figure":
        """Draw the scores of each method, one point per fold, and its running time."""
        figure = new_figure(8.0, 1.4 + 0.5 * len(self.methods))
        quality, cost = figure.subplots(1, 2, sharey=True, width_ratios=[2, 1])
        places = np.arange(len(self.methods))
        quality.barh(places, self.scores, height=0.6, color=BLUE, alpha=0.7)
        for place, scores in zip(places, self.fold_scores, strict=True):
            points = np.full(scores.size, place)
            quality.plot(scores, points, "o", color=BLACK, markersize=3)
        label = f"constant predictor, {self.constant:.3f}"
        quality.axvline(self.constant, color=GREY, linestyle="--", label=label)
        quality.set(xlabel="micro average precision (points: folds)")
        titles = [fill(name.replace(":", ": "), _LETTERS) for name in self.methods]
        quality.set_yticks(places, titles, fontsize="small")
        quality.invert_yaxis()
        cost.barh(places, self.seconds, height=0.6, color=GREY)
        cost.set(xlabel="seconds", xscale="log")
        cost.xaxis.set_major_formatter("{x:g}")
        cost.xaxis.set_minor_formatter("")
        for axes in (quality, cost):
            axes.grid(axis="x", alpha=0.3)
            axes.spines[["top", "right"]].set_visible(False)
        figure.legend(loc="outside upper right", frameon=False)
        return figure
