"""What clustering trees aim at, in the form of the engine."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from hilabel.forests._targets import _as_csr, _rarer_side


@given(arrays.arrays(bool, st.tuples(st.integers(1, 12), st.integers(1, 6))))
def test_labels_that_most_rows_have_are_turned_into_their_absence(Y):
    turned = _rarer_side(_as_csr(Y))
    expected = Y ^ (2 * Y.sum(axis=0) > len(Y))
    np.testing.assert_array_equal(turned.toarray(), expected)
    assert turned.has_sorted_indices
    assert turned.nnz <= Y.sum()
