"""Labels as paths: the forms that are read, the tree they span, and the way back."""

import numpy as np
import pandas as pd
import pytest

from hilabel import Hierarchy
from hilabel.exceptions import HierarchyError, LabelError
from hilabel.hierarchy import read_paths

PATHS = [("pet", "cat"), ("other",), ("pet", "other"), ("pet", "cat")]
FORMS = {
    "columns": (np.array([["pet", "cat"], ["other", ""], ["pet", "other"]]), None),
    "objects": (
        np.array([["pet", "cat"], ["other", None], ["pet", "other"]], dtype=object),
        None,
    ),
    "frame": (
        pd.DataFrame([["pet", "cat"], ["other", np.nan], ["pet", "other"]]),
        None,
    ),
    "NA": (
        pd.DataFrame([["pet", "cat"], ["other", pd.NA], ["pet", "other"]]),
        None,
    ),
    "lists": ([["pet", "cat"], ["other"], ["pet", "other"]], None),
    "several": ([[["pet", "cat"], ["other"]], [("pet", "other")]], None),
    "strings": (["pet/cat", "other", "pet/other"], "/"),
    "series": (pd.Series(["pet/cat", "other", "pet/other"]), "/"),
    "several strings": ([["pet/cat", "other"], ["pet/other"], []], "/"),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_the_same_paths_gives_the_same_tree(form):
    y, separator = FORMS[form]
    tree = Hierarchy.from_labels(y, separator)
    assert tree == Hierarchy.from_paths(["pet", "pet/cat", "other", "pet/other"])
    assert tree.titles == ("pet", "cat", "other", "other")


def test_without_a_separator_strings_are_whole_names():
    assert Hierarchy.from_labels(["a/b", "c"]).names == ("a/b", "c")


def test_a_path_may_hold_a_step_twice_and_is_no_cycle():
    assert Hierarchy.from_labels([["a", "b", "a"]]).names == ("a", "a/b", "a/b/a")


def test_integers_stay_integers_beside_gaps():
    frame = pd.DataFrame({"kingdom": [1, 2], "family": [3, None]})
    assert Hierarchy.from_labels(frame).names == ("1", "1/3", "2")


def test_rows_without_labels_add_nothing():
    assert read_paths([["a", "b"], None, ["", ""], float("nan"), []]) == [
        [("a", "b")],
        *[None] * 4,
    ]


@pytest.mark.parametrize(
    ("y", "separator", "error", "message"),
    [
        ([["a", "", "b"]], None, LabelError, "empty step before others"),
        (["a//b"], "/", LabelError, "'a//b' in row 0 of y has an empty step"),
        ([{"a", "b"}], None, LabelError, "Row 0 of y is a set"),
        ("ab", None, LabelError, "a path or a list of paths for each row"),
        ([["a/b"], ["a", "b"]], None, HierarchyError, "'a/b' occurs more than once"),
        ([None], None, HierarchyError, "at least one node"),
    ],
)
def test_bad_paths_are_refused(y, separator, error, message):
    with pytest.raises(error, match=message):
        Hierarchy.from_labels(y, separator)


def test_labels_go_to_paths_and_back():
    tree = Hierarchy.from_labels(PATHS)
    Y = np.zeros((5, tree.n_nodes), dtype=np.int8)
    for row, path in enumerate(PATHS):
        Y[row, tree.node(path)] = 1
    Y[4] = -1
    columns = tree.to_paths(Y)
    assert read_paths(columns) == [*([path] for path in PATHS), None]
    np.testing.assert_array_equal(tree.to_paths(tree.close(Y)), columns)
    assert tree.to_names(tree.close(Y))[3:] == [{"pet", "pet/cat"}, None]


def test_steps_are_names_where_titles_are_something_else():
    tree = Hierarchy(["A", "B"], [(0, 1)], titles=["animals", "bears"])
    assert tree.to_paths([[1, 1]]).tolist() == [["A", "B"]]
    assert tree.node(("A", "B")) == 1


@pytest.mark.parametrize(
    ("hierarchy", "Y", "error", "message"),
    [
        (Hierarchy(["a", "b"]), [[1, 1]], LabelError, "Row 0 of Y has several paths"),
        (
            Hierarchy.from_edges([("a", "c"), ("b", "c")]),
            [[1, 1, 1]],
            HierarchyError,
            "Expected a tree",
        ),
    ],
)
def test_what_is_no_path_is_refused(hierarchy, Y, error, message):
    with pytest.raises(error, match=message):
        hierarchy.to_paths(Y)


def test_a_path_that_leads_nowhere_is_refused():
    tree = Hierarchy.from_labels(PATHS)
    for path in [("cat",), ("pet", "dog", "cat"), ()]:
        assert path not in tree
        with pytest.raises(HierarchyError, match="expected the steps from a root"):
            tree.node(path)
