"""Whether probabilities mean what they say."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from sklearn.utils import gen_batches

from hilabel._typing import FloatArray, IntArray, MatrixLike
from hilabel._validation import check_known_labels, check_scores
from hilabel.report._style import BLUE, GREY, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class CalibrationDisplay:
    """Predicted probabilities against how often the labels were there.

    Attributes
    ----------
    edges : ndarray of shape (n_bins + 1,)
        Bins of equal width from 0 to 1.
    n_cells : int array of shape (n_bins,)
        (row, node) pairs in each bin.
    predicted, observed : ndarray of shape (n_bins,)
        Mean probability, and share of pairs that have the label; NaN in empty bins.

    Examples
    --------
    >>> from hilabel.report import CalibrationDisplay
    >>> display = CalibrationDisplay.from_scores(
    ...     [[1, 0], [1, 0]], [[0.9, 0.1], [0.7, 0.1]], n_bins=2
    ... )
    >>> display.frame()[["predicted", "observed", "n_cells"]]
       predicted  observed  n_cells
    0        0.1       0.0        2
    1        0.8       1.0        2
    >>> round(display.error, 3)
    0.15
    """

    edges: FloatArray
    n_cells: IntArray
    predicted: FloatArray
    observed: FloatArray

    @classmethod
    def from_scores(cls, Y: MatrixLike, scores: MatrixLike, n_bins: int = 10) -> Self:
        """Count, in bins of probability, how often the labels were there.

        Parameters
        ----------
        Y : array-like of shape (n_samples, n_nodes)
            Cells of -1 or NaN are left out.
        scores : array-like of shape (n_samples, n_nodes)
            Probabilities, from 0 to 1.
        n_bins : int, default=10
        """
        positive, known = check_known_labels(Y)
        scores = check_scores(scores, positive.shape)
        _refuse_no_probabilities(scores[known])
        n_cells, n_positive = np.zeros((2, n_bins), dtype=np.int64)
        total = np.zeros(n_bins)
        # In blocks, one after the other: the sums are those of all cells at once.
        for rows in gen_batches(len(scores), max(1, 1_000_000 // scores.shape[1])):
            values = scores[rows][known[rows]].astype(np.float64)
            bins = np.minimum((values * n_bins).astype(np.int64), n_bins - 1)
            n_cells += np.bincount(bins, minlength=n_bins)
            n_positive += np.bincount(bins[positive[rows][known[rows]]], None, n_bins)
            np.add.at(total, bins, values)
        with np.errstate(invalid="ignore"):
            predicted, observed = total / n_cells, n_positive / n_cells
        return cls(np.linspace(0, 1, n_bins + 1), n_cells, predicted, observed)

    @property
    def error(self) -> float:
        """Expected calibration error: mean distance of the two, weighted by cells."""
        filled = self.n_cells > 0
        distance = np.abs(self.predicted - self.observed)[filled]
        return float(np.average(distance, weights=self.n_cells[filled]))

    def frame(self) -> pd.DataFrame:
        """Return a row per bin: ``low, high, predicted, observed, n_cells``."""
        return pd.DataFrame(
            {
                "low": self.edges[:-1],
                "high": self.edges[1:],
                "predicted": self.predicted,
                "observed": self.observed,
                "n_cells": self.n_cells,
            }
        )

    def plot(self) -> "Figure":
        """Draw the two against each other, and below how many cells each bin has."""
        figure = new_figure(4.8, 5.2)
        curve, counts = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1])
        self._draw_curve(curve)
        width = np.diff(self.edges)
        counts.bar(
            self.edges[:-1],
            self.n_cells,
            width,
            align="edge",
            color=GREY,
            edgecolor="w",
        )
        counts.set(xlabel="predicted probability", ylabel="cells", yscale="log")
        counts.yaxis.set_minor_formatter("")
        for axes in (curve, counts):
            axes.spines[["top", "right"]].set_visible(False)
        return figure

    def _draw_curve(self, axes: Any) -> None:
        axes.plot([0, 1], [0, 1], "--", color=GREY, label="perfect")
        filled = self.n_cells > 0
        label = f"model (mean error {self.error:.3f})"
        axes.plot(
            self.predicted[filled], self.observed[filled], "o-", color=BLUE, label=label
        )
        axes.set(xlim=(0, 1), ylim=(0, 1.02), ylabel="share that has the label")
        axes.grid(alpha=0.3)
        axes.legend(loc="upper left", frameon=False)


def _refuse_no_probabilities(values: FloatArray) -> None:
    if values.size and (values.min() < 0 or values.max() > 1):
        raise ValueError(
            "Expected probabilities from 0 to 1, got scores from "
            f"{values.min():.3g} to {values.max():.3g}; a calibration curve is only "
            "defined for probabilities."
        )
