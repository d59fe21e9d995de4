"""How good scores are: the same measures, of the same cells, everywhere."""

from dataclasses import dataclass
from typing import Annotated, Self

import numpy as np

from hilabel._label_matrix import LabelMatrix
from hilabel._saved_types import Array, saved_type
from hilabel._score_matrix import ScoreMatrix
from hilabel._typing import FloatArray, IntArray
from hilabel.metrics import average_precision, fmax, smin


@saved_type
@dataclass(frozen=True, eq=False)
class Quality:
    """The quality of scores, without uninformative roots.

    Attributes
    ----------
    micro, macro : float
        Average precision over all cells, and the mean of ``by_node``.
    fmax, smin : float
        The measures of CAFA, at thresholds 0.01, 0.02, ...; lower is better for Smin.
    by_fold : ndarray of shape (n_folds,)
        ``micro`` in each fold; NaN in a fold without a label.
    by_node : ndarray of shape (n_nodes,)
        Average precision of each node; NaN in a node without a label.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel._label_matrix import LabelMatrix
    >>> from hilabel._score_matrix import ScoreMatrix
    >>> from hilabel.judgement import Quality
    >>> labels = LabelMatrix.of(np.array([[1, 0], [0, 1]]))
    >>> scores = ScoreMatrix.of(np.array([[0.9, 0.3], [0.2, 0.8]]))
    >>> quality = Quality.measure(labels, scores, np.ones(2), np.zeros(2, dtype=int))
    >>> quality.micro, quality.fmax
    (1.0, 1.0)
    """

    micro: float
    macro: float
    fmax: float
    smin: float
    by_fold: Annotated[FloatArray, Array("f8", ("n_folds",), 0, 1.001, gaps=True)]
    by_node: Annotated[FloatArray, Array("f8", ("n_nodes",), 0, 1.001, gaps=True)]

    @classmethod
    def measure(
        cls,
        labels: LabelMatrix,
        scores: ScoreMatrix,
        information: FloatArray,
        fold: IntArray,
    ) -> Self:
        """Measure scores.

        Parameters
        ----------
        labels : LabelMatrix of shape (n_rows, n_nodes)
            Cells of uninformative nodes are unknown.
        scores : ScoreMatrix of the same shape
        information : ndarray of shape (n_nodes,)
            Information accretion of each node, in bits.
        fold : int array of shape (n_rows,)
        """
        n_folds = int(fold.max(initial=-1)) + 1
        parts = (np.flatnonzero(fold == number) for number in range(n_folds))
        by_fold = np.array([_micro(labels[rows], scores[rows]) for rows in parts])
        if not labels.positive.nnz:
            nothing, of_nodes = float("nan"), np.full(labels.shape[1], np.nan)
            return cls(nothing, nothing, nothing, nothing, by_fold, of_nodes)
        by_node = average_precision(labels, scores, None)
        return cls(
            micro=_micro(labels, scores),
            macro=float(by_node[~np.isnan(by_node)].mean()),
            fmax=fmax(labels, scores).value,
            smin=smin(labels, scores, information).value,
            by_fold=by_fold,
            by_node=by_node,
        )

    def measures(self) -> dict[str, float]:
        """Return the measures by name."""
        return {
            "micro average precision": self.micro,
            "macro average precision": self.macro,
            "Fmax": self.fmax,
            "Smin": self.smin,
        }


def _micro(labels: LabelMatrix, scores: ScoreMatrix) -> float:
    if not labels.positive.nnz:
        return float("nan")
    return float(average_precision(labels, scores))


def standard_error(one: Quality, other: Quality) -> float:
    """Return the standard error of the difference between two methods, over folds.

    The folds share most of their training rows, so their results vary less than those
    of independent samples; the second term corrects for this (Nadeau and Bengio, 2003).
    """
    differences = one.by_fold - other.by_fold
    differences = differences[~np.isnan(differences)]
    if differences.size < 2:
        return float("nan")
    inflation = np.sqrt(1 / differences.size + 1 / (differences.size - 1))
    return float(differences.std(ddof=1) * inflation)
