import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from strategies import hierarchies_with_labels

from hilabel import Hierarchy
from hilabel._validation import (
    LARGEST_FEATURE,
    check_hierarchy,
    check_known_labels,
    check_labels,
    check_scores,
    check_settings,
    hierarchy_of_names,
)
from hilabel.exceptions import (
    FeatureError,
    HierarchyError,
    HilabelWarning,
    LabelError,
    ScoreError,
)
from hilabel.tasks import find_method

CHAIN = Hierarchy.from_edges([("a", "b"), ("b", "c")])
CLOSED = np.array([[1, 1, 0], [0, 0, 0], [-1, -1, -1]])


def as_float_with_nan(Y):
    return np.where(Y < 0, np.nan, Y)


@pytest.mark.parametrize(
    "Y",
    [
        CLOSED,
        CLOSED.astype(np.int8),
        as_float_with_nan(CLOSED),
        CLOSED.tolist(),
        sp.csr_array(CLOSED),
        sp.csc_matrix(as_float_with_nan(CLOSED)),
        pd.DataFrame(CLOSED, columns=list("abc")),
        pd.DataFrame(CLOSED[:, ::-1], columns=list("cba")),
        [{"b"}, set(), None],
        [["a", "b"], [], None],
        pd.Series([["a", "b"], [], None]),
        pd.Series([{"b"}, frozenset(), np.nan], index=[7, 8, 9]),
        np.array([["a", "b"], np.array([]), None], dtype=object),
        pd.DataFrame(as_float_with_nan(CLOSED), columns=list("abc")).astype(object),
    ],
    ids=[
        "int",
        "int8",
        "nan",
        "list",
        "csr",
        "csc-nan",
        "frame",
        "frame-reordered",
        "sets",
        "lists-of-names",
        "series-of-lists",
        "series-of-sets",
        "array-of-lists",
        "object-frame",
    ],
)
def test_every_form_of_y_means_the_same(Y):
    labels = check_labels(Y, CHAIN)
    assert labels.labeled.tolist() == [True, True, False]
    assert (labels.n_samples, labels.n_labeled) == (3, 2)
    np.testing.assert_array_equal(labels.to_array(), CLOSED)
    assert labels.to_array().dtype == np.int8


def test_frames_and_series_of_polars_mean_the_same():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(dict(zip("cab", CLOSED.T[[2, 0, 1]], strict=True)))
    for Y in (frame, polars.Series([["b"], [], None])):
        np.testing.assert_array_equal(check_labels(Y, CHAIN).to_array(), CLOSED)


def test_boolean_rows_are_all_labelled():
    labels = check_labels(np.zeros((2, 3), dtype=bool), CHAIN)
    assert labels.labeled.all()
    assert not labels.matrix.any()


@given(hierarchies_with_labels())
def test_gate_closes_and_leaves_its_input_alone(case):
    hierarchy, Y = case
    before = Y.copy()
    labels = check_labels(Y, hierarchy)
    assert hierarchy.is_consistent(labels.matrix)
    labels.matrix[:] = True
    np.testing.assert_array_equal(Y, before)


def test_sparse_labels_stay_sparse():
    Y = sp.csr_array(np.array([[0, 0, 1], [0, 0, 0]]))
    labels = check_labels(Y, CHAIN)
    assert isinstance(labels.matrix, sp.csr_array)
    np.testing.assert_array_equal(labels.matrix.toarray(), [[1, 1, 1], [0, 0, 0]])


def test_no_hierarchy_means_no_edges():
    labels = check_labels(np.eye(3), None)
    assert labels.hierarchy.n_edges == 0
    np.testing.assert_array_equal(labels.matrix, np.eye(3, dtype=bool))


@pytest.mark.parametrize("form", [np.array, lambda Y: sp.csr_array(np.array(Y))])
def test_what_known_cells_imply_is_known(form):
    # a above b above c, as in the fixture of this file.
    given = [[-1, 1, -1], [-1, 0, -1], [1, -1, -1], [0, -1, -1], [1, 1, 0], [-1] * 3]
    labels = check_labels(form(given), CHAIN)
    np.testing.assert_array_equal(
        labels.to_array(),
        [[1, 1, -1], [-1, 0, 0], [1, -1, -1], [0, 0, 0], [1, 1, 0], [-1, -1, -1]],
    )
    np.testing.assert_array_equal(labels.labeled, [True] * 5 + [False])


def test_labels_without_unknown_cells_have_no_mask_of_them():
    assert check_labels([[1, 1, 0], [-1, -1, -1]], CHAIN).known is None
    assert check_labels(np.eye(3), None).known is None


@pytest.mark.parametrize(
    ("Y", "message"),
    [
        (np.zeros((2, 4)), "Y with 3 columns, one for each node .*, got 4"),
        (np.zeros(3), "got 1 dimension"),
        ([[0, 0, 1]], None),
        (np.full((2, 3), -1), "at least one labelled row, got 2 rows, all unlabelled"),
        ([[0, 2, 0]], r"0, 1, -1 or NaN in Y, got 2 at \(0, 1\)"),
        ([[0.5, 0, 0]], r"got 0.5 at \(0, 0\)"),
        (sp.csr_array([[0, 3, 0]]), "got 3"),
        ([{"x"}], "Label 'x' in row 0 of Y is not in the hierarchy of 3 nodes"),
        ([{"a"}, "x"], "Label 'x' in row 1 of Y is not in the hierarchy of 3 nodes"),
        ([[1, 0], [1]], "rows of different lengths"),
        (np.array([["a", "c"]]), r"Label \('a', 'c'\) in row 0 of Y is not in the"),
        (np.array([[object()] * 3]), "not numbers"),
        (pd.DataFrame([[1, 0, 0]], columns=list("abx")), "1 are unknown and 1 missing"),
        (pd.DataFrame([[1, 0]], columns=list("aa")), "'a' of Y occurs more than"),
    ],
)
def test_bad_labels_are_refused(Y, message):
    if message is None:
        message = "Row 0 of Y has label 'c' but not its parent 'b'.*close=True"
    with pytest.raises(LabelError, match=message):
        check_labels(Y, CHAIN, close=False)


