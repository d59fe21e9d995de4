"""From which score on a label is predicted: chosen on rows whose labels are known."""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from hilabel._saved_types import Array, Count, Number, saved_type
from hilabel._typing import BoolArray, FloatArray, MatrixLike
from hilabel.hierarchy import Hierarchy
from hilabel.metrics._cafa import best_f_measure
from hilabel.metrics._inputs import check_required_hierarchy, known_labels_and_scores


@saved_type
@dataclass(frozen=True, eq=False)
class Thresholds:
    """The thresholds chosen, one for all nodes and one for each.

    Attributes
    ----------
    overall : float
        Best for all nodes together.
    per_node : ndarray of shape (n_nodes,)
        Best for each node, its children's given.
    objective : {"fmax", "f1"}
        What ``overall`` makes largest.
    value : float
        The objective at ``overall``, on the rows given.
    n_chosen : int
        Nodes that had enough positive rows for a threshold of their own.
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
) -> Thresholds:
    """Choose from which score on a label is predicted.

    A score equal to its threshold is in, and so are all ancestors of a label that is
    in, whatever their scores: that is ``labels_from_scores(..., on_conflict="close")``
    of :mod:`hilabel.constraints`. Nodes are therefore visited children first, and each
    takes the threshold that is best given the rows that its children bring along.

    Give scores of rows that the model was not trained on: validation rows, or
    :func:`~hilabel.model_selection.out_of_fold_scores`.

    Parameters
    ----------
    Y, scores : array-like of shape (n_samples, n_nodes)
        As in :func:`average_precision`.
    hierarchy : Hierarchy
    objective : {"fmax", "f1"}, default="fmax"
        For the threshold of all nodes: the F-measure of CAFA, averaged over rows (see
        :func:`fmax`), or F1 over all cells pooled. A node's own threshold always makes
        the node's F1 largest.
    min_positives : int, default=5
        A node with fewer positive rows takes the threshold of all nodes.

    Returns
    -------
    Thresholds
        All at scores that occur; of equally good ones the lowest.

    Raises
    ------
    LabelError, ScoreError
        As in :func:`fmax`, or if ``Y`` does not fit the hierarchy.

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
    hierarchy = check_required_hierarchy(hierarchy)
    positive, known, values = known_labels_and_scores(Y, scores, hierarchy)
    if objective == "fmax":
        best = best_f_measure(positive, known, values, "all")
        overall, value = best.threshold, best.value
    else:
        nobody = np.zeros(int(known.sum()), dtype=bool)
        overall, value = _best_f1(values[known], positive[known], nobody)
    has_enough = positive.sum(axis=0) >= max(min_positives, 1)
    per_node = np.full(hierarchy.n_nodes, overall)
    predicted = np.zeros(values.shape, dtype=bool)
    for node in hierarchy.order[::-1]:
        children = predicted[:, hierarchy.children(node)]
        brought: BoolArray = np.asarray(children.any(axis=1))
        if has_enough[node]:
            rows = known[:, node]
            per_node[node], _ = _best_f1(
                values[rows, node], positive[rows, node], brought[rows]
            )
        predicted[:, node] = brought | (values[:, node] >= per_node[node])
    return Thresholds(
        float(overall), per_node, objective, float(value), int(has_enough.sum())
    )


def _best_f1(
    scores: FloatArray, positive: BoolArray, brought: BoolArray
) -> tuple[float, float]:
    """Return the lowest of the thresholds with the largest F1, and that F1.

    Cells that were ``brought`` along are predicted at any threshold.
    """
    order = np.argsort(-scores, kind="stable")
    ranked, is_new = scores[order], ~brought[order]
    found = (positive & brought).sum() + np.cumsum(positive[order] & is_new)
    n_predicted = brought.sum() + np.cumsum(is_new)
    # Cells of equal score are predicted together: only the last of them is a cut.
    is_cut = np.append(ranked[1:] != ranked[:-1], True)
    f1 = (2 * found / (n_predicted + positive.sum()))[is_cut]
    best = np.flatnonzero(f1 == f1.max())[-1]
    return float(ranked[is_cut][best]), float(f1[best])
