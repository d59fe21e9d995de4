"""Grown trees beside an oracle that draws from the same streams, and brute force."""

import os
import runpy
import subprocess
import sys
from typing import NamedTuple

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracles import trees as oracle

from hilabel._kernels import trees

SEED, NODE = 11, 3


class Problem(NamedTuple):
    codes: np.ndarray
    weights: np.ndarray
    positives: np.ndarray
    settings: oracle.Settings


def dense_arrays(codes):
    nothing = np.empty(0, dtype=np.uint8)
    indices = np.empty(0, dtype=np.int32)
    by_feature = np.ascontiguousarray(codes.T)
    ptr = np.zeros(1, dtype=np.int64)
    return trees.Columns(by_feature, ptr, indices, nothing, nothing)


def sparse_arrays(codes, zero_codes):
    """Store the codes that differ from those of zero."""
    columns = [np.flatnonzero(c != zero) for c, zero in zip(codes.T, zero_codes)]
    ptr = np.cumsum([0, *(column.size for column in columns)])
    indices = np.concatenate(columns).astype(np.int32)
    stored = np.concatenate([c[r] for c, r in zip(codes.T, columns)]).astype(np.uint8)
    nothing = np.empty((0, 0), dtype=np.uint8)
    return trees.Columns(nothing, ptr, indices, stored, zero_codes)


def grow(problem, arrays=None, n_trees=2, first_tree=0, kernel=trees.grow_trees):
    """Return (trees, importances, votes, n_votes)."""
    n_rows, n_features = problem.codes.shape
    how = problem.settings
    importances = np.zeros(n_features)
    votes, n_votes = np.zeros((2, n_rows))
    roots, grown = kernel(
        arrays or dense_arrays(problem.codes),
        np.arange(n_rows, dtype=np.int32),
        problem.weights,
        problem.positives,
        SEED,
        NODE,
        first_tree,
        n_trees,
        how.bootstrap,
        how.n_draws,
        how.is_random,
        how.n_candidates,
        how.max_depth,
        how.least,
        importances,
        votes,
        n_votes,
    )
    return oracle.split_trees(roots, *grown), importances, votes, n_votes


@st.composite
def problems(draw, max_rows=24, min_weight=0):
    n_rows = draw(st.integers(1, max_rows))
    n_features = draw(st.integers(1, 4))
    code = st.sampled_from([0, 1, 5, 100, 254, 255])
    cells = st.lists(code, min_size=n_rows * n_features, max_size=n_rows * n_features)
    weights = st.lists(st.integers(min_weight, 3), min_size=n_rows, max_size=n_rows)
    positives = st.lists(st.booleans(), min_size=n_rows, max_size=n_rows)
    how = st.builds(
        oracle.Settings,
        n_candidates=st.integers(1, n_features),
        max_depth=st.sampled_from([-1, -1, 0, 1, 2]),
        least=st.sampled_from([1, 1, 2, 3]),
        is_random=st.booleans(),
        bootstrap=st.booleans(),
        n_draws=st.integers(1, n_rows),
    )
    return Problem(
        np.array(draw(cells), dtype=np.uint8).reshape(n_rows, n_features),
        np.array(draw(weights), dtype=np.int64),
        np.array(draw(positives), dtype=np.bool_),
        draw(how),
    )


def assert_grown_as_by_the_oracle(problem, kernel=trees.grow_trees):
    found, importances, votes, n_votes = grow(problem, n_trees=2, kernel=kernel)
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


def alike(n_rows, n_features, code, positives):
    """Rows without any difference."""
    return Problem(
        np.full((n_rows, n_features), code, dtype=np.uint8),
        np.ones(n_rows, dtype=np.int64),
        np.array(positives, dtype=np.bool_),
        oracle.Settings(n_candidates=n_features),
    )


@given(problem=problems())
@example(problem=alike(1, 1, 0, [True]))
@example(problem=alike(1, 3, 255, [False]))
@example(problem=alike(4, 2, 7, [True, False, True, True]))
@example(problem=alike(4, 2, 255, [True, False, True, True]))
@example(problem=alike(3, 2, 7, [True] * 3))
@example(problem=alike(3, 2, 7, [False] * 3))
def test_trees_are_those_of_the_oracle(problem):
    assert_grown_as_by_the_oracle(problem)


@settings(max_examples=20)
@given(problem=problems())
def test_trees_without_the_jit(problem):
    # Unsigned integers are meant to wrap around.
    with np.errstate(over="ignore"):
        assert_grown_as_by_the_oracle(problem, trees.grow_trees.py_func)


@given(problem=problems(), zeros=st.lists(st.sampled_from([0, 5, 255])))
def test_sparse_trees_are_those_of_dense_rows(problem, zeros):
    n_features = problem.codes.shape[1]
    zero_codes = np.array([*zeros, *[0] * n_features], dtype=np.uint8)[:n_features]
    expected, *others = grow(problem)
    found, *more = grow(problem, sparse_arrays(problem.codes, zero_codes))
    for tree, same in zip(found, expected):
        for array, dense in zip(tree, same):
            np.testing.assert_array_equal(array, dense)
    for array, dense in zip(more, others):
        np.testing.assert_array_equal(array, dense)


def test_few_rows_of_a_long_sparse_column_are_looked_up():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 3, (400, 2)).astype(np.uint8)
    columns = sparse_arrays(codes, np.array([0, 1], dtype=np.uint8))
    rows = np.array([5, 17, 230, 399], dtype=np.int32)
    grown = [
        trees.grow_trees(
            matrix,
            rows,
            np.ones(4, dtype=np.int64),
            np.array([True, False, True, False]),
            *(SEED, NODE, 0, 3, True, 4, False, 1, -1, 1),
            *np.zeros((3, 0)),
        )
        for matrix in (columns, dense_arrays(codes))
    ]
    for sparse, dense in zip(grown[0][1], grown[1][1]):
        np.testing.assert_array_equal(sparse, dense)


