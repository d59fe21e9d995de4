"""The memory of neighbours: the same lists for the same rows, and for no others."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from hilabel.neighbors import ActiveNeighbors, NeighborMemory, make_search


@pytest.fixture
def rows():
    generator = np.random.RandomState(0)
    return generator.normal(size=(20, 3)), generator.normal(size=(30, 3))


@pytest.mark.parametrize("is_sparse", [False, True])
def test_the_same_rows_are_recognised_by_their_content(rows, is_sparse):
    fixed, pool = (sp.csr_array(a) if is_sparse else a for a in rows)
    memory = NeighborMemory()
    search = make_search("exact", "euclidean")
    first = memory.neighbors(fixed, pool, search)
    again = memory.neighbors(
        fixed.copy(), pool.copy(), make_search("exact", "euclidean")
    )
    assert again is first


def test_a_changed_cell_or_search_is_not_taken_for_the_same(rows):
    fixed, pool = rows
    memory = NeighborMemory()
    search = make_search("exact", "euclidean")
    first = memory.neighbors(fixed, pool, search)
    changed = pool.copy()
    changed[-1, -1] += 1e-12
    assert memory.neighbors(fixed, changed, search) is not first
    assert memory.neighbors(changed, fixed, search) is not first
    other = make_search("exact", "cityblock")
    assert memory.neighbors(fixed, pool, other) is not first


def test_lists_widened_by_one_asker_give_the_same_answer_to_the_next(rows):
    fixed, pool = rows
    search = make_search("exact", "euclidean")
    shared = NeighborMemory().neighbors(fixed, pool, search)
    active = np.arange(len(pool)) % 3 == 0
    for k in (5, 3, 4, 20):
        alone = ActiveNeighbors(fixed, pool, search)
        for exclude_self in (True, False):
            expected = alone.nearest(active, k, exclude_self=exclude_self)
            got = shared.nearest(active, k, exclude_self=exclude_self)
            for a, b in zip(got, expected):
                np.testing.assert_array_equal(a, b)


def test_a_copy_starts_empty_and_a_clone_is_the_same(rows):
    memory = NeighborMemory()
    search = make_search("exact", "euclidean")
    first = memory.neighbors(*rows, search)
    assert clone(memory) is memory
    copy = pickle.loads(pickle.dumps(memory))
    assert copy.neighbors(*rows, search) is not first
    assert memory.neighbors(*rows, search) is first
