"""Closing, checking and thinning label sets beside their oracles."""

import numpy as np
import pytest
from hypothesis import given
from oracles import hierarchy as oracle
from strategies import hierarchies_with_labels

from hilabel import Hierarchy, _engine

CHAIN = Hierarchy.from_edges([("a", "b"), ("b", "c")])
CSR = CHAIN.parents_ptr, CHAIN.parents_idx
GRAPH = CHAIN.order, *CSR


def some_labels():
    return np.zeros((5, 3), dtype=bool)


@given(hierarchies_with_labels())
def test_labels_are_closed_thinned_and_checked_as_by_hand(case):
    hierarchy, labels = case
    csr = hierarchy.parents_ptr, hierarchy.parents_idx
    closed = labels.copy()
    _engine.close_rows(closed, hierarchy.order, *csr)
    np.testing.assert_array_equal(closed, oracle.close(labels, hierarchy))
    specific = labels.copy()
    _engine.drop_implied(specific, closed, *csr)
    np.testing.assert_array_equal(specific, oracle.most_specific(labels, hierarchy))
    supported = labels.copy()
    _engine.keep_supported(supported, hierarchy.order, *csr)
    np.testing.assert_array_equal(supported, oracle.keep_supported(labels, hierarchy))
    row, node, parent = _engine.first_violation(labels, *csr)
    consistent = (labels == closed).all(axis=1)
    assert row == (-1 if consistent.all() else np.argmin(consistent))
    assert (row < 0) or (labels[row, node] and not labels[row, parent])


@given(hierarchies_with_labels())
def test_ancestors_are_sorted_per_node(case):
    hierarchy, _ = case
    ptr, idx = _engine.ancestors_csr(hierarchy.parents_ptr, hierarchy.parents_idx)
    assert ptr.dtype == idx.dtype == np.int64
    for node in range(hierarchy.n_nodes):
        assert idx[ptr[node] : ptr[node + 1]].tolist() == sorted(
            oracle.ancestors(hierarchy, node)
        )


def test_the_first_violation_has_the_lowest_row_node_and_parent():
    labels = np.array([[1, 1, 1], [0, 1, 1], [0, 0, 1]], dtype=bool)
    assert _engine.first_violation(labels, *CSR) == (1, 1, 0)
    assert _engine.first_violation(labels[:1], *CSR) == (-1, -1, -1)


@pytest.mark.parametrize(
    "labels",
    [
        some_labels().astype(np.int8),
        np.asfortranarray(some_labels()),
        some_labels()[0],
        some_labels()[:, ::2],
    ],
    ids=["integers", "columns first", "one row", "gaps"],
)
def test_labels_of_another_kind_are_refused(labels):
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _engine.close_rows(labels, *GRAPH)


def test_what_is_changed_must_be_writable():
    labels = some_labels()
    labels.flags.writeable = False
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _engine.close_rows(labels, *GRAPH)
    assert _engine.first_violation(labels, *CSR) == (-1, -1, -1)


def test_arrays_that_do_not_fit_are_refused():
    order, ptr, idx = GRAPH
    for graph, message in (
        ((order[:2], ptr, idx), "order must name every node"),
        ((order + 1, ptr, idx), "order must name nodes"),
        ((order, ptr[:3], idx[:1]), "one entry more than nodes"),
        ((order, ptr, idx[:1]), "must rise from 0"),
        ((order, ptr[::-1].copy(), idx), "must rise from 0"),
        ((order, ptr, idx + 2), "parents_idx must name nodes"),
        ((order, ptr, idx - 1), "parents_idx must name nodes"),
    ):
        for change in (_engine.close_rows, _engine.keep_supported):
            with pytest.raises(ValueError, match=message):
                change(some_labels(), *graph)
    with pytest.raises(ValueError, match="the same shape"):
        _engine.drop_implied(some_labels(), some_labels()[:2], *CSR)
    with pytest.raises(ValueError, match="one entry more"):
        _engine.first_violation(some_labels()[:, :2].copy(), *CSR)
    with pytest.raises(ValueError, match="must name nodes"):
        _engine.ancestors_csr(ptr, idx + 9)
    with pytest.raises(ValueError, match="one entry more"):
        _engine.ancestors_csr(ptr[:0], idx[:0])
