"""Turn scores into probabilities, first for all nodes together, then node by node."""

from typing import Any, ClassVar, Final, Self

import numpy as np
from scipy.special import expit, logit
from sklearn.exceptions import NotFittedError
from sklearn.isotonic import IsotonicRegression

from hilabel._saved_types import Array, saved_type
from hilabel._typing import ArrayLike, BoolArray, FloatArray, IntArray, MatrixLike
from hilabel._validation import check_known_labels
from hilabel.calibration._counts import (
    N_CODES,
    ScoreCounts,
    check_probabilities,
    codes_of,
    first_of_code,
    row_blocks,
)
from hilabel.constraints import cap_by_parents
from hilabel.exceptions import LabelError
from hilabel.hierarchy import Hierarchy

_N_GROUPS: Final = 256
# Prior standard deviations of the offset and slope of a node. Of sixteen pairs, this
# one had the lowest out-of-fold log loss on cellcycle_GO and one synthetic set. Hidden
# rows and the other sets of benchmarks/results/calibration.md were not used.
_SPREAD_OF_OFFSET: Final = 2.0
_SPREAD_OF_SLOPE: Final = 0.5
# The order within a node is never reversed.
_LEAST_SLOPE: Final = 0.05
_NEWTON_STEPS: Final = 20
# Breaks ties of the isotonic regression, in log odds from score 0 to 1.
_RISE: Final = 1e-3
# For larger log odds, the odds overflow double precision.
_MOST_LOG_ODDS: Final = 700


@saved_type
class ScoreCalibration:
    """Turn scores into calibrated probabilities.

    An isotonic regression over the cells of all nodes estimates the fraction of cells
    with a given score that have the label. The regression is made strictly increasing,
    so that it creates no ties. The log odds of each node are then adjusted by an offset
    and a slope (Platt scaling), which are shrunk towards 0 and 1, so that the
    probabilities of a node with few positives hardly change. Finally, probabilities are
    capped so that no child is more probable than a parent.

    Parameters
    ----------
    hierarchy : Hierarchy

    Attributes
    ----------
    scores_, log_odds_ : ndarray of shape (n_knots,)
        The curve for all nodes.
    offset_, slope_ : ndarray of shape (n_nodes,)
        The adjustment of each node.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel.calibration import ScoreCalibration
    >>> hierarchy = Hierarchy(["a", "b"])
    >>> scores = np.random.default_rng(0).random((2000, 2))
    >>> Y = np.random.default_rng(1).random((2000, 2)) < scores**2  # scores too high
    >>> calibration = ScoreCalibration(hierarchy).fit(Y, scores)
    >>> calibration.transform([[0.6, 0.9]]).round(1)  # about .36 and .81
    array([[0.4, 0.8]])
    """

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "hierarchy": Hierarchy,
        "scores_": Array("f8", ("n_knots",), 0, 1),
        "log_odds_": Array("f8", ("n_knots",)),
        "offset_": Array("f8", ("n_nodes",)),
        "slope_": Array("f8", ("n_nodes",), 0),
    }

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy

    def fit(self, Y: MatrixLike, scores: MatrixLike) -> Self:
        """Fit the calibration to scores of rows that the model was not trained on.

        Parameters
        ----------
        Y : array-like of shape (n_samples, n_nodes)
            Cells of -1 or NaN are ignored.
        scores : array-like of shape (n_samples, n_nodes)
            From 0 to 1, such as :func:`~hilabel.model_selection.out_of_fold_scores`.

        Raises
        ------
        LabelError, ScoreError
            If the shapes do not match the hierarchy, no cell is known, or scores are
            outside [0, 1].
        """
        positive, known, values = _checked(Y, scores, self.hierarchy)
        nobody = np.zeros(len(values), dtype=np.int64)
        return self._learn(*_GroupedCells(positive, known, values, nobody).of(None))

    def transform(self, scores: MatrixLike, *, copy: bool = True) -> FloatArray:
        """Convert scores to probabilities, with no child more probable than a parent.

        Parameters
        ----------
        scores : array-like of shape (n_samples, n_nodes)
            From 0 to 1.
        copy : bool, default=True
            If False, an array of floats is overwritten.
        """
        if not hasattr(self, "scores_"):
            raise NotFittedError("The calibration is not fitted; call fit first.")
        values = check_probabilities(scores, (None, self.hierarchy.n_nodes))
        result = np.empty_like(values) if copy else values
        self._write(values, result, np.arange(len(values)))
        return result

    def is_sound(self) -> bool:
        """Return whether the curve, which may come from a file, is valid on [0, 1]."""
        knots, farthest = self.scores_, np.abs(self.log_odds_).max(initial=0)
        return bool(
            self.offset_.size == self.hierarchy.n_nodes
            and knots.size >= 2
            and knots[0] == 0
            and knots[-1] == 1
            and (np.diff(knots) > 0).all()
            and (first_of_code(knots) == knots).all()
            and farthest <= _MOST_LOG_ODDS
            and (farthest * self.slope_ + np.abs(self.offset_) <= _MOST_LOG_ODDS).all()
        )

    def _write(self, scores: FloatArray, result: FloatArray, rows: IntArray) -> None:
        """Write the probabilities of the given rows to ``result``."""
        start, rise = self._line_by_code()
        for part in row_blocks(np.broadcast_to(0, (rows.size, scores.shape[1]))):
            block = scores[rows[part]]
            codes = codes_of(block)
            odds = rise.take(codes)
            odds *= block
            odds += start.take(codes)
            odds *= -self.slope_
            odds -= self.offset_
            np.exp(odds, out=odds)
            odds += 1
            result[rows[part]] = cap_by_parents(1 / odds, self.hierarchy)

    def _line_by_code(self) -> tuple[FloatArray, FloatArray]:
        """Return the intercept and slope of the curve for each possible score code.

        This is equivalent to :func:`numpy.interp`, but needs no search for each cell,
        because each knot of the curve is the lowest score with its code.
        """
        rise = np.diff(self.log_odds_) / np.diff(self.scores_)
        start = self.log_odds_[:-1] - rise * self.scores_[:-1]
        codes = codes_of(self.scores_).astype(np.int64)
        length = codes[1:] - codes[:-1]
        length[-1] += 1  # a score of 1
        return np.repeat(start, length), np.repeat(rise, length)

    def _learn(
        self, score: FloatArray, n_cells: FloatArray, n_positive: FloatArray
    ) -> Self:
        """Fit the calibration to cells counted by node and score group."""
        self.scores_, self.log_odds_ = _rising_line(
            score, n_cells.sum(axis=0), n_positive.sum(axis=0)
        )
        odds = np.interp(score, self.scores_, self.log_odds_)
        self.offset_, self.slope_ = _lines_of_nodes(odds, n_cells, n_positive)
        return self


