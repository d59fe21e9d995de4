"""The most probable nodes of a row are those that sorting all of its nodes selects."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from strategies import hierarchies_with_scores

from hilabel import Hierarchy
from hilabel.constraints import (
    cap_by_parents,
    most_probable,
    most_probable_cells,
    places_of,
)
from hilabel.exceptions import ParameterError


def sorted_all(scores, hierarchy, top, shown):
    kept = np.zeros(scores.shape, dtype=bool)
    place = places_of(hierarchy)
    for row, values in enumerate(scores):
        nodes = sorted(np.flatnonzero(shown[row]), key=lambda v: (-values[v], place[v]))
        kept[row, nodes[:top]] = True
    return kept


@given(hierarchies_with_scores(), st.integers(1, 14), st.floats(0, 1), st.data())
def test_the_selection_is_that_of_sorting_all_nodes(case, top, least, data):
    hierarchy, scores = case
    wanted = np.array(data.draw(st.lists(st.booleans(), min_size=scores.shape[1])))
    wanted = wanted[: scores.shape[1]]
    shown = (scores >= least) & wanted
    kept = most_probable(scores, hierarchy, top, shown)
    np.testing.assert_array_equal(kept, sorted_all(scores, hierarchy, top, shown))
    cells = most_probable_cells(scores, hierarchy, top, least=least, wanted=wanted)
    expected = sorted_all(scores, hierarchy, top, shown & (scores > 0))
    np.testing.assert_array_equal(cells.toarray(), np.where(expected, scores, 0))
    assert cells.nnz == expected.sum()


@given(hierarchies_with_scores(), st.integers(1, 14))
def test_the_nodes_of_consistent_scores_are_closed(case, top):
    hierarchy, scores = case
    capped = cap_by_parents(scores, hierarchy)
    kept = most_probable(capped, hierarchy, top)
    assert hierarchy.is_consistent(kept)
    assert (kept.sum(axis=1) == min(top, hierarchy.n_nodes)).all()


def test_at_least_one_node_is_asked_for():
    with pytest.raises(ParameterError, match="at least 1 node, got 0"):
        most_probable_cells(np.ones((1, 1)), Hierarchy(["a"]), 0)
