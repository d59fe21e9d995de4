"""The tree of combined classes."""

import numpy as np
from hypothesis import given
from strategies import labelled_tables

from hilabel import Hierarchy
from hilabel.classifiers._combined_tree import STOP, combine_paths

H = Hierarchy.from_dict({"A": ["D", "F"], "E": ["G", "H"], "I": ["J", "K"]})


def tree_of(*label_sets, hierarchy=H):
    Y = np.zeros((len(label_sets), hierarchy.n_nodes), dtype=bool)
    for row, labels in enumerate(label_sets):
        Y[row, [hierarchy.node(name) for name in labels]] = True
    return combine_paths(hierarchy.close(Y), hierarchy)


def paths(tree, hierarchy=H):
    """Return the combinations on the way to every node of the tree, and their rows."""
    found, waiting = {}, [(0, ())]
    while waiting:
        number, above = waiting.pop()
        node = tree[number]
        names = "".join(hierarchy.names[label] for label in node.labels)
        way = (*above, names) if names else above
        for code, child in enumerate(node.children):
            if child == STOP:
                rows = node.examples.rows[node.examples.codes == code]
                found[way] = rows.tolist()
            else:
                waiting.append((int(child), way))
        if not node.children.size:
            found[way] = None
    return found


def test_labels_of_one_path_per_level_are_combined_level_by_level():
    assert list(paths(tree_of({"D", "F"}))) == [("A", "DF")]


def test_labels_of_two_roots_are_one_class_at_each_level():
    assert list(paths(tree_of({"G", "H", "J", "K"}))) == [("EI", "GHJK")]


def test_a_class_is_keyed_by_all_classes_above_it():
    # {G} after {E} and after {E, I} are different classes.
    tree = tree_of({"G"}, {"G", "I"}, {"G"})
    assert set(paths(tree)) == {("E", "G"), ("EI", "G")}
    assert len(tree) == 5


def test_a_row_without_labels_at_the_next_level_stops():
    tree = tree_of({"A"}, {"D"}, set(), {"D", "E"})
    assert paths(tree) == {
        (): [2],
        ("A",): [0],
        ("A", "D"): None,
        ("AE", "D"): None,
    }


@given(labelled_tables())
def test_every_row_goes_down_to_exactly_its_labels(table):
    hierarchy, _, Y = table
    tree = combine_paths(Y, hierarchy)
    labels = np.zeros_like(Y)
    for number, node in enumerate(tree):
        assert (node.children[node.children != STOP] > number).all()
        examples = node.examples
        for child, code in zip(node.children, range(examples.n_classes)):
            rows = examples.rows[examples.codes == code]
            assert rows.size  # only combinations that occur
            if child != STOP:
                assert not labels[np.ix_(rows, tree[child].labels)].any()
                labels[np.ix_(rows, tree[child].labels)] = True
    np.testing.assert_array_equal(labels, Y)