def calibrate_by_folds(
    hierarchy: Hierarchy,
    Y: MatrixLike,
    scores: MatrixLike,
    fold: ArrayLike,
    *,
    copy: bool = True,
) -> tuple[ScoreCalibration, FloatArray]:
    """Return a calibration and calibrated out-of-fold probabilities.

    Parameters
    ----------
    hierarchy : Hierarchy
    Y, scores : array-like of shape (n_samples, n_nodes)
        As for :meth:`ScoreCalibration.fit`.
    fold : array-like of shape (n_samples,)
        The fold of each row, numbered from 0.
    copy : bool, default=True
        If False, an array of floats is overwritten.

    Returns
    -------
    calibration : ScoreCalibration
        Fitted on all rows, for new rows.
    probabilities : ndarray of shape (n_samples, n_nodes)
        Each fold is calibrated on the other folds, so that measures of the result are
        not optimistic.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel.calibration import ScoreCounts, calibrate_by_folds
    >>> scores = np.random.default_rng(0).random((600, 3))
    >>> Y = np.random.default_rng(1).random((600, 3)) < scores**2
    >>> hierarchy = Hierarchy(["a", "b", "c"])
    >>> _, better = calibrate_by_folds(hierarchy, Y, scores, np.arange(600) % 3)
    >>> ScoreCounts.of(Y, better).error() < 0.05 < ScoreCounts.of(Y, scores).error()
    True
    """
    positive, known, values = _checked(Y, scores, hierarchy)
    folds = np.asarray(fold)
    cells = _GroupedCells(positive, known, values, folds)
    calibration = ScoreCalibration(hierarchy)._learn(*cells.of(None))
    result = values.copy() if copy else values
    for number in range(cells.n_folds):
        of_others = ScoreCalibration(hierarchy)._learn(*cells.of(number))
        of_others._write(values, result, np.flatnonzero(folds == number))
    return calibration, result


def _checked(
    Y: MatrixLike, scores: MatrixLike, hierarchy: Hierarchy
) -> tuple[BoolArray, BoolArray, FloatArray]:
    positive, known = check_known_labels(Y)
    if positive.shape[1] != hierarchy.n_nodes or not known.any():
        raise LabelError(
            f"Expected Y with {hierarchy.n_nodes} columns, one for each node of the "
            f"hierarchy, and a known cell, got shape {positive.shape} with "
            f"{int(known.sum())} known cells."
        )
    return positive, known, check_probabilities(scores, positive.shape)


