"""What clustering trees aim at, in the form of the engine."""

import numpy as np
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as arrays

from hilabel._label_matrix import LabelMatrix
from hilabel.forests import _targets
from hilabel.forests._targets import _as_csr, _rarer_side


@given(arrays.arrays(bool, st.tuples(st.integers(1, 12), st.integers(1, 6))))
def test_labels_that_most_rows_have_are_turned_into_their_absence(Y):
    turned = _rarer_side(_as_csr(Y))
    expected = Y ^ (2 * Y.sum(axis=0) > len(Y))
    np.testing.assert_array_equal(turned.toarray(), expected)
    assert turned.has_sorted_indices
    assert turned.nnz <= Y.sum()


def test_unknown_cells_are_drawn_from_rows_that_know_them():
    random = np.random.default_rng(0)
    Y, known = random.random((40, 6)) < 0.4, np.ones((40, 6), dtype=bool)
    known[:15, :2] = known[10:30, 3:5] = False
    Y &= known
    group_of, unknown = _targets._unknown_groups(LabelMatrix.of_cells(Y, known))
    assert group_of.tolist() == [0, 0, -1, 1, 1, -1]
    labels = _as_csr(Y)
    drawn = _targets._drawn_where_unknown(labels, group_of, unknown).toarray()
    np.testing.assert_array_equal(drawn[known], Y[known])
    for nodes, rows in (((0, 1), slice(0, 15)), ((3, 4), slice(10, 30))):
        whole = {tuple(Y[row, nodes]) for row in np.flatnonzero(known[:, nodes[0]])}
        assert {tuple(row[list(nodes)]) for row in drawn[rows]} <= whole
        assert drawn[rows][:, nodes].any()
