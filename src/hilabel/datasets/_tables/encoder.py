"""From a feature table to a matrix of numbers, the same way for every table."""

from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from hilabel._saved_types import saved_type
from hilabel._typing import BoolArray, FloatArray
from hilabel.datasets._tables.columns import as_strings
from hilabel.datasets._tables.features import FeatureTable
from hilabel.exceptions import DatasetFormatError

__all__ = ["TableEncoder"]

_MISSING_CATEGORY = "?"


@saved_type
class TableEncoder(TransformerMixin, BaseEstimator):
    """Turn columns of numbers and words into a matrix of numbers.

    A column of numbers stays as it is, NaN where a value is missing. A column of words
    becomes a column of 0 and 1 per value seen in ``fit``, named ``column=value``,
    values sorted. If a value was missing there, ``?`` counts as one more value, the
    last. Of two values only the second gets a column, since it tells both.

    Parameters
    ----------
    max_categories : int, default=1000
        ``fit`` refuses a column with more values: it is likely text or an
        identifier, and would fill the memory.

    Attributes
    ----------
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The columns of the table.
    n_features_in_ : int
    categories_ : dict of str to tuple of str
        The values of each column of words. Pass its keys as ``categorical`` to
        :func:`read_features` to read a second table alike.
    is_encoded_word_ : bool array of shape (n_features_out,)
        Which columns of the matrix hold the 0 and 1 of a word.

    Examples
    --------
    >>> import pandas as pd
    >>> from hilabel.datasets import TableEncoder
    >>> encoder = TableEncoder()
    >>> encoder.fit_transform(
    ...     pd.DataFrame({"size": [1.5, None, 3.0], "colour": ["red", "blue", None]})
    ... )
    array([[1.5, 0. , 1. , 0. ],
           [nan, 1. , 0. , 0. ],
           [3. , 0. , 0. , 1. ]])
    >>> encoder.get_feature_names_out().tolist()
    ['size', 'colour=blue', 'colour=red', 'colour=?']

    A value that was not seen is none of those known:

    >>> encoder.transform(pd.DataFrame({"colour": ["green"], "size": [2.0]}))
    array([[2., 0., 0., 0.]])
    """

    feature_names_in_: Any
    n_features_in_: int
    categories_: dict[str, tuple[str, ...]]

    def __init__(self, max_categories: int = 1000) -> None:
        self.max_categories = max_categories

    def fit(self, X: FeatureTable | pd.DataFrame, y: Any = None) -> Self:
        """Learn the columns and the values of the columns of words.

        Parameters
        ----------
        X : FeatureTable or DataFrame of shape (n_samples, n_columns)
        y : ignored

        Returns
        -------
        self
        """
        frame, source = _frame_of(X)
        if frame.shape[1] == 0:
            raise DatasetFormatError(f"{source}: expected at least one column, got 0.")
        categories = {}
        for name, column in frame.items():
            if not _is_numeric(column):
                categories[str(name)] = self._categories_of(column, source)
        self.feature_names_in_ = np.array([str(name) for name in frame], dtype=object)
        self.n_features_in_ = frame.shape[1]
        self.categories_ = categories
        return self

    def transform(self, X: FeatureTable | pd.DataFrame) -> FloatArray:
        """Return the matrix of a table.

        Columns are found by name; columns that ``fit`` did not see are ignored. A
        word that ``fit`` did not see gets 0 in all columns; so does a missing value
        if none was missing then.

        Parameters
        ----------
        X : FeatureTable or DataFrame of shape (n_samples, n_columns)

        Returns
        -------
        ndarray of shape (n_samples, n_features_out)

        Raises
        ------
        DatasetFormatError
            If a column is missing, or holds words where ``fit`` saw numbers.
        """
        check_is_fitted(self)
        frame, source = _frame_of(X)
        missing = [name for name in self.feature_names_in_ if name not in frame]
        if missing:
            raise DatasetFormatError(
                f"{source}: expected the {self.n_features_in_} columns of the table "
                f"that the encoder was fitted on; {len(missing)} are missing, such as "
                f"{missing[0]!r}."
            )
        names = self.get_feature_names_out()
        encoded = np.empty((len(frame), len(names)))
        start = 0
        for name in self.feature_names_in_:
            block = self._encode(frame[name], source)
            encoded[:, start : start + block.shape[1]] = block
            start += block.shape[1]
        return encoded

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the columns that ``transform`` makes.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of shape (n_features_out,) of str
        """
        check_is_fitted(self)
        names: list[str] = []
        for name in self.feature_names_in_:
            if name in self.categories_:
                names += [f"{name}={value}" for value in self._encoded_values(name)]
            else:
                names.append(name)
        return np.array(names, dtype=object)

    @property
    def is_encoded_word_(self) -> BoolArray:
        """Which columns of the matrix hold the 0 and 1 of a word."""
        check_is_fitted(self)
        widths = [
            len(self._encoded_values(name)) if name in self.categories_ else 1
            for name in self.feature_names_in_
        ]
        is_word = [name in self.categories_ for name in self.feature_names_in_]
        return np.repeat(np.array(is_word, dtype=bool), widths)

    def _categories_of(self, column: pd.Series, source: str) -> tuple[str, ...]:
        words = as_strings(source, column)
        values = sorted(words.dropna().unique())
        if len(values) > self.max_categories:
            raise DatasetFormatError(
                f"{source}: column {column.name!r} has {len(values)} different words, "
                f"more than max_categories={self.max_categories}; it looks like text "
                "or an identifier. Drop the column, or raise the limit."
            )
        if words.isna().any():
            values.append(_MISSING_CATEGORY)
        return tuple(values)

    def _encoded_values(self, name: str) -> tuple[str, ...]:
        values = self.categories_[name]
        return values[1:] if len(values) == 2 else values

    def _encode(self, column: pd.Series, source: str) -> FloatArray:
        name = str(column.name)
        if name in self.categories_:
            return _one_hot(as_strings(source, column), self._encoded_values(name))
        if not _is_numeric(column):
            row = int(np.flatnonzero(column.notna())[0])
            raise DatasetFormatError(
                f"{source}: expected numbers in column {name!r}, as in the table that "
                f"the encoder was fitted on, got {column.iloc[row]!r} in row "
                f"{column.index[row]!r}."
            )
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return values[:, None]


def _frame_of(X: FeatureTable | pd.DataFrame) -> tuple[pd.DataFrame, str]:
    if isinstance(X, FeatureTable):
        return X.frame, X.source or "FeatureTable"
    if not isinstance(X, pd.DataFrame):
        raise DatasetFormatError(
            f"Expected a FeatureTable or a DataFrame, got {type(X).__name__}."
        )
    return X, "DataFrame"


def _one_hot(words: pd.Series, values: tuple[str, ...]) -> FloatArray:
    position = {value: i for i, value in enumerate(values)}
    encoded = np.zeros((len(words), len(values)))
    for row, word in enumerate(words):
        at = position.get(_MISSING_CATEGORY if word is None else word)
        if at is not None:
            encoded[row, at] = 1.0
    return encoded


def _is_numeric(column: pd.Series) -> bool:
    """Say whether the values are numbers; a column without any is taken so."""
    types = pd.api.types
    if types.is_numeric_dtype(column):
        return not types.is_bool_dtype(column)
    return bool(column.isna().all())
