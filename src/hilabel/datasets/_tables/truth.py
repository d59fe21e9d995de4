"""True and false are the same value in every table, however they are spelt.

Programs write TRUE (R, Excel), True (Python) or true (databases), and Parquet files and
data frames store values without a spelling. A column of only these words has the two
values ``True`` and ``False``; next to other words, they are words like any other.
"""

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import pandas as pd

TRUTH: Final = {"true": "True", "false": "False"}
"""The values, keyed by their spelling in lower case."""


def is_truth(words: Iterable[str]) -> bool:
    """Return whether words are only true and false, in any spelling."""
    return {word.lower() for word in words} <= TRUTH.keys()


def spelt_alike(column: pd.Series) -> pd.Series:
    """Return a column of strings in which true and false are spelt in one way.

    Examples
    --------
    >>> import pandas as pd
    >>> from hilabel.datasets._tables.truth import spelt_alike
    >>> spelt_alike(pd.Series(["TRUE", "false", "maybe"])).tolist()
    ['True', 'False', 'maybe']
    """
    return column.map(
        lambda word: TRUTH.get(word.lower(), word) if isinstance(word, str) else word
    )


def lost_spelling(column: pd.Series) -> bool:
    """Return whether pandas has parsed a text column as true and false."""
    if column.dtype != object:
        return bool(pd.api.types.is_bool_dtype(column))
    first: Any = column.first_valid_index()
    return first is not None and isinstance(column[first], bool | np.bool_)
