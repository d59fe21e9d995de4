"""Forests of many nodes: their weights, settings, threads and streams."""

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from forest_cases import (
    assert_equal_forests,
    codes_of,
    grow,
    overlapping_classes,
    trees_of,
)
from hypothesis import given, settings, strategies as st
from oracles import trees as oracle
from sklearn.metrics import roc_auc_score

from hilabel.forests import FeatureBins, ForestSettings, grow_node_forests
from hilabel.forests._grow import NodeExamples

# Weights ----------------------------------------------------------------------------


def weighted_problem():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 6, (80, 5)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    positive = rng.random(80) < 0.2 + 0.1 * np.nan_to_num(X[:, 0])
    return X, positive, rng.integers(0, 4, 80)


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_whole_weights_are_repeated_rows(form, splitter):
    X, positive, times = weighted_problem()
    how = ForestSettings(8, splitter=splitter, bootstrap=False)
    weighted = grow(form(X), positive, how, weight=times.astype(float))
    rows = np.repeat(np.arange(80), times)
    example = NodeExamples(rows, positive[rows])
    repeated = grow_node_forests(form(X), [example], how, seed=0)
    assert_equal_forests(weighted, repeated)


@pytest.mark.parametrize("bootstrap", [False, True])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_a_row_of_weight_0_is_absent(bootstrap, class_weight):
    X, positive, times = weighted_problem()
    weight = (times > 0) * 1.0
    how = ForestSettings(8, bootstrap=bootstrap, class_weight=class_weight)
    with_zeros = grow(X, positive, how, weight=weight, with_oob=True)
    used = np.flatnonzero(weight)
    example = NodeExamples(used, positive[used])
    without = grow_node_forests(X, [example], how, seed=0, with_oob=True)
    assert_equal_forests(with_zeros, without)
    ((rows, scores),) = with_zeros.oob_scores
    np.testing.assert_array_equal(rows, np.arange(80))
    np.testing.assert_array_equal(scores[used], without.oob_scores[0][1])
    assert np.isnan(scores[weight == 0]).all()


def test_no_tree_is_empty_though_most_weights_are_0():
    X = np.arange(40.0).reshape(-1, 1)
    positive = np.arange(40) >= 39
    weight = np.zeros(40)
    weight[[0, 39]] = 1
    forests = grow(X, positive, ForestSettings(50), weight=weight)
    # Trees that drew both rows, only the first, or only the second.
    assert set(forests.value[forests.roots[:-1]].tolist()) == {0.0, 0.5, 1.0}
    assert forests.predict(X[[39]]).item() > 0.5


def test_only_the_ratio_of_weights_matters():
    X, positive, times = weighted_problem()
    how = ForestSettings(5, max_depth=1)
    weight = times + 1.0
    whole = grow(X, positive, how, weight=weight)
    tiny = grow(X, positive, how, weight=weight * 1e-9)
    huge = grow(X, positive, how, weight=weight * 1e12)
    np.testing.assert_allclose(whole.predict(X), tiny.predict(X), atol=1e-5)
    np.testing.assert_array_equal(tiny.predict(X), huge.predict(X))


def test_a_tiny_weight_is_not_zero():
    X = np.array([[0.0], [1.0]])
    forests = grow(X, [0, 1], weight=np.array([1.0, 1e-20]))
    assert forests.predict(X)[:, 0].tolist() == [0.0, 1.0]


def test_balanced_classes_weigh_the_same():
    X = np.zeros((10, 1))
    positive = np.arange(10) < 2
    how = ForestSettings(1, bootstrap=False, class_weight="balanced")
    assert grow(X, positive, how).value[0] == pytest.approx(0.5, abs=1e-6)


def test_class_weights_multiply_row_weights():
    X = np.zeros((4, 1))
    how = ForestSettings(1, bootstrap=False, class_weight={False: 1.0, True: 3.0})
    forests = grow(X, [1, 1, 0, 0], how, weight=np.array([1.0, 1.0, 2.0, 4.0]))
    assert forests.value[0] == pytest.approx(0.5)


