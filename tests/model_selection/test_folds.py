"""Folds of labelled rows, drawn once for everything that needs them."""

import numpy as np
import pytest

from hilabel._label_matrix import LabelMatrix
from hilabel.exceptions import LabelError
from hilabel.model_selection import LabeledKFold, draw_folds


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
