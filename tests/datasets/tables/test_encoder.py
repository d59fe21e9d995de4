import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from hilabel.datasets import TableEncoder
from hilabel.exceptions import DatasetFormatError


def names_of(frame):
    return TableEncoder().fit(frame).get_feature_names_out().tolist()


def test_numbers_stay_as_they_are():
    frame = pd.DataFrame({"x": [1, 2], "y": [0.5, None]})
    np.testing.assert_array_equal(
        TableEncoder().fit_transform(frame), [[1, 0.5], [2, np.nan]]
    )
    assert names_of(frame) == ["x", "y"]


def test_words_get_a_column_per_value_in_sorted_order():
    frame = pd.DataFrame({"colour": ["red", "blue", "green", "red"]})
    assert names_of(frame) == ["colour=blue", "colour=green", "colour=red"]
    np.testing.assert_array_equal(
        TableEncoder().fit_transform(frame),
        [[0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
    )


@pytest.mark.parametrize(
    ("values", "names", "encoded"),
    [
        (["a", "b"], ["c=b"], [[0], [1]]),
        (["a", None], ["c=?"], [[0], [1]]),
        (["a", "a"], ["c=a"], [[1], [1]]),
        (["b", "a", None], ["c=a", "c=b", "c=?"], [[0, 1, 0], [1, 0, 0], [0, 0, 1]]),
        ([True, False], ["c=True"], [[1], [0]]),
    ],
)
def test_two_values_share_a_column_and_missing_is_a_value(values, names, encoded):
    frame = pd.DataFrame({"c": values})
    assert names_of(frame) == names
    np.testing.assert_array_equal(TableEncoder().fit_transform(frame), encoded)


def test_a_column_without_values_is_nan():
    frame = pd.DataFrame({"c": pd.Series([None, None], dtype=object)})
    assert np.isnan(TableEncoder().fit_transform(frame)).all()


def test_a_new_table_gets_the_columns_of_the_first():
    encoder = TableEncoder().fit(pd.DataFrame({"x": [1.0, 2.0], "c": ["a", "b"]}))
    new = pd.DataFrame({"extra": [0], "c": ["b"], "x": [7]})
    np.testing.assert_array_equal(encoder.transform(new), [[7, 1]])


def test_unseen_words_and_unseen_missing_values_are_all_zero():
    encoder = TableEncoder().fit(pd.DataFrame({"c": ["a", "b", "d"]}))
    new = pd.DataFrame({"c": ["z", None, "d"]})
    np.testing.assert_array_equal(
        encoder.transform(new), [[0, 0, 0], [0, 0, 0], [0, 0, 1]]
    )


def test_names_that_look_like_numbers_are_recognised_as_numbers_too():
    encoder = TableEncoder().fit(pd.DataFrame({"c": ["1", "2", "2b"]}))
    new = pd.DataFrame({"c": [2.0, np.nan]})
    np.testing.assert_array_equal(encoder.transform(new), [[0, 1, 0], [0, 0, 0]])


def test_tables_are_not_changed():
    frame = pd.DataFrame({"x": [1, None], "c": ["a", None]})
    before = frame.copy(deep=True)
    TableEncoder().fit_transform(frame)
    pd.testing.assert_frame_equal(frame, before)


def test_it_is_a_scikit_learn_transformer():
    frame = pd.DataFrame({"x": [1.0, 2.0], "c": ["a", "b"]}, index=["i", "j"])
    encoder = clone(TableEncoder(max_categories=5)).set_output(transform="pandas")
    out = encoder.fit_transform(frame)
    assert list(out.columns) == ["x", "c=b"]
    assert list(out.index) == ["i", "j"]
    assert encoder.n_features_in_ == 2
    with pytest.raises(NotFittedError, match="not fitted"):
        TableEncoder().transform(frame)


# Errors -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (pd.DataFrame({"x": [1.0]}), "the 2 columns .* 1 are missing, such as 'c'"),
        (
            pd.DataFrame({"x": [None, "many"], "c": ["a", "b"]}, index=["i", "j"]),
            "expected numbers in column 'x', .* got 'many' in row 'j'",
        ),
        (np.zeros((2, 2)), "Expected a FeatureTable or a DataFrame, got ndarray"),
    ],
)
def test_an_unfit_table_is_refused(new, message):
    encoder = TableEncoder().fit(pd.DataFrame({"x": [1.0, 2.0], "c": ["a", "b"]}))
    with pytest.raises(DatasetFormatError, match=message):
        encoder.transform(new)


def test_a_column_of_too_many_words_is_refused():
    frame = pd.DataFrame({"sequence": ["MA", "MK", "ML"]})
    with pytest.raises(DatasetFormatError, match="'sequence' has 3 .*max_categories=2"):
        TableEncoder(max_categories=2).fit(frame)


def test_a_table_without_columns_is_refused():
    with pytest.raises(DatasetFormatError, match="at least one column, got 0"):
        TableEncoder().fit(pd.DataFrame(index=[0, 1]))
