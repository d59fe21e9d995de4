"""How much each node of a hierarchy counts in the impurity of a global tree."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from hilabel._typing import FloatArray
from hilabel.hierarchy import Hierarchy

__all__ = ["DAG_WEIGHTINGS", "node_weights"]

# What becomes of the weights of several parents.
DAG_WEIGHTINGS: Final[dict[str, Callable[[Any], float]]] = {
    "sum": np.sum,
    "avg": np.mean,
    "min": np.min,
    "max": np.max,
}


def node_weights(
    hierarchy: Hierarchy, w0: float = 0.75, dag_weighting: str = "avg"
) -> FloatArray:
    """Return weights that shrink with depth, summing to 1.

    A root has weight 1, any other node ``w0`` times that of its parents, put together
    as ``dag_weighting`` says; then all are divided by their sum.
    """
    combine = DAG_WEIGHTINGS[dag_weighting]
    weights = np.ones(hierarchy.n_nodes)
    for node in hierarchy.order:
        parents = hierarchy.parents(int(node))
        if parents.size:
            weights[node] = w0 * combine(weights[parents])
    return weights / weights.sum()
