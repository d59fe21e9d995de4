"""Folds of labelled rows, drawn once for everything that needs them."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from hilabel._label_matrix import LabelMatrix
from hilabel.exceptions import LabelError
from hilabel.model_selection import LabeledKFold, draw_aside, draw_folds


@pytest.fixture(scope="module")
def Y():
    random = np.random.default_rng(0)
    Y = (random.random((90, 6)) < 0.3).astype(np.int8)
    Y[::3] = -1
    return Y


def test_every_labelled_row_is_in_a_fold_and_no_other(Y):
    fold = draw_folds(Y)
    assert ((fold >= 0) == (Y >= 0).any(axis=1)).all()
    assert np.bincount(fold[fold >= 0]).tolist() == [12] * 5


def test_few_rows_are_divided_into_more_folds(Y):
    assert draw_folds(Y[:60]).max() == 9  # 40 labelled rows
    assert sorted(draw_folds(Y[:4])) == [-1, -1, 0, 1]


@pytest.mark.parametrize("options", [{}, {"stratified": False}, {"shuffle": False}])
def test_folds_are_those_of_the_splitter(Y, options):
    fold = draw_folds(Y, 4, 0, **options)
    splits = LabeledKFold(4, **options).split(None, Y)
    for number, (train, test) in enumerate(splits):
        np.testing.assert_array_equal(np.flatnonzero(fold == number), test)
        np.testing.assert_array_equal(np.flatnonzero(fold != number), train)


def test_folds_depend_on_labels_and_seed_alone(Y):
    np.testing.assert_array_equal(draw_folds(LabelMatrix.of(Y), 3), draw_folds(Y, 3))
    assert not np.array_equal(draw_folds(Y, 3, 1), draw_folds(Y, 3, 2))


def test_sets_of_names_are_divided_too():
    fold = draw_folds([{"a"}, {"b"}, None, {"a"}, {"b"}], 2)
    assert fold[2] == -1
    assert {fold[0], fold[3]} == {fold[1], fold[4]} == {0, 1}


def test_nothing_is_divided_into_nothing():
    nothing = LabelMatrix.of(np.full((2, 3), -1, dtype=np.int8))
    assert draw_folds(nothing).tolist() == [-1, -1]


def test_more_folds_than_rows_are_refused(Y):
    with pytest.raises(LabelError, match="each of 5 folds, got 2 labelled of 4 rows"):
        draw_folds(Y[:4], 5)


# Groups -----------------------------------------------------------------------------


@given(
    sizes=st.lists(st.integers(1, 6), min_size=12, max_size=30),
    n_folds=st.integers(2, 4),
    seed=st.integers(0, 5),
)
def test_a_group_is_in_one_fold(sizes, n_folds, seed):
    rng = np.random.default_rng(seed)
    groups = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    labels = rng.random((groups.size, 4)) < [0.5, 0.3, 0.1, 0.1]
    Y = labels.astype(np.int8)
    Y[rng.random(groups.size) < 0.2] = -1
    fold = draw_folds(Y, n_folds, seed, groups=groups)
    known = Y[:, 0] >= 0
    assert (fold[~known] == -1).all()
    assert set(fold[known]) == set(range(fold.max() + 1))
    for group in set(groups[known]):
        assert len(set(fold[known & (groups == group)])) == 1
    again = draw_folds(Y, n_folds, seed, groups=groups)
    np.testing.assert_array_equal(again, fold)


def test_folds_of_groups_are_stratified():
    rng = np.random.default_rng(0)
    # Pairs of rows with the same labels, and many single rows.
    groups = np.append(np.repeat(np.arange(50), 2), np.arange(50, 250))
    Y = (rng.random((250, 5)) < [0.5, 0.3, 0.2, 0.1, 0.05])[groups]
    fold = draw_folds(Y, 5, groups=groups)
    counts = np.array([Y[fold == number].sum(axis=0) for number in range(5)])
    assert np.ptp(counts, axis=0).max() <= 4
    sizes = np.bincount(fold)
    assert sizes.min() >= 0.8 * sizes.max()


def test_one_large_group_leaves_fewer_folds():
    groups = np.array([0] * 18 + [1, 2])
    fold = draw_folds(np.ones((20, 1)), 5, groups=groups)
    assert len(set(fold[:18])) == 1
    assert fold.max() + 1 == len(set(fold)) <= 3


def test_rows_of_one_group_are_not_divided():
    with pytest.raises(LabelError, match="at least two groups"):
        draw_folds(np.ones((6, 1)), 2, groups=np.zeros(6, dtype=int))


def test_groups_are_integers_of_rows():
    with pytest.raises(LabelError, match="one integer for each of 6 rows"):
        draw_folds(np.ones((6, 1)), 2, groups=[0.5] * 6)


def test_a_group_is_set_aside_as_a_whole():
    groups = np.arange(60) // 3
    labels = LabelMatrix.of(np.ones((60, 1), dtype=np.int8))
    fold = draw_aside(labels, 15, groups=groups)
    for group in range(20):
        assert len(set(fold[groups == group])) == 1
    assert 9 <= (fold >= 0).sum() <= 21
