"""Displays that show results as tables (``frame()``) and as figures (``plot()``)."""

from hilabel.report._calibration import CalibrationDisplay
from hilabel.report._clustering_tree import ClusteringTreeDisplay
from hilabel.report._comparison import ComparisonDisplay as ComparisonDisplay
from hilabel.report._critical_difference import CriticalDifferenceDisplay
from hilabel.report._decision_path import (
    RowReading as RowReading,
    decision_path as decision_path,
)
from hilabel.report._display import Display
from hilabel.report._explanation import ExplanationDisplay as ExplanationDisplay
from hilabel.report._label_fraction import LabelFractionDisplay
from hilabel.report._precision_recall import PrecisionRecallDisplay
from hilabel.report._pseudo_label_panel import Outline as Outline, Panel as Panel
from hilabel.report._pseudo_labels import PseudoLabelDisplay
from hilabel.report._save import save_figure
from hilabel.report._style import has_matplotlib as has_matplotlib
from hilabel.report._training_curve import TrainingCurveDisplay
from hilabel.report.page import ModelPage, model_page

# For users; names imported as themselves are for other packages of hilabel.
__all__ = [
    "CalibrationDisplay",
    "ClusteringTreeDisplay",
    "CriticalDifferenceDisplay",
    "Display",
    "LabelFractionDisplay",
    "ModelPage",
    "PrecisionRecallDisplay",
    "PseudoLabelDisplay",
    "TrainingCurveDisplay",
    "model_page",
    "save_figure",
]
