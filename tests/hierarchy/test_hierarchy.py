import copy
import pickle
import time

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from oracles import hierarchy as oracle
from strategies import hierarchies, hierarchies_with_labels

from hilabel import Hierarchy
from hilabel.exceptions import HierarchyError, LabelError


@pytest.fixture
def diamond():
    """A root, two children, and a node under both."""
    return Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "d"), ("b", "d")])


# Construction -----------------------------------------------------------------------

PAPER_EDGES = [(0, 3), (0, 4), (1, 4), (1, 5)]


def test_all_constructors_agree():
    expected = Hierarchy.from_edges(PAPER_EDGES, nodes=range(6))
    graph = nx.DiGraph(PAPER_EDGES)
    graph.add_node(2)
    adjacency = np.zeros((6, 6))
    adjacency[tuple(zip(*PAPER_EDGES, strict=True))] = 1
    children = {0: [3, 4], 1: [4, 5], 2: []}
    by_name = Hierarchy.from_networkx(graph)
    assert Hierarchy.from_dict(children) == expected
    assert Hierarchy.from_adjacency(adjacency) == expected
    assert Hierarchy.from_adjacency(sp.csr_array(adjacency)) == expected
    assert Hierarchy.from_edges(pd.DataFrame(PAPER_EDGES), nodes=range(6)) == expected
    assert Hierarchy.from_edges(np.array(PAPER_EDGES), nodes=range(6)) == expected
    assert Hierarchy.from_networkx(graph.reverse(), "child_to_parent") == by_name
    assert by_name.restrict([str(node) for node in range(6)]) == expected


def named_edges(hierarchy):
    names = hierarchy.names
    return {(names[parent], names[child]) for parent, child in hierarchy.edges}


def test_dicts_within_dicts_keep_every_level():
    nested = {"food": {"drinks": {"tea": {}, "juice": []}, "bakery": ["bread"]}}
    flat = {"food": ["drinks", "bakery"], "drinks": ["tea", "juice"]}
    flat["bakery"] = ["bread"]
    expected = Hierarchy.from_dict(flat)
    assert set(Hierarchy.from_dict(nested).names) == set(expected.names)
    assert named_edges(Hierarchy.from_dict(nested)) == named_edges(expected)


def test_a_name_below_two_parents_is_one_node():
    below = {"tea": {"green": {}}}
    hierarchy = Hierarchy.from_dict({"food": below, "gifts": below, "tea": ["black"]})
    assert named_edges(hierarchy) == {
        ("food", "tea"),
        ("gifts", "tea"),
        ("tea", "green"),
        ("tea", "black"),
    }


def test_a_dict_that_holds_itself_is_a_cycle():
    endless = {}
    endless["a"] = {"b": endless}
    with pytest.raises(HierarchyError, match="cycle"):
        Hierarchy.from_dict(endless)


def test_paths_may_repeat_and_come_in_any_order():
    tree = Hierarchy.from_paths(["01/01/03", "02", "01", "01/01/03"])
    assert tree.names == ("01", "01/01", "01/01/03", "02")
    assert tree.edges.tolist() == [[0, 1], [1, 2]]
    assert Hierarchy.from_paths(["a.b"], separator=".").names == ("a", "a.b")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Hierarchy.from_edges([("a", "b"), ("b", "c"), ("c", "a")]),
            "cycle: 'a' -> 'b' -> 'c' -> 'a'",
        ),
        (
            lambda: Hierarchy.from_edges([("r", "a"), ("a", "b"), ("b", "a")]),
            "cycle: 'a' -> 'b' -> 'a'",
        ),
        (lambda: Hierarchy.from_edges([("a", "a")]), "'a' is its own parent"),
        (
            lambda: Hierarchy.from_edges([("a", "b"), ("a", "b")]),
            r"Edge \('a', 'b'\) occurs more than once",
        ),
        (
            lambda: Hierarchy.from_edges([("x", "b")], nodes=["a", "b"]),
            "Parent 'x' of the edge .* not among the 2 nodes",
        ),
        (
            lambda: Hierarchy.from_edges([("a", "x")], nodes=["a", "b"]),
            "Child 'x' of the edge .* not among the 2 nodes",
        ),
        (lambda: Hierarchy(["a", "a"]), "'a' occurs more than once"),
        (lambda: Hierarchy([]), "at least one node, got an empty list"),
        (lambda: Hierarchy.from_edges([]), "at least one node"),
        (lambda: Hierarchy(["a"], [(0, 1)]), "node that does not exist"),
        (lambda: Hierarchy([0, 1]), "names to be strings, got 0"),
        (lambda: Hierarchy(["a"], titles=["x", "y"]), "2 titles for 1 nodes"),
        (lambda: Hierarchy.from_edges([("a",)]), "Expected .parent, child. pairs"),
        (lambda: Hierarchy.from_edges(["ab"]), "Expected .parent, child. pairs"),
        (lambda: Hierarchy.from_paths(["a//b"]), "'a//b' has an empty step"),
        (lambda: Hierarchy.from_dict({"a": "bc"}), "list of children for 'a'"),
        (lambda: Hierarchy.from_adjacency(np.ones((2, 3))), "square adjacency"),
        (lambda: Hierarchy.from_networkx(nx.Graph()), "directed graph"),
        (lambda: Hierarchy.from_networkx(nx.DiGraph(), "up"), "got 'up'"),
        (
            lambda: Hierarchy.from_edges(pd.DataFrame({"a": [1]})),
            "two columns, parent and child, got 1",
        ),
    ],
)
def test_bad_hierarchies_are_refused_by_name(make, message):
    with pytest.raises(HierarchyError, match=message):
        make()


