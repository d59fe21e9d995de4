"""Precision-recall curves for a model and the constant predictor."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import pandas as pd

from hilabel._typing import FloatArray, MatrixLike
from hilabel.judgement import Judgement
from hilabel.metrics import average_precision, precision_recall_curve
from hilabel.report._style import BLUE, GREY, ORANGE, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Number of points of a curve: more than a figure can show.
_MAX_POINTS = 500
_COLUMNS = ("scores", "recall", "precision", "threshold")
_LOOKS = ((BLUE, "-"), (GREY, "--"), (ORANGE, "-."))


@dataclass(frozen=True, eq=False)
class PrecisionRecallDisplay:
    """Precision-recall curves, pooled over all nodes.

    Attributes
    ----------
    curves : dict of (recall, precision, threshold)
        Keyed by the title of the scores.
    average_precision : dict of float
        The average precision of each curve.

    Examples
    --------
    >>> from hilabel.report import PrecisionRecallDisplay
    >>> Y = [[1, 0], [0, 1]]
    >>> display = PrecisionRecallDisplay.from_scores(
    ...     Y, {"model": [[0.9, 0.1], [0.2, 0.4]], "constant": [[0.5, 0.5]] * 2}
    ... )
    >>> display.average_precision
    {'model': 1.0, 'constant': 0.5}
    """

    curves: dict[str, tuple[FloatArray, FloatArray, FloatArray]]
    average_precision: dict[str, float]

    @classmethod
    def from_scores(cls, Y: MatrixLike, scores: Mapping[str, MatrixLike]) -> Self:
        """Compute one curve for each set of scores; all sets are for the same rows.

        Parameters
        ----------
        Y : array-like of shape (n_samples, n_nodes)
            Cells of -1 or NaN are ignored.
        scores : mapping of str to array-like of shape (n_samples, n_nodes)
        """
        curves, areas = {}, {}
        for title, values in scores.items():
            precision, recall, thresholds = precision_recall_curve(
                Y, values, _MAX_POINTS
            )
            # Without the last point, which has no threshold.
            curves[title] = (recall[:-1], precision[:-1], thresholds)
            areas[title] = float(average_precision(Y, values))
        return cls(curves, areas)

    @classmethod
    def from_judgement(cls, judgement: Judgement) -> Self:
        """Return the curves that were measured when a method was judged."""
        groups = {"model": next(iter(judgement.groups), None)}
        groups["constant predictor"] = judgement.constant_group
        found = {title: one for title, one in groups.items() if one is not None}
        curves = {
            title: (one.recall, one.precision, one.threshold)
            for title, one in found.items()
        }
        areas = {title: one.average_precision for title, one in found.items()}
        return cls(curves, areas)

    def frame(self) -> pd.DataFrame:
        """Return the points of the curves: ``scores, recall, precision, threshold``."""
        tables = [
            pd.DataFrame(dict(zip(_COLUMNS, (title, *curve), strict=True)))
            for title, curve in self.curves.items()
        ]
        nothing = pd.DataFrame(columns=_COLUMNS)
        return pd.concat(tables, ignore_index=True) if tables else nothing

    def plot(self) -> "Figure":
        """Draw the curves."""
        figure = new_figure(5.5, 4.2)
        axes: Any = figure.subplots()
        for number, (title, (recall, precision, _)) in enumerate(self.curves.items()):
            color, line = _LOOKS[number % len(_LOOKS)]
            label = f"{title} (AP {self.average_precision[title]:.3f})"
            axes.step(recall, precision, line, where="post", color=color, label=label)
        axes.set(
            xlabel="recall, all labels pooled",
            ylabel="precision",
            xlim=(0, 1),
            ylim=(0, 1.02),
        )
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
        if self.curves:
            axes.legend(loc="upper right", frameon=False)
        return figure
