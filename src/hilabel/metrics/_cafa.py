"""Measures from the CAFA challenges: Fmax, Smin and information accretion."""

from dataclasses import dataclass
from functools import reduce
from typing import Literal

import numpy as np
import scipy.sparse as sp

from hilabel._label_matrix import LabelMatrix
from hilabel._typing import ArrayLike, FloatArray, IntArray, MatrixLike
from hilabel.exceptions import LabelError
from hilabel.hierarchy import Hierarchy
from hilabel.metrics._cells import Cells
from hilabel.metrics._inputs import cells_of, check_required_hierarchy, label_matrix
from hilabel.metrics._thresholds import (
    divide,
    summed_information,
    summed_precision_and_recall,
    threshold_grid,
)


@dataclass(frozen=True)
class FmaxResult:
    """The best F1 over all thresholds, and its components.

    Attributes
    ----------
    value : float
        The F1 of ``precision`` and ``recall``.
    threshold : float
        The lowest threshold that reaches it.
    precision, recall : float
        Means over rows at that threshold.
    coverage : float
        Share of the rows with at least one prediction at that threshold.

    Examples
    --------
    >>> from hilabel.metrics import fmax
    >>> best = fmax([[1, 0], [1, 1]], [[0.9, 0.2], [0.8, 0.6]])
    >>> best.value, best.threshold
    (1.0, 0.21)
    """

    value: float
    threshold: float
    precision: float
    recall: float
    coverage: float


@dataclass(frozen=True)
class SminResult:
    """The smallest semantic distance over all thresholds, and its components.

    Attributes
    ----------
    value : float
        Square root of ``remaining_uncertainty`` squared plus ``misinformation``
        squared.
    threshold : float
        The lowest threshold that reaches it.
    remaining_uncertainty, misinformation : float
        Mean information of the missed and of the wrongly predicted labels, in bits.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.metrics import information_accretion, smin
    >>> h = Hierarchy.from_edges([("a", "b")])
    >>> Y = [[1, 0], [1, 1]]
    >>> best = smin(Y, [[0.9, 0.2], [0.8, 0.6]], information_accretion(Y, h))
    >>> best.value
    0.0
    """

    value: float
    threshold: float
    remaining_uncertainty: float
    misinformation: float


def fmax(
    Y: MatrixLike,
    scores: MatrixLike,
    thresholds: ArrayLike | Literal["all"] | None = None,
) -> FmaxResult:
    """Return the protein-centric maximum F-measure of CAFA [1]_.

    At each threshold, the labels with at least that score are predicted. Precision is
    the mean over the rows with at least one prediction, and recall is the mean over all
    rows.

    Parameters
    ----------
    Y : array-like, sparse matrix or DataFrame of shape (n_samples, n_nodes)
        1 or True, 0 or False; cells of -1 or NaN are ignored. Rows without any label
        are ignored too, since their recall is undefined.
    scores : array-like of shape (n_samples, n_nodes)
    thresholds : array-like of shape (n_thresholds,), "all" or None, default=None
        None means 0.01, 0.02, ..., 1.00; "all" means every distinct score or, with more
        than ten million cells, a thousand scores of positives, excluding the lowest
        percent. Thresholds are rounded to the precision of ``scores``, so that a
        single-precision 0.7 reaches the threshold 0.7.

    Returns
    -------
    FmaxResult
        The value is 0 if nothing is predicted at any threshold.

    Raises
    ------
    LabelError
        If no row has a label.
    ScoreError
        If ``scores`` does not have the shape of ``Y`` or is not finite.

    References
    ----------
    .. [1] P. Radivojac et al. A large-scale evaluation of computational protein
       function prediction. Nature Methods 10, 2013.

    Examples
    --------
    >>> from hilabel.metrics import fmax
    >>> result = fmax([[1, 0], [1, 1]], [[0.9, 0.4], [0.4, 0.2]])
    >>> round(result.value, 4), result.threshold, result.coverage
    (0.8571, 0.01, 1.0)
    """
    return best_f_measure(cells_of(Y, scores), thresholds)


