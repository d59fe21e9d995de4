"""Displays that show results as tables (``frame()``) and as figures (``plot()``)."""

from hilabel.report._calibration import CalibrationDisplay
from hilabel.report._clustering_tree import ClusteringTreeDisplay
from hilabel.report._comparison import ComparisonDisplay
from hilabel.report._critical_difference import CriticalDifferenceDisplay
from hilabel.report._decision_path import RowReading, decision_path
from hilabel.report._display import Display
from hilabel.report._explanation import ExplanationDisplay
from hilabel.report._label_fraction import LabelFractionDisplay
from hilabel.report._precision_recall import PrecisionRecallDisplay
from hilabel.report._pseudo_label_panel import Outline, Panel
from hilabel.report._pseudo_labels import PseudoLabelDisplay
from hilabel.report._save import save_figure
from hilabel.report._style import has_matplotlib
from hilabel.report._training_curve import TrainingCurveDisplay
from hilabel.report.page import ModelPage, model_page

__all__ = [
    "CalibrationDisplay",
    "ClusteringTreeDisplay",
    "ComparisonDisplay",
    "CriticalDifferenceDisplay",
    "Display",
    "ExplanationDisplay",
    "LabelFractionDisplay",
    "ModelPage",
    "Outline",
    "Panel",
    "PrecisionRecallDisplay",
    "PseudoLabelDisplay",
    "RowReading",
    "TrainingCurveDisplay",
    "decision_path",
    "has_matplotlib",
    "model_page",
    "save_figure",
]