def test_time_to_build_grows_with_the_edges():
    def seconds(n_nodes):
        rng = np.random.default_rng(0)
        children = np.repeat(np.arange(1, n_nodes), 3)
        parents = (rng.random(children.size) * children).astype(np.int64)
        edges = np.unique(np.column_stack([parents, children]), axis=0)
        names = [str(node) for node in range(n_nodes)]
        start = time.process_time()
        assert Hierarchy(names, edges).n_edges == len(edges)
        return time.process_time() - start

    # Were every node looked at for every node, it would be a hundred times as long.
    fewer, more = (min(seconds(n) for _ in range(3)) for n in (10_000, 100_000))
    assert more < 40 * fewer


def test_a_chain_of_a_hundred_thousand_nodes_is_no_recursion():
    n_nodes = 100_000
    edges = np.column_stack([np.arange(n_nodes - 1), np.arange(1, n_nodes)])
    chain = Hierarchy([str(node) for node in range(n_nodes)], edges)
    assert chain.max_depth == n_nodes
    assert chain.ancestors(n_nodes - 1).size == n_nodes - 1


# Nodes ------------------------------------------------------------------------------


def test_the_papers_hierarchy():
    hierarchy = Hierarchy.from_edges(PAPER_EDGES, nodes=range(6))
    assert hierarchy.roots.tolist() == [0, 1, 2]
    assert hierarchy.leaves.tolist() == [2, 3, 4, 5]
    assert hierarchy.depth.tolist() == [1, 1, 1, 2, 2, 2]
    assert not hierarchy.is_tree
    assert hierarchy.siblings(4).tolist() == [3, 5]
    assert hierarchy.siblings(3).tolist() == [4]
    assert hierarchy.siblings(0).tolist() == [1, 2]
    assert hierarchy.descendants(1).tolist() == [4, 5]


def test_depth_is_the_longest_path():
    hierarchy = Hierarchy.from_edges([("a", "b"), ("b", "c"), ("a", "c")])
    assert dict(zip(hierarchy.names, hierarchy.depth.tolist(), strict=True)) == {
        "a": 1,
        "b": 2,
        "c": 3,
    }


@given(hierarchies())
def test_order_puts_parents_first_and_depth_below_them(hierarchy):
    position = np.empty(hierarchy.n_nodes, dtype=int)
    position[hierarchy.order] = np.arange(hierarchy.n_nodes)
    for parent, child in hierarchy.edges:
        assert position[parent] < position[child]
        assert hierarchy.depth[parent] < hierarchy.depth[child]


@given(hierarchies())
def test_ancestors_agree_with_the_oracle_in_every_form(hierarchy):
    matrix = hierarchy.ancestor_matrix.toarray()
    for node in range(hierarchy.n_nodes):
        above = oracle.ancestors(hierarchy, node)
        assert set(hierarchy.ancestors(node).tolist()) == above
        assert set(np.flatnonzero(matrix[node]).tolist()) == above
        for other in above:
            assert node in hierarchy.descendants(other)


