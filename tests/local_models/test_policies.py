"""Positive and negative examples: the worked table, the orders, the properties."""

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from oracles import policies as oracle
from strategies import hierarchies, hierarchies_with_labels

from hilabel import Hierarchy
from hilabel.classifiers import (
    POLICIES,
    balanced_bottom_up,
    exclusive,
    inclusive,
    less_inclusive,
    siblings,
    within_parents,
)
from hilabel.local_models import select_examples

DAG = Hierarchy.from_edges([(0, 3), (0, 4), (1, 4), (1, 5)], nodes=range(6))
# Two rows per node, in the order of the nodes: rows 8 and 9 end at node 4.
TWELVE = DAG.close(np.repeat(np.eye(6, dtype=bool), 2, axis=0))
POSITIVES = {
    0: {0, 1, 6, 7, 8, 9},
    1: {2, 3, 8, 9, 10, 11},
    2: {4, 5},
    3: {6, 7},
    4: {8, 9},
    5: {10, 11},
}
# (policy, node, negatives); ranges are written out.
NEGATIVES = [
    (balanced_bottom_up, 0, [2, 3, 4, 5, 10, 11]),
    (balanced_bottom_up, 2, [0, 1]),
    (balanced_bottom_up, 3, [0, 1]),
    (balanced_bottom_up, 4, [0, 1]),
    (balanced_bottom_up, 5, [2, 3]),
    (inclusive, 0, [2, 3, 4, 5, 10, 11]),
    (inclusive, 2, [0, 1, 2, 3, 6, 7, 8, 9, 10, 11]),
    (inclusive, 3, [2, 3, 4, 5, 10, 11]),
    (inclusive, 4, [4, 5]),
    (inclusive, 5, [0, 1, 4, 5, 6, 7]),
    (siblings, 0, [2, 3, 4, 5, 10, 11]),
    (siblings, 2, [0, 1, 2, 3, 6, 7, 8, 9, 10, 11]),
    (siblings, 3, [8, 9]),
    (siblings, 4, [6, 7, 10, 11]),
    (siblings, 5, [8, 9]),
    (within_parents, 0, [2, 3, 4, 5, 10, 11]),
    (within_parents, 3, [0, 1, 8, 9]),
    (within_parents, 4, [0, 1, 2, 3, 6, 7, 10, 11]),
]
EXCLUSIVE = [
    (0, [0, 1], [2, 3, 4, 5]),
    (2, [4, 5], [0, 1, 2, 3]),
    (3, [6, 7], [8, 9]),
    (4, [8, 9], [6, 7, 10, 11]),
    (5, [10, 11], [8, 9]),
]


@pytest.mark.parametrize(("policy", "node", "expected"), NEGATIVES)
def test_worked_examples(policy, node, expected):
    positive, negative = policy(TWELVE, DAG, node)
    assert set(positive.tolist()) == POSITIVES[node]
    assert negative.tolist() == expected


@pytest.mark.parametrize(("node", "expected_positive", "expected_negative"), EXCLUSIVE)
def test_worked_examples_of_exclusive(node, expected_positive, expected_negative):
    positive, negative = exclusive(TWELVE, DAG, node)
    assert positive.tolist() == expected_positive
    assert negative.tolist() == expected_negative


@pytest.mark.parametrize("node", range(6))
def test_less_inclusive_takes_all_other_rows(node):
    positive, negative = less_inclusive(TWELVE, DAG, node)
    assert set(positive.tolist()) == POSITIVES[node]
    assert set(negative.tolist()) == set(range(12)) - POSITIVES[node]


def test_inclusive_may_leave_out_only_rows_that_end_at_an_ancestor():
    _, negative = inclusive(TWELVE, DAG, 4, ancestors="most_specific")
    # Rows 6, 7 (node 3) and 10, 11 (node 5) go on below an ancestor of node 4.
    assert negative.tolist() == [4, 5, 6, 7, 10, 11]


def test_exclusive_row_that_ends_at_the_node_and_at_a_sibling_is_positive():
    Y = np.array([[1, 0, 0, 1, 1, 0], [1, 1, 0, 0, 1, 0]], dtype=bool)
    Y = DAG.close(Y)
    positive, negative = exclusive(Y, DAG, 3)
    assert positive.tolist() == [0]
    assert negative.tolist() == [1]


@pytest.mark.parametrize("name", POLICIES)
@given(case=hierarchies_with_labels(), data=st.data())
def test_rows_are_those_that_a_search_row_by_row_finds(name, case, data):
    hierarchy, labels = case
    Y = hierarchy.close(labels)
    before = Y.copy()
    known = data.draw(hnp.arrays(bool, Y.shape))
    together = select_examples(Y, hierarchy, name, "index", None)
    in_part = select_examples(Y, hierarchy, name, "index", None, known)
    for node in range(hierarchy.n_nodes):
        expected = oracle.examples(name, Y, hierarchy, node)
        alone = POLICIES[name](Y, hierarchy, node)
        for found in (alone, together[node]):
            assert tuple(rows.tolist() for rows in found) == expected
        own = np.flatnonzero(known[:, node]).tolist()
        expected = oracle.examples(name, Y[own], hierarchy, node)
        assert [rows.tolist() for rows in in_part[node]] == [
            [own[row] for row in rows] for rows in expected
        ]
    np.testing.assert_array_equal(Y, before)


