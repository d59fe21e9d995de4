import numpy as np
import pytest
from hypothesis import given
from oracles import hierarchy as oracle
from strategies import hierarchies_with_scores

from hilabel import Hierarchy
from hilabel.constraints import cap_by_parents, raise_to_children
from hilabel.exceptions import ScoreError

CHAIN = Hierarchy.from_edges([("a", "b"), ("b", "c")])


def is_consistent(scores, hierarchy):
    parents, children = hierarchy.edges.T
    return (scores[:, children] <= scores[:, parents]).all()


def test_the_cap_reaches_past_the_parents():
    # The one-step formula of the paper would leave .6 below .4.
    np.testing.assert_array_equal(
        cap_by_parents([[0.4, 0.9, 0.6]], CHAIN), [[0.4, 0.4, 0.4]]
    )


@given(hierarchies_with_scores())
def test_capped_scores_are_consistent_and_never_higher(case):
    hierarchy, scores = case
    capped = cap_by_parents(scores, hierarchy)
    assert is_consistent(capped, hierarchy)
    assert (capped <= scores).all()
    np.testing.assert_array_equal(capped, oracle.cap_by_parents(scores, hierarchy))
    np.testing.assert_array_equal(cap_by_parents(capped, hierarchy), capped)


@given(hierarchies_with_scores())
def test_raised_scores_are_consistent_and_never_lower(case):
    hierarchy, scores = case
    raised = raise_to_children(scores, hierarchy)
    assert is_consistent(raised, hierarchy)
    assert (raised >= scores).all()
    np.testing.assert_array_equal(raised, oracle.raise_to_children(scores, hierarchy))


@pytest.mark.parametrize("project", [cap_by_parents, raise_to_children])
def test_input_stays_and_precision_stays(project):
    scores = np.array([[0.4, 0.9, 0.6]], dtype=np.float32)
    before = scores.copy()
    assert project(scores, CHAIN).dtype == np.float32
    np.testing.assert_array_equal(scores, before)
    np.testing.assert_array_equal(
        project(np.asfortranarray(scores), CHAIN), project(scores, CHAIN)
    )


@pytest.mark.parametrize("project", [cap_by_parents, raise_to_children])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_scores_must_be_finite(project, bad):
    with pytest.raises(ScoreError, match="finite scores, got .* in row 0, column 1"):
        project([[0.1, bad, 0.2]], CHAIN)


def test_no_rows_are_fine():
    assert cap_by_parents(np.empty((0, 3)), CHAIN).shape == (0, 3)