def test_nodes_are_found_by_name_or_number(diamond):
    assert diamond.parents("d").tolist() == diamond.parents(3).tolist() == [1, 2]
    assert "d" in diamond
    assert "x" not in diamond
    with pytest.raises(HierarchyError, match="'x' is not in the hierarchy of 4 nodes"):
        diamond.node("x")
    with pytest.raises(HierarchyError, match="from 0 to 3, got 4"):
        diamond.parents(4)


# Label sets -------------------------------------------------------------------------


@given(hierarchies_with_labels())
def test_closing_agrees_with_the_oracle_and_is_idempotent(case):
    hierarchy, labels = case
    closed = hierarchy.close(labels)
    np.testing.assert_array_equal(closed, oracle.close(labels, hierarchy))
    np.testing.assert_array_equal(hierarchy.close(closed), closed)
    assert hierarchy.is_consistent(closed)


@given(hierarchies_with_labels())
def test_most_specific_then_close_is_the_identity_on_consistent_labels(case):
    hierarchy, labels = case
    specific = hierarchy.most_specific(labels)
    np.testing.assert_array_equal(specific, oracle.most_specific(labels, hierarchy))
    closed = hierarchy.close(labels)
    np.testing.assert_array_equal(
        hierarchy.close(hierarchy.most_specific(closed)), closed
    )


@given(hierarchies_with_labels())
def test_the_first_inconsistency_has_the_lowest_row_node_and_parent(case):
    hierarchy, labels = case
    wrong = [
        (row, node, parent)
        for row, line in enumerate(labels.tolist())
        for node in np.flatnonzero(line).tolist()
        for parent in hierarchy.parents(node).tolist()
        if not line[parent]
    ]
    assert hierarchy.first_inconsistency(labels) == min(wrong, default=None)


@given(hierarchies_with_labels())
def test_edges_in_order_come_after_all_edges_above_them(case):
    hierarchy, _ = case
    seen = set()
    for parent, child in hierarchy.edges_in_order.tolist():
        assert all((above, parent) in seen for above in hierarchy.parents(parent))
        seen.add((parent, child))
    assert sorted(seen) == [tuple(pair) for pair in hierarchy.edges.tolist()]


@given(hierarchies_with_labels())
def test_sparse_labels_give_what_dense_ones_do(case):
    hierarchy, labels = case
    sparse = sp.csr_array(labels)
    assert hierarchy.is_consistent(sparse) == hierarchy.is_consistent(labels)
    assert hierarchy.first_inconsistency(sparse) == hierarchy.first_inconsistency(
        labels
    )
    for operation in (hierarchy.close, hierarchy.most_specific):
        result = operation(sparse)
        assert isinstance(result, sp.csr_array)
        assert result.dtype == sparse.dtype
        np.testing.assert_array_equal(result.toarray(), operation(labels))


@pytest.mark.parametrize("dtype", [bool, np.int8, np.int64, np.float32])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csc_array])
def test_unlabelled_rows_and_the_type_of_y_stay(diamond, dtype, container):
    Y = np.zeros((3, 4), dtype=dtype)
    Y[0, 3] = 1
    if dtype is not bool:
        Y[2] = -1
    before = container(Y)
    closed = diamond.close(before)
    assert type(closed) is type(before)
    assert closed.dtype == dtype
    dense = closed.toarray() if sp.issparse(closed) else closed
    np.testing.assert_array_equal(dense[0], [1, 1, 1, 1])
    np.testing.assert_array_equal(dense[1:], Y[1:])
    unchanged = before.toarray() if sp.issparse(before) else before
    np.testing.assert_array_equal(unchanged, Y)


def test_nan_rows_stay(diamond):
    Y = np.array([[0, 0, 0, 1.0], [np.nan] * 4])
    np.testing.assert_array_equal(diamond.close(Y), [[1, 1, 1, 1], [np.nan] * 4])


def test_wrong_width_is_refused(diamond):
    with pytest.raises(LabelError, match=r"shape \(n_samples, 4\).*got shape \(2, 3\)"):
        diamond.close(np.zeros((2, 3)))


# Problem type -----------------------------------------------------------------------


