"""Split rows into labelled, unlabelled and test rows."""

from hilabel.model_selection._masking import mask_labels, mask_labels_nested
from hilabel.model_selection._out_of_fold import out_of_fold_scores
from hilabel.model_selection._split import LabeledKFold, split_labeled

__all__ = [
    "LabeledKFold",
    "mask_labels",
    "mask_labels_nested",
    "out_of_fold_scores",
    "split_labeled",
]
