"""Scores that respect the hierarchy, beside their oracles."""

import numpy as np
import pytest
from hypothesis import given
from oracles import hierarchy as oracle
from strategies import hierarchies_with_scores

from hilabel import Hierarchy, _engine

CHAIN = Hierarchy.from_edges([("a", "b"), ("b", "c")])
CSR = CHAIN.parents_ptr, CHAIN.parents_idx


@given(hierarchies_with_scores())
def test_scores_are_capped_raised_and_counted_as_by_hand(case):
    hierarchy, scores = case
    csr = hierarchy.parents_ptr, hierarchy.parents_idx
    for name, expected in (
        ("cap_rows", oracle.cap_by_parents(scores, hierarchy)),
        ("raise_rows", oracle.raise_to_children(scores, hierarchy)),
    ):
        for dtype in (np.float32, np.float64):  # the scores are exact in both
            result = scores.astype(dtype)
            getattr(_engine, name)(result, hierarchy.order, *csr)
            np.testing.assert_array_equal(result, expected)
    for dtype in (np.float32, np.float64):
        counts = _engine.count_violations(scores.astype(dtype), *csr)
        for row, found in zip(scores, counts, strict=True):
            expected = oracle.count_violations(row[None], hierarchy)
            np.testing.assert_allclose(found, expected)


def test_nothing_is_counted_in_no_rows():
    assert _engine.count_violations(np.empty((0, 3)), *CSR).shape == (0, 4)


@pytest.mark.parametrize("dtype", [np.float16, np.longdouble, np.int64, bool])
def test_scores_must_be_single_or_double(dtype):
    scores = np.zeros((2, 3), dtype=dtype)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _engine.cap_rows(scores, CHAIN.order, *CSR)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _engine.count_violations(scores, *CSR)


def test_arrays_that_do_not_fit_are_refused():
    scores = np.zeros((2, 3))
    for change in (_engine.cap_rows, _engine.raise_rows):
        with pytest.raises(ValueError, match="order must name nodes"):
            change(scores, CHAIN.order - 1, *CSR)
        with pytest.raises(ValueError, match="one entry more than nodes"):
            change(np.zeros((2, 4)), CHAIN.order, *CSR)
    with pytest.raises(ValueError, match="parents_idx must name nodes"):
        _engine.count_violations(scores, CSR[0], CSR[1] + 3)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _engine.cap_rows(scores, CHAIN.order.astype(np.int32), *CSR)
