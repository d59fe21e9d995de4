"""Trees for all labels beside their slow twin: every node of every tree.

Sizes are chosen so that every form that labels and values take in the engine is
reached, with the best cuts and with drawn ones.
"""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from clustering_cases import (
    WHOLE,
    assert_equal_trees,
    assert_every_split_is_the_best,
    assert_every_split_is_the_best_drawn,
    assert_gains_are_right,
    grow,
    make_case,
    problem_of,
)
from engine_levels import LEVELS
from oracles import clustering_trees as oracle
from oracles.trees import Stream

from hilabel import _engine
from hilabel.forests import (
    ClusteringTargets,
    _binning,
    _grow,
    _grow_clustering,
    _targets,
)

FEW = 64  # rows at most that are compared two by two
MANY_LABELS = 256  # above, there is no table for drawn cuts
# What labels become: products of rows in a block, lists of nodes, a table.
FORMS = {
    "block": {"n_labeled": 14, "n_labels": 8},
    "lists or table": {"n_labeled": 2 * FEW, "n_labels": 40, "per_row": 6.0},
    "long lists": {"n_labeled": 2 * FEW, "n_labels": 300, "per_row": 25.0},
    "short lists": {
        "n_labeled": 400,
        "n_labels": 400,
        "per_row": 4.0,
        "n_features": 2,
        "decimals": 0,
    },
}
RANDOM = replace(WHOLE, splitter="random")


# Every split ------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_every_split_is_the_best_of_all(form, gaps):
    X, Y, weights = make_case(1, gaps=gaps, **FORMS[form])
    trees = grow(X, Y, weights)
    assert assert_every_split_is_the_best(trees, problem_of(trees, X, Y, weights)) > 3


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("gaps", [0.0, 0.2])
@pytest.mark.parametrize("n_candidates", [1, 2])
def test_every_split_is_the_best_of_those_drawn(form, gaps, n_candidates):
    X, Y, weights = make_case(1, gaps=gaps, **FORMS[form])
    settings = replace(RANDOM, max_features=n_candidates)
    trees = grow(X, Y, weights, settings, seed=5)
    problem = problem_of(trees, X, Y, weights)
    assert (
        assert_every_split_is_the_best_drawn(trees, problem, n_candidates, seed=5) > 3
    )


@pytest.mark.parametrize("form", FORMS)
def test_the_sizes_are_on_the_right_side_of_what_the_engine_decides_by(form):
    _, Y, weights = make_case(1, **FORMS[form])
    targets = ClusteringTargets.from_labels(Y, weights)
    assert (targets.label_weights.size > MANY_LABELS) == form.endswith("lists")
    assert (len(Y) > FEW) == (form != "block")


@pytest.mark.parametrize("form", ["lists or table", "long lists"])
@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize(("w", "gaps"), [(0.5, 0.0), (0.5, 0.2), (0.0, 0.1)])
def test_every_split_is_the_best_for_labels_and_features(form, splitter, w, gaps):
    # The root has more rows than a block, the nodes below it fewer.
    case = {**FORMS[form], "n_labeled": 45, "n_unlabeled": 45, "n_features": 3}
    X, Y, weights = make_case(2, **case, decimals=2)
    X[:, :2][np.random.default_rng(0).random((len(X), 2)) < gaps] = np.nan
    settings = replace(WHOLE, min_samples_leaf=2, splitter=splitter)
    trees = grow(X, Y, weights, settings, w=w)
    problem = problem_of(trees, X, Y, weights, w)
    if splitter == "best":
        n_splits = assert_every_split_is_the_best(trees, problem, least=2)
    else:
        n_splits = assert_every_split_is_the_best_drawn(trees, problem, 3, least=2)
    assert n_splits > 5


@pytest.mark.parametrize("share_of_zeros", [0.5, 0.9])
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_zeros_that_are_stored_and_that_are_left_out_count_the_same(
    share_of_zeros, splitter
):
    X, Y, weights = make_case(5, n_labeled=30, n_unlabeled=30, n_features=9, decimals=9)
    X[np.random.default_rng(0).random(X.shape) < share_of_zeros] = 0.0
    targets = ClusteringTargets.from_labels_and_features(Y, X, weights, 0.3)
    is_dense = targets.features.complete_values.size == X.size
    assert is_dense == (share_of_zeros == 0.5)
    settings = replace(WHOLE, min_samples_leaf=2, splitter=splitter)
    trees = grow(X, Y, weights, settings, w=0.3)
    problem = problem_of(trees, X, Y, weights, 0.3)
    if splitter == "best":
        assert assert_every_split_is_the_best(trees, problem, least=2) > 5
    assert assert_gains_are_right(trees, problem) > 5


