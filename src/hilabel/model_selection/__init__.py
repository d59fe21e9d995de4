"""Split rows into labelled, unlabelled and test rows."""

from hilabel.model_selection._folds import draw_folds
from hilabel.model_selection._masking import mask_labels, mask_labels_nested
from hilabel.model_selection._out_of_fold import (
    OutOfFold,
    out_of_fold_scores,
    score_out_of_fold,
)
from hilabel.model_selection._split import LabeledKFold, split_labeled

__all__ = [
    "LabeledKFold",
    "OutOfFold",
    "draw_folds",
    "mask_labels",
    "mask_labels_nested",
    "out_of_fold_scores",
    "score_out_of_fold",
    "split_labeled",
]
