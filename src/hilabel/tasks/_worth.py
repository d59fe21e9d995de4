"""What scores of rows that were left out say: calibration, worth and thresholds."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from hilabel._typing import UNLABELED, BoolArray, FloatArray, IntArray, LabelArray
from hilabel.calibration import (
    PredictionWorth,
    ScoreCalibration,
    ScoreCounts,
    calibrate_by_folds,
)
from hilabel.hierarchy import Hierarchy, Ontology
from hilabel.metrics import (
    Thresholds,
    hierarchical_precision_recall_f1,
    per_node_table,
)
from hilabel.tasks._roots import thresholds_of

PREDICTED_FROM: Final = 0.1
"""Calibration is judged from this probability on: below, there is little to predict."""

LABELS_TO_CALIBRATE: Final = 50
"""With fewer labels in all, a calibration would be noise."""


def fold_numbers(folds: Iterable[tuple[IntArray, IntArray]], n_rows: int) -> IntArray:
    """Return the fold that each row is tested in, -1 for those that never are."""
    numbers = np.full(n_rows, -1)
    for number, (_, test) in enumerate(folds):
        numbers[test] = number
    return numbers


def can_calibrate(known: LabelArray) -> bool:
    """Say whether there are enough labels to learn a calibration from."""
    return bool((known == 1).sum() >= LABELS_TO_CALIBRATE)


def is_no_better(quality: float, of_constant: float, n_reliable: int) -> bool:
    """Say whether a model is no better than the constant predictor.

    A calibration makes a model that tells no row from another nearly the constant
    predictor, now a little above it and now below: the terms tell.
    """
    return bool(quality <= of_constant or n_reliable == 0)


@dataclass(frozen=True, eq=False)
class Judged:
    """Scores of rows left out, made probabilities as new rows will get them.

    Attributes
    ----------
    scores : ndarray of shape (n_rows, n_nodes)
        Those of each fold by a calibration that has not seen it.
    calibration : ScoreCalibration or None
    worth : PredictionWorth
    error, error_before : float
        Mean error of the probabilities from ``PREDICTED_FROM`` on, with and without
        calibration.
    """

    scores: FloatArray
    calibration: ScoreCalibration | None
    worth: PredictionWorth
    error: float
    error_before: float


def judge(
    known: LabelArray,
    scores: FloatArray,
    hierarchy: Hierarchy,
    says: BoolArray,
    fold: IntArray,
    *,
    calibrate: bool,
    copy: bool,
) -> Judged:
    """Calibrate scores of rows left out, and measure what they are worth.

    The order within a node is that of the scores: calibrations differ a little from
    fold to fold, so its quality is measured before.
    """
    per_node = per_node_table(known, scores, hierarchy)
    counts = ScoreCounts.of(known, scores, says)
    before = counts.error(floor=PREDICTED_FROM)
    calibration = None
    if calibrate:
        calibration, scores = calibrate_by_folds(
            hierarchy, known, scores, fold, copy=copy
        )
        counts = ScoreCounts.of(known, scores, says)
    worth = PredictionWorth.of_counts(counts, per_node)
    after = counts.error(floor=PREDICTED_FROM)
    return Judged(scores, calibration, worth, after, before)


# Thresholds ---------------------------------------------------------------------------


def thresholds_by_fold(
    known: LabelArray,
    scores: FloatArray,
    ontology: Ontology,
    says: BoolArray,
    fold: IntArray,
    how: Any,
    *,
    per_node: bool,
) -> Iterator[tuple[BoolArray, Thresholds]]:
    """Yield the rows of each fold, and the thresholds that the other folds choose.

    The labels of a fold are unknown to its choice: a copy of the scores of the others
    would take most of the memory.
    """
    for number in range(fold.max() + 1):
        rows = fold == number
        of_others = known.copy()
        of_others[rows] = UNLABELED
        yield (
            rows,
            thresholds_of(of_others, scores, ontology, says, how, per_node=per_node),
        )


def threshold_table(
    known: LabelArray, labels: dict[str, BoolArray], hierarchy: Hierarchy
) -> pd.DataFrame:
    """Return precision, recall and F of label sets, a row for each kind of threshold.

    ``f1`` is of all cells together; ``f1_of_terms`` the mean over the terms that a row
    has, in which rare terms count as much as others.
    """
    rows = []
    for kind, predicted in labels.items():
        found = hierarchical_precision_recall_f1(known, predicted, hierarchy)
        rows.append(
            {
                "thresholds": kind,
                "precision": found.precision,
                "recall": found.recall,
                "f1": found.f1,
                "f1_of_terms": _f1_of_terms(known, predicted),
            }
        )
    return pd.DataFrame(rows)


def _f1_of_terms(known: LabelArray, predicted: BoolArray) -> float:
    positive = known == 1
    n_found = (positive & predicted).sum(axis=0)
    n_positive = positive.sum(axis=0)
    n_predicted = (predicted & (known != -1)).sum(axis=0)
    has_some = n_positive > 0
    f1 = 2 * n_found[has_some] / (n_positive + n_predicted)[has_some]
    return float(f1.mean()) if f1.size else float("nan")
