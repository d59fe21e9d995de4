from itertools import product

import numpy as np
import pytest

from hilabel.hierarchy import ProblemType
from hilabel.testing import make_problem, make_small_hierarchy

TYPES = list(product(("T", "DAG"), ("SPL", "MPL"), ("FD", "PD")))


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("kind", TYPES, ids="-".join)
def test_problem_has_the_type_asked_for(kind, seed):
    problem = make_problem(*kind, random_state=seed)
    assert problem.problem_type == ProblemType(*kind)
    assert problem.hierarchy.is_consistent(problem.Y)


@pytest.mark.parametrize("kind", TYPES, ids="-".join)
def test_few_rows_are_enough_for_every_type(kind):
    assert make_problem(*kind, n_samples=2).problem_type == ProblemType(*kind)


def test_sizes_are_those_asked_for():
    problem = make_problem(n_samples=11, n_unlabeled=5, n_test=3)
    assert problem.X.shape[0] == problem.Y.shape[0] == problem.n_samples == 11
    assert problem.X_unlabeled.shape[0] == 5
    assert problem.X_test.shape[0] == 3


def test_same_seed_gives_the_same_problem_and_another_seed_another():
    first, again, other = (make_problem(random_state=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.Y, again.Y)
    assert not np.array_equal(first.X, other.X)


def test_mixed_rows_keep_the_order_of_both_kinds_and_alternate():
    problem = make_problem(n_samples=6, n_unlabeled=3)
    X, Y = problem.mixed()
    unlabeled = (Y == -1).all(axis=1)
    np.testing.assert_array_equal(X[unlabeled], problem.X_unlabeled)
    np.testing.assert_array_equal(X[~unlabeled], problem.X)
    np.testing.assert_array_equal(Y[~unlabeled], problem.Y)
    np.testing.assert_array_equal(np.flatnonzero(unlabeled), [1, 4, 7])


def test_every_node_of_the_hardest_problem_occurs_and_is_missing_somewhere():
    share = make_problem("DAG", "MPL", "PD").Y.mean(axis=0)
    assert share.min() > 0
    assert share.max() < 1


@pytest.mark.parametrize(
    ("kind", "n_roots", "n_nodes", "is_tree"),
    [
        ("tree", 2, 8, True),
        ("dag", 2, 9, False),
        ("forest", 3, 7, True),
        ("isolated", 3, 5, True),
        ("one_node", 1, 1, True),
    ],
)
def test_small_hierarchies_are_what_they_are_called(kind, n_roots, n_nodes, is_tree):
    hierarchy = make_small_hierarchy(kind)
    assert (hierarchy.roots.size, hierarchy.n_nodes) == (n_roots, n_nodes)
    assert hierarchy.is_tree == is_tree


def test_forest_has_children_before_parents():
    parents, children = make_small_hierarchy("forest").edges.T
    assert (children < parents).any()


def test_rows_without_labels_are_used_only_where_there_is_no_inner_node():
    flat = make_problem("T", "SPL", "PD", hierarchy=make_small_hierarchy("one_node"))
    assert (flat.Y.sum(axis=1) == 0).any()
    assert (make_problem("T", "SPL", "PD").Y.sum(axis=1) > 0).all()


def test_unknown_hierarchy_is_refused():
    with pytest.raises(ValueError, match="Expected 'tree', 'dag'"):
        make_small_hierarchy("graph")


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (("T", "MPL", "FD"), {"hierarchy": make_small_hierarchy("one_node")}),
        (("DAG", "SPL", "FD"), {"hierarchy": make_small_hierarchy("tree")}),
        (("T", "SPL", "FD"), {"n_samples": 0}),
    ],
)
def test_impossible_problem_is_refused(kind, options):
    with pytest.raises(ValueError, match="enough rows for a problem of type"):
        make_problem(*kind, **options)


def test_non_negative_features_are_shifted_and_keep_their_distances():
    plain, shifted = make_problem(), make_problem(non_negative=True)
    everything = [shifted.X, shifted.X_unlabeled, shifted.X_test]
    np.testing.assert_allclose(np.concatenate(everything).min(axis=0), 0)
    np.testing.assert_allclose(
        shifted.X_test - shifted.X[0], plain.X_test - plain.X[0], atol=1e-12
    )