def test_sets_of_names_need_a_hierarchy():
    with pytest.raises(LabelError, match="needs a hierarchy that names the nodes"):
        check_labels([{"a"}], None)


PETS = [["pet", "cat"], ["other", ""], ["pet", "other"], ["", ""]]
PET_TREE = Hierarchy.from_labels(PETS)  # pet, pet/cat, other, pet/other


@pytest.mark.parametrize(
    "Y",
    [
        np.array(PETS),
        np.array(PETS, dtype=object),
        pd.DataFrame(PETS).replace("", None),
        [["pet", "cat"], ["other"], ["pet", "other"], None],
        [[["pet", "cat"]], [["other"]], [["pet", "other"]], None],
        ["pet/cat", "other", "pet/other", None],
        pd.Series(["pet/cat", "other", "pet/other", None], dtype=object),
        [{"pet/cat"}, {"other"}, {"pet/other"}, None],
    ],
    ids=lambda Y: type(Y).__name__,
)
def test_paths_are_labels_in_all_their_forms(Y):
    expected = [[1, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 1], [-1, -1, -1, -1]]
    labels = check_labels(Y, PET_TREE)
    np.testing.assert_array_equal(labels.to_array(), expected)
    names = hierarchy_of_names(Y)
    assert check_labels(Y, names, close=False).n_labeled == 3


def test_several_paths_of_a_row_are_all_its_labels():
    labels = check_labels([[("pet", "cat"), ("pet", "other")], [("other",)]], PET_TREE)
    np.testing.assert_array_equal(labels.matrix, [[1, 1, 0, 1], [0, 0, 1, 0]])


def test_a_list_that_leads_down_from_a_root_is_a_path_and_any_other_a_set():
    labels = check_labels([["pet", "other"], ["other", "pet"]], PET_TREE)
    np.testing.assert_array_equal(labels.matrix, [[1, 0, 0, 1], [1, 0, 1, 0]])


def test_paths_in_columns_bring_their_hierarchy_along():
    assert check_labels(np.array(PETS)).hierarchy == PET_TREE
    assert check_labels(pd.DataFrame(PETS)).hierarchy == PET_TREE


def test_number_of_rows_must_match_x():
    with pytest.raises(LabelError, match="Y with 5 rows, one for each row of X, got 3"):
        check_labels(CLOSED, CHAIN, n_samples=5)


def test_check_hierarchy_says_how_to_make_one():
    with pytest.raises(HierarchyError, match="Hierarchy or None, got list"):
        check_hierarchy([("a", "b")], 2)


def test_measures_may_know_single_cells():
    positive, known = check_known_labels([[1, -1, 0], [np.nan, np.nan, np.nan]])
    np.testing.assert_array_equal(positive, [[1, 0, 0], [0, 0, 0]])
    np.testing.assert_array_equal(known, [[1, 0, 1], [0, 0, 0]])


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([[0.1, np.nan]], "finite scores, got nan in row 0, column 1"),
        ([[0.1, 0.2], [np.inf, 0]], "finite scores, got inf in row 1, column 0"),
        ([[0.1, 0.2, 0.3]], r"scores of shape \(n_samples, 2\), got \(1, 3\)"),
        ([0.1, 0.2], "got 1 dimension"),
        ([["a", "b"]], "numeric scores"),
    ],
)
def test_bad_scores_are_refused(scores, message):
    with pytest.raises(ScoreError, match=message):
        check_scores(scores, (None, 2))


def test_scores_keep_their_precision():
    assert check_scores(np.zeros((1, 2), dtype=np.float32)).dtype == np.float32
    assert check_scores(np.zeros((1, 2), dtype=int)).dtype == np.float64
    assert check_scores(sp.csr_array((1, 2))).shape == (1, 2)


@pytest.mark.parametrize("name", ["PCNB", "PCEM", "SSHMCBLI", "FlatClassifier"])
def test_features_beyond_the_range_are_refused_and_at_its_end_give_scores(name):
    Y = np.array([[1, 1, 0], [1, 0, 1]] * 4)
    X = np.array([[1.0, 0.0], [0.0, 1.0]] * 4) * LARGEST_FEATURE
    hierarchy = Hierarchy.from_edges([("a", "b"), ("a", "c")], nodes=["a", "b", "c"])
    model = find_method(name)(hierarchy)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HilabelWarning)
        assert np.isfinite(model.fit(X, Y).predict_proba(X)).all()
    for beyond in (X * 1e278, -X * 1e278, X * 10):
        with pytest.raises(FeatureError, match="Expected features from -1e[+]30 to"):
            model.fit(beyond, Y)
    with pytest.raises(FeatureError, match="got 1e[+]31"):
        model.predict_proba(X * 10)


def test_an_integer_that_the_engine_cannot_hold_is_refused():
    with pytest.raises(ValueError, match="'max_depth' parameter .*at most 2147483647"):
        check_settings("Forest", {"max_depth": 2**70})
    check_settings("Forest", {"random_state": 2**32 - 1, "estimator__random_state": 0})
