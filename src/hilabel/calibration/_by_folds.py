"""Calibrate scores of left-out rows, each fold by the other folds."""

from typing import Any

import numpy as np

from hilabel._matrices import row_blocks
from hilabel._typing import ArrayLike, MatrixLike
from hilabel.calibration._grouped_cells import GroupedCells
from hilabel.calibration._score_calibration import ScoreCalibration, checked_cells
from hilabel.hierarchy import Hierarchy


def calibrate_by_folds(
    Y: MatrixLike, scores: MatrixLike, fold: ArrayLike, hierarchy: Hierarchy
) -> tuple[ScoreCalibration, Any]:
    """Return a calibration and calibrated out-of-fold probabilities.

    Parameters
    ----------
    Y, scores : array-like of shape (n_samples, n_nodes)
        As for :meth:`ScoreCalibration.fit`.
    fold : array-like of shape (n_samples,)
        The fold of each row, numbered from 0.
    hierarchy : Hierarchy

    Returns
    -------
    calibration : ScoreCalibration
        Fitted on all rows, for new rows.
    probabilities : ndarray of shape (n_samples, n_nodes)
        Each fold is calibrated on the other folds, so that measures of the result are
        not optimistic. A single fold keeps its scores.

    Raises
    ------
    LabelError, ScoreError
        As in :meth:`ScoreCalibration.fit`.
    ValueError
        If there is not one fold for each row.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel.calibration import calibrate_by_folds
    >>> from hilabel.metrics import ScoreCounts
    >>> scores = np.random.default_rng(0).random((600, 3))
    >>> Y = np.random.default_rng(1).random((600, 3)) < scores**2
    >>> flat = Hierarchy(["a", "b", "c"])
    >>> _, better = calibrate_by_folds(Y, scores, np.arange(600) % 3, flat)
    >>> ScoreCounts.of(Y, better).error() < 0.05 < ScoreCounts.of(Y, scores).error()
    True
    """
    labels, matrix = checked_cells(Y, scores, hierarchy)
    of_row = np.asarray(fold)
    if of_row.shape != (len(labels),) or of_row.min(initial=0) < 0:
        raise ValueError(
            f"Expected a fold for each of {len(labels)} rows, from 0 on, got "
            f"{of_row.size} folds from {of_row.min(initial=0)} on; pass only rows with "
            "out-of-fold scores."
        )
    cells = GroupedCells(labels, matrix)
    n_cells, n_positive = cells.count(slice(None))
    calibration = ScoreCalibration(hierarchy).learn(cells.score, n_cells, n_positive)
    result = matrix.blank()
    for number in range(int(of_row.max(initial=-1)) + 1):
        rows = np.flatnonzero(of_row == number)
        own_cells, own_positive = cells.count(rows)
        others = n_cells - own_cells
        of_others = None
        if others.any():
            of_others = ScoreCalibration(hierarchy).learn(
                cells.score, others, n_positive - own_positive
            )
        for part in row_blocks((rows.size, hierarchy.n_nodes)):
            values = matrix.read(rows[part])
            if of_others is not None:
                values = of_others.probabilities(values)
            result.write(rows[part], values)
    return calibration, result if matrix is scores else result.read()
