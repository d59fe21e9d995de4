"""Kernels beside their oracles, once more with the jit switched off."""

import numpy as np
from hypothesis import given
from oracles import hierarchy as oracle
from strategies import hierarchies_with_labels, hierarchies_with_scores

from hilabel import _kernels


@given(hierarchies_with_labels())
def test_closure_kernels_without_the_jit(case):
    hierarchy, labels = case
    csr = hierarchy.parents_ptr, hierarchy.parents_idx
    closed = labels.copy()
    _kernels.closure.close_rows.py_func(closed, hierarchy.order, *csr)
    np.testing.assert_array_equal(closed, oracle.close(labels, hierarchy))
    specific = labels.copy()
    _kernels.closure.drop_implied.py_func(specific, closed, *csr)
    np.testing.assert_array_equal(specific, oracle.most_specific(labels, hierarchy))
    row = _kernels.closure.first_violation.py_func(labels, *csr)[0]
    consistent = (labels == closed).all(axis=1)
    assert row == (-1 if consistent.all() else np.argmin(consistent))
    ptr, idx = _kernels.closure.ancestors_csr.py_func(*csr)
    for node in range(hierarchy.n_nodes):
        assert idx[ptr[node] : ptr[node + 1]].tolist() == sorted(
            oracle.ancestors(hierarchy, node)
        )


@given(hierarchies_with_scores())
def test_capping_kernels_with_and_without_the_jit(case):
    hierarchy, scores = case
    csr = hierarchy.parents_ptr, hierarchy.parents_idx
    for name, expected in (
        ("cap_rows", oracle.cap_by_parents(scores, hierarchy)),
        ("raise_rows", oracle.raise_to_children(scores, hierarchy)),
        ("keep_supported", oracle.keep_supported(scores > 0.5, hierarchy)),
    ):
        result = scores > 0.5 if name == "keep_supported" else scores.copy()
        getattr(_kernels.capping, name).py_func(result, hierarchy.order, *csr)
        np.testing.assert_array_equal(result, expected)
    expected = oracle.count_violations(scores, hierarchy)
    for kernel in (
        _kernels.capping.count_violations,
        _kernels.capping.count_violations.py_func,
    ):
        np.testing.assert_allclose(kernel(scores, *csr), expected)
