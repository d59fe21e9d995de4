"""Trees of 0 and 1 beside an oracle with the same streams, and brute force."""

from typing import NamedTuple

import numpy as np
import pytest
from engine_levels import LEVELS
from hypothesis import example, given, settings, strategies as st
from oracles import trees as oracle

from hilabel import _engine

SEED, NODE = 11, 3
TREE_ARRAYS = ("feature", "cut", "missing", "left", "value")


class Problem(NamedTuple):
    codes: np.ndarray
    weights: np.ndarray
    positives: np.ndarray
    settings: oracle.Settings


def sparse_columns(codes, zero_codes, engine=_engine):
    """Store the codes that differ from those of zero."""
    columns = [np.flatnonzero(c != zero) for c, zero in zip(codes.T, zero_codes)]
    ptr = np.cumsum([0, *(column.size for column in columns)])
    indices = np.concatenate(columns).astype(np.int32)
    stored = np.concatenate([c[r] for c, r in zip(codes.T, columns)]).astype(np.uint8)
    return engine.SparseColumns(ptr, indices, stored, zero_codes, codes.shape[0])


def grow(problem, zero_codes=None, n_trees=2, first_tree=0, engine=_engine):
    """Return (trees, importances, votes, n_votes)."""
    how = problem.settings
    columns = (
        engine.DenseColumns(np.ascontiguousarray(problem.codes.T))
        if zero_codes is None
        else sparse_columns(problem.codes, zero_codes, engine)
    )
    grown = engine.grow_node_trees(
        columns,
        np.arange(problem.codes.shape[0], dtype=np.int32),
        problem.weights,
        problem.positives,
        engine.TreeSettings(
            seed=SEED,
            n_draws=how.n_draws,
            n_candidates=how.n_candidates,
            max_depth=how.max_depth,
            min_samples_leaf=how.least,
            bootstrap=how.bootstrap,
            is_random=how.is_random,
            criterion=how.impurity.__name__,
            with_importances=True,
            with_oob=True,
        ),
        NODE,
        first_tree,
        n_trees,
    )
    trees = oracle.split_trees(grown["roots"], *(grown[name] for name in TREE_ARRAYS))
    return trees, grown["importances"], grown["votes"], grown["n_votes"]


def assert_same(found, expected):
    for tree, same in zip(found[0], expected[0], strict=True):
        for array, other in zip(tree, same):
            np.testing.assert_array_equal(array, other)
    for array, other in zip(found[1:], expected[1:]):
        np.testing.assert_array_equal(array, other)


@st.composite
def problems(draw, max_rows=24):
    n_rows = draw(st.integers(1, max_rows))
    n_features = draw(st.integers(1, 4))
    code = st.sampled_from([0, 1, 5, 100, 254, 255])
    cells = st.lists(code, min_size=n_rows * n_features, max_size=n_rows * n_features)
    weights = st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows)
    positives = st.lists(st.booleans(), min_size=n_rows, max_size=n_rows)
    how = st.builds(
        oracle.Settings,
        n_candidates=st.integers(1, n_features),
        max_depth=st.sampled_from([-1, -1, 0, 1, 2]),
        least=st.sampled_from([1, 1, 2, 3]),
        is_random=st.booleans(),
        bootstrap=st.booleans(),
        n_draws=st.integers(1, n_rows),
        impurity=st.sampled_from([oracle.gini, oracle.gini, oracle.entropy]),
    )
    return Problem(
        np.array(draw(cells), dtype=np.uint8).reshape(n_rows, n_features),
        np.array(draw(weights), dtype=np.int64),
        np.array(draw(positives), dtype=np.bool_),
        draw(how),
    )


def alike(n_rows, n_features, code, positives):
    """Rows without any difference."""
    return Problem(
        np.full((n_rows, n_features), code, dtype=np.uint8),
        np.ones(n_rows, dtype=np.int64),
        np.array(positives, dtype=np.bool_),
        oracle.Settings(n_candidates=n_features),
    )


def large(seed, scale=1, **how):
    """Rows enough for all ways of search, from many to few, with gaps and ties."""
    rng = np.random.default_rng(seed)
    n_rows = 700
    codes = rng.integers(0, 255, (n_rows, 3)).astype(np.uint8)
    codes[:, 1] //= 40
    codes[rng.random(codes.shape) < 0.05] = 255
    positives = rng.random(n_rows) < 0.2 + 0.5 * (codes[:, 0] > 120)
    weights = rng.integers(1, 4, n_rows) * scale
    return Problem(codes, weights, positives, oracle.Settings(n_candidates=2, **how))


