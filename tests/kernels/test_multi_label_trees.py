"""Trees for all labels beside their slow twin: every node of every tree."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from clustering_cases import (
    WHOLE,
    assert_equal_trees,
    assert_every_split_is_the_best,
    grow,
    make_case,
    problem_of,
)

from hilabel._kernels.multi_label_blocks import sum_up
from hilabel._kernels.multi_label_scratch import (
    FEW,
    LISTS,
    TABLE,
    make_scratch,
)
from hilabel._kernels.multi_label_trees import _drawn_rows
from hilabel._kernels.random_stream import seed_stream
from hilabel.forests import ClusteringTargets

# The three forms that labels take: a table of the tree, tables of nodes, and lists.
FORMS = {
    "tree table": {"n_labels": 8, "per_row": 2.0},
    "node table": {"n_labels": 300, "per_row": 25.0, "n_labeled": 50},
    "lists": {
        "n_labels": 400,
        "per_row": 4.0,
        "n_labeled": 400,
        "n_features": 2,
        "decimals": 0,
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_the_cases_below_reach_all_forms_of_labels(form):
    _, Y, weights = make_case(0, **FORMS[form])
    targets = ClusteringTargets.from_labels(Y, weights)
    rows, ones = np.arange(len(Y), dtype=np.int32), np.ones(len(Y))
    scratch = make_scratch(rows, ones, targets.arrays, 0, True)
    totals = sum_up(rows, ones, targets.arrays, scratch, False, False)
    assert (scratch.tree_table.size > 0) == (form == "tree table")
    assert totals.form == (LISTS if form == "lists" else TABLE)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_every_split_is_the_best_of_all(form, gaps):
    X, Y, weights = make_case(1, gaps=gaps, **FORMS[form])
    trees = grow(X, Y, weights)
    assert assert_every_split_is_the_best(trees, problem_of(trees, X, Y, weights)) > 5


@pytest.mark.parametrize("form", ["tree table", "node table"])
@pytest.mark.parametrize(("w", "gaps"), [(0.5, 0.0), (0.5, 0.2), (0.0, 0.1)])
def test_every_split_is_the_best_for_labels_and_features(form, w, gaps):
    # The root has more rows than a block, the nodes below it fewer.
    case = {**FORMS[form], "n_labeled": 45, "n_unlabeled": 45, "n_features": 3}
    X, Y, weights = make_case(2, gaps=gaps, **case)
    assert len(X) > FEW
    settings = replace(WHOLE, min_samples_leaf=2)
    trees = grow(X, Y, weights, settings, w=w)
    problem = problem_of(trees, X, Y, weights, w)
    assert assert_every_split_is_the_best(trees, problem, least=2) > 5


@pytest.mark.parametrize("share_of_zeros", [0.5, 0.9])
def test_zeros_that_are_stored_and_that_are_left_out_count_the_same(share_of_zeros):
    X, Y, weights = make_case(5, n_labeled=45, n_unlabeled=45, n_features=5, decimals=9)
    X[np.random.default_rng(0).random(X.shape) < share_of_zeros] = 0.0
    targets = ClusteringTargets.from_labels_and_features(Y, X, weights, 0.3)
    assert (targets.arrays.feature_value.size == X.size) == (share_of_zeros == 0.5)
    trees = grow(X, Y, weights, replace(WHOLE, min_samples_leaf=2), w=0.3)
    problem = problem_of(trees, X, Y, weights, 0.3)
    assert assert_every_split_is_the_best(trees, problem, least=2) > 5


@pytest.mark.parametrize("form", FORMS)
def test_random_cuts_have_the_gain_that_they_say(form):
    X, Y, weights = make_case(3, gaps=0.1, **FORMS[form])
    trees = grow(X, Y, weights, replace(WHOLE, splitter="random", max_features=1))
    # A tree of one split may stop early; the gains of what it does must be right.
    problem = problem_of(trees, X, Y, weights)
    with pytest.raises(AssertionError):
        assert_every_split_is_the_best(trees, problem)
    assert_gains_are_right(trees, problem)


def assert_gains_are_right(trees, problem, rows=None, atol=1e-9):
    from oracles import clustering_trees as oracle

    waiting = [(0, np.arange(len(problem.X)) if rows is None else rows)]
    n_splits = 0
    while waiting:
        here, rows = waiting.pop()
        if trees.feature[here] < 0:
            continue
        n_splits += 1
        split = trees.feature[here], trees.cut[here], trees.missing[here]
        found = oracle.gain(problem, rows, *split)
        np.testing.assert_allclose(trees.gain[here], found, atol=atol)
        left = oracle.goes_left(problem.codes[rows, split[0]], *split[1:])
        child = trees.left[here]
        waiting += [(child, rows[left]), (child + 1, rows[~left])]
    assert n_splits > 5


@pytest.mark.parametrize("w", [1.0, 0.4])
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_sparse_rows_give_the_trees_of_dense_ones(w, splitter):
    X, Y, weights = make_case(
        4, n_unlabeled=40 if w < 1 else 0, n_features=6, decimals=9
    )
    X[np.abs(X) < 0.8] = 0.0
    settings = replace(WHOLE, splitter=splitter, max_features=3)
    dense = grow(X, Y, weights, settings, w=w)
    sparse = grow(sp.csr_array(X), Y, weights, settings, w=w)
    for name in ("feature", "cut", "missing", "left", "leaf_share"):
        np.testing.assert_array_equal(getattr(sparse, name), getattr(dense, name))
    problem = problem_of(sparse, X, Y, weights, w)
    assert_gains_are_right(sparse, problem)


def test_a_bootstrap_counts_rows_as_often_as_they_are_drawn():
    X, Y, weights = make_case(5)
    settings = replace(WHOLE, bootstrap=True)
    trees = grow(X, Y, weights, settings)
    assert trees.weight[0] == len(Y)
    # The leaves hold all draws between them.
    assert trees.weight[trees.feature < 0].sum() == len(Y)
    assert_equal_trees(trees, grow(X, Y, weights, settings))
    assert trees.gain.size != grow(X, Y, weights, settings, seed=1).gain.size


@pytest.mark.parametrize("w", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_rows_drawn_often_weigh_as_much_in_labels_and_features(w, splitter):
    n_unlabeled = 60 if w < 1 else 0  # more rows than a block has
    X, Y, weights = make_case(6, n_labeled=60, n_unlabeled=n_unlabeled)
    settings = replace(WHOLE, bootstrap=True, splitter=splitter, min_samples_leaf=2)
    trees = grow(X, Y, weights, settings, w=w, seed=3)
    state = np.zeros(1, dtype=np.uint64)
    seed_stream(state, 3, 0, 0)
    rows, times = _drawn_rows(len(Y), len(X), True, len(Y), state)
    assert times.max() > 1
    problem = problem_of(trees, X, Y, weights, w)
    counts = np.zeros(len(X))
    counts[rows] = times
    assert_gains_are_right(trees, problem._replace(times=counts), rows)


@pytest.mark.parametrize("value", [0.1, 1e9, -7.3e-9])
def test_a_constant_feature_and_one_far_from_zero_have_no_say_by_their_size(value):
    X, Y, weights = make_case(7, n_labeled=40, n_unlabeled=40, n_features=3, decimals=9)
    far = np.column_stack([X, np.full(len(X), value), X[:, 0] + 1e6])
    dense = grow(far, Y, weights, w=0.5)
    sparse = grow(sp.csr_array(far), Y, weights, w=0.5)
    for name in ("feature", "cut", "left", "leaf_share"):
        np.testing.assert_array_equal(getattr(sparse, name), getattr(dense, name))
    assert_gains_are_right(dense, problem_of(dense, far, Y, weights, 0.5), atol=1e-6)


@pytest.mark.parametrize(
    "X",
    [
        np.zeros((4, 1)),
        np.full((4, 2), np.nan),
        np.zeros((4, 3)) * np.array([1, np.nan, 0]),
    ],
    ids=["constant", "all missing", "constant and missing"],
)
def test_features_that_tell_nothing_leave_one_leaf(X):
    Y = np.array([[1, 0], [1, 1], [0, 0], [1, 0]], dtype=bool)
    trees = grow(X, Y, np.array([0.5, 0.5]))
    assert trees.feature.tolist() == [-1]
    np.testing.assert_allclose(trees.predict(X), np.tile([0.75, 0.25], (4, 1)))


def test_one_row_is_one_leaf():
    trees = grow(np.ones((1, 2)), np.array([[True, False]]), np.array([0.5, 0.5]))
    np.testing.assert_array_equal(trees.predict(np.zeros((1, 2))), [[1.0, 0.0]])


@pytest.mark.parametrize("value", [True, False])
def test_labels_that_all_rows_or_none_have_cause_no_split(value):
    Y = np.full((6, 2), value)
    X = np.arange(6.0)[:, None]
    for splitter in ("best", "random"):
        trees = grow(X, Y, np.array([0.5, 0.5]), replace(WHOLE, splitter=splitter))
        assert trees.feature.tolist() == [-1]
        assert (trees.predict(X) == value).all()


def test_more_values_than_bins_are_split_between_bins():
    X = np.arange(300.0)[:, None]
    Y = X > 149.5
    trees = grow(X, Y, np.ones(1))
    # At most 255 bins cannot cut everywhere: two splits at most around the edge.
    assert 1 <= (trees.feature >= 0).sum() <= 3
    problem = problem_of(trees, X, Y, np.ones(1))
    assert_every_split_is_the_best(trees, problem)


def test_missing_values_may_be_parted_from_all_others():
    X = np.array([[np.nan], [np.nan], [1.0], [2.0]])
    Y = np.isnan(X)
    trees = grow(X, Y, np.ones(1))
    assert (trees.feature >= 0).sum() == 1
    np.testing.assert_array_equal(trees.predict(X), Y)
    np.testing.assert_array_equal(trees.predict(np.array([[9.0]])), [[0.0]])


def test_depth_and_leaf_size_are_kept():
    X, Y, weights = make_case(6, n_labeled=80)
    shallow = grow(X, Y, weights, replace(WHOLE, max_depth=2))
    assert shallow.feature.size == 7
    large = grow(X, Y, weights, replace(WHOLE, min_samples_leaf=15))
    assert large.weight[large.feature < 0].min() >= 15
    problem = problem_of(large, X, Y, weights)
    assert_every_split_is_the_best(large, problem, least=15)
