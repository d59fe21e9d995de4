"""SISI: the table of worked values, its ends, and sets of different sizes at once."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from hilabel.pseudo_labeling import similarity_to_set
from hilabel.pseudo_labeling._similarity import set_similarity

CORNERS = [(0, 0), (2, 0), (0, 2), (2, 2)]


@pytest.mark.parametrize(
    ("n_members", "pairs", "members"),
    [(2, 0.75, 0), (3, 0.733196, 0.733196), (4, 0.769567, 1)],
)
def test_worked_values_with_both_averages(n_members, pairs, members):
    A = CORNERS[:n_members]
    assert similarity_to_set((4, 0), A) == pytest.approx(pairs, abs=1e-6)
    assert similarity_to_set((4, 0), A, average="members") == pytest.approx(
        members, abs=1e-6
    )


@pytest.mark.parametrize("average", ["pairs", "members"])
def test_a_single_member_scores_0(average):
    assert similarity_to_set((1, 1), [(1, 1)], average=average) == 0
    assert similarity_to_set((1, 1), [(2, 1)], average=average) == 0


@pytest.mark.parametrize("average", ["pairs", "members"])
def test_members_that_coincide_score_1_at_their_place_and_0_elsewhere(average):
    A = [(3, 3)] * 3
    assert similarity_to_set((3, 3), A, average=average) == 1
    assert similarity_to_set((3, 3.001), A, average=average) == 0


@pytest.mark.parametrize(
    ("p", "span", "expected"),
    # Members at 0 and 2: l = 2, and u = p - 1 to the right of them.
    [
        (3, 3, 1),
        (4, 3, 0.75),
        (7, 3, 0),
        (8, 3, 0),
        (4, 2, 0.5),
        (4, 1.5, 0),
        (1, 3, 1),
    ],
)
def test_score_falls_in_a_straight_line_between_l_and_span_times_l(p, span, expected):
    assert similarity_to_set([p], [[0], [2]], span=span) == expected


def test_another_metric_is_used_for_both_distances():
    # Manhattan: u = (4 + 2) / 2 = 3 and l = 2 as on a line.
    assert similarity_to_set((4, 0), CORNERS[:2], metric="manhattan") == 0.75
    # Diagonal pairs: Euclidean l = sqrt(8), u = sqrt(8); Manhattan l = u = 4.
    assert similarity_to_set((4, 0), [(0, 0), (2, 2)], metric="chebyshev") == 0.75


@pytest.mark.parametrize("A", [np.empty((0, 2)), [[1, 2, 3]], [1, 2]])
def test_a_set_of_another_shape_is_refused(A):
    with pytest.raises(ValueError, match=r"Expected A of shape \(k, 2\) with at least"):
        similarity_to_set((4, 0), A)


@given(
    hnp.arrays(np.float64, (4, 2), elements=st.integers(-3, 3).map(float)),
    hnp.arrays(bool, (5, 4)),
    st.sampled_from(["pairs", "members"]),
)
def test_many_sets_at_once_score_as_one_at_a_time(points, members, average):
    p = np.array([1.0, 0.0])
    to_points = np.linalg.norm(points - p, axis=1)
    between = np.linalg.norm(points[:, None] - points[None], axis=2)
    scores = set_similarity(
        np.tile(to_points, (5, 1)), np.tile(between, (5, 1, 1)), members, 3.0, average
    )
    for score, row in zip(scores, members, strict=True):
        alone = similarity_to_set(p, points[row], average=average) if row.any() else 0
        assert score == pytest.approx(alone, abs=1e-9)
        assert 0 <= score <= 1