@pytest.mark.parametrize(("w", "gaps"), [(1.0, 0.0), (1.0, 0.1), (0.4, 0.0)])
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_sparse_rows_give_the_trees_of_dense_ones(w, gaps, splitter):
    X, Y, weights = make_case(
        4, n_unlabeled=40 if w < 1 else 0, n_features=6, gaps=gaps, decimals=9
    )
    X[np.abs(X) < 0.8] = 0.0
    settings = replace(WHOLE, splitter=splitter, max_features=3)
    dense = grow(X, Y, weights, settings, w=w)
    sparse = grow(sp.csr_array(X), Y, weights, settings, w=w)
    for name in ("feature", "cut", "missing", "left", "leaf_share"):
        np.testing.assert_array_equal(getattr(sparse, name), getattr(dense, name))
    assert assert_gains_are_right(sparse, problem_of(sparse, X, Y, weights, w)) > 5


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("w", [1.0, 0.5])
def test_all_builds_of_the_engine_grow_the_same_bits(form, splitter, w, monkeypatch):
    X, Y, weights = make_case(9, n_unlabeled=50 if w < 1 else 0, **FORMS[form])
    settings = replace(WHOLE, splitter=splitter, bootstrap=True)
    grown = []
    for level in LEVELS:
        for module in (_binning, _grow, _grow_clustering, _targets):
            monkeypatch.setattr(module, "_engine", level)
        grown.append(grow(X, Y, weights, settings, w=w))
    assert_equal_trees(*grown)


# Rows that are drawn ----------------------------------------------------------------


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
    X, Y, weights = make_case(6, n_labeled=90, n_unlabeled=n_unlabeled)
    settings = replace(WHOLE, bootstrap=True, splitter=splitter, min_samples_leaf=2)
    trees = grow(X, Y, weights, settings, w=w, seed=3)
    times = oracle.drawn_times(len(Y), len(X), len(Y), Stream(3, 0, 0))
    assert times.max() > 1
    problem = problem_of(trees, X, Y, weights, w)._replace(times=times)
    assert assert_gains_are_right(trees, problem, np.flatnonzero(times)) > 5


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize(
    ("n_labeled", "draws"), [(100, 5), (100, 150.0), (100, 400.0), (300, 300.0)]
)
def test_sums_of_few_bits_hold_rows_that_are_drawn_very_often(
    n_labeled, draws, splitter
):
    # In 8 or 16 bits; what does not fit is done without.
    X, Y, weights = make_case(
        7, n_labeled=n_labeled, n_labels=40, per_row=6.0, n_features=16
    )
    settings = replace(
        WHOLE,
        bootstrap=True,
        splitter=splitter,
        max_samples=float(draws),
        min_samples_leaf=10,
    )
    trees = grow(X, Y, weights, settings, seed=1)
    n_draws = round(draws * n_labeled)
    times = oracle.drawn_times(n_labeled, n_labeled, n_draws, Stream(1, 0, 0))
    problem = problem_of(trees, X, Y, weights)._replace(times=times)
    n_splits = assert_gains_are_right(trees, problem, np.flatnonzero(times), atol=1e-6)
    assert n_splits > 2


def test_many_rows_on_both_sides_are_summed_up_in_parts():
    X, Y, weights = make_case(8, n_labeled=1400, n_labels=70, per_row=9.0)
    settings = replace(RANDOM, max_depth=2)
    trees = grow(X, Y, weights, settings)
    assert min(trees.weight[1:3]) > 255
    assert assert_gains_are_right(trees, problem_of(trees, X, Y, weights)) == 3


# Hard cases -------------------------------------------------------------------------


@pytest.mark.parametrize("value", [0.1, 1e9, -7.3e-9])
def test_a_constant_feature_and_one_far_from_zero_have_no_say_by_their_size(value):
    X, Y, weights = make_case(7, n_labeled=40, n_unlabeled=40, n_features=3, decimals=9)
    far = np.column_stack([X, np.full(len(X), value), X[:, 0] + 1e6])
    dense = grow(far, Y, weights, w=0.5)
    sparse = grow(sp.csr_array(far), Y, weights, w=0.5)
    for name in ("feature", "cut", "left", "leaf_share"):
        np.testing.assert_array_equal(getattr(sparse, name), getattr(dense, name))
    problem = problem_of(dense, far, Y, weights, 0.5)
    assert assert_gains_are_right(dense, problem, atol=1e-6) > 5


@pytest.mark.parametrize(
    "X",
    [
        np.zeros((4, 1)),
        np.full((4, 2), np.nan),
        np.zeros((4, 3)) * np.array([1, np.nan, 0]),
    ],
    ids=["constant", "all missing", "constant and missing"],
)
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_features_that_tell_nothing_leave_one_leaf(X, splitter):
    Y = np.array([[1, 0], [1, 1], [0, 0], [1, 0]], dtype=bool)
    trees = grow(X, Y, np.array([0.5, 0.5]), replace(WHOLE, splitter=splitter))
    assert trees.feature.tolist() == [-1]
    np.testing.assert_allclose(trees.predict(X), np.tile([0.75, 0.25], (4, 1)))