# Settings ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("max_features", "expected"),
    [
        ("sqrt", 4),
        ("log2", 4),
        (None, 20),
        (7, 7),
        (np.int32(7), 7),
        (50, 20),
        (0.25, 5),
        (np.float32(0.25), 5),
        (0.01, 1),
        (1.0, 20),
        (1, 1),
    ],
)
def test_number_of_features_tried(max_features, expected):
    assert ForestSettings(max_features=max_features).n_candidates(20) == expected


def test_at_least_one_feature_is_tried_of_one():
    for max_features in ("sqrt", "log2", None, 1, 0.5):
        assert ForestSettings(max_features=max_features).n_candidates(1) == 1


@pytest.mark.parametrize(
    ("max_samples", "expected"),
    [(None, 40), (10, 10), (99, 40), (0.5, 20), (np.float32(0.5), 20), (0.001, 1)],
)
def test_number_of_rows_drawn(max_samples, expected):
    assert ForestSettings(max_samples=max_samples).n_draws(40) == expected
    without = ForestSettings(max_samples=max_samples, bootstrap=False)
    assert without.n_draws(40) == 40


def test_fewer_rows_drawn_make_smaller_trees():
    X, positive = overlapping_classes(0)
    for max_samples in (1, 10):
        forests = grow(X, positive, ForestSettings(20, max_samples=max_samples))
        # Leaves hold a row at least, and there is a split less than leaves.
        assert np.diff(forests.roots).max() <= 2 * max_samples - 1


@settings(max_examples=20)
@given(
    depth=st.integers(1, 4),
    least=st.integers(1, 30),
    splitter=st.sampled_from(["best", "random"]),
    sparse=st.booleans(),
)
def test_depth_and_leaf_size_are_respected(depth, least, splitter, sparse):
    X, positive = overlapping_classes(1, n_rows=100)
    how = ForestSettings(
        2,
        splitter=splitter,
        max_depth=depth,
        min_samples_leaf=least,
        bootstrap=False,
    )
    forests = grow(sp.csr_array(X) if sparse else X, positive, how)
    codes = codes_of(forests, X)
    for tree in trees_of(forests):
        reaching = oracle.rows_reaching(tree, codes)
        assert min(rows.size for rows in reaching) >= least
        assert max(len(oracle.path_of(tree, row)) for row in codes) <= depth + 1
        for value, rows in zip(tree.value, reaching):
            assert value == np.float32(positive[rows].mean())


def test_random_cuts_differ_where_best_cuts_are_the_same():
    X, positive = overlapping_classes(0)
    how = {"max_features": None, "bootstrap": False, "max_depth": 1}
    best = grow(X, positive, ForestSettings(10, **how))
    random = grow(X, positive, ForestSettings(10, splitter="random", **how))
    assert len(set(best.cut[best.roots[:-1]].tolist())) == 1
    assert len(set(random.cut[random.roots[:-1]].tolist())) > 3


# Nodes, streams and threads ---------------------------------------------------------


