"""Calibrate a model's predictions for the unlabelled rows it was trained on."""

from collections.abc import Sequence
from typing import NamedTuple

from hilabel._progress import Report
from hilabel._typing import BoolArray, FloatArray, IntArray, LabelArray
from hilabel.calibration import ScoreCalibration, calibrate_by_folds
from hilabel.classifiers import BaseHierarchicalClassifier
from hilabel.metrics import average_precision
from hilabel.model_selection import out_of_fold_scores
from hilabel.tasks._roots import telling
from hilabel.tasks._worth import fold_numbers


class UnlabeledRows(NamedTuple):
    """Calibration and quality of the scores for unlabelled training rows.

    A method that guesses the labels of unlabelled rows also learns from wrong guesses.
    Its scores for these rows are therefore less accurate and more extreme than its
    scores for new rows.

    Attributes
    ----------
    calibration : ScoreCalibration
    quality : float
        Micro average precision without uninformative roots.
    """

    calibration: ScoreCalibration
    quality: float

    def __str__(self) -> str:
        return (
            "quality on unlabelled rows of this table: micro average precision "
            f"{self.quality:.3f}, estimated by hiding the labels of labelled rows; "
            "probabilities of these rows are calibrated separately"
        )


def measure_unlabeled_rows(
    estimator: BaseHierarchicalClassifier,
    X: FloatArray,
    labels: LabelArray,
    known: LabelArray,
    rows: BoolArray,
    says: BoolArray,
    folds: Sequence[tuple[IntArray, IntArray]],
    report: Report,
) -> UnlabeledRows:
    """Hide the labels of one fold at a time during training, and score its rows.

    Parameters
    ----------
    labels : ndarray of shape (n_samples, n_nodes)
        As for training.
    known : ndarray of shape (n_labeled, n_nodes)
        The labels to compare with; -1 where unknown.
    rows : ndarray of bool of shape (n_samples,)
        Which rows are labelled.
    says : ndarray of bool of shape (n_nodes,)
        Which nodes are informative.
    """
    scores = out_of_fold_scores(
        estimator, X, labels, folds=folds, as_unlabeled=True, report=report
    )[rows]
    fold = fold_numbers(folds, len(rows))[rows]
    calibration, scores = calibrate_by_folds(
        estimator.hierarchy_, known, scores, fold, copy=False
    )
    quality = float(average_precision(telling(known, says), scores))
    return UnlabeledRows(calibration, quality)
