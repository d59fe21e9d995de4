"""Calibrated probabilities, and how reliable they are."""

from hilabel.calibration._counts import ScoreCounts
from hilabel.calibration._score_calibration import ScoreCalibration, calibrate_by_folds
from hilabel.calibration._worth import PredictionWorth, reliable_nodes

__all__ = [
    "PredictionWorth",
    "ScoreCalibration",
    "ScoreCounts",
    "calibrate_by_folds",
    "reliable_nodes",
]