# Growing ----------------------------------------------------------------------------


def assert_grown_as_by_the_oracle(problem, n_trees=2, engine=_engine):
    found, importances, votes, n_votes = grow(problem, n_trees=n_trees, engine=engine)
    expected_importances = np.zeros(problem.codes.shape[1])
    expected_votes, expected_n_votes = np.zeros((2, problem.weights.size))
    for number, tree in enumerate(found):
        stream = oracle.Stream(SEED, NODE, number)
        grown = oracle.grow_tree(*problem, stream)
        for array, expected in zip(tree, grown.tree):
            np.testing.assert_array_equal(array, expected)
        expected_importances += grown.importances
        out = (grown.times == 0) & (problem.weights > 0)
        expected_votes[out] += oracle.leaf_values(tree, problem.codes[out])
        expected_n_votes[out] += 1
    np.testing.assert_allclose(importances, expected_importances, atol=1e-12)
    np.testing.assert_array_equal(n_votes, expected_n_votes)
    np.testing.assert_allclose(votes, expected_votes)


@given(problem=problems())
@example(problem=alike(1, 1, 0, [True]))
@example(problem=alike(1, 3, 255, [False]))
@example(problem=alike(4, 2, 7, [True, False, True, True]))
@example(problem=alike(4, 2, 255, [True, False, True, True]))
@example(problem=alike(3, 2, 7, [True] * 3))
@example(problem=alike(3, 2, 7, [False] * 3))
def test_trees_are_those_of_the_oracle(problem):
    for engine in LEVELS:
        assert_grown_as_by_the_oracle(problem, engine=engine)


# Light rows are compared in pairs or counted in 32 bits, heavy ones in 64.
@pytest.mark.parametrize("scale", [1, 10**5])
@pytest.mark.parametrize(
    "how", [{}, {"least": 4}, {"is_random": True}, {"impurity": oracle.entropy}]
)
def test_large_trees_are_those_of_the_oracle(scale, how):
    for engine in LEVELS:
        assert_grown_as_by_the_oracle(large(1, scale, **how), 1, engine)


@given(problem=problems(), zeros=st.lists(st.sampled_from([0, 5, 255])))
def test_sparse_trees_are_those_of_dense_rows(problem, zeros):
    n_features = problem.codes.shape[1]
    zero_codes = np.array([*zeros, *[0] * n_features], dtype=np.uint8)[:n_features]
    assert_same(grow(problem, zero_codes), grow(problem))


def test_large_sparse_trees_are_those_of_dense_rows():
    problem = large(2, bootstrap=True, n_draws=700)
    zero_codes = np.array([120, 3, 255], dtype=np.uint8)
    assert_same(grow(problem, zero_codes), grow(problem))


def test_few_rows_of_a_long_sparse_column_are_looked_up():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 3, (400, 2)).astype(np.uint8)
    rows = np.array([5, 17, 230, 399], dtype=np.int32)
    how = _engine.TreeSettings(n_draws=4, bootstrap=True, n_candidates=1)
    ones, positives = np.ones(4, dtype=np.int64), np.array([True, False, True, False])
    sparse, dense = (
        _engine.grow_node_trees(columns, rows, ones, positives, how, 0, 0, 3)
        for columns in (
            sparse_columns(codes, np.array([0, 1], dtype=np.uint8)),
            _engine.DenseColumns(np.ascontiguousarray(codes.T)),
        )
    )
    for name in TREE_ARRAYS:
        np.testing.assert_array_equal(sparse[name], dense[name])


@given(problem=problems(), sparse=st.booleans())
def test_values_are_weighted_shares_of_the_rows_that_arrive(problem, sparse):
    problem = problem._replace(settings=problem.settings._replace(bootstrap=False))
    zero_codes = np.zeros(problem.codes.shape[1], dtype=np.uint8)
    (tree,), *_ = grow(problem, zero_codes if sparse else None, n_trees=1)
    used = problem.weights > 0
    weights, positives = problem.weights[used], problem.positives[used]
    reaching = oracle.rows_reaching(tree, problem.codes[used])
    for node, rows in enumerate(reaching):
        if not used.any():
            assert tree.value.tolist() == [0.0]
            continue
        assert rows.size >= (problem.settings.least if node else 1)
        share = weights[rows][positives[rows]].sum() / weights[rows].sum()
        assert tree.value[node] == np.float32(share)


