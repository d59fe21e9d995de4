"""Terms that rows are known not to have."""

import numpy as np

from hilabel import Hierarchy
from hilabel._label_matrix import LabelMatrix
from hilabel.report.page._lacking import lacking_terms


def test_what_is_denied_is_told_once_and_what_is_just_absent_is_not():
    hierarchy = Hierarchy.from_edges([("a", "b"), ("b", "c"), ("a", "d")])
    Y = np.array([[1, 0, 0, -1], [1, 0, 0, 0], [-1, -1, -1, -1]], dtype=np.int8)
    labels = LabelMatrix.of(Y)
    assert lacking_terms(labels, np.arange(3), hierarchy) == {0: [1]}