def best_f_measure(
    cells: Cells, thresholds: ArrayLike | Literal["all"] | None
) -> FmaxResult:
    """Return the result of :func:`fmax` for validated input."""
    n_rows, cells = _rows_with_labels(cells)
    grid = threshold_grid(cells, thresholds)
    sums = summed_precision_and_recall(cells, grid)
    precision_sum, recall_sum, n_predicting = sums
    # The sums of a perfect result may be rounded up.
    precision = np.minimum(divide(precision_sum, n_predicting), 1)
    recall = np.minimum(recall_sum / n_rows, 1)
    f1 = divide(2 * precision * recall, precision + recall)
    best = int(np.argmax(f1))
    return FmaxResult(
        value=float(f1[best]),
        threshold=float(grid[best]),
        precision=float(precision[best]),
        recall=float(recall[best]),
        coverage=float(n_predicting[best] / n_rows),
    )


def information_accretion(
    Y: MatrixLike, hierarchy: Hierarchy, pseudo_count: float = 0.0
) -> FloatArray:
    """Return the information, in bits, that each node adds to its parents [1]_.

    That is ``-log2(P(v | all parents of v))``, where the probability is the fraction of
    rows that have ``v`` among the rows that have all its parents or, for a root, among
    all rows.

    Parameters
    ----------
    Y : array-like, sparse matrix or DataFrame of shape (n_samples, n_nodes)
        Labels of the training rows; missing ancestors are added. For each node, only
        rows count in which the node and its parents are known, not -1 or NaN.
    hierarchy : Hierarchy
    pseudo_count : float, default=0.0
        Number of pseudo-rows, with the node and all its parents, added for each node.

    Returns
    -------
    ndarray of shape (n_nodes,)
        Finite and never negative. A node that never occurs although its parents do gets
        ``log2(n + 1)`` for ``n`` rows with the parents, as if it occurred in the
        next row. A node whose parents never occur together gets 0, since nothing is
        known about it.

    Raises
    ------
    LabelError
        If ``Y`` does not match the hierarchy or no cell is labelled.

    References
    ----------
    .. [1] W. T. Clark, P. Radivojac. Information-theoretic evaluation of predicted
       ontological annotations. Bioinformatics 29, 2013.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.metrics import information_accretion
    >>> h = Hierarchy.from_edges([("a", "b"), ("a", "c")])
    >>> Y = [[1, 1, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0]]
    >>> information_accretion(Y, h)  # 3 of 4 rows; 1 of 3; never seen in 3
    array([0.4150375, 1.5849625, 2.       ])
    """
    if not (np.isfinite(pseudo_count) and pseudo_count >= 0):
        raise ValueError(f"Expected pseudo_count of 0 or more, got {pseudo_count}.")
    hierarchy = check_required_hierarchy(hierarchy)
    labels = label_matrix(Y, hierarchy)
    n_given, n_seen = _count_given(labels, hierarchy)
    added = np.where(n_seen == 0, 1.0, 0.0) if pseudo_count == 0 else pseudo_count
    return np.log2(n_given + added) - np.log2(n_seen + added)


def _count_given(
    labels: LabelMatrix, hierarchy: Hierarchy
) -> tuple[FloatArray, FloatArray]:
    """Count the rows with all parents of each node, and those that also have it.

    Only rows count in which the node and its parents are known.
    """
    by_node = sp.csc_array(hierarchy.close(labels.positive))
    rows_of = np.split(by_node.indices, by_node.indptr[1:-1])
    n_rows = np.bincount(labels.row_group, minlength=len(labels.knows))
    n_given, n_seen = np.zeros((2, hierarchy.n_nodes))
    for node, own in enumerate(rows_of):
        parents = hierarchy.parents(node)
        groups = labels.node_group[np.append(parents, node)]
        usable = np.asarray(labels.knows[:, groups].all(axis=1))
        n_seen[node] = np.count_nonzero(usable[labels.row_group[own]])
        if not parents.size:
            n_given[node] = n_rows @ usable
            continue
        given = reduce(_in_both, (rows_of[parent] for parent in parents))
        n_given[node] = np.count_nonzero(usable[labels.row_group[given]])
    return n_given, n_seen


