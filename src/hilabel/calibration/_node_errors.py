"""The calibration error of each node."""

from typing import Final

import numpy as np

from hilabel._label_matrix import LabelMatrix
from hilabel._matrices import row_blocks
from hilabel._score_matrix import ScoreMatrix
from hilabel._typing import BoolArray, FloatArray

# Bins for the calibration error of a node; with fewer rows, they would be noisy.
_BINS: Final = 5
_ROWS_PER_BIN: Final = 20
_CELLS_AT_ONCE: Final = 4_000_000


def node_errors(known: LabelMatrix, scores: ScoreMatrix) -> FloatArray:
    """Return the calibration error of each node, using bins with equal counts.

    This is the mean absolute difference between probability and share of positives, in
    up to five bins of rows; NaN for nodes that are not known anywhere, or if there are
    fewer than 20 rows.
    """
    n_rows, n_nodes = known.shape
    n_bins = min(_BINS, n_rows // _ROWS_PER_BIN)
    errors = np.full(n_nodes, np.nan)
    if n_bins == 0:
        return errors
    starts = np.linspace(0, n_rows, n_bins + 1).astype(np.int64)[:-1]
    for nodes in row_blocks((n_nodes, n_rows), _CELLS_AT_ONCE):
        which = np.arange(n_nodes)[nodes]
        values, is_positive, is_known = _sorted_rows(
            known.present_columns(which),
            known.known_columns(which),
            scores.columns(which),
        )
        distance = np.where(is_known, values - is_positive, 0)
        in_bins = np.abs(np.add.reduceat(distance, starts, axis=1)).sum(axis=1)
        n_known = is_known.sum(axis=1)
        np.divide(in_bins, n_known, out=errors[nodes], where=n_known > 0)
    return np.minimum(errors, 1)


def _sorted_rows(
    positive: BoolArray, known: BoolArray, scores: FloatArray
) -> tuple[FloatArray, BoolArray, BoolArray]:
    """Sort each row by score, and return scores, labels and known cells.

    Sorting values is several times faster than computing their order, so the labels are
    stored in the lowest bits of the scores before sorting.
    """
    single = np.ascontiguousarray(np.clip(scores, 0, 1), dtype=np.float32) + 0.0
    codes = single.view(np.uint32)
    codes &= np.uint32(2**32 - 4)
    codes |= positive
    codes |= known * np.uint32(2)
    codes.sort(axis=1)
    is_positive, is_known = (codes & 1).astype(bool), (codes & 2).astype(bool)
    return (codes & np.uint32(2**32 - 4)).view(np.float32), is_positive, is_known
