"""Parts of words in columns of short names become columns of the matrix."""

import numpy as np
import pandas as pd
import scipy.sparse as sp
from hypothesis import given, strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from hilabel.datasets import FeatureTable, TablePreparation
from hilabel.datasets._tables.word_parts import WordParts, is_short_name

NAMES = [
    f"{first} {second}ology"
    for first in ("marine", "human", "ancient", "rural")
    for second in ("bi", "ge", "zo", "anthrop", "psych", "cosm")
]
FRAME = pd.DataFrame({"size": np.arange(24.0), "name": NAMES})


def test_the_weights_are_those_of_scikit_learn():
    found = WordParts().fit(FRAME["name"])
    # All runs of four, padded as in a vectoriser of characters.
    vectorizer = TfidfVectorizer(
        analyzer="char_wb",
        ngram_range=(4, 4),
        sublinear_tf=True,
        vocabulary=found.parts_.tolist(),
    )
    expected = vectorizer.fit_transform(FRAME["name"]).toarray()
    np.testing.assert_allclose(
        found.transform(FRAME["name"]).toarray(), expected / 2, rtol=1e-12
    )


def test_only_parts_that_several_words_and_rows_share_are_columns():
    column = pd.Series(["biology geology"] * 5 + ["zoo zoos"] * 4 + ["red red"] * 9)
    parts = WordParts().fit(column)
    # " zoo" is in four rows, and the parts of "red" are in no other word.
    assert parts.get_feature_names_out().tolist() == ["~logy~", "~ogy", "~olog~"]
    assert parts.transform(pd.Series(["red", ""])).nnz == 0


@given(st.lists(st.text("abcß éИ1_", max_size=9), min_size=1, max_size=30))
def test_any_text_is_encoded_with_one_norm(texts):
    column = pd.Series(texts * 5)
    parts = WordParts().fit(column)
    X = parts.transform(column)
    assert X.has_canonical_format
    norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    assert np.isclose(norms[np.diff(X.indptr) > 0], 0.5).all()
    names = parts.get_feature_names_out().tolist()
    assert len({*names}) == len(names) == X.shape[1]
    # A row does not depend on the other rows that are encoded.
    alone = sp.vstack([parts.transform(column[[row]]) for row in column.index[:9]])
    np.testing.assert_array_equal(alone.toarray(), X[:9].toarray())


def test_names_are_short_and_sentences_are_not():
    assert is_short_name(pd.Series(["pan", "", "big red pan"]))
    assert not is_short_name(pd.Series(["a pan that is large enough for two eggs"]))
    assert not is_short_name(pd.Series(["12", "?"]))


def test_parts_follow_the_words_of_their_column():
    preparation = TablePreparation(scale="standard").fit(FRAME)
    names = preparation.get_feature_names_out().tolist()
    assert names[0] == "size"
    assert names[-3:] == ["name:~logy~", "name:~ogy", "name:~olog~"]
    assert preparation.part_widths() == {"name": 3}
    [(width, is_hashed)] = preparation.text_widths().values()
    assert (width + 3 + 1, is_hashed) == (len(names), False)
    X = preparation.transform(FRAME)
    assert X.shape == (24, len(names))
    # The words are encoded as if there were no parts.
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
    expected = words.fit_transform(NAMES).toarray()
    np.testing.assert_allclose(X[:, 1:-3].toarray(), expected)
    np.testing.assert_allclose((X[:, -3:].multiply(X[:, -3:])).sum(axis=1), 0.25)
    assert preparation.is_sound()


def test_text_columns_are_encoded_side_by_side():
    frame = FRAME.assign(other=[f"a long text of many words {n}" for n in NAMES])
    table = FeatureTable(tuple(map(str, range(24))), frame, "x", ("name", "other"))
    preparation = TablePreparation().fit(table)
    assert preparation.part_widths() == {"name": 3}
    sources = [n.split(":")[0] for n in preparation.get_feature_names_out()]
    assert sources == sorted(sources, key=list(frame).index)
