"""What labels imply, in small files that describe large hierarchies."""

import numpy as np
import pytest
import scipy.sparse as sp
from fuzz.memory import limited_memory

from hilabel import Hierarchy
from hilabel.hierarchy import _closure, spread_labels

N_NODES = 30_000
# Each has half a billion pairs of a node and an ancestor, and as many edges as nodes.
LARGE = {
    "chain": [(node - 1, node) for node in range(1, N_NODES)],
    "hub": [
        *((node, N_NODES - 1) for node in range(N_NODES // 2)),
        *((N_NODES - 1, node) for node in range(N_NODES // 2, N_NODES - 1)),
    ],
}


@pytest.mark.parametrize("shape", LARGE)
def test_closing_and_restricting_take_the_memory_of_what_comes_out(shape):
    h = Hierarchy([str(node) for node in range(N_NODES)], LARGE[shape])
    ends = np.linspace(N_NODES // 2, N_NODES - 2, 20).astype(int)
    Y = sp.csr_array((np.ones(20), (range(20), ends)), shape=(20, N_NODES))
    with limited_memory():
        closed = h.close(Y)
        small = h.restrict(np.arange(N_NODES))
    n_above = [h.ancestors(node).size for node in ends]
    assert closed.sum(axis=1).tolist() == [1 + count for count in n_above]
    assert small == h


@pytest.mark.parametrize("cells", [1, 10, 2**24])
def test_blocks_do_not_change_what_is_reached(cells, monkeypatch):
    monkeypatch.setattr(_closure, "_CELLS_AT_ONCE", cells)
    h = Hierarchy.from_edges([(0, 3), (0, 4), (1, 4), (1, 5)], nodes=range(6))
    labels = sp.csr_array(np.eye(6)[[4, 0, 2, 5]])
    below = spread_labels(labels, h.children_ptr, h.children_idx)
    assert [row.nonzero()[0].tolist() for row in below.toarray()] == [
        [4],
        [0, 3, 4],
        [2],
        [5],
    ]
    assert spread_labels(labels[:0], h.children_ptr, h.children_idx).shape == (0, 6)