def many_nodes(n_nodes=6, n_rows=150):
    """Return X and examples: nodes with rows of their own, weights, one class."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(n_rows, 8)).round(1)
    X[rng.random(X.shape) < 0.1] = np.nan
    examples = []
    for node in range(n_nodes):
        rows = np.sort(rng.choice(n_rows, 100, replace=False))
        positive = np.nan_to_num(X[rows, node]) + rng.normal(size=100) > 0
        weight = rng.random(100) if node % 2 else None
        examples.append(NodeExamples(rows, positive, weight))
    examples[2] = NodeExamples(np.arange(5), np.ones(5, dtype=bool))
    return X, examples


def grow_many(X, examples, how=None, **options):
    how = how or ForestSettings(12)
    return grow_node_forests(
        X, examples, how, seed=4, with_importances=True, with_oob=True, **options
    )


def assert_same_results(first, second, X):
    assert_equal_forests(first, second)
    assert first.importances.tobytes() == second.importances.tobytes()
    for (rows, scores), (same_rows, same_scores) in zip(
        first.oob_scores, second.oob_scores
    ):
        np.testing.assert_array_equal(rows, same_rows)
        assert scores.tobytes() == same_scores.tobytes()
    assert first.predict(X).tobytes() == second.predict(X).tobytes()


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_results_do_not_depend_on_threads(form, splitter):
    X, examples = many_nodes()
    how = ForestSettings(12, splitter=splitter)
    alone = grow_many(form(X), examples, how, n_jobs=1)
    for n_jobs in (None, 2, 3):
        assert_same_results(
            grow_many(form(X), examples, how, n_jobs=n_jobs), alone, form(X)
        )
    scores = alone.predict(form(X), n_jobs=1)
    assert alone.predict(form(X), n_jobs=2).tobytes() == scores.tobytes()


def test_results_do_not_depend_on_the_backend():
    X, examples = many_nodes()
    alone = grow_many(X, examples)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        grown = grow_many(X, examples)
        scores = alone.predict(X)
    assert_same_results(grown, alone, X)
    assert scores.tobytes() == alone.predict(X).tobytes()


def test_work_divided_in_units_is_the_same_for_any_number_of_threads():
    """Enough rows that the trees of one forest are divided."""
    X, positive = overlapping_classes(0, n_rows=3000)
    how = ForestSettings(40, max_depth=3)
    options = {"with_importances": True, "with_oob": True}
    alone = grow(X, positive, how, n_jobs=1, **options)
    assert_same_results(grow(X, positive, how, n_jobs=2, **options), alone, X)
    assert alone.roots.size == 41
    assert (np.diff(alone.roots) >= 3).all()


def test_the_forest_of_a_node_does_not_depend_on_the_other_nodes():
    X, examples = many_nodes()
    together = grow_many(X, examples)
    nothing = NodeExamples(np.arange(1), np.zeros(1, dtype=bool))
    for node in (0, 1, 3, 5):
        # Nodes of one class have no trees, so that this node stands alone.
        alone = grow_many(X, [nothing] * node + [examples[node]])
        np.testing.assert_array_equal(
            alone.predict(X)[:, node], together.predict(X)[:, node]
        )
        np.testing.assert_array_equal(
            alone.importances[node], together.importances[node]
        )
        np.testing.assert_array_equal(
            alone.oob_scores[node][1], together.oob_scores[node][1]
        )


def test_nodes_with_the_same_examples_have_streams_of_their_own():
    X, positive = overlapping_classes(0)
    example = NodeExamples(np.arange(200), positive)
    forests = grow_node_forests(X, [example, example], ForestSettings(3), seed=0)
    first, second = forests.predict(X).T
    assert not np.array_equal(first, second)


def test_the_seed_decides():
    X, positive = overlapping_classes(0)
    first = grow(X, positive, ForestSettings(3), seed=1)
    assert_equal_forests(first, grow(X, positive, ForestSettings(3), seed=1))
    other = grow(X, positive, ForestSettings(3), seed=2)
    assert not np.array_equal(first.predict(X), other.predict(X))


def test_more_trees_begin_with_the_same_trees():
    X, positive = overlapping_classes(0)
    few = trees_of(grow(X, positive, ForestSettings(3)))
    many = trees_of(grow(X, positive, ForestSettings(9)))
    for tree, same in zip(few, many):
        for array, expected in zip(tree, same):
            np.testing.assert_array_equal(array, expected)


def test_nodes_of_one_class_have_a_constant():
    X = np.arange(4.0).reshape(-1, 1)
    rows = np.arange(4)
    mixed = np.array([True, False, True, False])
    examples = [
        NodeExamples(rows, np.ones(4, dtype=bool)),
        NodeExamples(rows, np.zeros(4, dtype=bool)),
        NodeExamples(rows[:0], mixed[:0]),
        NodeExamples(rows, mixed, mixed * 1.0),
        NodeExamples(rows, mixed, np.zeros(4)),
        NodeExamples(rows, mixed),
    ]
    forests = grow_many(X, examples)
    np.testing.assert_array_equal(forests.constant, [1, 0, 0, 1, 0, np.nan])
    scores = forests.predict(X)
    np.testing.assert_array_equal(scores[:, :5], np.tile([1, 0, 0, 1, 0], (4, 1)))
    assert np.isfinite(scores).all()
    assert forests.importances.sum(axis=1) == pytest.approx([0, 0, 0, 0, 0, 1])
    for rows, scores in forests.oob_scores[:5]:
        assert rows.size == scores.size
        assert np.isnan(scores).all()


def test_no_node_with_a_forest_still_has_importances_of_zero():
    X = np.zeros((3, 4))
    forests = grow_many(X, [NodeExamples(np.arange(3), np.ones(3, dtype=bool))])
    assert forests.importances.tolist() == [[0.0] * 4]
    assert forests.roots.tolist() == [0]
    assert forests.predict(X).tolist() == [[1.0]] * 3


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_importances_sum_to_1_and_name_the_feature_that_matters(form, splitter):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6)).round(1)
    positive = X[:, 4] + 0.5 * rng.normal(size=300) > 0
    how = ForestSettings(30, splitter=splitter)
    found = grow(form(X), positive, how, with_importances=True).importances
    assert found.shape == (1, 6)
    assert found.sum() == pytest.approx(1)
    assert found.argmax() == 4
    assert found[0, 4] > 3 * np.delete(found[0], 4).max()


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_out_of_bag_scores_are_means_over_trees_without_the_row(form):
    X, positive = overlapping_classes(0, n_rows=60)
    how = ForestSettings(10)
    forests = grow(form(X), positive, how, with_oob=True)
    codes = codes_of(forests, X)
    votes, counts = np.zeros((2, 60))
    for number, tree in enumerate(trees_of(forests)):
        stream = oracle.Stream(0, 0, number)
        out = np.ones(60, dtype=bool)
        out[[stream.below(60) for _ in range(60)]] = False
        votes[out] += oracle.leaf_values(tree, codes[out])
        counts[out] += 1
    ((rows, scores),) = forests.oob_scores
    np.testing.assert_array_equal(rows, np.arange(60))
    assert (counts == 0).any()
    np.testing.assert_array_equal(np.isnan(scores), counts == 0)
    np.testing.assert_allclose(
        scores[counts > 0], votes[counts > 0] / counts[counts > 0]
    )


def test_out_of_bag_scores_are_as_good_as_those_of_held_out_rows():
    X, positive = overlapping_classes(0, n_rows=2000)
    train, test = slice(0, 500), slice(500, None)
    forests = grow(X[train], positive[train], ForestSettings(100), with_oob=True)
    ((_, scores),) = forests.oob_scores
    held_out = roc_auc_score(positive[test], forests.predict(X[test])[:, 0])
    # The deviation of an AUC of .75 on 500 rows is about .02.
    assert roc_auc_score(positive[train], scores) == pytest.approx(held_out, abs=0.05)
    # Rows that were in the bag are known by heart, and would score 1.
    assert held_out < 0.85


def test_importances_and_out_of_bag_scores_only_when_asked_for():
    X, positive = overlapping_classes(0)
    forests = grow(X, positive, ForestSettings(2))
    assert forests.importances is None
    assert forests.oob_scores is None


def test_inputs_are_not_changed():
    X, examples = many_nodes()
    before = X.copy(), [tuple(np.copy(part) for part in e) for e in examples]
    grow_many(X, examples, ForestSettings(2, class_weight="balanced"))
    np.testing.assert_array_equal(X, before[0])
    for example, parts in zip(examples, before[1]):
        for array, part in zip(example, parts):
            np.testing.assert_array_equal(np.asarray(array), part)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_rows_coded_before_grow_the_same_trees(form):
    random = np.random.default_rng(0)
    X = form(random.normal(size=(40, 3)) * (random.random((40, 3)) < 0.7))
    example = NodeExamples(np.arange(40), random.random(40) < 0.5)
    coded = FeatureBins.from_matrix(X).code(X)
    direct = grow_node_forests(X, [example], ForestSettings(5), seed=2)
    again = grow_node_forests(coded, [example], ForestSettings(5), seed=2)
    np.testing.assert_array_equal(direct.predict(X), again.predict(X))
    assert again.bins is coded.bins


def test_a_node_grown_alone_under_its_number_is_the_same_as_among_others():
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 3))
    examples = [NodeExamples(np.arange(40), random.random(40) < 0.5) for _ in range(3)]
    how = ForestSettings(5)
    together = grow_node_forests(X, examples, how, seed=2).predict(X)
    some = grow_node_forests(X, [examples[2], examples[0]], how, seed=2)
    numbered = grow_node_forests(
        X, [examples[2], examples[0]], how, seed=2, numbers=[2, 0]
    )
    np.testing.assert_array_equal(numbered.predict(X), together[:, [2, 0]])
    assert not np.array_equal(some.predict(X), together[:, [2, 0]])
