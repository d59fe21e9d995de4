from itertools import product

import numpy as np
import pytest

from hilabel.datasets import make_hierarchy
from hilabel.exceptions import HierarchyError

SEEDS = range(20)


def test_tree_has_one_parent_at_most():
    for seed, n_nodes in product(SEEDS, [1, 2, 3, 4, 50]):
        hierarchy = make_hierarchy(n_nodes, "tree", random_state=seed)
        assert hierarchy.is_tree
        assert hierarchy.n_nodes == n_nodes
        assert hierarchy.roots.size == min(3, n_nodes)


def test_dag_has_a_node_with_several_parents():
    for seed, (n_nodes, n_roots) in product(SEEDS, [(4, 1), (3, 2), (50, 1), (50, 8)]):
        hierarchy = make_hierarchy(n_nodes, "dag", n_roots=n_roots, random_state=seed)
        n_parents = np.diff(hierarchy.parents_ptr)
        assert not hierarchy.is_tree
        assert hierarchy.n_nodes == n_nodes
        assert hierarchy.roots.size == n_roots
        assert n_parents.max() <= 3


def test_parents_in_a_dag_lie_one_level_above():
    for seed in SEEDS:
        hierarchy = make_hierarchy(60, "dag", random_state=seed)
        parents, children = hierarchy.edges.T
        assert (hierarchy.depth[parents] + 1 == hierarchy.depth[children]).all()


@pytest.mark.parametrize("structure", ["tree", "dag"])
@pytest.mark.parametrize("max_depth", [3, 4])
def test_depth_is_limited(structure, max_depth):
    hierarchy = make_hierarchy(
        200, structure, n_roots=1, max_depth=max_depth, random_state=0
    )
    assert hierarchy.max_depth == max_depth


def test_depth_one_gives_lone_nodes():
    assert make_hierarchy(5, n_roots=5, max_depth=1).n_edges == 0


def test_more_parents_are_used_when_allowed():
    few = make_hierarchy(300, "dag", max_parents=2, random_state=0)
    many = make_hierarchy(300, "dag", max_parents=6, random_state=0)
    assert np.diff(few.parents_ptr).max() == 2
    assert 4 <= np.diff(many.parents_ptr).max() <= 6


def test_same_seed_gives_the_same_hierarchy():
    first, second, other = (
        make_hierarchy(40, "dag", random_state=seed) for seed in (3, 3, 4)
    )
    assert first == second
    assert first != other


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_nodes": 0}, "n_nodes to be an integer of at least 1, got 0"),
        ({"n_nodes": 2.5}, r"n_nodes to be an integer of at least 1, got 2\.5"),
        ({"n_roots": True}, "n_roots to be an integer of at least 1, got True"),
        ({"max_depth": 0}, "max_depth to be an integer of at least 1, got 0"),
        ({"structure": "ring"}, "structure 'tree' or 'dag', got 'ring'"),
        ({"structure": "dag", "max_parents": 1}, "max_parents to be .* at least 2"),
    ],
)
def test_wrong_parameters_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_hierarchy(**{"n_nodes": 20, **arguments})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_nodes": 4, "max_depth": 1}, "n_roots=4 for 4 nodes of depth 1"),
        ({"n_nodes": 3, "structure": "dag"}, "n_nodes >= 4 and max_depth >= 2"),
        (
            {"n_nodes": 9, "structure": "dag", "n_roots": 1, "max_depth": 2},
            "n_nodes >= 4 and max_depth >= 3",
        ),
    ],
)
def test_impossible_hierarchies_are_refused(arguments, message):
    with pytest.raises(HierarchyError, match=message):
        make_hierarchy(**arguments)
