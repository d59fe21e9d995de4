"""Predictions of grown forests: equal to a slow walk, and to themselves."""

import pickle
from itertools import pairwise

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from oracles import trees as oracle

from hilabel.forests import FeatureBins, ForestSettings, grow_node_forests
from hilabel.forests._grow import NodeExamples

FORMS = {"dense": np.asarray, "sparse": sp.csr_array}
N_ROWS = 90


def make_problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, 6)).round(1)
    X[rng.random(X.shape) < 0.3] = 0
    X[rng.random(X.shape) < 0.1] = np.nan
    rows = np.arange(60)
    examples = [NodeExamples(rows, rng.random(60) < p) for p in (0.5, 0.2, 0.0, 0.7)]
    return X, examples


@pytest.fixture(scope="module", params=FORMS)
def case(request):
    """Return (forests, X); the third of the four nodes has a constant."""
    X, examples = make_problem()
    X = FORMS[request.param](X)
    return grow_node_forests(X, examples, ForestSettings(9), seed=1), X


def test_predictions_are_those_of_a_slow_walk(case):
    forests, X = case
    ((_, codes),) = forests.bins.row_blocks(X)
    trees = oracle.split_trees(
        forests.roots,
        forests.feature,
        forests.cut,
        forests.missing,
        forests.left,
        forests.value,
    )
    assert len(trees) == 27
    scores = forests.predict(X)
    assert scores.dtype == np.float32
    assert scores.shape == (N_ROWS, 4)
    for number, node in enumerate([0, 1, 3]):
        own = trees[9 * number : 9 * number + 9]
        expected = oracle.mean_leaf_values(own, codes)
        np.testing.assert_array_equal(scores[:, node], expected)
    np.testing.assert_array_equal(scores[:, 2], np.zeros(N_ROWS))


@settings(max_examples=20)
@given(step=st.integers(1, N_ROWS), first=st.integers(0, N_ROWS))
def test_predictions_do_not_depend_on_the_rows_beside(case, step, first):
    forests, X = case
    whole = forests.predict(X)
    cuts = [0, *range(first, N_ROWS, step), N_ROWS]
    parts = [forests.predict(X[a:b]) for a, b in pairwise(cuts)]
    assert np.concatenate(parts).tobytes() == whole.tobytes()


def test_predictions_are_the_same_in_any_number_of_blocks():
    """More rows than one task takes, and more cells than one block."""
    X, examples = make_problem()
    forests = grow_node_forests(X, examples, ForestSettings(3), seed=1)
    many = np.tile(X, (300, 1))
    expected = np.tile(forests.predict(X), (300, 1))
    for n_jobs in (1, 2):
        assert forests.predict(many, n_jobs=n_jobs).tobytes() == expected.tobytes()


@pytest.mark.parametrize("n_jobs", [None, 1, 2])
def test_predictions_do_not_depend_on_threads(case, n_jobs):
    forests, X = case
    found = forests.predict(X, n_jobs=n_jobs)
    assert found.tobytes() == forests.predict(X).tobytes()


def test_predictions_do_not_depend_on_the_backend(case):
    forests, X = case
    with joblib.parallel_config(backend="loky", n_jobs=2):
        found = forests.predict(X)
    assert found.tobytes() == forests.predict(X).tobytes()


@pytest.mark.parametrize("nodes", [[0], [2], [3, 0], [1, 1, 2], np.array([3]), []])
def test_some_nodes_are_columns_of_all(case, nodes):
    forests, X = case
    found = forests.predict(X, nodes=nodes)
    expected = forests.predict(X)[:, np.array(nodes, dtype=int)]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("how", ["pickle", "joblib"])
def test_predictions_are_the_same_after_a_round_trip(case, how, tmp_path):
    forests, X = case
    if how == "pickle":
        loaded = pickle.loads(pickle.dumps(forests))
    else:
        joblib.dump(forests, tmp_path / "forests.joblib")
        loaded = joblib.load(tmp_path / "forests.joblib")
    assert loaded.predict(X).tobytes() == forests.predict(X).tobytes()


def test_forests_kept_in_a_file_predict_the_same(case, tmp_path):
    """Memory-mapped arrays cannot be written."""
    forests, X = case
    joblib.dump(forests, tmp_path / "forests.joblib")
    mapped = joblib.load(tmp_path / "forests.joblib", mmap_mode="r")
    assert not mapped.value.flags.writeable
    assert mapped.predict(X).tobytes() == forests.predict(X).tobytes()


def test_dense_and_sparse_rows_have_the_same_predictions(case):
    forests, X = case
    other = X.toarray() if sp.issparse(X) else sp.csr_array(X)
    assert forests.predict(other).tobytes() == forests.predict(X).tobytes()


def test_no_rows_have_no_predictions(case):
    forests, X = case
    assert forests.predict(X[:0]).shape == (0, 4)


def test_values_beyond_those_of_training_are_the_nearest_seen(case):
    forests, _ = case
    X, _ = make_problem()
    low, high = np.nanmin(X, axis=0), np.nanmax(X, axis=0)
    for seen, beyond in ((low, -np.inf), (high, np.inf), (high, 1e300)):
        np.testing.assert_array_equal(
            forests.predict(np.full((1, 6), beyond)), forests.predict(seen[None])
        )


def test_memory_is_that_of_the_arrays(case):
    forests, _ = case
    n_tree_nodes = forests.feature.size
    assert forests.n_nodes == 4
    assert forests.n_bytes == 8 * (27 + 1) + n_tree_nodes * (4 + 1 + 1 + 4 + 4)


@settings(max_examples=20)
@given(data=st.data())
def test_rows_of_each_node_are_predicted_as_among_all_rows(case, data):
    forests, X = case
    coded = forests.bins.code(X)
    numbers = st.lists(st.integers(0, N_ROWS - 1), max_size=30)
    nodes = data.draw(st.permutations(range(4)).map(lambda some: some[:3]))
    rows = [np.array(data.draw(numbers), dtype=np.int64) for _ in nodes]
    n_jobs = data.draw(st.sampled_from([1, 2]))
    whole = forests.predict(X)
    for node, own, scores in zip(
        nodes, rows, forests.predict_rows(coded, nodes, rows, n_jobs)
    ):
        assert scores.dtype == np.float32
        np.testing.assert_array_equal(scores, whole[own, node])


@pytest.mark.parametrize("form", FORMS)
def test_nodes_grown_again_take_the_place_of_the_old_ones(form):
    X, examples = make_problem()
    coded = FeatureBins.from_matrix(FORMS[form](X)).code(FORMS[form](X))
    options = {"seed": 1, "with_importances": True, "with_oob": True}
    how = ForestSettings(4)
    # The third node gets a forest, the fourth a constant, the second is left alone.
    new = [examples[3], examples[0], examples[2]]
    nodes = [2, 0, 3]
    changed = grow_node_forests(coded, examples, how, **options).updated(
        nodes, grow_node_forests(coded, new, how, numbers=nodes, **options)
    )
    together = [examples[0], examples[1], examples[3], examples[2]]
    expected = grow_node_forests(coded, together, how, **options)
    for name in ("roots", "feature", "cut", "missing", "left", "value", "constant"):
        np.testing.assert_array_equal(getattr(changed, name), getattr(expected, name))
    np.testing.assert_array_equal(changed.importances, expected.importances)
    for (rows, scores), (other, others) in zip(changed.oob_scores, expected.oob_scores):
        np.testing.assert_array_equal(rows, other)
        np.testing.assert_array_equal(scores, others)