class _GroupedCells:
    """Cells counted by fold, node and score group.

    The counts of all folds but one are the total minus the counts of that fold, so no
    cell is counted twice.
    """

    def __init__(
        self, positive: BoolArray, known: BoolArray, scores: FloatArray, fold: IntArray
    ) -> None:
        self.score, group_of = _group_scores(positive, known, scores)
        n_groups = self.score.size
        n_nodes = scores.shape[1]
        self.n_folds = int(fold.max()) + 1
        shape = (self.n_folds, n_nodes, n_groups)
        self._n_cells, self._n_positive = np.zeros((2, *shape), dtype=np.int32)
        place = np.arange(n_nodes) * n_groups
        for number in range(self.n_folds):
            rows = np.flatnonzero(fold == number)
            for part in row_blocks(np.broadcast_to(0, (rows.size, n_nodes))):
                block = rows[part]
                cells = group_of[codes_of(scores[block])] + place
                for table, mask in (
                    (self._n_cells, known[block]),
                    (self._n_positive, positive[block]),
                ):
                    found = np.bincount(cells[mask], minlength=n_nodes * n_groups)
                    table[number] += found.reshape(n_nodes, n_groups)

    def of(self, left_out: int | None) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the scores and counts for all folds, or for all but one."""
        tables = []
        for table in (self._n_cells, self._n_positive):
            total = table.sum(axis=0)
            tables.append(total if left_out is None else total - table[left_out])
        return self.score, tables[0].astype(float), tables[1].astype(float)


def _group_scores(
    positive: BoolArray, known: BoolArray, scores: FloatArray
) -> tuple[FloatArray, Any]:
    """Return the mean score of each group, and the group of each code.

    Groups are balanced by number of cells and by sum of scores, with equal weight. This
    results in many groups where positives are expected, and enough groups where almost
    no cell has the label. Labels are not used, since the labels of a fold must not leak
    into other folds.
    """
    counts = ScoreCounts.of_cells(positive, known, scores)
    mean = counts.total / counts.n_cells
    weight = counts.n_cells / counts.n_cells.sum()
    weight = weight + counts.total / max(float(counts.total.sum()), 1e-12)
    before = np.cumsum(weight) - weight / 2
    part = (before * (_N_GROUPS / 2)).astype(np.int64)
    starts = np.flatnonzero(np.diff(part, prepend=-1))
    n_cells = np.add.reduceat(counts.n_cells, starts)
    codes = codes_of(mean[starts])
    group_of = np.searchsorted(codes, np.arange(N_CODES), side="right") - 1
    total = np.add.reduceat(counts.total, starts)
    return total / n_cells, np.maximum(group_of, 0)


def _rising_line(
    score: FloatArray, n_cells: FloatArray, n_positive: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the scores and log odds at the knots of the curve for all nodes."""
    seen = n_cells > 0
    score, n_cells, n_positive = score[seen], n_cells[seen], n_positive[seen]
    share = IsotonicRegression().fit_transform(
        score, n_positive / n_cells, sample_weight=n_cells
    )
    starts = np.flatnonzero(np.diff(share, prepend=-1.0) > 0)
    in_block = np.add.reduceat(n_cells, starts)
    center: Any = np.add.reduceat(score * n_cells, starts) / in_block
    # One more cell with the overall share of positives, to avoid certainty.
    usual = np.clip(n_positive.sum() / n_cells.sum(), 1e-6, 1 - 1e-6)
    share = (np.add.reduceat(n_positive, starts) + usual) / (in_block + 1)
    odds: Any = np.maximum.accumulate(logit(share))
    center = first_of_code(center)
    if center[0] > 0:
        center, odds = np.append(0.0, center), np.append(odds[0] - 1, odds)
    if center[-1] < 1:
        center, odds = np.append(center, 1.0), np.append(odds, odds[-1] + 1)
    return center, odds + _RISE * center


def _lines_of_nodes(
    odds: FloatArray, n_cells: FloatArray, n_positive: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Fit the offset and slope of each node by logistic regression on the log odds.

    The penalty corresponds to normal priors around 0 and 1. Each Newton step is
    computed for all nodes together.
    """
    of_offset, of_slope = 1 / _SPREAD_OF_OFFSET**2, 1 / _SPREAD_OF_SLOPE**2
    offset: Any = np.zeros(len(n_cells))
    slope: Any = np.ones(len(n_cells))
    for _ in range(_NEWTON_STEPS):
        probability = expit(offset[:, None] + slope[:, None] * odds)
        missing = n_positive - n_cells * probability
        weight = n_cells * probability * (1 - probability)
        by_offset = missing.sum(axis=1) - of_offset * offset
        by_slope = missing @ odds - of_slope * (slope - 1)
        a = weight.sum(axis=1) + of_offset
        b, c = weight @ odds, weight @ odds**2 + of_slope
        determinant = a * c - b * b
        # Steps are bounded, since the first may be too large.
        step = np.clip((c * by_offset - b * by_slope) / determinant, -1, 1)
        turn = np.clip((a * by_slope - b * by_offset) / determinant, -0.5, 0.5)
        offset, slope = offset + step, np.maximum(slope + turn, _LEAST_SLOPE)
        if max(np.abs(step).max(), np.abs(turn).max()) < 1e-6:
            break
    return offset, slope
