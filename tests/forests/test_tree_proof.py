"""Arrays that are trees, and arrays that are not."""

import numpy as np
import pytest

from hilabel.forests import FeatureBins
from hilabel.forests._tree_proof import is_walkable

BINS = FeatureBins(np.array([0, 1, 2]), np.array([0.5, 0.5]))
# Two trees: a split with two leaves, and a leaf.
TREES = {
    "roots": np.array([0, 3, 4]),
    "feature": np.array([1, -1, -1, -1], dtype=np.int32),
    "cut": np.array([0, 255, 255, 255], dtype=np.uint8),
    "left": np.array([1, 1, 2, 0], dtype=np.int32),
}


def test_trees_are_walkable():
    assert is_walkable(**TREES, bins=BINS)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("left", [0, 1, 2, 0]),  # back to itself
        ("left", [-1, 1, 2, 0]),
        ("left", [2, 1, 2, 0]),  # into the next tree
        ("left", [2**31 - 1, 1, 2, 0]),
        ("feature", [2, -1, -1, -1]),
        ("feature", [-1, -1, -1, -1]),  # leaves that nothing leads to
        ("cut", [255, 255, 255, 255]),
        ("roots", [0, 4, 4]),
        ("roots", [1, 3, 4]),
        ("roots", [0, 3, 5]),
        ("roots", [0, 4, 3]),
        ("roots", []),
    ],
)
def test_anything_else_is_not(name, values):
    changed = {**TREES, name: np.array(values, dtype=TREES[name].dtype)}
    assert not is_walkable(**changed, bins=BINS)


def test_two_splits_may_not_share_a_child():
    shared = {
        "roots": np.array([0, 5]),
        "feature": np.array([0, 0, -1, -1, -1], dtype=np.int32),
        "cut": np.zeros(5, dtype=np.uint8),
        "left": np.array([1, 2, 2, 3, 4], dtype=np.int32),
    }
    assert not is_walkable(**shared, bins=BINS)
