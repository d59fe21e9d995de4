"""Scores that respect the hierarchy, beside their oracles."""

import numpy as np
import pytest
from hypothesis import given
from oracles import hierarchy as oracle
from strategies import hierarchies_with_scores

from hilabel import Hierarchy, _engine

EDGES = Hierarchy.from_edges([("a", "b"), ("b", "c")]).edges_in_order


@given(hierarchies_with_scores())
def test_scores_are_capped_and_raised_as_by_hand(case):
    hierarchy, scores = case
    for name, expected in (
        ("cap_rows", oracle.cap_by_parents(scores, hierarchy)),
        ("raise_rows", oracle.raise_to_children(scores, hierarchy)),
    ):
        for dtype in (np.float32, np.float64):  # the scores are exact in both
            result = scores.astype(dtype)
            getattr(_engine, name)(result, hierarchy.edges_in_order)
            np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("dtype", [np.float16, np.longdouble, np.int64, bool])
def test_scores_must_be_single_or_double(dtype):
    scores = np.zeros((2, 3), dtype=dtype)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _engine.cap_rows(scores, EDGES)


def test_edges_that_do_not_fit_are_refused():
    scores = np.zeros((2, 3))
    for change in (_engine.cap_rows, _engine.raise_rows):
        with pytest.raises(ValueError, match="edges must name nodes"):
            change(scores, EDGES - 1)
        with pytest.raises(ValueError, match="edges must name nodes"):
            change(np.zeros((2, 2)), EDGES)
        with pytest.raises(TypeError, match="incompatible function arguments"):
            change(scores, EDGES.astype(np.int32))
