"""Means of labels that reach rows, and what is kept from a row."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from link_cases import data_of
from oracles import links as oracle
from strategies import linked_tables

from hilabel.classifiers import LabelParts, LinkedLabels


@given(table=linked_tables(partial=True), weight=st.sampled_from([0.1, 1.0, 7.0]))
def test_means_are_those_of_a_loop_over_cells(table, weight):
    hierarchy, Y, A = table
    data = data_of(Y, A, hierarchy=hierarchy)
    labels = LinkedLabels.of(data)
    shares = A[:, data.labeled_rows]
    expected = oracle.votes(shares, data.labels, data.prior, weight)
    found = labels.mean(sp.csr_array(shares), weight)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@given(table=linked_tables(), data=st.data())
def test_means_at_some_nodes_are_those_at_all(table, data):
    hierarchy, Y, A = table
    training = data_of(Y, A, hierarchy=hierarchy)
    labels, shares = (
        LinkedLabels.of(training),
        sp.csr_array(A[:, training.labeled_rows]),
    )
    nodes = data.draw(hnp.arrays(bool, hierarchy.n_nodes))
    np.testing.assert_array_equal(
        labels.of_nodes(nodes).mean(shares, 1.0), labels.mean(shares, 1.0)[:, nodes]
    )


@given(table=linked_tables(partial=True))
def test_the_prior_of_a_row_is_that_of_the_others(table):
    hierarchy, Y, A = table
    data = data_of(Y, A, hierarchy=hierarchy)
    found = LabelParts.of(data).prior_of(np.arange(data.n_labeled))
    labeled = data.labels
    for row in range(len(labeled)):
        others = np.delete(labeled, row, axis=0)
        n_known = np.maximum((others >= 0).sum(axis=0), 1)
        np.testing.assert_allclose(found[row], (others > 0).sum(axis=0) / n_known)


def test_the_prior_of_a_fold_is_that_of_the_other_folds():
    Y = np.array([[1], [1], [0], [0], [1]])
    data = data_of(Y, np.zeros((5, 5)), fold=[0, 0, 1, 1, 1])
    found = LabelParts.of(data).prior_of(np.array([0, 1, 4]))
    np.testing.assert_allclose(found.ravel(), [1 / 3, 1 / 3, 1])


@pytest.mark.parametrize("fold", [None, [0, 1, 0, 1]])
def test_rows_get_nothing_from_their_part(fold):
    Y, ones = np.eye(4, dtype=int), np.ones((4, 4))
    parts = LabelParts.of(data_of(Y, np.zeros((4, 4)), fold))
    found = parts.without_own(sp.csr_array(ones), np.arange(4)).toarray()
    part = np.arange(4) if fold is None else np.array(fold)
    np.testing.assert_array_equal(found, part[:, None] != part)
    assert (ones == 1).all()
