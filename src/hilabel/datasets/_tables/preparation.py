"""From a feature table to a matrix of numbers, the same way for every table."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler
from sklearn.utils.validation import check_is_fitted

from hilabel._compat import StrOptions
from hilabel._saved_types import saved_type
from hilabel._typing import FloatArray
from hilabel.datasets._tables.columns import plain_column
from hilabel.datasets._tables.features import FeatureTable
from hilabel.exceptions import DatasetFormatError

_MISSING = "?"


@saved_type
class TablePreparation(TransformerMixin, BaseEstimator):
    """Turn columns of numbers and words into a matrix of numbers.

    A column of words becomes a column of 0 and 1 per value seen in ``fit``, named
    ``column=value``, values sorted. If a value was missing there, ``?`` counts as one
    more value, the last. Of two values only the second gets a column, since it tells
    both. Columns of numbers are filled and scaled as asked.

    Parameters
    ----------
    impute : {"mean", "median", "zero"} or None, default=None
        What takes the place of a missing number; a column without any number gets 0.
        None leaves NaN where it is.
    scale : {"standard", "range"} or None, default=None
        ``"standard"`` gives each column of numbers mean 0 and standard deviation 1,
        ``"range"`` puts its values between 0 and 1, and cuts off what lies beyond
        those seen in ``fit``. Constant columns become 0.
    max_categories : int, default=1000
        ``fit`` refuses a column of words with more values: it is likely text or an
        identifier, and would fill the memory.

    Attributes
    ----------
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The columns of the table.
    n_features_in_ : int
    categories_ : dict of str to tuple of str
        The values of each column of words. Pass its keys as ``categorical`` to
        :func:`read_features` to read a second table alike.
    columns_ : ColumnTransformer
        What fills, scales and encodes the columns, those of numbers first.
    order_ : ndarray of shape (n_features_out,)
        Which column of ``columns_`` stands where, to be in the order of the table.

    Examples
    --------
    >>> import pandas as pd
    >>> from hilabel.datasets import TablePreparation
    >>> preparation = TablePreparation()
    >>> preparation.fit_transform(
    ...     pd.DataFrame({"size": [1.5, None, 3.0], "colour": ["red", "blue", None]})
    ... )
    array([[1.5, 0. , 1. , 0. ],
           [nan, 1. , 0. , 0. ],
           [3. , 0. , 0. , 1. ]])
    >>> preparation.get_feature_names_out().tolist()
    ['size', 'colour=blue', 'colour=red', 'colour=?']

    A value that was not seen is none of those known:

    >>> preparation.transform(pd.DataFrame({"colour": ["green"], "size": [2.0]}))
    array([[2., 0., 0., 0.]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "impute": [StrOptions({"mean", "median", "zero"}), None],
        "scale": [StrOptions({"standard", "range"}), None],
        "max_categories": [int],
    }

    def __init__(
        self,
        impute: str | None = None,
        scale: str | None = None,
        max_categories: int = 1000,
    ) -> None:
        self.impute = impute
        self.scale = scale
        self.max_categories = max_categories

    def fit(self, X: FeatureTable | pd.DataFrame, y: Any = None) -> Self:
        """Learn the columns; labels are never looked at.

        Parameters
        ----------
        X : FeatureTable or DataFrame of shape (n_samples, n_columns)
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        frame, source = _plain_frame(X)
        if frame.shape[1] == 0:
            raise DatasetFormatError(f"{source}: expected at least one column, got 0.")
        self.feature_names_in_ = frame.columns.to_numpy(dtype=object)
        self.n_features_in_ = frame.shape[1]
        self.categories_ = {
            str(name): self._categories_of(column, source)
            for name, column in frame.items()
            if not pd.api.types.is_numeric_dtype(column)
        }
        words = list(self.categories_)
        numbers = [name for name in self.feature_names_in_ if name not in words]
        encoder = OneHotEncoder(
            categories=[list(self._encoded_values(name)) for name in words],
            handle_unknown="ignore",
            sparse_output=False,
            # By name, which a model file can hold.
            dtype="float64",
        )
        transformers = [
            ("numbers", self._number_pipeline(), numbers),
            ("words", encoder, words),
        ]
        self.columns_ = ColumnTransformer(transformers, sparse_threshold=0)
        with warnings.catch_warnings():
            # A column without a single number has no mean, and stays as it is.
            warnings.simplefilter("ignore", RuntimeWarning)
            self.columns_.fit(_with_missing_word(frame, words))
        place = {name: at for at, name in enumerate(self.feature_names_in_)}
        width = {name: len(self._encoded_values(name)) for name in words}
        source_of = [place[name] for name in numbers]
        source_of += [place[name] for name in words for _ in range(width[name])]
        self.order_ = np.argsort(source_of, kind="stable")
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
        frame, source = _plain_frame(X, self.categories_, self.feature_names_in_)
        for name, column in frame.items():
            is_number = pd.api.types.is_numeric_dtype(column)
            if name not in self.categories_ and not is_number:
                row = int(np.flatnonzero(column.notna())[0])
                raise DatasetFormatError(
                    f"{source}: expected numbers in column {name!r}, as in the table "
                    f"that it was fitted on, got {column.iloc[row]!r} in row "
                    f"{column.index[row]!r}."
                )
        words = list(self.categories_)
        encoded = self.columns_.transform(_with_missing_word(frame, words))
        return np.asarray(encoded)[:, self.order_]

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
            values = self._encoded_values(name) if name in self.categories_ else None
            names += [name] if values is None else [f"{name}={v}" for v in values]
        return np.array(names, dtype=object)

    def scaling(self) -> tuple[FloatArray, FloatArray]:
        """Return what was taken from each column of the matrix, and its divisor."""
        center, spread = np.zeros(self.order_.size), np.ones(self.order_.size)
        scaler = self.columns_.named_transformers_["numbers"]["scale"]
        n_numbers = self.n_features_in_ - len(self.categories_)
        if self.scale == "standard" and n_numbers:
            center[:n_numbers], spread[:n_numbers] = scaler.mean_, scaler.scale_
        elif self.scale == "range" and n_numbers:
            center[:n_numbers] = scaler.data_min_
            spread[:n_numbers] = 1 / scaler.scale_
        return center[self.order_], spread[self.order_]

    def _number_pipeline(self) -> Pipeline:
        imputer: Any = "passthrough"
        if self.impute is not None:
            strategy = "constant" if self.impute == "zero" else self.impute
            imputer = SimpleImputer(
                strategy=strategy, fill_value=0.0, keep_empty_features=True
            )
        scaler: Any = {
            None: "passthrough",
            "standard": StandardScaler(),
            "range": MinMaxScaler(clip=True),
        }[self.scale]
        return Pipeline([("impute", imputer), ("scale", scaler)])

    def _categories_of(self, column: pd.Series, source: str) -> tuple[str, ...]:
        values = sorted(column.dropna().unique())
        if len(values) > self.max_categories:
            raise DatasetFormatError(
                f"{source}: column {column.name!r} has {len(values)} different words, "
                f"more than the {self.max_categories} that are allowed; it looks like "
                "text or an identifier. Leave the column out.",
                parameter="drop",
            )
        return (*values, _MISSING) if column.isna().any() else tuple(values)

    def _encoded_values(self, name: str) -> tuple[str, ...]:
        values = self.categories_[name]
        return values[1:] if len(values) == 2 else values


def _plain_frame(
    X: FeatureTable | pd.DataFrame, words: Any = (), columns: Any = None
) -> tuple[pd.DataFrame, str]:
    """Return columns of float64 and of strings, those asked for, and where from."""
    source = "DataFrame"
    if isinstance(X, FeatureTable):
        X, source = X.frame, X.source or "FeatureTable"
    elif not isinstance(X, pd.DataFrame):
        raise DatasetFormatError(
            f"Expected a FeatureTable or a DataFrame, got {type(X).__name__}."
        )
    wanted = X.columns if columns is None else columns
    missing = [name for name in wanted if name not in X]
    if missing:
        raise DatasetFormatError(
            f"{source}: expected the {len(wanted)} columns of the table that it was "
            f"fitted on; {len(missing)} are missing, such as {missing[0]!r}."
        )
    plain = {str(n): plain_column(source, X[n], n in words) for n in wanted}
    return pd.DataFrame(plain, index=X.index), source


def _with_missing_word(frame: pd.DataFrame, words: list[str]) -> pd.DataFrame:
    filled = frame[words].astype(object)
    return frame.assign(**filled.where(filled.notna(), _MISSING))
