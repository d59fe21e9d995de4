"""Label frequencies as scores, compared with counting cell by cell."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from strategies import hierarchies

from hilabel import Hierarchy
from hilabel._label_matrix import LabelMatrix
from hilabel._validation import check_labels
from hilabel.classifiers import PriorClassifier
from hilabel.metrics import (
    constant_predictor,
    frequencies_without_folds,
    label_frequencies,
)
from hilabel.model_selection import out_of_fold_scores


@st.composite
def problems(draw):
    """Draw a hierarchy, labels of 1, 0 and -1, and the fold of each row."""
    hierarchy = draw(hierarchies(max_nodes=6))
    shape = draw(st.integers(2, 9)), hierarchy.n_nodes
    Y = draw(hnp.arrays(np.int8, shape, elements=st.integers(-1, 1)))
    fold = draw(hnp.arrays(np.int64, shape[0], elements=st.integers(0, 2)))
    return hierarchy, Y, fold


def counted(hierarchy, Y, rows):
    """Count the share of each node among the rows in which it is known."""
    shares = []
    for node in range(hierarchy.n_nodes):
        known = [row for row in rows if Y[row, node] >= 0]
        positive = [row for row in known if Y[row, node] == 1]
        shares.append(len(positive) / len(known) if known else 0.0)
    for node in hierarchy.order:  # no child is more frequent than a parent
        for parent in hierarchy.parents(node):
            shares[node] = min(shares[node], shares[parent])
    return shares


@given(problems())
def test_a_row_gets_the_frequencies_of_the_other_folds(problem):
    hierarchy, Y, fold = problem
    found = constant_predictor(LabelMatrix.of(Y), fold, hierarchy).read()
    for row in range(len(Y)):
        others = [other for other in range(len(Y)) if fold[other] != fold[row]]
        np.testing.assert_array_equal(found[row], counted(hierarchy, Y, others))


@given(problems())
def test_frequencies_are_counted_once_for_each_fold(problem):
    hierarchy, Y, fold = problem
    labels = LabelMatrix.of(Y)
    found = frequencies_without_folds(labels, fold, 3, hierarchy)
    assert found.shape == (3, hierarchy.n_nodes)
    every = label_frequencies(labels.n_positive, labels.n_known, hierarchy)
    np.testing.assert_array_equal(every, counted(hierarchy, Y, range(len(Y))))


def test_given_frequencies_are_the_scores_of_all_rows():
    labels = LabelMatrix.of(np.array([[1, 0], [-1, -1]]))
    found = constant_predictor(
        labels, np.array([0, 1]), Hierarchy(["a", "b"]), prior=[0.25, 0.5]
    )
    np.testing.assert_array_equal(found.read(), [[0.25, 0.5]] * 2)


@pytest.mark.parametrize("unknown", [0.0, 0.3])
def test_it_is_the_constant_classifier_out_of_fold(unknown):
    random = np.random.default_rng(0)
    hierarchy = Hierarchy.from_edges([("a", "b"), ("a", "c"), ("c", "d")])
    Y = hierarchy.close(random.random((40, 4)) < 0.2).astype(np.int8)
    hidden = random.random((40, 1)) < unknown
    Y = np.where(hidden & (np.arange(4) > 1), np.int8(-1), Y)
    fold = np.arange(40) % 4
    expected = out_of_fold_scores(
        PriorClassifier(hierarchy), np.zeros((40, 1)), Y, fold=fold
    )
    labels = check_labels(Y, hierarchy).table  # without a parent, there is no child
    found = constant_predictor(labels, fold, hierarchy).read()
    np.testing.assert_array_equal(found, expected)