def test_one_row_is_one_leaf():
    trees = grow(np.ones((1, 2)), np.array([[True, False]]), np.array([0.5, 0.5]))
    np.testing.assert_array_equal(trees.predict(np.zeros((1, 2))), [[1.0, 0.0]])


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize("n_rows", [6, 2 * FEW])
def test_labels_that_all_rows_or_none_have_cause_no_split(value, n_rows):
    Y = np.full((n_rows, 2), value)
    X = np.arange(float(n_rows))[:, None]
    for settings in (WHOLE, RANDOM):
        trees = grow(X, Y, np.array([0.5, 0.5]), settings)
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


def test_a_split_that_is_not_significant_is_not_made():
    X, Y, weights = make_case(6, n_labeled=80)
    tested = grow(X, Y, weights, f_test_level=0.01)
    whole = grow(X, Y, weights)
    assert 1 < tested.feature.size < whole.feature.size
    splits = np.flatnonzero(tested.feature >= 0)
    # F = (N - 2) (SST - SSR) / SSR; at least 6.6 for any number of rows.
    after = tested.impurity[splits] - tested.gain[splits]
    assert ((tested.weight[splits] - 2) * tested.gain[splits] > 6.6 * after).all()


# What does not fit ------------------------------------------------------------------


def sparse_rows(indptr, indices, stored, zero_codes):
    return _engine.SparseRows(
        np.array(indptr),
        np.array(indices, dtype=np.int32),
        np.array(stored, dtype=np.uint8),
        np.array(zero_codes, dtype=np.uint8),
    )


def lists_of(*rows):
    ptr = np.cumsum([0, *map(len, rows)])
    return _engine.RowLists(ptr, np.array(sum(rows, ()), dtype=np.uint32))


def labels_of(*rows, n_labels=2, n_labeled=None):
    lists = lists_of(*rows)
    n_labeled = len(rows) if n_labeled is None else n_labeled
    return _engine.LabelTargets(lists, lists, np.ones(n_labels), n_labeled)


def targets_of(labels, n_rows):
    nothing = np.empty((n_rows, 0))
    values = _engine.ValueTargets(lists_of(*[()] * n_rows), np.empty(0), 0)
    return _engine.ClusteringTargets(
        labels, values, _engine.GappyTargets(nothing, nothing)
    )


def grow_on(codes, **settings):
    targets = targets_of(labels_of((0,), (1,), (0, 1)), 3)
    columns = _engine.DenseColumns(np.array(codes, dtype=np.uint8))
    settings = {"n_candidates": 1, **settings}
    return _engine.grow_clustering_tree(
        columns, targets, _engine.TreeSettings(**settings), 0, np.empty(0)
    )


def test_a_tree_is_named_arrays():
    tree = grow_on([[0, 1, 2]])
    assert tree["feature"].tolist()[0] == 0
    assert tree["leaf_ptr"][-1] == tree["leaf_index"].size == tree["leaf_share"].size


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: labels_of((0,), (2,)), "below n_labels"),
        (lambda: labels_of((0,), (1,), n_labeled=3), "at least n_labeled"),
        (lambda: labels_of((0,), (1,), n_labeled=1), "must have no labels"),
        (
            lambda: _engine.LabelTargets(
                lists_of((0,)), lists_of((0,)), np.array([-1.0]), 1
            ),
            "not negative",
        ),
        (
            lambda: _engine.RowLists(np.array([0, 2]), np.zeros(1, np.uint32)),
            "must fit index",
        ),
        (
            lambda: _engine.RowLists(np.array([0, 2, 1]), np.zeros(1, np.uint32)),
            "must fit index",
        ),
        (lambda: _engine.ValueTargets(lists_of((0,)), np.empty(0), 1), "must fit"),
        (lambda: _engine.ValueTargets(lists_of((1,)), np.ones(1), 1), "n_features"),
        (lambda: _engine.GappyTargets(np.ones((1, 2)), np.ones((2, 1))), "one shape"),
        (lambda: targets_of(labels_of((0,)), 2), "one length"),
        (lambda: sparse_rows([0, 1], [1], [0], [0]), "those of features"),
        (lambda: sparse_rows([0, 1], [0], [0, 0], [0]), "must fit indices"),
        (lambda: sparse_rows([0, 2], [0], [0], [0]), "must fit indices"),
        (lambda: grow_on([[0, 1]]), "one length"),
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_tree_must_have_rows():
    with pytest.raises(ValueError, match="rows to draw"):
        grow_on([[0, 1, 2]], bootstrap=True, n_draws=0)


def test_levels_of_the_test_must_be_known_for_all_rows():
    targets = targets_of(labels_of((0,), (1,)), 2)
    columns = _engine.DenseColumns(np.zeros((1, 2), dtype=np.uint8))
    settings = _engine.TreeSettings(n_candidates=1)
    with pytest.raises(ValueError, match="for all rows"):
        _engine.grow_clustering_tree(columns, targets, settings, 0, np.zeros(2))
