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
