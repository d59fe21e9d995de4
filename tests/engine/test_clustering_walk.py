"""Rows that walk down clustering trees, beside a walk one step at a time."""

from dataclasses import replace

import numpy as np
import pytest
from clustering_cases import WHOLE, grow, make_case
from hypothesis import given, strategies as st
from oracles import clustering_trees as oracle

from hilabel import _engine


def walked(trees):
    return _engine.Trees(
        trees.roots, trees.feature, trees.cut, trees.missing, trees.left, 4
    )


@given(
    seed=st.integers(0, 2**32 - 1),
    n_trees=st.integers(1, 20),
    n_rows=st.integers(0, 5),
    gaps=st.sampled_from([0.0, 0.3]),
)
def test_predictions_are_the_means_of_leaves(seed, n_trees, n_rows, gaps):
    X, Y, weights = make_case(seed, n_labeled=20, gaps=gaps)
    settings = replace(WHOLE, n_estimators=n_trees, bootstrap=True, max_features=1)
    trees = grow(X, Y, weights, settings)
    rows = np.random.default_rng(seed).normal(size=(n_rows, 4))
    rows[np.random.default_rng(seed + 1).random(rows.shape) < gaps] = np.nan
    scores = trees.predict(rows)
    assert scores.shape == (n_rows, Y.shape[1])
    if n_rows == 0:
        return
    ((_, codes),) = trees.bins.row_blocks(rows)
    np.testing.assert_allclose(scores, oracle.predict(trees, codes), atol=1e-6)
    leaves = _engine.find_leaves(walked(trees), codes)
    assert leaves.shape == (n_rows, n_trees)
    assert (trees.feature[leaves] == -1).all()
    for row, places in zip(rows, leaves):
        shares = np.mean([trees.leaf_shares(place) for place in places], axis=0)
        np.testing.assert_allclose(trees.predict(row[None])[0], shares, atol=1e-6)


def trees_of(**changes):
    """Return one split and its two leaves as trees to walk down, with changes."""
    arrays = {
        "roots": np.array([0, 3]),
        "feature": np.array([0, -1, -1], dtype=np.int32),
        "cut": np.zeros(3, dtype=np.uint8),
        "missing": np.zeros(3, dtype=np.uint8),
        "left": np.array([1, 1, 2], dtype=np.int32),
        "n_features": 2,
    }
    return _engine.Trees(*{**arrays, **changes}.values())


def shares_of(**changes):
    arrays = {
        "leaf": np.array([-1, 0, 1], dtype=np.int32),
        "ptr": np.array([0, 1, 2]),
        "label": np.array([0, 1], dtype=np.int32),
        "share": np.array([0.5, 1.0], dtype=np.float32),
        "n_labels": 2,
    }
    return _engine.LeafShares(*{**arrays, **changes}.values())


def predict(trees, shares, codes, target_of=(0, 1, -1), shape=None):
    codes = np.array(codes, dtype=np.uint8)
    shape = (len(codes), len(target_of)) if shape is None else shape
    scores = np.full(shape, np.nan, dtype=np.float32)
    target_of = np.array(target_of, dtype=np.int32)
    _engine.mean_label_shares(trees, shares, codes, target_of, scores)
    return scores


def test_codes_up_to_the_cut_go_left_and_missing_ones_where_they_are_sent():
    codes = [[0, 9], [1, 9], [255, 9]]
    left, right = [0.5, 0.0, 0.0], [0.0, 1.0, 0.0]
    assert predict(trees_of(), shares_of(), codes).tolist() == [left, right, right]
    missing = np.array([1, 0, 0], dtype=np.uint8)
    scores = predict(trees_of(missing=missing), shares_of(), codes)
    assert scores.tolist() == [left, right, left]
    # Beyond the last bin all go left but the missing ones.
    cut = np.array([254, 0, 0], dtype=np.uint8)
    scores = predict(trees_of(cut=cut), shares_of(), codes)
    assert scores.tolist() == [left, left, right]


def int32(*numbers):
    return np.array(numbers, dtype=np.int32)


@pytest.mark.parametrize(
    "changes",
    [
        {"left": int32(0, 1, 2)},
        {"left": int32(2, 1, 2)},
        {"left": int32(-1, 1, 2)},
        {"left": int32(2**31 - 1, 1, 2)},
        {"feature": int32(2, -1, -1)},
        {"feature": int32(0, 0, -1)},
        {"roots": np.array([0])},
        {"roots": np.array([0, 2, 3])},
        {"roots": np.array([0, 3, 3])},
        {"roots": np.array([0, 4])},
        {"cut": np.zeros(2, dtype=np.uint8)},
        {"n_features": 0},
    ],
)
def test_ways_that_lead_out_of_a_tree_or_never_end_are_refused(changes):
    with pytest.raises(
        ValueError, match=r"end in a leaf|roots must fit|one length|a tree|empty"
    ):
        trees_of(**changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"label": int32(0, 2)}, "below n_labels"),
        ({"label": int32(0, -1)}, "below n_labels"),
        ({"leaf": int32(-1, 0, 2)}, "numbers of leaves"),
        ({"ptr": np.array([0, 1, 3])}, "must fit label"),
        ({"share": np.ones(1, dtype=np.float32)}, "one length"),
    ],
)
def test_shares_of_leaves_that_are_not_there_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        shares_of(**changes)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"codes": [[0, 0, 0]]}, "column for each feature"),
        ({"target_of": (0, 2)}, "must be labels"),
        ({"shape": (1, 2)}, "column for each node"),
    ],
)
def test_rows_that_do_not_fit_the_trees_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        predict(trees_of(), shares_of(), **({"codes": [[0, 0]]} | arguments))


@pytest.mark.parametrize("leaf", [int32(-1, 0), int32(-1, 0, -1)])
def test_shares_of_other_trees_are_refused(leaf):
    with pytest.raises(ValueError, match="number the leaves"):
        predict(trees_of(), shares_of(leaf=leaf), [[0, 0]])