def test_a_tree_depends_on_its_number_and_not_on_the_trees_before_it():
    problem = large(0, bootstrap=True, n_draws=300)
    together, *_ = grow(problem, n_trees=4)
    for number, tree in enumerate(together):
        (alone,), *_ = grow(problem, n_trees=1, first_tree=number)
        for array, expected in zip(tree, alone):
            np.testing.assert_array_equal(array, expected)


def test_weights_up_to_the_documented_total_do_not_overflow():
    codes = np.array([[0], [1], [2]], dtype=np.uint8)
    weights = np.array([2**30, 2**29, 2**28], dtype=np.int64)
    positives = np.array([True, False, True])
    problem = Problem(codes, weights, positives, oracle.Settings(1))
    (tree,), *_ = grow(problem, n_trees=1)
    assert tree.value[0] == np.float32((2**30 + 2**28) / weights.sum())
    assert oracle.leaf_values(tree, codes).tolist() == [1.0, 0.0, 1.0]


# Cuts -------------------------------------------------------------------------------

CODES = st.sampled_from([0, 1, 2, 62, 63, 64, 127, 128, 191, 192, 253, 254, 255])


class Rows(NamedTuple):
    codes: np.ndarray
    weights: np.ndarray
    positives: np.ndarray


@st.composite
def rows(draw, max_size):
    """Rows that differ; few and light ones are compared in pairs, others counted."""
    n = draw(st.integers(2, max_size))
    column = st.lists(CODES, min_size=n, max_size=n).filter(lambda c: len(set(c)) > 1)
    scale = draw(st.sampled_from([1, 1, 100, 10**6]))
    weights = st.lists(st.integers(1, 4), min_size=n, max_size=n)
    positives = st.lists(st.booleans(), min_size=n, max_size=n)
    return Rows(
        np.array(draw(column), dtype=np.uint8),
        np.array(draw(weights), dtype=np.int64) * scale,
        np.array(draw(positives), dtype=np.bool_),
    )


def first_cut(rows, least=1, engine=_engine):
    """Return (cut, missing goes left) at the root, None if it is a leaf."""
    how = oracle.Settings(n_candidates=1, max_depth=1, least=least)
    problem = Problem(rows.codes[:, None], rows.weights, rows.positives, how)
    (tree,), *_ = grow(problem, n_trees=1, engine=engine)
    return None if tree.feature[0] < 0 else (tree.cut[0], tree.missing[0])


@given(rows=rows(max_size=60), least=st.integers(1, 4))
def test_the_best_cut_has_the_least_impurity_of_all(rows, least):
    possible = oracle.all_splits(*rows, least)
    is_pure = len(set(rows.positives.tolist())) == 1
    for engine in LEVELS:
        found = first_cut(rows, least, engine)
        if is_pure or not possible or rows.codes.size < 2 * least:
            assert found is None
            continue
        # The first of the best, so that ties depend on nothing else.
        _, cut, missing_left = min(possible, key=lambda split: split[0])
        assert found[0] == cut
        if 255 in rows.codes:
            assert found[1] == missing_left


def test_each_of_the_bins_is_found():
    codes = np.arange(255).astype(np.uint8)
    for place in range(254):
        rows = Rows(codes, np.ones(255, dtype=np.int64), codes > place)
        assert first_cut(rows)[0] == place


def test_nearly_equal_cuts_are_told_apart():
    """Two cuts that differ by less than single precision can tell."""
    weights = np.array([20_001, 20_000, 20_000, 20_001 + 1], dtype=np.int64)
    rows = Rows(np.uint8([0, 1, 2, 3]), weights, np.bool_([0, 1, 0, 1]))
    best = min(oracle.all_splits(*rows), key=lambda split: split[0])
    assert first_cut(rows)[0] == best[1]


def test_cuts_by_hand():
    ones = np.ones(4, dtype=np.int64)
    # Bins 1, 3 and 9 with classes 0, 1 and 1: the pure cut is between 1 and 3.
    rows = Rows(np.uint8([1, 3, 9]), np.int64([2, 1, 1]), np.bool_([0, 1, 1]))
    assert first_cut(rows)[0] == 2
    # Missing values go with their class, or part from all others.
    codes = np.uint8([1, 9, 255, 255])
    for positives, cut in (
        ([0, 1, 1, 1], (5, 0)),
        ([1, 0, 1, 1], (5, 1)),
        ([0, 0, 1, 1], (254, 0)),
    ):
        assert first_cut(Rows(codes, ones, np.array(positives, dtype=bool))) == cut