@settings(max_examples=10)
@given(problem=problems(min_weight=1))
def test_sparse_trees_without_the_jit(problem):
    arrays = sparse_arrays(
        problem.codes, np.zeros(problem.codes.shape[1], dtype=np.uint8)
    )
    found, importances, *votes = grow(problem, arrays)
    with np.errstate(over="ignore"):
        again = grow(problem, arrays, kernel=trees.grow_trees.py_func)
    for tree, same in zip(found, again[0]):
        for array, expected in zip(tree, same):
            np.testing.assert_array_equal(array, expected)
    for array, expected in zip((importances, *votes), again[1:]):
        np.testing.assert_array_equal(array, expected)


@given(problem=problems(), sparse=st.booleans())
def test_values_are_weighted_shares_of_the_rows_that_arrive(problem, sparse):
    problem = problem._replace(settings=problem.settings._replace(bootstrap=False))
    zero_codes = np.zeros(problem.codes.shape[1], dtype=np.uint8)
    arrays = sparse_arrays(problem.codes, zero_codes) if sparse else None
    (tree,), *_ = grow(problem, arrays, n_trees=1)
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


@given(problem=problems(), sparse=st.booleans())
def test_depth_and_leaf_size_are_respected(problem, sparse):
    how = problem.settings._replace(bootstrap=False, max_depth=2, least=2)
    problem = problem._replace(settings=how)
    zero_codes = np.zeros(problem.codes.shape[1], dtype=np.uint8)
    arrays = sparse_arrays(problem.codes, zero_codes) if sparse else None
    (tree,), *_ = grow(problem, arrays, n_trees=1)
    codes = problem.codes[problem.weights > 0]
    assert all(len(oracle.path_of(tree, row)) <= 3 for row in codes)
    if tree.feature.size > 1:
        assert all(rows.size >= 2 for rows in oracle.rows_reaching(tree, codes))


def test_a_tree_depends_on_its_number_and_not_on_the_trees_before_it():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 250, (60, 5)).astype(np.uint8)
    how = oracle.Settings(n_candidates=2, bootstrap=True, n_draws=60)
    problem = Problem(codes, np.ones(60, dtype=np.int64), rng.random(60) < 0.5, how)
    together, *_ = grow(problem, n_trees=5)
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


def test_many_more_nodes_than_expected_are_kept():
    """Every row is a leaf, in more trees than the first guess of memory holds."""
    codes = np.arange(250, dtype=np.uint8).reshape(-1, 1).repeat(12, axis=0)
    rng = np.random.default_rng(1)
    codes = np.hstack([codes, rng.integers(0, 255, (3000, 3)).astype(np.uint8)])
    positives = rng.random(3000) < 0.5
    how = oracle.Settings(n_candidates=1)
    problem = Problem(codes, np.ones(3000, dtype=np.int64), positives, how)
    found, *_ = grow(problem, n_trees=3)
    assert min(tree.feature.size for tree in found) > 1500
    for tree in found:
        assert (tree.left[tree.feature >= 0] < tree.feature.size - 1).all()


SCRIPT = """
import sys
import numpy as np
import scipy.sparse as sp
from hilabel.forests import ForestSettings, grow_node_forests
from hilabel.forests._grow import NodeExamples

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 5)).round(1)
X[rng.random(X.shape) < 0.3] = 0
X[rng.random(X.shape) < 0.1] = np.nan
positive = rng.random((3, 40)) < 0.5
weight = rng.integers(0, 3, 40).astype(float)
examples = [
    NodeExamples(np.arange(40), positive[0]),
    NodeExamples(np.arange(0, 40, 2), positive[1][::2]),
    NodeExamples(np.arange(40), positive[2], weight),
]
results = {}
for form, matrix in (("dense", X), ("sparse", sp.csr_array(X))):
    for splitter, least in (("best", 1), ("best", 2), ("random", 1)):
        settings = ForestSettings(3, splitter=splitter, min_samples_leaf=least)
        # Unsigned integers are meant to wrap around.
        with np.errstate(over="ignore"):
            forests = grow_node_forests(
                matrix, examples, settings, seed=5, with_importances=True, with_oob=True
            )
            scores = forests.predict(matrix)
        name = f"{form}_{splitter}_{least}_"
        for key in ("roots", "feature", "cut", "missing", "left", "value"):
            results[name + key] = getattr(forests, key)
        results[name + "scores"] = scores
        results[name + "importances"] = forests.importances
        results[name + "oob"] = np.concatenate([s for _, s in forests.oob_scores])
if __name__ == "__main__":
    import numba
    assert numba.config.DISABLE_JIT
    np.savez(sys.argv[1], **results)
"""


def test_everything_is_the_same_bit_for_bit_with_the_jit_off(tmp_path):
    script, saved = tmp_path / "script.py", tmp_path / "results.npz"
    script.write_text(SCRIPT)
    subprocess.run(
        [sys.executable, "-W", "error", str(script), str(saved)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        check=True,
    )
    compiled = runpy.run_path(str(script))["results"]
    with np.load(saved) as interpreted:
        assert set(interpreted.files) == set(compiled)
        for name, expected in compiled.items():
            assert interpreted[name].dtype == expected.dtype
            assert interpreted[name].tobytes() == expected.tobytes(), name
