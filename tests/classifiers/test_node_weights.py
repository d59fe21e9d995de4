"""Weights of nodes that shrink with depth."""

import numpy as np
import pytest

from hilabel import Hierarchy
from hilabel.classifiers._node_weights import node_weights

# Nodes 3, 4, 5 below 0, 0 and 1, 1; node 2 alone.
DAG = Hierarchy([str(i) for i in range(6)], [(0, 3), (0, 4), (1, 4), (1, 5)])


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("sum", [1, 1, 1, 0.75, 1.5, 0.75]),
        ("avg", [1, 1, 1, 0.75, 0.75, 0.75]),
        ("min", [1, 1, 1, 0.75, 0.75, 0.75]),
        ("max", [1, 1, 1, 0.75, 0.75, 0.75]),
    ],
)
def test_weights_of_the_worked_example_sum_to_one(how, expected):
    weights = node_weights(DAG, 0.75, how)
    np.testing.assert_allclose(weights, np.array(expected) / np.sum(expected))


def test_parents_of_different_depth_tell_the_ways_apart():
    # c is below the root a and below b, which is below a.
    h = Hierarchy.from_edges([("a", "b"), ("a", "c"), ("b", "c")])
    below = {how: node_weights(h, 0.5, how) for how in ("sum", "avg", "min", "max")}
    ratios = {how: w[h.node("c")] / w[h.node("a")] for how, w in below.items()}
    assert ratios == pytest.approx({"sum": 0.75, "avg": 0.375, "min": 0.25, "max": 0.5})
