"""Detect and encode text columns, such as product titles."""

import re
from typing import Any, Final

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer

MAX_CATEGORIES: Final = 1000
"""A column with more values cannot be categorical, with a column for each value."""

MAX_COLUMNS: Final = 2**15
"""Maximum number of word columns: linear models store a number per column and term."""

HASH_BEYOND: Final = 2_000_000
"""A column with more words is hashed, since their list would fill the memory."""

# With fewer distinct values, a column is not text, even if all rows differ.
_FEW_VALUES: Final = 20
# Two or more letters, so that numbers, dates and codes such as A-17 are not words.
_WORD: Final = r"\b[^\W\d_]{2,}\b"
# What the vectorisers count as words, in lower case.
_TOKEN: Final = re.compile(r"\b\w\w+\b")


def varied_columns(frame: pd.DataFrame) -> tuple[str, ...]:
    """Return the categorical columns with mostly distinct or too many values."""
    names = frame.select_dtypes(exclude=["number", "category"])
    n_values, n_present = names.nunique(), names.notna().sum()
    enough = np.minimum(n_present / 2, MAX_CATEGORIES)
    return tuple(names.columns[(n_values > _FEW_VALUES) & (n_values > enough)])


def text_columns(frame: pd.DataFrame) -> tuple[str, ...]:
    """Return the columns that look like text: varied values of several words each."""
    return tuple(
        name
        for name in varied_columns(frame)
        if frame[name].dropna().astype(str).str.count(_WORD).median() >= 2
    )


def make_vectorizer(column: pd.Series) -> TfidfVectorizer | HashingVectorizer:
    """Return a vectoriser for words and pairs of adjacent words."""
    # A type cannot be stored in a model file, and scikit-learn rejects its name.
    how: dict[str, Any] = {"ngram_range": (1, 2), "dtype": np.dtype(np.float64)}
    n_words = int(column.str.count(r"\S+").sum())
    if n_words > HASH_BEYOND:
        return HashingVectorizer(n_features=MAX_COLUMNS, alternate_sign=False, **how)
    # A word in a single row provides no information about other rows.
    fewest = 2 if _has_repeated_word(column) else 1
    return TfidfVectorizer(
        min_df=fewest, max_features=MAX_COLUMNS, sublinear_tf=True, **how
    )


def has_words(column: pd.Series) -> bool:
    """Return whether a vectoriser finds any word in a column."""
    return any(_TOKEN.search(text.lower()) for text in column)


def _has_repeated_word(column: pd.Series) -> bool:
    seen: set[str] = set()
    for text in column:
        words = {*_TOKEN.findall(text.lower())}
        if seen & words:
            return True
        seen |= words
    return False
