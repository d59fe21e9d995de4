"""Columns of words, such as product titles: which they are, what they become."""

import re
from typing import Any, Final

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer

MAX_CATEGORIES: Final = 1000
"""A column with more values cannot be one of names, a column of 0 and 1 each."""

MAX_COLUMNS: Final = 2**15
"""What words become at most: a linear model keeps a number per column and term."""

HASH_BEYOND: Final = 2_000_000
"""A column with more words is hashed, since a list of them would fill the memory."""

# So few different values are no sign of text, even where every row has another.
_FEW_VALUES: Final = 20
# Two letters or more, so that numbers, dates and codes such as A-17 are no words.
_WORD: Final = r"\b[^\W\d_]{2,}\b"


def varied_columns(frame: pd.DataFrame) -> tuple[str, ...]:
    """Return the columns of names in which most rows differ, or too many for names."""
    names = frame.select_dtypes(exclude=["number", "category"])
    n_values, n_present = names.nunique(), names.notna().sum()
    enough = np.minimum(n_present / 2, MAX_CATEGORIES)
    return tuple(names.columns[(n_values > _FEW_VALUES) & (n_values > enough)])


def text_columns(frame: pd.DataFrame) -> tuple[str, ...]:
    """Return the columns that look like text: varied, with several words a row."""
    return tuple(
        name
        for name in varied_columns(frame)
        if frame[name].dropna().astype(str).str.count(_WORD).median() >= 2
    )


def make_vectorizer(column: pd.Series) -> TfidfVectorizer | HashingVectorizer:
    """Return what makes words and pairs of neighbouring words of a column of text."""
    # A type would not pass into a model file, and its name not through scikit-learn.
    how: dict[str, Any] = {"ngram_range": (1, 2), "dtype": np.dtype(np.float64)}
    n_words = int(column.str.count(r"\S+").sum())
    if n_words > HASH_BEYOND:
        return HashingVectorizer(n_features=MAX_COLUMNS, alternate_sign=False, **how)
    # What a single row has tells nothing of others.
    fewest = 2 if _has_repeated_word(column) else 1
    return TfidfVectorizer(
        min_df=fewest, max_features=MAX_COLUMNS, sublinear_tf=True, **how
    )


def _has_repeated_word(column: pd.Series) -> bool:
    seen: set[str] = set()
    for text in column:
        words = {*re.findall(r"\b\w\w+\b", text.lower())}
        if seen & words:
            return True
        seen |= words
    return False
