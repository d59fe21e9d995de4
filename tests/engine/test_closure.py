"""Closing, checking and thinning label sets beside their oracles."""

import numpy as np
import pytest
from hypothesis import given
from oracles import hierarchy as oracle
from strategies import hierarchies_with_labels

from hilabel import Hierarchy, _engine

CHAIN = Hierarchy.from_edges([("a", "b"), ("b", "c")])
EDGES = CHAIN.edges_in_order


def some_labels():
    return np.zeros((5, 3), dtype=bool)


@given(hierarchies_with_labels())
def test_labels_are_closed_and_thinned_as_by_hand(case):
    hierarchy, labels = case
    closed = labels.copy()
    _engine.close_rows(closed, hierarchy.edges_in_order)
    np.testing.assert_array_equal(closed, oracle.close(labels, hierarchy))
    supported = labels.copy()
    _engine.keep_supported(supported, hierarchy.edges_in_order)
    np.testing.assert_array_equal(supported, oracle.keep_supported(labels, hierarchy))
    specific = closed.copy()
    _engine.drop_implied(specific, hierarchy.edges_in_order)
    np.testing.assert_array_equal(specific, oracle.most_specific(closed, hierarchy))


@given(hierarchies_with_labels())
def test_ancestors_are_sorted_per_node(case):
    hierarchy, _ = case
    ptr, idx = _engine.ancestors_csr(hierarchy.parents_ptr, hierarchy.parents_idx)
    assert ptr.dtype == idx.dtype == np.int64
    for node in range(hierarchy.n_nodes):
        assert idx[ptr[node] : ptr[node + 1]].tolist() == sorted(
            oracle.ancestors(hierarchy, node)
        )


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
        _engine.close_rows(labels, EDGES)


def test_what_is_changed_must_be_writable():
    labels = some_labels()
    labels.flags.writeable = False
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _engine.close_rows(labels, EDGES)


def test_arrays_that_do_not_fit_are_refused():
    for edges, message in (
        (EDGES[:, :1].copy(), "edges must be pairs"),
        (EDGES + 1, "edges must name nodes"),
        (EDGES - 1, "edges must name nodes"),
    ):
        for change in (
            _engine.close_rows,
            _engine.keep_supported,
            _engine.drop_implied,
        ):
            with pytest.raises(ValueError, match=message):
                change(some_labels(), edges)
    ptr, idx = CHAIN.parents_ptr, CHAIN.parents_idx
    for wrong, message in (
        ((ptr, idx + 9), "must name nodes"),
        ((ptr, idx - 1), "must name nodes"),
        ((ptr, idx[:1]), "must fit"),
        ((ptr[::-1].copy(), idx), "must fit"),
        ((ptr[:0], idx[:0]), "must fit"),
    ):
        with pytest.raises(ValueError, match=message):
            _engine.ancestors_csr(*wrong)
