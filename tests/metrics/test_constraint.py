import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from oracles import metrics as oracle
from strategies import hierarchies_with_scores

from hilabel import Hierarchy
from hilabel.exceptions import HierarchyError, ScoreError
from hilabel.metrics import Violations, _constraint, hierarchy_violations

NONE = Violations(n_edges=0, n_cells=0, n_rows=0, largest=0.0, total=0.0, share=0.0)


def _capped(scores, hierarchy):
    """Lower each score to the least of its ancestors', node by node."""
    capped = scores.copy()
    for node in hierarchy.order:
        for parent in hierarchy.parents(node):
            capped[:, node] = np.minimum(capped[:, node], capped[:, parent])
    return capped


@given(hierarchies_with_scores())
def test_counts_equal_the_plain_loop(drawn):
    hierarchy, scores = drawn
    got = hierarchy_violations(scores, hierarchy)
    counts = (got.n_edges, got.n_cells, got.n_rows, got.largest, got.total)
    assert counts == pytest.approx(oracle.violations(scores, hierarchy))
    possible = len(scores) * hierarchy.n_edges
    assert got.share == pytest.approx(got.n_edges / possible if possible else 0)


def test_blocks_of_rows_make_no_difference(monkeypatch):
    hierarchy = Hierarchy(["a", "b", "c"], [(0, 2), (1, 2)])
    scores = np.random.default_rng(0).random((7, 3), dtype=np.float32)
    expected = hierarchy_violations(scores, hierarchy)
    for cells in (1, 4, 6):
        monkeypatch.setattr(_constraint, "_CELLS_PER_BLOCK", cells)
        assert hierarchy_violations(scores, hierarchy) == expected


@given(hierarchies_with_scores())
def test_consistent_scores_have_no_violations(drawn):
    hierarchy, scores = drawn
    assert hierarchy_violations(_capped(scores, hierarchy), hierarchy) == NONE


def test_equal_scores_are_no_violation():
    hierarchy = Hierarchy.from_edges([("a", "b")])
    assert hierarchy_violations([[0.5, 0.5]], hierarchy) == NONE


def test_a_node_above_two_parents_is_one_cell_and_two_edges():
    hierarchy = Hierarchy(["a", "b", "c"], [(0, 2), (1, 2)])
    got = hierarchy_violations([[0.25, 0.5, 0.75], [1, 1, 1]], hierarchy)
    assert got == Violations(
        n_edges=2, n_cells=1, n_rows=1, largest=0.5, total=0.75, share=0.5
    )


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64])
def test_every_number_type_is_accepted(dtype):
    hierarchy = Hierarchy.from_edges([("a", "b")])
    got = hierarchy_violations(np.array([[0, 1], [1, 0]], dtype=dtype), hierarchy)
    assert (got.n_edges, got.largest) == (1, 1.0)


def test_fortran_order_and_no_rows_are_accepted():
    hierarchy = Hierarchy.from_edges([("a", "b")])
    scores = np.asfortranarray([[0.0, 1.0], [1.0, 0.0]])
    assert hierarchy_violations(scores, hierarchy).n_edges == 1
    assert hierarchy_violations(np.empty((0, 2)), hierarchy) == NONE


def test_data_frames_are_put_in_the_order_of_the_hierarchy():
    hierarchy = Hierarchy.from_edges([("a", "b")])
    scores = pd.DataFrame({"b": [0.1], "a": [0.9]})
    assert hierarchy_violations(scores, hierarchy) == NONE


def test_bad_input_is_refused():
    hierarchy = Hierarchy.from_edges([("a", "b")])
    with pytest.raises(ScoreError, match=r"\(n_samples, 2\), got \(1, 3\)"):
        hierarchy_violations([[0.1, 0.2, 0.3]], hierarchy)
    with pytest.raises(ScoreError, match="finite scores, got nan in row 0, column 1"):
        hierarchy_violations([[0.1, np.nan]], hierarchy)
    with pytest.raises(HierarchyError, match=r"Expected a hilabel.Hierarchy, got"):
        hierarchy_violations([[0.1, 0.2]], None)
