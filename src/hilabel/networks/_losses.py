"""Training losses: the cross-entropy for each node, alone or with its descendants."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from hilabel.hierarchy import Hierarchy

# Scores are clipped this far from 0 and 1 before taking the logarithm.
_LEAST_SCORE = 1e-7


class DescendantEdges(NamedTuple):
    """The edges of a hierarchy, grouped by the height of their parents.

    There is one row of edges for each height above the leaves, from the bottom up. All
    rows have the same length: short rows are padded with edges from node 0 to itself,
    which do not change any maximum.
    """

    parents: Any
    children: Any

    @classmethod
    def of(cls, hierarchy: Hierarchy) -> "DescendantEdges":
        """Group the edges of a hierarchy by height."""
        edges = np.asarray(hierarchy.edges_in_order, dtype=np.int32)
        height = np.zeros(hierarchy.n_nodes, dtype=np.int64)
        for parent, child in edges[::-1]:
            height[parent] = max(height[parent], height[child] + 1)
        above = height[edges[:, 0]]
        rows = [edges[above == level] for level in range(1, height.max(initial=0) + 1)]
        longest = max((len(row) for row in rows), default=0)
        filled = np.zeros((len(rows), longest, 2), dtype=np.int32)
        for row, own in zip(filled, rows):
            row[: len(own)] = own
        return cls(filled[:, :, 0], filled[:, :, 1])


def binary_loss(outputs: Any, labels: Any, counted: Any) -> Any:
    """Return the mean cross-entropy over the cells that count.

    ``outputs`` are logits. ``counted`` is 1 for the nodes or cells that count, else 0.
    """
    wrong = jnp.maximum(outputs, 0) - outputs * labels
    return _mean(wrong + jnp.log1p(jnp.exp(-jnp.abs(outputs))), counted)


def max_constraint_loss(
    outputs: Any, labels: Any, counted: Any, edges: DescendantEdges
) -> Any:
    """Return the loss of C-HMCNN(h), averaged over the cells that count.

    The score of a node is the maximum over the node and its descendants; if a row has
    the node, only descendants that the row also has are included. ``counted`` is as in
    :func:`binary_loss`.
    """
    scores = jax.nn.sigmoid(outputs)
    present = jnp.log(_inside(max_of_descendants(scores * labels, edges)))
    absent = jnp.log(_inside(1 - max_of_descendants(scores, edges)))
    return _mean(-jnp.where(labels > 0, present, absent), counted)


def _mean(losses: Any, counted: Any) -> Any:
    counted = jnp.broadcast_to(counted, losses.shape)
    return (losses * counted).sum() / jnp.maximum(counted.sum(), 1)


def _inside(scores: Any) -> Any:
    return jnp.clip(scores, _LEAST_SCORE, 1)


@jax.custom_vjp
def max_of_descendants(scores: Any, edges: DescendantEdges) -> Any:
    """Return, for each node, the maximum score over the node and its descendants."""

    def one_height(best: Any, row: DescendantEdges) -> tuple[Any, None]:
        return best.at[:, row.parents].max(best[:, row.children]), None

    return jax.lax.scan(one_height, scores, edges)[0]


def _forward(scores: Any, edges: DescendantEdges) -> Any:
    best = max_of_descendants(scores, edges)
    return best, (scores, best, edges)


def _backward(saved: Any, slope: Any) -> Any:
    """Propagate the gradient of each maximum to the node that it came from.

    Heights are processed from top to bottom. A node keeps the gradient if its own score
    is the maximum; otherwise, the gradient is divided among the children that have this
    maximum.
    """
    scores, best, edges = saved

    def one_height(slope: Any, row: DescendantEdges) -> tuple[Any, None]:
        parents, children = row
        is_way = (best[:, parents] == best[:, children]) & (parents != children)
        is_way &= scores[:, parents] < best[:, parents]
        ways = jnp.zeros_like(slope).at[:, parents].add(is_way.astype(slope.dtype))
        share = jnp.where(is_way, (slope / jnp.maximum(ways, 1))[:, parents], 0)
        handed = jnp.where(ways > 0, 0, slope)
        return handed.at[:, children].add(share), None

    slope = jax.lax.scan(one_height, slope, edges, reverse=True)[0]
    return slope, jax.tree.map(_no_slope, edges)


def _no_slope(indices: Any) -> Any:
    return np.zeros(indices.shape, jax.dtypes.float0)


max_of_descendants.defvjp(_forward, _backward)
