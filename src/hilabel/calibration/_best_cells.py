"""The most probable cells of each row, which are worth storing."""

from typing import Final

import numpy as np
import scipy.sparse as sp

from hilabel._label_matrix import LabelMatrix
from hilabel._matrices import row_blocks
from hilabel._score_matrix import ScoreMatrix
from hilabel._typing import FloatArray
from hilabel.hierarchy import Hierarchy

# Number of cells stored per row, in addition to those of its labels.
_CELLS_PER_ROW: Final = 64
_SMALLEST_KEPT: Final = 0.01


def best_cells(
    labels: LabelMatrix,
    scores: ScoreMatrix,
    hierarchy: Hierarchy,
    threshold: FloatArray,
) -> sp.csr_array:
    """Return the most probable cells of each row, in single precision.

    These are up to 64 cells with at least 0.01, all that reach the thresholds of their
    nodes, those of the labels of the row, and the ancestors of all of them.

    Parameters
    ----------
    labels : LabelMatrix of shape (n_rows, n_nodes)
    scores : ScoreMatrix of the same shape
    hierarchy : Hierarchy
    threshold : ndarray of shape (n_nodes,)
        Of the decision rule, which then gives a row the same nodes as before.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel._label_matrix import LabelMatrix
    >>> from hilabel._score_matrix import ScoreMatrix
    >>> from hilabel.calibration import best_cells
    >>> hierarchy = Hierarchy.from_edges([("a", "b")])
    >>> labels = LabelMatrix.of(np.array([[1, 0], [0, 0]]))
    >>> scores = ScoreMatrix.of(np.array([[0.6, 0.004], [0.25, 0.25]]))
    >>> best_cells(labels, scores, hierarchy, np.full(2, 0.5)).toarray()
    array([[0.6 , 0.  ],
           [0.25, 0.25]], dtype=float32)
    """
    parts = [sp.csr_array((0, labels.shape[1]), dtype=np.float32)]
    for rows in row_blocks(labels.shape):
        values = scores.read(rows)
        kept = values >= _SMALLEST_KEPT
        if values.shape[1] > _CELLS_PER_ROW:
            place = values.shape[1] - _CELLS_PER_ROW
            kept &= values >= np.partition(values, place, axis=1)[:, [place]]
        kept |= values >= threshold
        kept = hierarchy.close(kept | labels.present(rows))
        parts.append(sp.csr_array(np.where(kept, values, 0).astype(np.float32)))
    return sp.csr_array(sp.vstack(parts, format="csr"))
