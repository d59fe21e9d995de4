"""Calibrate probabilities, and measure how reliable they are."""

from hilabel.calibration._counts import ScoreCounts
from hilabel.calibration._held_out import HeldOutRecord, TermGroup, depth_groups
from hilabel.calibration._score_calibration import ScoreCalibration, calibrate_by_folds
from hilabel.calibration._worth import PredictionWorth, reliable_nodes

__all__ = [
    "HeldOutRecord",
    "PredictionWorth",
    "ScoreCalibration",
    "ScoreCounts",
    "TermGroup",
    "calibrate_by_folds",
    "depth_groups",
    "reliable_nodes",
]
