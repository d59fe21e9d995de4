"""Groups of nodes that are decided together."""

import numpy as np

from hilabel import Hierarchy
from hilabel.classifiers._node_groups import groups_by_level, groups_by_parent

# "v" hangs from "a", and from "c" below it: its longest path has three nodes.
H = Hierarchy.from_edges([("a", "c"), ("c", "v"), ("a", "v"), ("b", "d")])
ROWS = [{"v"}, {"a"}, {"d"}, set(), {"b"}]
Y = np.zeros((5, H.n_nodes), dtype=bool)
for row, names in enumerate(ROWS):
    Y[row, [H.node(name) for name in names]] = True
Y = H.close(Y)


def by_name(groups):
    return [
        ("".join(sorted(H.names[node] for node in group.nodes)), group.rows.tolist())
        for group in groups
    ]


def test_every_inner_node_has_the_rows_that_have_it_and_the_virtual_root_all():
    groups = groups_by_parent(Y, H)
    assert [group.parent for group in groups] == [-1, *map(H.node, "abc")]
    assert by_name(groups) == [
        ("ab", [0, 1, 2, 3, 4]),
        ("cv", [0, 1]),
        ("d", [2, 4]),
        ("v", [0]),
    ]


def test_rows_that_stop_at_the_parent_may_be_left_out():
    assert by_name(groups_by_parent(Y, H, with_stops=False)) == [
        ("ab", [0, 1, 2, 4]),
        ("cv", [0]),
        ("d", [2]),
        ("v", [0]),
    ]


def test_levels_are_longest_paths_from_a_root():
    assert by_name(groups_by_level(Y, H, with_none=False)) == [
        ("ab", [0, 1, 2, 4]),
        ("cd", [0, 2]),
        ("v", [0]),
    ]


def test_rows_without_a_label_of_the_level_may_belong_to_it():
    everything = groups_by_level(Y, H, with_none=True)
    assert [group.rows.tolist() for group in everything] == [[0, 1, 2, 3, 4]] * 3
