"""Choose the cost of linear models on left-out rows."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from hilabel._label_matrix import LabelMatrix
from hilabel._score_matrix import ScoreMatrix
from hilabel._typing import BoolArray, FloatArray
from hilabel.hierarchy import Hierarchy, informative_nodes
from hilabel.linear._examples import ExampleRows
from hilabel.linear._probabilities import node_probabilities
from hilabel.linear._rows import LinearRows
from hilabel.linear._settings import LinearSettings
from hilabel.linear._training import train_models
from hilabel.metrics import average_precision

# Costs to try, for rows of norm 1; those of others are divided by the mean square of
# their norm. Larger values never were better on real data. The search begins at the
# number given here, and ends where no neighbour is better.
_COSTS: Final = {
    "logistic": (0.1, 0.3, 1.0, 3.0, 10.0, 30.0),
    "squared_hinge": (0.01, 0.03, 0.1, 0.3, 1.0, 3.0),
}
_LARGEST_COST: Final = 1e20
_FIRST: Final = {"logistic": 4, "squared_hinge": 3}
# Up to this many examples, training is so fast that no node is left out. Beyond, a
# trial has this share of them, so that all trials together take about one training.
_FEW_EXAMPLES: Final = 1_000_000
_SHARE_OF_EXAMPLES: Final = 0.15


def choose_cost(
    rows: LinearRows,
    labels: LabelMatrix,
    hierarchy: Hierarchy,
    settings: LinearSettings,
    aside: BoolArray,
    weight: FloatArray | None = None,
) -> float:
    """Return the cost with the best micro average precision on rows set aside.

    With many rows and nodes, some nodes are drawn, with all their ancestors.

    Parameters
    ----------
    rows : LinearRows
    labels : LabelMatrix of shape (n_rows, n_nodes)
    hierarchy : Hierarchy
    settings : LinearSettings
        The cost in it is ignored.
    aside : bool array of shape (n_rows,)
        Which rows are scored by models that are trained without them.
    weight : ndarray of shape (n_rows,), optional
        Weights of the rows.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel import Hierarchy
    >>> from hilabel._label_matrix import LabelMatrix
    >>> from hilabel.linear import LinearRows, LinearSettings, choose_cost
    >>> X = np.random.default_rng(0).normal(size=(90, 1))
    >>> labels = LabelMatrix.of((X > 0).astype(np.int8))
    >>> h, aside = Hierarchy.from_edges([], nodes=["a"]), np.arange(90) < 30
    >>> 0 < choose_cost(LinearRows(X), labels, h, LinearSettings(), aside)
    True
    """
    is_drawn, is_needed = _some_nodes(labels, hierarchy, settings)
    nodes = np.flatnonzero(is_needed)
    needed, below = labels.of_nodes(nodes), hierarchy.restrict(nodes)
    test, train = np.flatnonzero(aside), np.flatnonzero(~aside)
    seen, unseen = LinearRows(rows.matrix[train]), rows.matrix[test]
    # Ancestors of drawn nodes are not a fair sample of all nodes.
    informative = informative_nodes(below, needed.n_positive, needed.n_known)
    known = needed[test].without_nodes(~(informative & is_drawn[nodes]))
    costs = [cost / (rows.mean_square or 1.0) for cost in _COSTS[settings.loss]]
    costs = np.clip(costs, 1 / _LARGEST_COST, _LARGEST_COST).tolist()
    if not known.positive.nnz:
        return costs[_FIRST[settings.loss]]
    seen_weight = None if weight is None else weight[train]

    def quality(cost: float) -> float:
        own = replace(settings, cost=cost)
        models = train_models(seen, needed[train], below, own, seen_weight)
        scores = ScoreMatrix(known.shape)
        for part in scores.row_blocks():
            outputs = models.outputs(unseen[part], settings.n_jobs)
            scores.write(part, node_probabilities(outputs, below, own))
        return float(average_precision(known, scores))

    return _best(costs, _FIRST[settings.loss], quality)


def _best(
    costs: Sequence[float], first: int, quality: Callable[[float], float]
) -> float:
    """Climb from the first of the costs to one that is better than its neighbours."""
    best, found = first, {first: quality(costs[first])}
    for step in (1, -1):
        while 0 <= best + step < len(costs) and best + step not in found:
            found[best + step] = quality(costs[best + step])
            if found[best + step] <= found[best]:
                break
            best += step
    return costs[best]


def _some_nodes(
    labels: LabelMatrix, hierarchy: Hierarchy, settings: LinearSettings
) -> tuple[BoolArray, BoolArray]:
    """Draw nodes until they have enough examples.

    Returns masks of the drawn nodes, and of these and their ancestors.
    """
    sizes = ExampleRows(labels, hierarchy, settings.negatives != "all").sizes()
    enough = max(_FEW_EXAMPLES, _SHARE_OF_EXAMPLES * sizes.sum())
    if sizes.sum() <= enough:
        every = np.ones(hierarchy.n_nodes, dtype=bool)
        return every, every
    is_drawn = np.zeros(hierarchy.n_nodes, dtype=bool)
    is_needed = is_drawn.copy()
    random = np.random.default_rng(settings.seed)
    for node in random.permutation(hierarchy.n_nodes):
        is_drawn[node] = is_needed[node] = True
        is_needed[hierarchy.ancestors(node)] = True
        if sizes[is_needed].sum() >= enough:
            break
    return is_drawn, is_needed
