"""Choose the score thresholds for predicting labels, using rows with known labels."""

from dataclasses import dataclass
from typing import Annotated, Final, Literal, NamedTuple

import numpy as np

from hilabel._saved_types import Array, Count, Number, saved_type
from hilabel._typing import BoolArray, FloatArray, MatrixLike
from hilabel.hierarchy import Hierarchy
from hilabel.metrics._blocks import is_large, sampled_rows
from hilabel.metrics._cafa import best_f_measure
from hilabel.metrics._cells import Cells, count_at_least
from hilabel.metrics._inputs import cells_of, check_required_hierarchy

_N_POOLED_POINTS: Final = 500


@saved_type
@dataclass(frozen=True, eq=False)
class Thresholds:
    """The chosen thresholds: one for all nodes together, and one for each node.

    Attributes
    ----------
    overall : float
        The best threshold for all nodes together.
    per_node : ndarray of shape (n_nodes,)
        The best threshold for each node, given those of its children.
    objective : {"fmax", "f1"}
        What ``overall`` maximises.
    value : float
        The objective at ``overall``, on the rows given.
    n_chosen : int
        Number of nodes with enough positive rows for their own threshold.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.metrics import choose_thresholds
    >>> h = Hierarchy.from_edges([("a", "b")])
    >>> chosen = choose_thresholds([[1, 1], [1, 0]], [[0.9, 0.7], [0.8, 0.1]], h)
    >>> chosen.overall, chosen.objective
    (0.7, 'fmax')
    """

    overall: Annotated[float, Number(0, 1)]
    per_node: Annotated[FloatArray, Array("f8", ("n_nodes",), 0, 1)]
    objective: Literal["fmax", "f1"]
    value: Annotated[float, Number(0, 1)]
    n_chosen: Annotated[int, Count()]


def choose_thresholds(
    Y: MatrixLike,
    scores: MatrixLike,
    hierarchy: Hierarchy,
    *,
    objective: Literal["fmax", "f1"] = "fmax",
    min_positives: int = 5,
    shrinkage: float = 0.0,
) -> Thresholds:
    """Choose the score thresholds above which labels are predicted.

    A label is also predicted if its score equals the threshold. All ancestors of a
    predicted label are predicted too, regardless of their scores, as with
    ``on_conflict="close"`` in :func:`~hilabel.constraints.labels_from_scores`. Nodes
    are therefore processed children first, and each gets the best threshold given the
    rows predicted through its children.

    Pass scores of rows that the model was not trained on: validation rows, or
    :func:`~hilabel.model_selection.out_of_fold_scores`.

    Parameters
    ----------
    Y, scores : array-like of shape (n_samples, n_nodes)
        As in :func:`average_precision`.
    hierarchy : Hierarchy
    objective : {"fmax", "f1"}, default="fmax"
        The objective of the overall threshold: the F-measure of CAFA, averaged over
        rows (see :func:`fmax`), or the F1 of all cells pooled. A node's own threshold
        always maximises the F1 of that node.
    min_positives : int, default=5
        A node with fewer positive rows gets the overall threshold.
    shrinkage : float, default=0.0
        The number of positive cells of all nodes pooled, with a proportional number of
        negative cells, that are added to the cells of each node before its threshold is
        chosen. Without shrinkage, nodes that are hard to predict or have few positives
        get thresholds so low that most of their predictions are wrong.

    Returns
    -------
    Thresholds
        All thresholds are scores that occur; among equally good ones, the lowest. With
        more than ten million cells, only scores of positives are tried, and for Fmax a
        thousand of them, excluding the lowest percent.

    Raises
    ------
    LabelError, ScoreError
        As in :func:`fmax`, or if ``Y`` does not match the hierarchy.
    ValueError
        If the objective is unknown or the shrinkage is negative.

    Examples
    --------
    >>> from hilabel import Hierarchy
    >>> from hilabel.metrics import choose_thresholds
    >>> chain = Hierarchy.from_edges([("a", "b")])
    >>> Y = [[1, 1], [1, 0], [0, 0]]
    >>> scores = [[0.4, 0.3], [0.7, 0.1], [0.5, 0.2]]
    >>> chosen = choose_thresholds(Y, scores, chain, min_positives=1)
    >>> chosen.per_node  # b brings the first row along, so a need not go down to 0.4
    array([0.7, 0.3])
    """
    if objective not in ("fmax", "f1"):
        raise ValueError(f"Expected objective 'fmax' or 'f1', got {objective!r}.")
    if not (np.isfinite(shrinkage) and shrinkage >= 0):
        raise ValueError(f"Expected shrinkage of 0 or more, got {shrinkage}.")
    hierarchy = check_required_hierarchy(hierarchy)
    cells = cells_of(Y, scores, hierarchy)
    if objective == "fmax":
        best = best_f_measure(cells, "all")
        overall, value = best.threshold, best.value
    else:
        overall, value = _best_pooled_f1(cells)
    has_enough = cells.n_positive >= max(min_positives, 1)
    per_node = np.full(hierarchy.n_nodes, overall)
    if has_enough.any():
        pooled = _pool(cells, shrinkage)
        _choose_by_node(cells, hierarchy, has_enough, pooled, per_node)
    n_chosen = int(has_enough.sum())
    return Thresholds(float(overall), per_node, objective, float(value), n_chosen)


