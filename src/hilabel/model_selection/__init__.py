"""Split rows into labelled, unlabelled and test rows."""

from hilabel.model_selection._folds import (
    draw_aside as draw_aside,
    draw_folds,
    rows_to_set_aside as rows_to_set_aside,
)
from hilabel.model_selection._grid import (
    Attempt as Attempt,
    GridSearch as GridSearch,
    TriedPoint as TriedPoint,
    grid_points as grid_points,
    search_grid as search_grid,
)
from hilabel.model_selection._masking import mask_labels, mask_labels_nested
from hilabel.model_selection._out_of_fold import (
    OutOfFold as OutOfFold,
    out_of_fold_scores,
    score_out_of_fold as score_out_of_fold,
)
from hilabel.model_selection._split import LabeledKFold, split_labeled

# For users; names imported as themselves are for other packages of hilabel.
__all__ = [
    "LabeledKFold",
    "draw_folds",
    "mask_labels",
    "mask_labels_nested",
    "out_of_fold_scores",
    "split_labeled",
]
