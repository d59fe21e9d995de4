"""Hypothesis strategies for hierarchies and for matrices over them."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hilabel import Hierarchy


@st.composite
def hierarchies(draw, max_nodes: int = 12, tree: bool | None = None) -> Hierarchy:
    """Draw a tree, a DAG, a forest, lone nodes or a single node."""
    n_nodes = draw(st.integers(1, max_nodes))
    is_tree = draw(st.booleans()) if tree is None else tree
    edges = []
    for child in range(1, n_nodes):
        most = 1 if is_tree else min(3, child)
        edges += [
            (parent, child)
            for parent in draw(
                st.lists(
                    st.integers(0, child - 1), unique=True, min_size=0, max_size=most
                )
            )
        ]
    # Edges above always go from a smaller to a larger number; shuffling the numbers
    # makes sure that nothing relies on it.
    number = draw(st.permutations(range(n_nodes)))
    return Hierarchy(
        [f"n{i}" for i in range(n_nodes)], [(number[p], number[c]) for p, c in edges]
    )


@st.composite
def labels_over(draw, hierarchy: Hierarchy, max_rows: int = 5) -> np.ndarray:
    """Draw a boolean label matrix, not closed in general."""
    shape = (draw(st.integers(1, max_rows)), hierarchy.n_nodes)
    return draw(hnp.arrays(bool, shape))


@st.composite
def scores_over(draw, hierarchy: Hierarchy, max_rows: int = 5) -> np.ndarray:
    """Draw scores in [0, 1] with many ties."""
    shape = (draw(st.integers(1, max_rows)), hierarchy.n_nodes)
    grid = st.integers(0, 8).map(lambda step: step / 8)
    return draw(hnp.arrays(np.float64, shape, elements=grid))


@st.composite
def hierarchies_with_labels(draw, tree: bool | None = None):
    """Draw a pair (hierarchy, labels)."""
    hierarchy = draw(hierarchies(tree=tree))
    return hierarchy, draw(labels_over(hierarchy))


@st.composite
def hierarchies_with_scores(draw):
    """Draw a pair (hierarchy, scores)."""
    hierarchy = draw(hierarchies())
    return hierarchy, draw(scores_over(hierarchy))


@st.composite
def labelled_tables(draw, tree: bool | None = None, max_rows: int = 8):
    """Draw (hierarchy, X, Y): closed labels, and rows that all differ."""
    hierarchy = draw(hierarchies(tree=tree, max_nodes=8))
    Y = hierarchy.close(draw(labels_over(hierarchy, max_rows=max_rows)))
    return hierarchy, np.arange(float(Y.shape[0]))[:, None], Y


@st.composite
def linked_tables(draw, max_rows: int = 9, partial: bool = False):
    """Draw (hierarchy, Y, A): closed labels or -1, and weights of links.

    At least one row is labelled. With ``partial``, the last nodes of some labelled rows
    are unknown.
    """
    hierarchy = draw(hierarchies(max_nodes=6))
    n_rows = draw(st.integers(2, max_rows))
    Y = hierarchy.close(draw(hnp.arrays(bool, (n_rows, hierarchy.n_nodes))))
    Y = Y.astype(np.int8)
    unlabeled = draw(hnp.arrays(bool, n_rows))
    unlabeled[draw(st.integers(0, n_rows - 1))] = False
    Y[unlabeled] = -1
    if partial:
        # Unknown below a node and at it, so that what is known stays closed.
        node = draw(st.integers(0, hierarchy.n_nodes - 1))
        cells = np.append(hierarchy.descendants(node), node)
        rows = np.flatnonzero(draw(hnp.arrays(bool, n_rows)))
        Y[np.ix_(rows, cells)] = -1
        if (Y == -1).all():
            Y[0] = 0
    weights = st.sampled_from([0.0, 0.0, 0.5, 1.0, 2.0, 100.0])
    A = draw(hnp.arrays(np.float64, (n_rows, n_rows), elements=weights))
    np.fill_diagonal(A, 0)
    return hierarchy, Y, A
