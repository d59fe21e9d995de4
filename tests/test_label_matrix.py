"""Labels of many rows and nodes: the same as a dense array, in every respect."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from hilabel._label_matrix import LabelMatrix

ARRAYS = hnp.arrays(
    np.int8,
    st.tuples(st.integers(0, 12), st.integers(1, 9)),
    elements=st.sampled_from([-1, 0, 0, 1]),
)


def assert_equal(labels, Y):
    """Check everything that a label matrix says against a dense array."""
    assert labels.shape == Y.shape
    assert labels.is_sound()
    np.testing.assert_array_equal(labels.to_array(), Y)
    np.testing.assert_array_equal(labels.present(), Y == 1)
    np.testing.assert_array_equal(labels.known(), Y >= 0)
    np.testing.assert_array_equal(labels.labeled, (Y >= 0).any(axis=1))
    np.testing.assert_array_equal(labels.n_positive, (Y == 1).sum(axis=0))
    np.testing.assert_array_equal(labels.n_known, (Y >= 0).sum(axis=0))
    assert labels.all_known == (Y >= 0).all()
    in_part = (Y >= 0).any(axis=1) & (Y < 0).any(axis=1)
    assert labels.is_partly_known == in_part.any()


@given(ARRAYS)
def test_it_says_the_same_as_a_dense_array(Y):
    assert_equal(LabelMatrix.of(Y), Y)


@given(ARRAYS, st.data())
def test_its_parts_are_those_of_a_dense_array(Y, data):
    labels = LabelMatrix.of(Y)
    rows = data.draw(hnp.arrays(bool, len(Y)))
    nodes = data.draw(hnp.arrays(bool, Y.shape[1]))
    numbers = np.flatnonzero(rows)[::-1]
    assert_equal(labels[rows], Y[rows])
    assert_equal(labels[numbers], Y[numbers])
    assert_equal(labels[1:3], Y[1:3])
    assert_equal(labels.of_nodes(nodes), Y[:, nodes])
    assert_equal(labels.without_nodes(nodes), np.where(nodes, np.int8(-1), Y))
    assert_equal(labels.without_rows(rows), np.where(rows[:, None], np.int8(-1), Y))
    np.testing.assert_array_equal(labels.to_array(numbers), Y[numbers])
    np.testing.assert_array_equal(labels.known(rows), Y[rows] >= 0)
    columns = np.flatnonzero(nodes)[::-1]
    known, present = labels.known_columns(columns), labels.present_columns(columns)
    np.testing.assert_array_equal(known, Y[:, columns].T >= 0)
    np.testing.assert_array_equal(present, Y[:, columns].T == 1)
    assert labels.of_nodes(columns).positive.has_sorted_indices


@given(ARRAYS, st.data())
def test_rows_are_stacked(Y, data):
    n_nodes = Y.shape[1]
    more = data.draw(hnp.arrays(np.int8, (3, n_nodes), elements=st.integers(-1, 1)))
    both = LabelMatrix.of(Y).stacked_on(LabelMatrix.of(more))
    assert_equal(both, np.concatenate([Y, more]))


@given(ARRAYS)
def test_counts_by_part_sum_up(Y):
    part = np.arange(len(Y)) % 3 - 1
    n_positive, n_known = LabelMatrix.of(Y).counts_by(part, 2)
    for number in range(2):
        np.testing.assert_array_equal(
            n_positive[number], (Y[part == number] == 1).sum(0)
        )
        np.testing.assert_array_equal(n_known[number], (Y[part == number] >= 0).sum(0))


@given(ARRAYS)
def test_completing_leaves_no_row_known_in_part(Y):
    found = LabelMatrix.of(Y).complete()
    rows = (Y > 0).any(axis=1) | (Y >= 0).all(axis=1)
    wanted = np.where(rows[:, None], np.maximum(Y, 0), -1)
    np.testing.assert_array_equal(found.to_array(), wanted)


def test_it_can_be_made_from_masks_and_whole_rows():
    positive = np.array([[True, False], [False, False], [False, False]])
    labeled = np.array([True, True, False])
    Y = np.array([[1, 0], [0, 0], [-1, -1]], dtype=np.int8)
    assert_equal(LabelMatrix.of_rows(sp.coo_array(positive), labeled), Y)
    assert_equal(LabelMatrix.of_cells(positive, Y >= 0), Y)


def test_a_positive_cell_that_is_not_known_is_not_sound():
    labels = LabelMatrix.of_rows(np.array([[True]]), np.array([False]))
    assert not labels.is_sound()


@pytest.mark.parametrize("n_aspects", [1, 3])
def test_aspects_take_little_memory(n_aspects):
    random = np.random.default_rng(0)
    aspect = random.integers(n_aspects, size=60)
    Y = np.where(random.random((500, n_aspects)) < 0.5, 0, -1).astype(np.int8)[
        :, aspect
    ]
    labels = LabelMatrix.of(Y)
    assert labels.knows.size <= 2**n_aspects * n_aspects