def _in_both(one: IntArray, other: IntArray) -> IntArray:
    return np.intersect1d(one, other, assume_unique=True)


def smin(
    Y: MatrixLike,
    scores: MatrixLike,
    information_accretion: ArrayLike,
    thresholds: ArrayLike | Literal["all"] | None = None,
) -> SminResult:
    """Return the minimum semantic distance of CAFA [1]_; lower is better.

    At each threshold, the information of the missed labels (remaining uncertainty) and
    of the wrongly predicted labels (misinformation) is summed in each row and averaged
    over rows.

    Parameters
    ----------
    Y : array-like, sparse matrix or DataFrame of shape (n_samples, n_nodes)
        1 or True, 0 or False; cells of -1 or NaN are ignored, and so are rows without
        any label, as in :func:`fmax`.
    scores : array-like of shape (n_samples, n_nodes)
    information_accretion : array-like of shape (n_nodes,)
        Bits per node, such as :func:`information_accretion` of the training rows.
    thresholds : array-like of shape (n_thresholds,), "all" or None, default=None
        As in :func:`fmax`.

    Raises
    ------
    LabelError
        If no row has a label.
    ScoreError
        If ``scores`` does not have the shape of ``Y`` or is not finite.

    References
    ----------
    .. [1] Y. Jiang et al. An expanded evaluation of protein function prediction
       methods shows an improvement in accuracy. Genome Biology 17, 2016.

    Examples
    --------
    >>> from hilabel.metrics import smin
    >>> smin([[1, 1, 0]], [[0.9, 0.2, 0.5]], [1.0, 3.0, 4.0], thresholds=[0.1, 0.6])
    SminResult(value=3.0, threshold=0.6, remaining_uncertainty=3.0, misinformation=0.0)
    """
    n_rows, cells = _rows_with_labels(cells_of(Y, scores))
    information = _check_information(information_accretion, cells.shape[1])
    grid = threshold_grid(cells, thresholds)
    found, wrong = summed_information(cells, grid, information)
    everything = float(cells.n_positive @ information)
    # Keep rounding from making the remainder after the last label negative.
    uncertainty = np.maximum(everything - found, 0.0) / n_rows
    misinformation = wrong / n_rows
    distance = np.hypot(uncertainty, misinformation)
    best = int(np.argmin(distance))
    return SminResult(
        value=float(distance[best]),
        threshold=float(grid[best]),
        remaining_uncertainty=float(uncertainty[best]),
        misinformation=float(misinformation[best]),
    )


def _rows_with_labels(cells: Cells) -> tuple[int, Cells]:
    """Return the number of rows with a label, and their cells; others are unknown."""
    rows = cells.n_positive_of_rows > 0
    if not rows.any():
        raise LabelError(
            f"Expected at least one row of Y with a label, got {rows.size} rows "
            "without labels; the measure averages over rows with labels."
        )
    return int(rows.sum()), cells.without_rows(~rows)


def _check_information(information: ArrayLike, n_nodes: int) -> FloatArray:
    values = np.asarray(information, dtype=np.float64)
    if values.shape != (n_nodes,):
        raise ValueError(
            f"Expected information_accretion of shape ({n_nodes},), one value per "
            f"node, got {values.shape}."
        )
    if not (np.isfinite(values) & (values >= 0)).all():
        raise ValueError(
            "Expected information_accretion finite and not negative, got values from "
            f"{values.min()} to {values.max()}."
        )
    return values
