"""Calibrate a model's predictions for the unlabelled rows it was trained on."""

from typing import NamedTuple

from hilabel._progress import Report
from hilabel._typing import BoolArray, FloatArray, LabelArray
from hilabel.calibration import ScoreCalibration, calibrate_by_folds
from hilabel.classifiers import BaseHierarchicalClassifier
from hilabel.datasets import HMCDataset
from hilabel.metrics import average_precision
from hilabel.model_selection import LabeledKFold, out_of_fold_scores
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
    dataset: HMCDataset,
    says: BoolArray,
    n_folds: int,
    seed: int,
    report: Report,
) -> UnlabeledRows:
    """Hide the labels of one fold at a time during training, and score its rows.

    Parameters
    ----------
    labels : ndarray of shape (n_samples, n_nodes)
        As for training.
    dataset : HMCDataset
        With the labels to compare with.
    says : ndarray of bool of shape (n_nodes,)
        Which nodes are informative.
    """
    rows = dataset.labeled
    divider = LabeledKFold(n_folds, random_state=seed)
    folds = list(divider.split(None, dataset.Y))
    scores = out_of_fold_scores(
        estimator, X, labels, folds=folds, as_unlabeled=True, report=report
    )[rows]
    known, fold = dataset.Y[rows], fold_numbers(folds, len(rows))[rows]
    calibration, scores = calibrate_by_folds(
        dataset.hierarchy, known, scores, fold, copy=False
    )
    quality = float(average_precision(telling(known, says), scores))
    return UnlabeledRows(calibration, quality)