def test_a_row_with_the_node_along_another_path_is_no_negative_of_it():
    h = Hierarchy.from_edges([("p", "v"), ("p", "s"), ("v", "w")])
    # Both rows end at the sibling s; row 0 also ends at w, below v.
    Y = h.close(np.array([h_row(h, "s", "w"), h_row(h, "s"), h_row(h, "v")]))
    for policy, positive in ((siblings, [0, 2]), (exclusive, [2])):
        found = policy(Y, h, h.node("v"))
        assert [rows.tolist() for rows in found] == [positive, [1]]


def h_row(hierarchy, *names):
    row = np.zeros(hierarchy.n_nodes, dtype=bool)
    row[[hierarchy.node(name) for name in names]] = True
    return row


# Balanced ---------------------------------------------------------------------------

# Node v has a deep parent, c, and a shallow one, r: its siblings are s and t. The
# siblings of its parents, its uncles, are u (of c) and the roots q and z (of r).
DEEP_AND_SHALLOW = Hierarchy.from_edges(
    [
        ("q", "b"),
        ("b", "c"),
        ("b", "u"),
        ("c", "v"),
        ("c", "s"),
        ("r", "v"),
        ("r", "t"),
    ],
    nodes=["q", "r", "z", "b", "c", "u", "s", "t", "v"],
)
# What each row ends at; all its ancestors are added.
ENDS = ["c", "z", "u", "t", "s", "", "v", "v", "v", "v"]


@pytest.mark.parametrize(
    ("n_positive", "text", "program"),
    [
        # Siblings under either parent. The program prefers those below the deeper
        # parent, c, and counts the row that ends there.
        (2, [3, 4], [0, 4]),
        # Then uncles: row 0 has the root q, a sibling of the parent r.
        (3, [0, 3, 4], [0, 2, 4]),
        (4, [0, 1, 3, 4], [0, 2, 3, 4]),
    ],
)
def test_siblings_under_either_parent_come_first_in_the_text(n_positive, text, program):
    h = DEEP_AND_SHALLOW
    ends = ENDS[: ENDS.index("v") + n_positive]
    Y = h.close(np.array([h_row(h, *filter(None, [name])) for name in ends]))
    for order, expected in (("siblings_first", text), ("index", program)):
        _, negative = balanced_bottom_up(Y, h, h.node("v"), order=order)
        assert negative.tolist() == expected


def test_along_several_paths_the_nearest_relative_counts():
    h = Hierarchy.from_edges(
        [("r", "p"), ("r", "u"), ("p", "v"), ("p", "s"), ("u", "k"), ("u", "l")]
    )
    rows = [
        ("p",),  # ends at the parent, without any sibling
        ("k",),  # a cousin, under the uncle u
        ("p", "l"),  # ends at the parent, and has the uncle u along another path
        ("k", "s"),  # an uncle along one path, a sibling along the other
        ("s",),
        ("s", "v"),  # has the node itself
        ("v",),
        ("v",),
    ]
    Y = h.close(np.array([h_row(h, *names) for names in rows]))
    expected = {1: [3], 2: [3, 4], 3: [1, 3, 4], 4: [1, 2, 3, 4], 5: [0, 1, 2, 3, 4]}
    for n_positive, negatives in expected.items():
        few = Y[: 5 + n_positive] if n_positive <= 3 else np.vstack([Y, Y[-2:]])
        few = few[: 5 + n_positive]
        _, found = balanced_bottom_up(few, h, h.node("v"), order="siblings_first")
        assert found.tolist() == negatives


def test_siblings_first_uses_the_negatives_of_the_policy_siblings_first():
    random = np.random.default_rng(0)
    Y = DAG.close(random.random((60, 6)) < 0.3)
    for node in range(6):
        positive, negative = balanced_bottom_up(Y, DAG, node, order="siblings_first")
        beside = siblings(Y, DAG, node)[1]
        assert set(negative) <= set(beside) or set(beside) <= set(negative)
        assert negative.size == min(positive.size, 60 - positive.size)


@given(hierarchies_with_labels())
def test_siblings_first_goes_up_one_generation_at_a_time(case):
    hierarchy, labels = case
    Y = hierarchy.close(labels)
    for node in range(hierarchy.n_nodes):
        found = balanced_bottom_up(Y, hierarchy, node, order="siblings_first")
        expected = oracle.examples(
            "balanced_bottom_up", Y, hierarchy, node, "siblings_first"
        )
        assert tuple(rows.tolist() for rows in found) == expected


