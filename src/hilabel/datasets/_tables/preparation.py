"""Convert feature tables to matrices of numbers with the same columns."""

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler
from sklearn.utils.validation import check_is_fitted

from hilabel._compat import StrOptions
from hilabel._saved_types import Array, Count, Maybe, Words, saved_type
from hilabel._typing import FloatArray
from hilabel.datasets._tables.columns import plain_column
from hilabel.datasets._tables.features import FeatureTable
from hilabel.datasets._tables.id_list import NO_COLUMNS
from hilabel.datasets._tables.sparse_columns import SparseColumns
from hilabel.datasets._tables.truth import TRUTH, is_truth, spelt_alike
from hilabel.datasets._tables.word_parts import WordParts, has_parts
from hilabel.datasets._tables.words import (
    MAX_CATEGORIES,
    has_words,
    make_vectorizer,
    text_columns,
)
from hilabel.exceptions import DatasetFormatError

_MISSING = "?"
_TRUTH_VALUES = {*TRUTH.values(), _MISSING}


@saved_type
class TablePreparation(TransformerMixin, BaseEstimator):
    """Convert columns of numbers, categories and text to a matrix of numbers.

    A categorical column becomes one column of zeros and ones for each value that occurs
    in ``fit``, named ``column=value`` and sorted by value. If values are missing in
    ``fit``, ``?`` is added as the last value. If there are only two values, only the
    second one gets a column. A column of only true and false has the values ``True``
    and ``False``, however they are spelt, in ``fit`` and in ``transform``. Numeric
    columns are imputed and scaled as requested.

    ``fit`` raises an error for a categorical column with more than 1000 values, which
    is probably an identifier and would fill the memory.

    A text column, with many distinct values of several words, becomes one column for
    each word and each pair of adjacent words that occur in at least two rows, named
    ``column:word`` and weighted by
    :class:`~sklearn.feature_extraction.text.TfidfVectorizer`. If the column has more
    than two million words in total, its columns in the matrix are hashed and numbered
    instead. If the column contains short names, such as titles, parts of words that
    several words share follow, named like ``column:~ogy``, with half the weight. If
    there are text columns, the matrix is sparse.

    The sparse columns of a :class:`FeatureTable`, such as signatures, are not changed.

    Parameters
    ----------
    impute : {"mean", "median", "zero"} or None, default=None
        How to replace missing numbers; a column without any number becomes 0. None
        keeps NaN.
    scale : {"standard", "range"} or None, default=None
        ``"standard"`` scales each numeric column to mean 0 and standard deviation 1,
        ``"range"`` scales its values to [0, 1], clipping values outside the range in
        ``fit``. Constant columns become 0.

    Attributes
    ----------
    feature_names_in_ : ndarray of shape (n_columns,)
        The columns of the table.
    n_features_in_ : int
    categories_ : dict of str to tuple of str
        The values of each categorical column. Pass its keys as ``categorical`` to
        :func:`read_features` to read a second table in the same way.
    text_ : tuple of str
        The text columns, to be passed as ``text``.
    is_sparse_ : bool
        Whether the columns are sparse and used unchanged.
    columns_ : ColumnTransformer
        Imputes, scales and encodes the columns, numeric columns first.
    order_ : ndarray of shape (n_features_out,)
        The order of the columns of ``columns_`` that matches the table.

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

    A value that did not occur in ``fit`` is 0 in all columns:

    >>> preparation.transform(pd.DataFrame({"colour": ["green"], "size": [2.0]}))
    array([[2., 0., 0., 0.]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "impute": [StrOptions({"mean", "median", "zero"}), None],
        "scale": [StrOptions({"standard", "range"}), None],
    }

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "feature_names_in_": Words("n_columns"),
        "n_features_in_": Count(1),
        "categories_": dict[str, tuple[str, ...]],
        "text_": tuple[str, ...],
        "is_sparse_": bool,
        "columns_": Maybe(ColumnTransformer),
        "order_": Array("i8", ("n_features",), 0),
    }

    def __init__(self, impute: str | None = None, scale: str | None = None) -> None:
        self.impute = impute
        self.scale = scale

    @classmethod
    def unchanged(cls, names: Sequence[str], *, is_sparse: bool = False) -> Self:
        """Return a preparation that passes on columns of numbers as they are.

        Parameters
        ----------
        names : sequence of str
            The names of the columns, all different.
        is_sparse : bool, default=False
            Whether tables have sparse columns.

        Examples
        --------
        >>> import pandas as pd
        >>> from hilabel.datasets import TablePreparation
        >>> rows = pd.DataFrame({"size": [3.0]})
        >>> TablePreparation.unchanged(["size"]).transform(rows)
        array([[3.]])
        """
        preparation = cls()
        if is_sparse:
            preparation.is_sparse_ = True
            nothing = sp.csr_array((1, len(names)), dtype=np.float64)
            return preparation._fit_sparse(SparseColumns(tuple(names), nothing))
        return preparation.fit(pd.DataFrame(np.zeros((1, len(names))), columns=names))

    def fit(self, X: FeatureTable | pd.DataFrame, y: Any = None) -> Self:
        """Learn the columns of the matrix; labels are never used.

        Parameters
        ----------
        X : FeatureTable or DataFrame of shape (n_samples, n_columns)
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        self.is_sparse_ = isinstance(X, FeatureTable) and X.sparse is not None
        if isinstance(X, FeatureTable) and X.sparse is not None:
            return self._fit_sparse(X.sparse)
        frame, text, source = _plain_frame(X)
        if frame.shape[1] == 0:
            raise DatasetFormatError(
                "expected at least one column, got 0.", source=source
            )
        self.feature_names_in_ = frame.columns.to_numpy(dtype=object)
        self.n_features_in_ = frame.shape[1]
        self.text_ = text
        frame = _truth_spelt_alike(frame, text)
        self.categories_ = {
            str(name): self._categories_of(column, source)
            for name, column in frame.items()
            if not pd.api.types.is_numeric_dtype(column) and name not in text
        }
        names = list(self.categories_)
        numbers = [n for n in self.feature_names_in_ if n not in {*names, *text}]
        frame = self._without_gaps(frame)
        self._check_words(frame, source)
        encoder = OneHotEncoder(
            categories=[list(self._encoded_values(name)) for name in names],
            handle_unknown="ignore",
            sparse_output=False,
            # Specified by name, which can be stored in a model file.
            dtype="float64",
        )
        transformers: list[tuple[str, Any, Any]] = [
            ("numbers", self._number_pipeline(), numbers),
            ("words", encoder, names),
        ]
        for name in text:
            transformers.append((_key(name), make_vectorizer(frame[name]), name))
            if has_parts(frame[name]):
                transformers.append((_parts_key(name), WordParts(), name))
        self.columns_ = ColumnTransformer(transformers, sparse_threshold=0)
        if text:
            self.columns_.set_params(sparse_threshold=1)
        with warnings.catch_warnings():
            # A column without any number has no mean and is not changed.
            warnings.simplefilter("ignore", RuntimeWarning)
            self._fit_columns(frame)
        place = {name: at for at, name in enumerate(self.feature_names_in_)}
        made = {name: len(self._made_of(name)) for name in [*names, *text]}
        source_of = [place[name] for name in numbers]
        source_of += [place[name] for name, n in made.items() for _ in range(n)]
        self.order_ = np.argsort(source_of, kind="stable")
        return self

    @property
    def has_no_columns(self) -> bool:
        """Whether rows had no columns in training, only ids and links."""
        return self.feature_names_in_.tolist() == [NO_COLUMNS]

    def _fit_sparse(self, columns: SparseColumns) -> Self:
        self.feature_names_in_ = np.array(columns.names, dtype=object)
        self.n_features_in_ = len(columns.names)
        self.text_, self.categories_ = (), {}
        self.order_ = np.arange(self.n_features_in_)
        return self

    def transform(self, X: FeatureTable | pd.DataFrame) -> Any:
        """Convert a table to a matrix.

        Columns are matched by name; columns that did not occur in ``fit`` are ignored.
        A category or word that did not occur in ``fit`` becomes 0 in all columns, as
        does a missing value in a column that had none in ``fit``.

        Parameters
        ----------
        X : FeatureTable or DataFrame of shape (n_samples, n_columns)

        Returns
        -------
        ndarray or, with sparse or text columns, csr_array of shape (n_samples,
        n_features_out)

        Raises
        ------
        DatasetFormatError
            If a column is missing, or contains strings but was numeric in ``fit``.
        """
        check_is_fitted(self)
        if self.is_sparse_:
            return _sparse_matrix(X, self.feature_names_in_)
        words = {*self.categories_, *self.text_}
        frame, _, source = _plain_frame(X, words, self.feature_names_in_)
        for name, column in frame.items():
            if name not in words and not pd.api.types.is_numeric_dtype(column):
                row = int(np.flatnonzero(column.notna())[0])
                raise DatasetFormatError(
                    f"expected numbers in column {name!r}, as in the training table, "
                    f"got {column.iloc[row]!r} in row {column.index[row]!r}.",
                    source=source,
                )
        truth = [n for n, v in self.categories_.items() if {*v} <= _TRUTH_VALUES]
        frame = frame.assign(**{name: spelt_alike(frame[name]) for name in truth})
        encoded = self.columns_.transform(self._without_gaps(frame))
        if not self.text_:
            return np.asarray(encoded)[:, self.order_]
        matrix = sp.csr_array(encoded)[:, self.order_]
        matrix.sort_indices()
        return matrix

    def is_sound(self) -> bool:
        """Return whether a small test table with these columns can be transformed."""
        names, words = self.feature_names_in_.tolist(), {*self.categories_, *self.text_}
        width = self.order_.size
        if not (
            len(set(names)) == len(names) == self.n_features_in_
            and words <= {*names}
            and np.array_equal(np.sort(self.order_), np.arange(width))
        ):
            return False
        if self.is_sparse_:
            return width == len(names)
        rows = {name: ["?", "?"] if name in words else [0.0, np.nan] for name in names}
        with warnings.catch_warnings(), np.errstate(divide="raise", invalid="raise"):
            warnings.simplefilter("error", UserWarning)
            found = self.transform(pd.DataFrame(rows))
        numbers = found.data if sp.issparse(found) else found
        return (
            found.shape == (2, width) == (2, len(self.get_feature_names_out()))
            and numbers.dtype == np.float64
            and not np.isinf(numbers).any()
        )

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the columns that ``transform`` returns.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of shape (n_features_out,) of str
        """
        check_is_fitted(self)
        names = [
            made for name in self.feature_names_in_ for made in self._made_of(name)
        ]
        return np.array(names, dtype=object)

    def scaling(self) -> tuple[FloatArray, FloatArray]:
        """Return the offset and the divisor of each column of the matrix."""
        center, spread = np.zeros(self.order_.size), np.ones(self.order_.size)
        if self.is_sparse_:
            return center, spread
        scaler = self.columns_.named_transformers_["numbers"]["scale"]
        n_numbers = self.n_features_in_ - len(self.categories_) - len(self.text_)
        if self.scale == "standard" and n_numbers:
            center[:n_numbers], spread[:n_numbers] = scaler.mean_, scaler.scale_
        elif self.scale == "range" and n_numbers:
            center[:n_numbers] = scaler.data_min_
            spread[:n_numbers] = 1 / scaler.scale_
        return center[self.order_], spread[self.order_]

    def text_widths(self) -> dict[str, tuple[int, bool]]:
        """Return each text column's number of word columns, and whether of hashes."""
        return {
            name: (
                len(self._words_of(name)),
                isinstance(self._vectorizer_of(name), HashingVectorizer),
            )
            for name in self.text_
        }

    def part_widths(self) -> dict[str, int]:
        """Return the number of columns of parts of words, for columns of short names.

        Examples
        --------
        >>> import pandas as pd
        >>> from hilabel.datasets import TablePreparation
        >>> names = [f"{a}{a} {b}ology" for a in "abcdefgh" for b in ("ge", "bi", "zo")]
        >>> preparation = TablePreparation().fit(pd.DataFrame({"name": names}))
        >>> preparation.part_widths()
        {'name': 3}
        >>> preparation.get_feature_names_out().tolist()[-3:]
        ['name:~logy~', 'name:~ogy', 'name:~olog~']
        """
        parts = {name: self._parts_of(name) for name in self.text_}
        return {name: len(p.parts_) for name, p in parts.items() if p is not None}

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

    def _check_words(self, frame: pd.DataFrame, source: str) -> None:
        lacking = [name for name in self.text_ if not has_words(frame[name])]
        if lacking:
            raise DatasetFormatError(
                f"expected words in the text column {lacking[0]!r}, got none; drop it.",
                source=source,
                parameter="drop",
                culprits=dict.fromkeys(lacking, "no words"),
            )

    def _fit_columns(self, frame: pd.DataFrame) -> None:
        self.columns_.fit(frame)
        for name in self.text_:
            # NumPy scalars would each be stored as a separate array in a model file.
            words = getattr(self._vectorizer_of(name), "vocabulary_", {})
            words.update({word: int(column) for word, column in words.items()})

    def _parts_of(self, name: str) -> WordParts | None:
        """Return what encodes the parts of words of a text column, if it has any."""
        return self.columns_.named_transformers_.get(_parts_key(name))

    def _vectorizer_of(self, name: str) -> Any:
        return self.columns_.named_transformers_[_key(name)]

    def _categories_of(self, column: pd.Series, source: str) -> tuple[str, ...]:
        values = sorted(column.dropna().unique())
        if len(values) > MAX_CATEGORIES:
            raise DatasetFormatError(
                f"column {column.name!r} has {len(values)} distinct values, more than "
                f"the {MAX_CATEGORIES} allowed; it looks like an identifier. "
                "Drop the column, or declare it as text.",
                source=source,
                parameter=("drop", "text"),
                culprits={str(column.name): f"{len(values)} distinct values"},
            )
        return (*values, _MISSING) if column.isna().any() else tuple(values)

    def _encoded_values(self, name: str) -> tuple[str, ...]:
        values = self.categories_[name]
        return values[1:] if len(values) == 2 else values

    def _made_of(self, name: str) -> list[str]:
        """Return the names of the matrix columns that encode a column of the table."""
        if name in self.categories_:
            return [f"{name}={value}" for value in self._encoded_values(name)]
        if name not in self.text_:
            return [name]
        parts = self._parts_of(name)
        shared = [] if parts is None else parts.get_feature_names_out()
        return [f"{name}:{word}" for word in [*self._words_of(name), *shared]]

    def _words_of(self, name: str) -> Any:
        """Return the words, or numbers of hashed words, that encode a text column."""
        vectorizer = self._vectorizer_of(name)
        if isinstance(vectorizer, HashingVectorizer):
            return range(vectorizer.n_features)
        return vectorizer.get_feature_names_out()

    def _without_gaps(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the frame with missing categories and texts filled in."""
        filled = {name: _filled(frame[name], _MISSING) for name in self.categories_}
        filled |= {name: _filled(frame[name], "") for name in self.text_}
        return frame.assign(**filled)


def _truth_spelt_alike(frame: pd.DataFrame, text: tuple[str, ...]) -> pd.DataFrame:
    """Return the frame; columns of only true and false have one spelling of each."""
    words = frame.select_dtypes(exclude="number").columns.difference(text, sort=False)
    truth = [name for name in words if is_truth(frame[name].dropna().unique())]
    return frame.assign(**{name: spelt_alike(frame[name]) for name in truth})


def _sparse_matrix(X: Any, wanted: Any) -> sp.csr_array:
    columns = getattr(X, "sparse", None)
    if columns is None:
        raise DatasetFormatError(
            "Expected a FeatureTable with sparse columns, like that of fit, got "
            f"{X if isinstance(X, FeatureTable) else type(X).__name__}."
        )
    missing = columns.lacking(wanted)
    if missing:
        raise _missing_columns(X.source or "FeatureTable", len(wanted), missing)
    return columns.pick(wanted).matrix()


def _key(name: str) -> str:
    """Return the name of the ColumnTransformer step for a text column."""
    return f"text {name}".replace("__", "_ _")


def _parts_key(name: str) -> str:
    """Return the name of the ColumnTransformer step for the parts of words."""
    return f"parts of {_key(name)}"


def _filled(column: pd.Series, missing: str) -> pd.Series:
    column = column.astype(object)
    return column.where(column.notna(), missing)


def _missing_columns(
    source: str, n_wanted: int, missing: list[str]
) -> DatasetFormatError:
    return DatasetFormatError(
        f"expected the {n_wanted} columns of the training table; {len(missing)} are "
        f"missing, such as {missing[0]!r}.",
        source=source,
    )


def _plain_frame(
    X: FeatureTable | pd.DataFrame, words: Any = (), columns: Any = None
) -> tuple[pd.DataFrame, tuple[str, ...], str]:
    """Return the data as a frame of floats and strings, its text columns and source."""
    source, text = "DataFrame", None
    if isinstance(X, FeatureTable):
        X, source, text = X.frame, X.source or "FeatureTable", X.text
    elif not isinstance(X, pd.DataFrame):
        raise DatasetFormatError(
            f"Expected a FeatureTable or a DataFrame, got {type(X).__name__}."
        )
    wanted = X.columns if columns is None else columns
    missing = [name for name in wanted if name not in X]
    if missing:
        raise _missing_columns(source, len(wanted), missing)
    words = {*words, *(text or ())}
    plain = {str(n): plain_column(source, X[n], n in words) for n in wanted}
    frame = pd.DataFrame(plain, index=X.index)
    return frame, text_columns(X) if text is None else text, source
