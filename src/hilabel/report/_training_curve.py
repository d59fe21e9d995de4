"""Training curves of the networks in an ensemble."""

from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Self

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from hilabel.classifiers import HierarchicalNetwork
from hilabel.report._style import BLACK, BLUE, GREY, ORANGE, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# One line per shape; lines differ in marks and colours.
_LOOKS = [(BLUE, "o"), (ORANGE, "s"), (BLACK, "^")]


@dataclass(frozen=True, eq=False)
class TrainingCurveDisplay:
    """Out-of-fold average precision of each network shape during training.

    Attributes
    ----------
    curve : tuple of (str, int, float)
        Shape, number of steps, and average precision after these steps.
    kept : dict of int
        The number of steps of the kept weights, by shape. Other shapes are not part of
        the model.
    score : float
        Average precision of the model, the mean of the kept shapes.
    constant : float or None
        Average precision of the constant predictor.

    Examples
    --------
    >>> from hilabel.classifiers import HierarchicalNetwork
    >>> from hilabel.datasets import make_artificial
    >>> from hilabel.report import TrainingCurveDisplay
    >>> data = make_artificial()
    >>> model = HierarchicalNetwork(
    ...     data.hierarchy, shape={"layers": (32,)}, max_steps=30, random_state=0
    ... ).fit(data.X_labeled, data.Y_labeled)
    >>> display = TrainingCurveDisplay.from_estimator(model)
    >>> display.frame()[["shape", "steps"]]
      shape  steps
    0   own     15
    1   own     30
    """

    curve: tuple[tuple[str, int, float], ...]
    kept: dict[str, int]
    score: float
    constant: float | None = None

    @classmethod
    def from_estimator(
        cls, model: HierarchicalNetwork, constant: float | None = None
    ) -> Self:
        """Create a display of a fitted model's training curves.

        Parameters
        ----------
        model : HierarchicalNetwork
            For a semi-supervised method, its ``estimator_``.
        constant : float, optional
            Average precision of the constant predictor, drawn as a dashed line: that of
            :func:`~hilabel.model_selection.out_of_fold_scores` of a
            :class:`~hilabel.classifiers.PriorClassifier`.

        Raises
        ------
        TypeError
            If the model has no training curve.
        ValueError
            If no row was left out in training, so there are no scores.
        sklearn.exceptions.NotFittedError
            If the model was not fitted.
        """
        if not isinstance(model, HierarchicalNetwork):
            raise TypeError(
                "Expected a HierarchicalNetwork, which has a training curve, got "
                f"{type(model).__name__}."
            )
        check_is_fitted(model)
        if not np.isfinite(model.quality_):
            raise ValueError(
                "Expected a model with out-of-fold scores; this one has none, because "
                "it was trained on one labelled row, without labels or with "
                "n_members=1."
            )
        kept = {part.name: part.n_steps for part in model.networks_.parts}
        return cls(tuple(model.curve_), kept, model.quality_, constant)

    def frame(self) -> pd.DataFrame:
        """Return the curve points: ``shape, steps, average_precision, kept``."""
        columns = ["shape", "steps", "average_precision"]
        table = pd.DataFrame(self.curve, columns=columns)
        return table.assign(kept=table["steps"] == table["shape"].map(self.kept))

    def plot(self) -> "Figure":
        """Draw one line per shape; kept points are marked with a ring."""
        figure = new_figure(7.5, 3.6)
        axes = figure.subplots()
        table = self.frame()
        lines = table.groupby("shape", sort=False)
        for (shape, line), (color, mark) in zip(lines, cycle(_LOOKS)):
            axes.plot(
                line["steps"],
                line["average_precision"],
                color=color,
                marker=mark,
                markersize=4,
                label=shape,
            )
        chosen = table[table["kept"]]
        axes.plot(
            chosen["steps"],
            chosen["average_precision"],
            linestyle="",
            color=BLACK,
            marker="o",
            markersize=13,
            markerfacecolor="none",
            label="kept",
        )
        if len(self.kept) > 1:
            label = f"mean of those kept, {self.score:.3f}"
            axes.axhline(self.score, color=GREY, linewidth=1, label=label)
        if self.constant is not None:
            label = f"constant predictor, {self.constant:.3f}"
            axes.axhline(self.constant, color=GREY, linestyle="--", label=label)
        axes.set(
            xscale="log",
            xlabel="steps of training",
            ylabel="out-of-fold average precision",
        )
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
        figure.legend(loc="outside right upper", frameon=False)
        return figure