def test_an_unknown_order_is_refused():
    with pytest.raises(ValueError, match="'siblings_first', .* got 'uncles'"):
        balanced_bottom_up(TWELVE, DAG, 0, order="uncles")


@given(hierarchies_with_labels())
def test_balanced_takes_as_many_negatives_as_positives_if_there_are_so_many(case):
    hierarchy, labels = case
    Y = hierarchy.close(labels)
    for node in range(hierarchy.n_nodes):
        positive, negative = balanced_bottom_up(Y, hierarchy, node)
        available = int((~Y[:, node]).sum())
        assert negative.size == min(max(1, positive.size), available)


def test_balanced_goes_up_the_ancestors_and_includes_rows_that_stop_at_the_parent():
    edges = [("r", "a"), ("a", "v"), ("r", "b")]
    h = Hierarchy.from_edges(edges, nodes=["r", "a", "b", "v", "q"])
    names = ["q", "b", "a", "v", "r", "v", "v", "v"]
    Y = np.zeros((8, h.n_nodes), dtype=bool)
    for row, name in enumerate(names):
        Y[row, h.node(name)] = True
    _, negative = balanced_bottom_up(h.close(Y), h, h.node("v"))
    # Four are wanted: first the one at the parent, then those under the root r, then q.
    assert negative.tolist() == [0, 1, 2, 4]
    three = h.close(Y[:7])
    assert balanced_bottom_up(three, h, h.node("v"))[1].tolist() == [1, 2, 4]


def emulated(Y, hierarchy, node):
    """Take negatives in the order in which sets of plain numbers are walked."""
    negatives = [row for row in range(len(Y)) if not Y[row, node]]
    wanted = max(1, int(Y[:, node].sum()))
    above = hierarchy.ancestors(node).tolist()
    if not above:
        return set(negatives[:wanted])
    taken = set()
    for depth in [*range(hierarchy.depth[node] - 1, 0, -1), None]:
        at_depth = [a for a in above if hierarchy.depth[a] == depth]
        pool = [r for r in negatives if depth is None or Y[r, at_depth].any()]
        taken |= set(list(set(pool) - taken)[: wanted - len(taken)])
    return taken


@given(hierarchies(max_nodes=6), st.integers(0, 999), st.sampled_from([5, 40, 300]))
def test_order_authors_is_that_of_a_set_of_row_numbers(hierarchy, seed, n_rows):
    random = np.random.default_rng(seed)
    Y = hierarchy.close(random.random((n_rows, hierarchy.n_nodes)) < 0.2)
    for node in range(hierarchy.n_nodes):
        _, negative = balanced_bottom_up(Y, hierarchy, node, order="authors")
        assert set(negative.tolist()) == emulated(Y, hierarchy, node)


def test_order_authors_differs_from_index_once_numbers_exceed_the_table():
    h = Hierarchy.from_edges([("a", "b")])
    Y = np.zeros((400, 2), dtype=bool)
    Y[[*range(5), 150, 256, 390], 0] = True  # candidates under the parent
    Y[:2, 1] = True
    _, by_index = balanced_bottom_up(Y, h, h.node("b"))
    _, by_set = balanced_bottom_up(Y, h, h.node("b"), order="authors")
    assert by_index.tolist() == [2, 3]
    assert by_set.tolist() == sorted(list({2, 3, 4, 150, 256, 390})[:2])
    assert by_set.tolist() != by_index.tolist()


@pytest.mark.parametrize("seed", [0, 7])
def test_order_random_is_the_same_for_the_same_seed(seed):
    h = Hierarchy(["a"])
    Y = np.arange(200)[:, None] < 20

    def draw(random_state):
        return balanced_bottom_up(Y, h, 0, "random", random_state)[1].tolist()

    assert draw(seed) == draw(seed)
    assert draw(seed) == draw(np.random.RandomState(seed))
    assert draw(seed) != draw(seed + 1)
    assert draw(seed) != list(range(20, 40))


def test_balanced_without_positives_takes_one_negative():
    Y = np.zeros((3, 6), dtype=bool)
    positive, negative = balanced_bottom_up(Y, DAG, 4)
    assert positive.size == 0
    assert negative.tolist() == [0]


def test_in_a_deep_chain_the_nearest_relatives_still_come_first():
    n_nodes = 60
    names = [str(node) for node in range(n_nodes)]
    chain = Hierarchy.from_edges(itertools.pairwise(names), nodes=names)
    Y = np.zeros((6, n_nodes), dtype=bool)
    for row, end in enumerate([59, 59, 50, 30, 10, 0]):
        Y[row, : end + 1] = True
    # As many as there are positives: rows that end at 50 and 30, then at 10.
    assert [rows.tolist() for rows in balanced_bottom_up(Y, chain, 55)] == [
        [0, 1],
        [2, 3],
    ]
    Y[2, 1:] = False
    assert balanced_bottom_up(Y, chain, 55)[1].tolist() == [3, 4]
    assert balanced_bottom_up(Y, chain, 0)[1].tolist() == []
