"""Weights of the nodes in the impurity measure of a global tree."""

from collections.abc import Callable
from statistics import fmean
from typing import Final

import numpy as np

from hilabel._typing import FloatArray
from hilabel.hierarchy import Hierarchy

# How to combine the weights of several parents.
DAG_WEIGHTINGS: Final[dict[str, Callable[[list[float]], float]]] = {
    "sum": sum,
    "avg": fmean,
    "min": min,
    "max": max,
}


def node_weights(
    hierarchy: Hierarchy, w0: float = 0.75, dag_weighting: str = "avg"
) -> FloatArray:
    """Return weights that decrease with depth and sum to 1.

    A root has weight 1. The weight of any other node is ``w0`` times the weight of its
    parents, which are combined according to ``dag_weighting``. Then all weights are
    divided by their sum.
    """
    combine = DAG_WEIGHTINGS[dag_weighting]
    # Plain lists: accessing single numbers in arrays is much slower.
    weights = [1.0] * hierarchy.n_nodes
    ptr, parents = hierarchy.parents_ptr.tolist(), hierarchy.parents_idx.tolist()
    for node in hierarchy.order.tolist():
        above = [weights[parent] for parent in parents[ptr[node] : ptr[node + 1]]]
        if above:
            weights[node] = w0 * combine(above)
    return np.array(weights) / np.sum(weights)
