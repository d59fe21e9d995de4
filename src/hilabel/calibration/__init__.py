"""Calibrate probabilities, and measure how reliable they are."""

from hilabel.calibration._best_cells import best_cells as best_cells
from hilabel.calibration._by_folds import calibrate_by_folds
from hilabel.calibration._node_errors import node_errors as node_errors
from hilabel.calibration._score_calibration import ScoreCalibration
from hilabel.calibration._term_groups import (
    PREDICTED_FROM as PREDICTED_FROM,
    TermGroup as TermGroup,
    depth_groups as depth_groups,
    term_groups as term_groups,
)

# For users; names imported as themselves are for other packages of hilabel.
__all__ = [
    "ScoreCalibration",
    "calibrate_by_folds",
]
