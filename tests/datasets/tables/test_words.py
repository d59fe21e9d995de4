"""Words of text columns become sparse columns of the matrix."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer

from hilabel.datasets import FeatureTable, TablePreparation
from hilabel.datasets._tables import words
from hilabel.exceptions import DatasetFormatError

FRAME = pd.DataFrame(
    {
        "colour": ["red", "blue", "red"],
        "title": ["big pan", None, "Big pan lid"],
        "price": [1.0, np.nan, 3.0],
    }
)


def table_of(frame, *text):
    return FeatureTable(tuple(map(str, frame.index)), frame, "shop.csv", text)


def test_words_and_pairs_stand_in_the_order_of_the_table():
    preparation = TablePreparation().fit(table_of(FRAME, "title"))
    names = ["colour=red", "title:big", "title:big pan", "title:pan", "price"]
    assert preparation.get_feature_names_out().tolist() == names
    X = preparation.transform(FRAME)
    assert isinstance(X, sp.csr_array)
    assert X.has_sorted_indices
    third = 1 / np.sqrt(3)
    expected = [
        [1, third, third, third, 1],
        [0, 0, 0, 0, np.nan],
        [1, third, third, third, 3],
    ]
    np.testing.assert_allclose(X.toarray(), expected)


def test_the_weights_are_those_of_scikit_learn():
    titles = [f"pan {'big' if i % 3 else 'small'} w{i % 7}" for i in range(60)]
    titles = [f"{title} x{i:02}" for i, title in enumerate(titles)]
    frame = pd.DataFrame({"title": titles})
    preparation = TablePreparation()
    X = preparation.fit_transform(frame)
    assert preparation.text_ == ("title",)
    vectorizer = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
    np.testing.assert_allclose(X.toarray(), vectorizer.fit_transform(titles).toarray())
    # What fit did not see is nothing.
    new = pd.DataFrame({"title": ["unheard of", "pan", None]})
    assert preparation.transform(new).sum(axis=1)[[0, 2]].tolist() == [0, 0]


def test_words_that_no_two_rows_share_are_all_taken():
    frame = pd.DataFrame({"title": ["big pan", "small lid"]})
    X = TablePreparation().fit_transform(table_of(frame, "title"))
    assert X.shape == (2, 6)


def test_many_words_are_hashed(monkeypatch):
    monkeypatch.setattr(words, "HASH_BEYOND", 3)
    preparation = TablePreparation(scale="range").fit(table_of(FRAME, "title"))
    assert preparation.text_widths() == {"title": (words.MAX_COLUMNS, True)}
    X = preparation.transform(FRAME)
    assert X.shape == (3, words.MAX_COLUMNS + 2)
    assert X[:, 1:-1].sum(axis=1)[1] == 0
    assert len(preparation.get_feature_names_out()) == X.shape[1]
    center, spread = preparation.scaling()
    assert (center[-1], spread[-1]) == (1, 2)


def test_the_number_of_columns_is_bounded(monkeypatch):
    monkeypatch.setattr(words, "MAX_COLUMNS", 2)
    preparation = TablePreparation().fit(table_of(FRAME, "title"))
    assert preparation.text_widths() == {"title": (2, False)}


def test_a_column_of_text_without_words_is_refused():
    frame = pd.DataFrame({"title": ["1", "-"], "note": ["big pan", None]})
    with pytest.raises(
        DatasetFormatError, match=r"shop\.csv: expected words .*'title', got none"
    ) as caught:
        TablePreparation().fit(table_of(frame, "title", "note"))
    assert caught.value.culprits == {"title": "no words"}


@given(st.lists(st.text(max_size=4), min_size=1, max_size=4))
def test_words_are_found_where_the_vectoriser_finds_them(texts):
    column = pd.Series(texts, dtype=object)
    found = HashingVectorizer(ngram_range=(1, 2)).transform(column)
    assert words.has_words(column) == bool(found.nnz)


def test_categories_of_pandas_are_no_text():
    titles = pd.Series([f"big pan {i}" for i in range(50)], dtype="category")
    assert words.text_columns(pd.DataFrame({"a": titles, "b": titles.astype(str)})) == (
        "b",
    )
