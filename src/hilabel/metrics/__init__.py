"""Measures of scores and label sets.

Every measure ignores individual cells and whole rows of ``Y`` that are -1 or NaN. Such
cells never count as absent labels.
"""

from hilabel.metrics._cafa import (
    FmaxResult,
    SminResult,
    fmax,
    information_accretion,
    smin,
)
from hilabel.metrics._choose_thresholds import Thresholds, choose_thresholds
from hilabel.metrics._constant import (
    constant_predictor as constant_predictor,
    frequencies_without_folds as frequencies_without_folds,
    label_frequencies as label_frequencies,
)
from hilabel.metrics._constraint import Violations, hierarchy_violations
from hilabel.metrics._ranking import average_precision, precision_recall_curve
from hilabel.metrics._reliability import PrecisionByProbability, reliable_nodes
from hilabel.metrics._score_counts import (
    ScoreCounts,
    pooled_counts_and_precision as pooled_counts_and_precision,
)
from hilabel.metrics._scorers import average_precision_scorer
from hilabel.metrics._set_based import (
    PrecisionRecallF1,
    exact_match,
    hamming_loss,
    hierarchical_f1,
    hierarchical_precision,
    hierarchical_precision_recall_f1,
    hierarchical_recall,
    matthews_correlation,
)
from hilabel.metrics._tables import per_depth_table, per_node_table

# For users; names imported as themselves are for other packages of hilabel.
__all__ = [
    "FmaxResult",
    "PrecisionByProbability",
    "PrecisionRecallF1",
    "ScoreCounts",
    "SminResult",
    "Thresholds",
    "Violations",
    "average_precision",
    "average_precision_scorer",
    "choose_thresholds",
    "exact_match",
    "fmax",
    "hamming_loss",
    "hierarchical_f1",
    "hierarchical_precision",
    "hierarchical_precision_recall_f1",
    "hierarchical_recall",
    "hierarchy_violations",
    "information_accretion",
    "matthews_correlation",
    "per_depth_table",
    "per_node_table",
    "precision_recall_curve",
    "reliable_nodes",
    "smin",
]
