"""The quality of scores on rows whose labels are known."""

from typing import Final

import numpy as np

from hilabel._typing import UNLABELED, BoolArray, FloatArray, LabelArray
from hilabel.calibration import HeldOutRecord, PredictionWorth, depth_groups
from hilabel.hierarchy import Hierarchy
from hilabel.metrics import average_precision, fmax, per_node_table
from hilabel.report.page._about import Quality

OUT_OF_FOLD: Final = "out of fold"
ON_ROWS_GIVEN: Final = "on the rows given"
# With more cells, the F-measure at all thresholds takes too long.
_MOST_CELLS: Final = 10_000_000


def measured_quality(
    measured_on: str,
    known: LabelArray,
    scores: FloatArray,
    hierarchy: Hierarchy,
    frequency: FloatArray,
    says: BoolArray,
) -> Quality:
    """Measure the quality of scores and of the constant predictor.

    Parameters
    ----------
    measured_on : str
    known : int8 array of shape (n_rows, n_nodes)
        1, 0, and -1 where unknown.
    scores : ndarray of shape (n_rows, n_nodes)
        Probabilities, with no child higher than a parent.
    hierarchy : Hierarchy
    frequency : ndarray of shape (n_nodes,)
        The scores of the constant predictor for every row.
    says : bool array of shape (n_nodes,)
        The nodes to measure.
    """
    known = np.where(says, known, np.int8(UNLABELED))
    scores = np.clip(scores, 0, 1)
    constant = np.broadcast_to(frequency, scores.shape)
    per_node = per_node_table(known, scores, hierarchy)
    names, masks = depth_groups(hierarchy, says)
    constants = [
        float(average_precision(known[:, mask], constant[:, mask]))
        if (known[:, mask] == 1).any()
        else float("nan")
        for mask in masks
    ]
    record = HeldOutRecord.measure(known, scores, hierarchy, names, masks, constants)
    worth = PredictionWorth.measure(known, scores, per_node, says)
    measures = [
        ("micro average precision", record.groups[0].average_precision, constants[0]),
        macro_average_precision(worth, per_node["prevalence"].to_numpy(), says),
    ]
    if known.size <= _MOST_CELLS:
        best, of_constant = (
            fmax(known, values, thresholds="all").value for values in (scores, constant)
        )
        measures.append(("Fmax", best, of_constant))
    return Quality(
        measured_on=measured_on,
        measures=measures,
        worth=worth,
        term_error=record.term_error,
        groups=record.groups,
    )


def macro_average_precision(
    worth: PredictionWorth, frequency: FloatArray, says: BoolArray
) -> tuple[str, float, float]:
    """Return the macro average precision of the model and of the constant predictor.

    The mean is taken over the terms that occur in the labels. The average precision of
    a constant score is the frequency of the term.
    """
    counted = says & ~np.isnan(worth.quality)
    return (
        "macro average precision",
        float(worth.quality[counted].mean()),
        float(frequency[counted].mean()),
    )
