"""Informative nodes: all but roots that nearly all rows have."""

import numpy as np
import pytest

from hilabel import Hierarchy
from hilabel.hierarchy import informative_nodes

TWO_ROOTS = Hierarchy.from_edges([("a", "b"), ("c", "d")])


@pytest.mark.parametrize(
    ("n_positive", "wanted"),
    [
        ([100, 50, 41, 1], [False, True, True, True]),
        ([99, 99, 98, 98], [False, True, True, True]),
        ([0, 0, 0, 0], [True, True, True, True]),
    ],
)
def test_a_root_that_nearly_all_rows_have_says_nothing(n_positive, wanted):
    found = informative_nodes(TWO_ROOTS, np.array(n_positive), np.full(4, 100))
    assert found.tolist() == wanted


def test_only_rows_known_in_the_aspect_count():
    found = informative_nodes(TWO_ROOTS, np.array([41, 9, 0, 0]), np.array([41] * 4))
    assert found.tolist() == [False, True, True, True]


def test_a_root_known_in_no_row_stays():
    nothing = np.zeros(4, dtype=int)
    assert informative_nodes(TWO_ROOTS, nothing, nothing).all()


def test_nodes_without_edges_stay_even_if_all_rows_have_them():
    flat = Hierarchy(["a", "b"])
    assert informative_nodes(flat, np.array([5, 5]), np.array([5, 5])).all()