# What is refused --------------------------------------------------------------------


def arguments(**changed):
    given = {
        "columns": _engine.DenseColumns(np.zeros((2, 5), dtype=np.uint8)),
        "rows": np.arange(3, dtype=np.int32),
        "weights": np.ones(3, dtype=np.int64),
        "positives": np.array([True, False, True]),
        "settings": _engine.TreeSettings(),
        "node": 0,
        "first_tree": 0,
        "n_trees": 1,
    }
    return (given | changed).values()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"rows": np.array([0, 1, 5], dtype=np.int32)}, "rows must be numbers of rows"),
        ({"rows": np.array([0, 1, -1], dtype=np.int32)}, "rows must be numbers"),
        ({"rows": np.zeros(2, dtype=np.int32)}, "of one length"),
        ({"weights": np.array([1, -1, 1])}, "must not be negative"),
        ({"weights": np.array([2**31, 1, 1])}, "less than 2\\*\\*31"),
    ],
)
def test_rows_and_weights_that_do_not_fit_are_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        _engine.grow_node_trees(*arguments(**changed))


def test_arrays_of_other_types_are_refused():
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _engine.grow_node_trees(*arguments(rows=np.arange(3)))
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _engine.DenseColumns(np.zeros((2, 5)))


def test_sparse_columns_that_do_not_fit_are_refused():
    zero, one = np.zeros(1, dtype=np.uint8), np.zeros(1, dtype=np.int32)
    for indptr, indices, message in (
        ([0, 2], one, "indptr must fit indices"),
        ([0, 1, 1], one, "indptr must fit zero_codes"),
        ([0, 1], one + 9, "numbers of rows"),
    ):
        with pytest.raises(ValueError, match=message):
            _engine.SparseColumns(np.array(indptr), indices, zero, zero, 4)


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="criterion must be gini or entropy"):
        _engine.TreeSettings(criterion="mse")
    with pytest.raises(ValueError, match="min_samples_leaf must be at least 1"):
        _engine.TreeSettings(min_samples_leaf=0)
    with pytest.raises(AttributeError, match="n_tries"):
        _engine.TreeSettings(n_tries=1)


# Streams ----------------------------------------------------------------------------


@settings(max_examples=50)
@given(
    seed=st.integers(0, 2**63 - 1), node=st.integers(0, 2**31), tree=st.integers(0, 99)
)
def test_rows_are_drawn_from_the_stream_of_python_integers(seed, node, tree):
    """All rows but those drawn vote; nothing else is drawn before them."""
    how = _engine.TreeSettings(seed=seed, n_draws=20, bootstrap=True, with_oob=True)
    codes = _engine.DenseColumns(np.zeros((1, 30), dtype=np.uint8))
    rows, ones = np.arange(30, dtype=np.int32), np.ones(30, dtype=np.int64)
    grown = _engine.grow_node_trees(codes, rows, ones, rows > 9, how, node, tree, 1)
    stream = oracle.Stream(seed, node, tree)
    drawn = {stream.below(30) for _ in range(20)}
    assert set(np.flatnonzero(grown["n_votes"] == 0)) == drawn


@pytest.mark.parametrize("other", [(1, 0, 0), (0, 1, 0), (0, 0, 1)])
def test_seed_node_and_tree_each_change_the_stream(other):
    first, second = oracle.Stream(0, 0, 0), oracle.Stream(*other)
    assert [first.next() for _ in range(4)] != [second.next() for _ in range(4)]


def test_draws_are_even():
    """Chi-square with 5 and 3 degrees of freedom, p = .001."""
    stream = oracle.Stream(5, 0, 0)
    counts = np.bincount([stream.below(6) for _ in range(60_000)], minlength=6)
    assert ((counts - 10_000) ** 2 / 10_000).sum() < 20.5
    firsts = [oracle.Stream(0, t % 40, t // 40).below(4) for t in range(2000)]
    counts = np.bincount(firsts, minlength=4)
    assert ((counts - 500) ** 2 / 500).sum() < 16.3
