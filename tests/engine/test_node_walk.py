"""Walking rows down trees beside a walk one row and one step at a time."""

import numpy as np
import pytest
from engine_levels import LEVELS
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from oracles import trees as oracle

from hilabel import _engine

CODES = st.sampled_from([0, 1, 2, 100, 253, 254, 255])
N_FEATURES = 3


@st.composite
def trees(draw):
    """Draw a tree by splitting leaves."""
    nodes = [[-1, 255, 1, 0, draw(st.floats(0, 1, width=32))]]
    for _ in range(draw(st.integers(0, 6))):
        leaf = draw(st.sampled_from([i for i, n in enumerate(nodes) if n[0] < 0]))
        nodes[leaf][:4] = [
            draw(st.integers(0, N_FEATURES - 1)),
            draw(CODES.filter(lambda code: code < 255)),
            draw(st.integers(0, 1)),
            len(nodes),
        ]
        nodes += [
            [-1, 255, 1, len(nodes) + side, draw(st.floats(0, 1, width=32))]
            for side in range(2)
        ]
    dtypes = (np.int32, np.uint8, np.uint8, np.int32, np.float32)
    return oracle.Tree(*(np.array(c, t) for c, t in zip(zip(*nodes), dtypes)))


def joined(forest):
    roots = np.cumsum([0, *(tree.feature.size for tree in forest)])
    return roots, *(np.concatenate(arrays) for arrays in zip(*forest))


def predicted(codes, roots, feature, cut, missing, left, value, engine=_engine):
    trees = engine.Trees(roots, feature, cut, missing, left, codes.shape[1])
    return engine.mean_leaf_values(trees, value, codes)


def rows_of_codes(n_rows):
    return hnp.arrays(np.uint8, (n_rows, N_FEATURES), elements=CODES)


@settings(max_examples=50)
@given(forest=st.lists(trees(), min_size=1, max_size=4), data=st.data())
def test_mean_of_leaf_values_is_that_of_a_slow_walk(forest, data):
    codes = data.draw(rows_of_codes(data.draw(st.integers(0, 20))))
    for engine in LEVELS:
        found = predicted(codes, *joined(forest), engine=engine)
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, oracle.mean_leaf_values(forest, codes))


@settings(max_examples=50)
@given(
    forest=st.lists(trees(), min_size=1, max_size=4),
    codes=rows_of_codes(19),
    step=st.integers(1, 18),
)
def test_a_row_does_not_depend_on_the_rows_beside_it(forest, codes, step):
    arrays = joined(forest)
    whole = predicted(codes, *arrays)
    parts = [predicted(codes[i : i + step], *arrays) for i in range(0, 19, step)]
    assert np.concatenate(parts).tobytes() == whole.tobytes()


def stump(**changed):
    """One split, at code 3."""
    arrays = {
        "roots": np.array([0, 3]),
        "feature": np.int32([0, -1, -1]),
        "cut": np.uint8([3, 255, 255]),
        "missing": np.uint8([0, 1, 1]),
        "left": np.int32([1, 1, 2]),
        "value": np.float32([0.5, 0.25, 0.75]),
    }
    return arrays | changed


def test_missing_values_go_where_the_split_says():
    codes = np.uint8([[3, 0, 0], [4, 0, 0], [255, 0, 0]])
    for missing, expected in ((1, [0.25, 0.75, 0.25]), (0, [0.25, 0.75, 0.75])):
        tree = stump(missing=np.uint8([missing, 1, 1]))
        assert predicted(codes, **tree).tolist() == expected


@pytest.mark.parametrize(
    "changed",
    [
        {"left": np.int32([0, 1, 2])},  # a walk that never ends
        {"left": np.int32([2, 1, 2])},  # a child beyond the tree
        {"left": np.int32([-1, 1, 2])},
        {"feature": np.int32([3, -1, -1])},
        {"missing": np.uint8([2, 1, 1])},
        {"roots": np.array([0, 2, 3]), "left": np.int32([1, 1, 0])},
        {"roots": np.array([0])},
        {"roots": np.array([0, 4])},
        {"roots": np.array([0, 3, 3])},
        {"value": np.float32([0.5, 0.25])},
    ],
)
def test_trees_that_lead_astray_are_refused(changed):
    codes = np.zeros((9, N_FEATURES), dtype=np.uint8)
    for engine in LEVELS:
        with pytest.raises(ValueError, match="tree"):
            predicted(codes, **stump(**changed), engine=engine)
