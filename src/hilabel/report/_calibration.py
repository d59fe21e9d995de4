"""Calibration curves for predicted probabilities."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
import pandas as pd

from hilabel._typing import FloatArray, IntArray, MatrixLike
from hilabel.calibration import PREDICTED_FROM
from hilabel.judgement import Judgement
from hilabel.metrics import ScoreCounts
from hilabel.report._style import BLUE, GREY, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class CalibrationDisplay:
    """Predicted probabilities against observed label frequencies.

    The bins have equal counts and start at a minimum probability; otherwise, cells with
    probabilities near 0 would fill all bins except the last.

    Attributes
    ----------
    floor : float
        The minimum probability of the bins.
    n_below : int
        Number of (row, node) pairs below ``floor``.
    n_cells : int array of shape (n_bins,)
        Number of pairs in each bin.
    predicted, observed : ndarray of shape (n_bins,)
        Mean probability, and share of pairs with the label.
    overall_error : float
        Like ``error``, in the same number of bins over all pairs.

    Examples
    --------
    >>> from hilabel.report import CalibrationDisplay
    >>> display = CalibrationDisplay.from_scores(
    ...     [[1, 0], [1, 0]], [[0.9, 0.2], [0.7, 0.0]], n_bins=3
    ... )
    >>> display.frame()
       predicted  observed  n_cells
    0        0.2       0.0        1
    1        0.7       1.0        1
    2        0.9       1.0        1
    >>> round(display.error, 3), display.n_below
    (0.2, 1)
    """

    floor: float
    n_below: int
    n_cells: IntArray
    predicted: FloatArray
    observed: FloatArray
    overall_error: float

    @classmethod
    def from_scores(
        cls,
        Y: MatrixLike,
        scores: MatrixLike,
        n_bins: int = 10,
        floor: float = PREDICTED_FROM,
    ) -> Self:
        """Compute the label frequency in each bin of predicted probabilities.

        Parameters
        ----------
        Y : array-like of shape (n_samples, n_nodes)
            Cells of -1 or NaN are ignored.
        scores : array-like of shape (n_samples, n_nodes)
            Probabilities, from 0 to 1.
        n_bins : int, default=10
            There are fewer bins if many cells have the same probability.
        floor : float, default=0.1
            Only cells with at least this probability are in the bins.
        """
        counts = ScoreCounts.of(Y, scores)
        predicted, observed, n_cells = counts.bins(n_bins, floor)
        n_below = int(counts.n_cells.sum() - n_cells.sum())
        overall = counts.error(n_bins)
        return cls(floor, n_below, n_cells, predicted, observed, overall)

    @classmethod
    def from_judgement(cls, judgement: Judgement) -> Self:
        """Return the bins that were counted when a method was judged."""
        predicted: FloatArray = np.empty(0)
        observed, n_cells = predicted, np.empty(0, dtype=np.int64)
        if judgement.groups:
            of_all = judgement.groups[0]
            predicted, observed, n_cells = of_all.said, of_all.true, of_all.count
        n_below = int(judgement.n_known.sum() - n_cells.sum())
        overall = judgement.overall_error
        return cls(PREDICTED_FROM, n_below, n_cells, predicted, observed, overall)

    @property
    def error(self) -> float:
        """Expected calibration error.

        This is the mean absolute difference between ``predicted`` and ``observed``,
        weighted by ``n_cells``. It is NaN if no probability reaches ``floor``.
        """
        if not self.n_cells.size:
            return float("nan")
        distance = np.abs(self.predicted - self.observed)
        return float(np.average(distance, weights=self.n_cells))

    def frame(self) -> pd.DataFrame:
        """Return a table with one row per bin: ``predicted, observed, n_cells``."""
        return pd.DataFrame(
            {
                "predicted": self.predicted,
                "observed": self.observed,
                "n_cells": self.n_cells,
            }
        )

    def plot(self) -> "Figure":
        """Draw the calibration curve, with error bars of two standard errors."""
        figure = new_figure(4.8, 4.4)
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], "--", color=GREY, label="perfect")
        spread = np.sqrt(self.observed * (1 - self.observed) / self.n_cells)
        axes.errorbar(
            self.predicted,
            self.observed,
            yerr=2 * spread,
            fmt="o-",
            color=BLUE,
            label=f"model (mean error {self.error:.3f})",
        )
        title = (
            f"{self.n_cells.sum():,} cells from {self.floor:g} on in bins of equal "
            f"count; {self.n_below:,} below"
        )
        axes.set_title(title, fontsize="small")
        axes.set(xlim=(0, 1), ylim=(0, 1.02), xlabel="predicted probability")
        axes.set_ylabel("share that has the label")
        axes.grid(alpha=0.3)
        axes.legend(loc="upper left", frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
        return figure
