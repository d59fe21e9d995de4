"""Which terms are on a page."""

import numpy as np

from hilabel import Hierarchy
from hilabel.report.page._bounds import MOST_TERMS
from hilabel.report.page._term_numbers import TermNumbers


def test_parents_come_before_their_children():
    hierarchy = Hierarchy.from_edges([("c", "a"), ("b", "a"), ("c", "b")])
    numbers = TermNumbers(hierarchy, np.array([1, 2, 3]))
    names = [hierarchy.names[node] for node in numbers.nodes]
    assert names == ["c", "b", "a"]
    assert numbers.of(hierarchy.parents("a")) == [0, 1]


def test_of_too_many_terms_the_most_frequent_stay_with_their_ancestors():
    n_nodes = MOST_TERMS + 2
    names = [f"T{node}" for node in range(n_nodes)]
    # The last node is below the first but one; all others are roots.
    hierarchy = Hierarchy(names, [(n_nodes - 2, n_nodes - 1)])
    n_positive = np.full(n_nodes, 5)
    n_positive[[0, n_nodes - 2]] = 1
    numbers = TermNumbers(hierarchy, n_positive)
    kept = set(numbers.nodes.tolist())
    assert kept == set(range(1, n_nodes))  # a rare parent stays with its child
    assert numbers.one(0) == -1
    assert len(numbers.of([0, n_nodes - 2, n_nodes - 1])) == 2