@given(hierarchies_with_labels())
def test_problem_type_agrees_with_counting_paths(case):
    hierarchy, labels = case
    specific = oracle.most_specific(labels, hierarchy)
    n_paths = [
        sum(len(oracle.paths_to(hierarchy, node)) for node in np.flatnonzero(row))
        for row in specific
    ]
    leaves = set(hierarchy.leaves.tolist())
    full = all(
        row.any() and set(np.flatnonzero(row).tolist()) <= leaves for row in specific
    )
    expected = (
        "T" if hierarchy.is_tree else "DAG",
        "MPL" if max(n_paths) > 1 else "SPL",
        "FD" if full else "PD",
    )
    assert hierarchy.problem_type(labels) == expected


def test_problem_type_reads_as_the_papers_triple(diamond):
    kind = diamond.problem_type([[1, 1, 0, 0], [-1, -1, -1, -1]])
    assert kind == ("DAG", "SPL", "PD")
    assert str(kind) == "(DAG, SPL, PD)"
    assert diamond.problem_type([[0, 0, 0, 1]]).paths == "MPL"
    # Of a row without a label that is known in part nothing is to be told.
    assert diamond.problem_type([[0, 0, 0, 1], [-1, 0, -1, 0]]).depth == "FD"
    assert diamond.problem_type([[0, 0, 0, 1], [0, 0, 0, 0]]).depth == "PD"
    with pytest.raises(LabelError, match="all unlabelled"):
        diamond.problem_type(np.full((2, 4), -1))


# Restriction ------------------------------------------------------------------------


@given(hierarchies(max_nodes=10))
def test_restricting_keeps_who_is_above_whom(hierarchy):
    kept = np.arange(0, hierarchy.n_nodes, 2)
    small = hierarchy.restrict(kept)
    for node, name in enumerate(small.names):
        above = {hierarchy.names[a] for a in hierarchy.ancestors(name)}
        assert {small.names[a] for a in small.ancestors(node)} == above & set(
            small.names
        )


def test_restrict_adds_no_edge_that_another_implies(diamond):
    long = Hierarchy.from_edges([("r", "x"), ("x", "c"), ("r", "y"), ("y", "c")])
    assert long.restrict(["r", "y", "c"]).edges.tolist() == [[0, 1], [1, 2]]
    given_twice = Hierarchy.from_edges([("r", "y"), ("y", "c"), ("r", "c")])
    assert given_twice.restrict(["r", "y", "c"]).n_edges == 3
    assert diamond.restrict([False, True, True, True]).roots.tolist() == [0, 1]


def test_restrict_follows_the_order_given_and_keeps_titles():
    hierarchy = Hierarchy(["a", "b"], [(0, 1)], titles=["Animal", "Bird"])
    turned = hierarchy.restrict(["b", "a"])
    assert turned.names == ("b", "a")
    assert turned.titles == ("Bird", "Animal")
    assert turned.edges.tolist() == [[1, 0]]
    with pytest.raises(HierarchyError, match="mask of 2 values, got 1"):
        hierarchy.restrict([True])
    with pytest.raises(HierarchyError, match="'a' occurs more than once"):
        hierarchy.restrict(["a", "a"])
    with pytest.raises(HierarchyError, match="got an empty list"):
        hierarchy.restrict([])


# Value semantics --------------------------------------------------------------------


def test_a_hierarchy_is_a_value(diamond):
    again = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("b", "d"), ("a", "d")])
    assert again == diamond
    assert hash(again) == hash(diamond)
    assert pickle.loads(pickle.dumps(diamond)) == diamond
    assert copy.deepcopy(diamond) is diamond
    assert diamond != Hierarchy(diamond.names)
    assert diamond != "diamond"


def test_a_hierarchy_cannot_be_changed(diamond):
    with pytest.raises(AttributeError, match="cannot be changed"):
        diamond.names = ()
    with pytest.raises(AttributeError, match="cannot be changed"):
        del diamond.names
    for array in (diamond.order, diamond.depth, diamond.edges, diamond.parents("d")):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_a_dictionary_may_be_deeper_than_the_stack_and_shared_at_every_level():
    deep: dict = {}
    for level in range(5000, 0, -1):
        deep = {level: deep}
    assert Hierarchy.from_dict(deep).max_depth == 5000
    shared: dict = {"end": {}}
    for level in range(40):  # 2**40 ways down
        shared = {f"{level} left": shared, f"{level} right": shared}
    assert Hierarchy.from_dict(shared).n_nodes == 81
