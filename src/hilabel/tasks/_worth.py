"""Calibration, reliability and thresholds from out-of-fold scores."""

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
"""Calibration is judged on probabilities of at least this value."""

LABELS_TO_CALIBRATE: Final = 50
"""With fewer labels in total, a calibration would only fit noise."""


def fold_numbers(folds: Iterable[tuple[IntArray, IntArray]], n_rows: int) -> IntArray:
    """Return the fold in which each row is tested, or -1 if it is never tested."""
    numbers = np.full(n_rows, -1)
    for number, (_, test) in enumerate(folds):
        numbers[test] = number
    return numbers


def can_calibrate(known: LabelArray) -> bool:
    """Return whether there are enough labels to learn a calibration."""
    return bool((known == 1).sum() >= LABELS_TO_CALIBRATE)


def is_no_better(quality: float, of_constant: float, n_reliable: int) -> bool:
    """Return whether a model is no better than the constant predictor.

    After calibration, a model that cannot distinguish between rows scores about the
    same as the constant predictor, sometimes slightly higher. A model therefore only
    counts as better if at least one term is reliable.
    """
    return bool(quality <= of_constant or n_reliable == 0)


@dataclass(frozen=True, eq=False)
class Judged:
    """Out-of-fold scores, converted to probabilities in the same way as for new rows.

    Attributes
    ----------
    scores : ndarray of shape (n_rows, n_nodes)
        Each fold is calibrated on the other folds.
    calibration : ScoreCalibration or None
    worth : PredictionWorth
    error, error_before : float
        Mean error of the probabilities of at least ``PREDICTED_FROM``, with and without
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
    """Calibrate out-of-fold scores and measure their quality.

    The ranking of the rows for a node is measured before calibration, because
    calibrations differ slightly between folds.
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
    """Yield the rows of each fold and the thresholds chosen on the other folds.

    The labels of the fold are set to unknown for this purpose, because copying the
    scores of the other folds would use most of the memory.
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
    """Return a table of precision, recall and F1 with one row per kind of threshold.

    ``f1`` is computed over all cells; ``f1_of_terms`` is the mean over the terms that
    occur, so that rare terms count as much as common ones.
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
