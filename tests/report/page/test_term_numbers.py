"""Which terms are on a page."""

import numpy as np

from hilabel import Hierarchy
from hilabel.report.page import _term_numbers
from hilabel.report.page._term_numbers import TermNumbers


def test_parents_come_before_their_children():
    hierarchy = Hierarchy.from_edges([("c", "a"), ("b", "a"), ("c", "b")])
    numbers = TermNumbers(hierarchy, np.array([1, 2, 3]))
    names = [hierarchy.names[node] for node in numbers.nodes]
    assert names == ["c", "b", "a"]
    assert numbers.of(hierarchy.parents("a")) == [0, 1]


def test_of_too_many_terms_the_most_frequent_stay_with_their_ancestors(monkeypatch):
    monkeypatch.setattr(_term_numbers, "MOST_TERMS", 2)
    hierarchy = Hierarchy.from_edges([("a", "b"), ("b", "c"), ("a", "d")])
    numbers = TermNumbers(hierarchy, np.array([9, 1, 5, 4]))  # a, b, c, d
    assert [hierarchy.names[node] for node in numbers.nodes] == ["a", "b", "c"]
    assert numbers.one(3) == -1
    assert numbers.of([0, 3, 2]) == [0, 2]