def _choose_by_node(
    cells: Cells,
    hierarchy: Hierarchy,
    has_enough: BoolArray,
    pooled: "_Pooled | None",
    per_node: FloatArray,
) -> None:
    """Write the threshold of each node that has enough positives."""
    n_rows = cells.shape[0]
    best_of = _best_f1_of_many if is_large(cells) else _best_f1
    # The rows predicted for each node: a bit for each cell.
    predicted = np.zeros((hierarchy.n_nodes, -(-n_rows // 8)), dtype=np.uint8)
    children_first = hierarchy.order[::-1]
    columns = cells.columns(children_first)
    for node, (is_positive, rows, column) in zip(children_first, columns, strict=True):
        of_children = np.bitwise_or.reduce(predicted[hierarchy.children(node)], axis=0)
        brought = np.unpackbits(of_children, count=n_rows).view(bool)
        if has_enough[node]:
            per_node[node], _ = best_of(
                column[rows], is_positive[rows], brought[rows], pooled
            )
        predicted[node] = of_children | np.packbits(column >= per_node[node])


class _Pooled(NamedTuple):
    """The pooled cells of all nodes, which are added to those of each node."""

    n_positive: float
    scores: FloatArray
    n_found: FloatArray
    n_predicted: FloatArray


def _pool(cells: Cells, weight: float) -> _Pooled | None:
    """Return how many positives, and how many cells overall, reach each score.

    Counts are scaled to a total of ``weight`` positives.
    """
    if weight == 0:
        return None
    cells = cells.of_rows(sampled_rows(cells))
    found = np.sort(cells.found())
    if not found.size:
        return None
    places = np.linspace(0, found.size - 1, _N_POOLED_POINTS).astype(np.int64)
    points = np.unique(found[places])
    each = weight / found.size
    return _Pooled(
        weight,
        points,
        each * (found.size - np.searchsorted(found, points)),
        each * cells.count_at_least(points),
    )


def _best_pooled_f1(cells: Cells) -> tuple[float, float]:
    """Return the lowest threshold that maximises the F1 of all cells, and its F1.

    As the threshold decreases, F1 only improves where a positive is added. Without
    positives, the threshold is 1.
    """
    found = np.sort(cells.found())
    if not found.size:
        return 1.0, 0.0
    thresholds = np.unique(found)
    n_found = found.size - np.searchsorted(found, thresholds)
    f1 = 2 * n_found / (cells.count_at_least(thresholds) + found.size)
    best = int(f1.argmax())  # the first is the lowest
    return float(thresholds[best]), float(f1[best])


def _best_f1(
    scores: FloatArray,
    positive: BoolArray,
    brought: BoolArray,
    pooled: _Pooled | None = None,
) -> tuple[float, float]:
    """Return the lowest threshold that maximises F1, and its F1.

    Cells in ``brought`` are predicted at every threshold because one of their children
    is predicted.
    """
    order = np.argsort(-scores, kind="stable")
    ranked, is_new = scores[order], ~brought[order]
    n_positive, n_brought = float(positive.sum()), brought.sum()
    n_brought_found = (positive & brought).sum()
    found = n_brought_found + np.cumsum(positive[order] & is_new)
    n_predicted = n_brought + np.cumsum(is_new)
    # Cells with equal scores are predicted together: cut only after the last.
    is_cut = np.append(ranked[1:] != ranked[:-1], True)
    cuts, found, n_predicted = ranked[is_cut], found[is_cut], n_predicted[is_cut]
    if pooled is not None:
        # A threshold may also be above all scores of the node.
        above = pooled.scores[pooled.scores > ranked[0]][::-1]
        cuts = np.append(above, cuts)
        found = np.append(np.full(above.size, n_brought_found), found)
        n_predicted = np.append(np.full(above.size, n_brought), n_predicted)
        found = found + np.interp(cuts, pooled.scores, pooled.n_found)
        n_predicted = n_predicted + np.interp(cuts, pooled.scores, pooled.n_predicted)
        n_positive = n_positive + pooled.n_positive
    f1 = 2 * found / (n_predicted + n_positive)
    best = np.flatnonzero(f1 == f1.max())[-1]
    return float(cuts[best]), float(f1[best])


def _best_f1_of_many(
    scores: FloatArray,
    positive: BoolArray,
    brought: BoolArray,
    pooled: _Pooled | None = None,
) -> tuple[float, float]:
    """Return a threshold that maximises F1, and its F1, for a large number of cells.

    As the threshold decreases, F1 only improves where a positive is added. The best
    threshold is therefore the score of a positive, possibly of a pooled one; if all
    positives are already predicted through children, it is the highest score.
    """
    new = ~brought
    candidates = np.unique(scores[positive & new])
    if pooled is not None:
        candidates = np.union1d(candidates, pooled.scores)
    if not candidates.size:
        candidates = scores.max(initial=0.0, keepdims=True)
    n_positive, n_brought, n_found = (
        float(cells.sum()) for cells in (positive, brought, positive & brought)
    )
    found = n_found + count_at_least(scores[positive & new], candidates)
    n_predicted = n_brought + count_at_least(scores[new], candidates)
    if pooled is not None:
        found = found + np.interp(candidates, pooled.scores, pooled.n_found)
        n_predicted = n_predicted + np.interp(
            candidates, pooled.scores, pooled.n_predicted
        )
        n_positive = n_positive + pooled.n_positive
    f1 = 2 * found / (n_predicted + n_positive)
    best = int(f1.argmax())  # the first is the lowest
    return float(candidates[best]), float(f1[best])
