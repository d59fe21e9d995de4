"""Terms that rows are said not to have."""

import numpy as np

from hilabel import Hierarchy
from hilabel.report.page import said_to_lack


def test_what_is_denied_is_told_once_and_what_is_just_absent_is_not():
    hierarchy = Hierarchy.from_edges([("a", "b"), ("b", "c"), ("a", "d")])
    Y = np.array([[1, 0, 0, -1], [1, 0, 0, 0], [-1, -1, -1, -1]], dtype=np.int8)
    assert said_to_lack(Y, hierarchy) == {0: [1]}
