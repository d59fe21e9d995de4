"""The artificial data of the SSHMC-BLI paper: six nodes with points in the plane."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.stats import norm

from hilabel._typing import FloatArray, LabelArray
from hilabel.hierarchy import Hierarchy

EDGES: Final = ((0, 3), (0, 4), (1, 4), (1, 5))

# Per node: (centre, scale, seed) of x, then of y, as in the paper's experiment.
NODES: Final = (
    ((0, 2, 8), (4, 1, 9)),
    ((8, 2, 10), (4, 1, 11)),
    ((4, 1, 6), (7, 1, 7)),
    ((0, 1, 2), (4, 1, 3)),
    ((4, 1, 1000), (4, 1, 1001)),
    ((7, 1, 4), (4, 1, 5)),
)

# Slices of the points of each node, in the order drawn; points 2 to 4 are unused.
POINTS_PER_NODE: Final = 110
LABELED: Final = slice(0, 2)
TEST: Final = slice(5, 55)
UNLABELED_POINTS: Final = slice(55, 110)


@dataclass(frozen=True, eq=False)
class ArtificialData:
    """Points in the plane drawn from six nodes, with two labelled points per node.

    Rows are ordered by node, from 0 to 5, and all nodes have the same number of rows.
    The labels of a row are its node and the ancestors of that node.

    Attributes
    ----------
    X_labeled : float array of shape (12, 2)
    Y_labeled : int8 array of shape (12, 6)
        Closed over ancestors.
    X_unlabeled : float array of shape (330, 2)
    Y_unlabeled : int8 array of shape (330, 6)
        The true labels, closed over ancestors: for figures and checks, not for
        training.
    X_test : float array of shape (300, 2)
    Y_test : int8 array of shape (300, 6)
        Closed, unless generated with ``closed_test=False``.
    hierarchy : Hierarchy
    centers, scales : float arrays of shape (6, 2)
        Mean and standard deviation of the points drawn for each node. A share ``p`` of
        them is inside the ellipse around the centre whose half-axes are ``scales *
        sqrt(-2 * log(1 - p))``.

    Examples
    --------
    >>> from hilabel.datasets import make_artificial
    >>> data = make_artificial()
    >>> data.X_labeled.shape, data.X_unlabeled.shape, data.hierarchy.n_nodes
    ((12, 2), (330, 2), 6)
    """

    X_labeled: FloatArray
    Y_labeled: LabelArray
    X_unlabeled: FloatArray
    Y_unlabeled: LabelArray
    X_test: FloatArray
    Y_test: LabelArray
    hierarchy: Hierarchy
    centers: FloatArray
    scales: FloatArray


def make_artificial(closed_test: bool = True) -> ArtificialData:
    """Generate the artificial data of the SSHMC-BLI paper.

    Every call returns the same data. Two groups of nodes overlap in node 4, which has
    two parents; node 2 has no edges. Each node has two labelled, 55 unlabelled and 50
    test points. The problem type is (DAG, MPL, PD).

    Parameters
    ----------
    closed_test : bool, default=True
        Whether the test labels include all ancestors. The published scores for these
        data were computed with the row's own node as its only test label, which counts
        correct predictions of ancestors as errors. ``False`` reproduces this.

    Examples
    --------
    >>> from hilabel.datasets import make_artificial
    >>> data = make_artificial()
    >>> data.hierarchy
    Hierarchy(6 nodes, 4 edges, 3 roots, depth 2, DAG)
    >>> data.X_labeled.shape, data.X_unlabeled.shape, data.X_test.shape
    ((12, 2), (330, 2), (300, 2))
    >>> data.Y_labeled[8]  # a row of node 4 has both parents too
    array([1, 1, 0, 0, 1, 0], dtype=int8)
    >>> make_artificial(closed_test=False).Y_test[200]
    array([0, 0, 0, 0, 1, 0], dtype=int8)
    """
    hierarchy = Hierarchy.from_edges(EDGES, nodes=range(len(NODES)))
    points = np.stack([_draw(node) for node in range(len(NODES))])
    constants = np.array(NODES, dtype=np.float64)

    def rows(which: slice) -> FloatArray:
        return points[:, which].reshape(-1, 2)

    def own_nodes(which: slice) -> LabelArray:
        repeats = which.stop - which.start
        return np.repeat(np.eye(len(NODES), dtype=np.int8), repeats, axis=0)

    test = own_nodes(TEST)
    return ArtificialData(
        X_labeled=rows(LABELED),
        Y_labeled=hierarchy.close(own_nodes(LABELED)),
        X_unlabeled=rows(UNLABELED_POINTS),
        Y_unlabeled=hierarchy.close(own_nodes(UNLABELED_POINTS)),
        X_test=rows(TEST),
        Y_test=hierarchy.close(test) if closed_test else test,
        hierarchy=hierarchy,
        centers=constants[:, :, 0],
        scales=constants[:, :, 1],
    )


def _draw(node: int) -> FloatArray:
    """Return the points of a node as an array of shape (POINTS_PER_NODE, 2)."""
    columns = [
        norm.rvs(loc, scale, size=POINTS_PER_NODE, random_state=seed)
        for loc, scale, seed in NODES[node]
    ]
    return np.column_stack(columns)
