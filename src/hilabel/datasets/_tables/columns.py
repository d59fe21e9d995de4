"""Convert columns of a feature table to plain numbers or strings."""

from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np
import pandas as pd

from hilabel._typing import FilePath
from hilabel.exceptions import DatasetFormatError

MISSING = ("", "?", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL")
"""The strings that mean a missing value in a feature table."""

_PLAIN: Final = (str, float, int, np.generic)


def plain_columns(
    path: FilePath, columns: Iterable[tuple[str, Callable[[], Any]]]
) -> pd.DataFrame:
    """Convert the columns of a frame; report all invalid columns in a single error.

    The message describes the first invalid column and lists the others.
    """
    made, errors = {}, []
    for name, make in columns:
        try:
            made[name] = make()
        except DatasetFormatError as error:
            errors.append(error)
    if not errors:
        return pd.DataFrame(made)
    first = errors[0]
    culprits = {name: why for error in errors for name, why in error.culprits.items()}
    others = [repr(name) for name in culprits if name not in first.culprits]
    more = ", ..." if len(others) > 3 else ""
    more = f" Also wrong: {', '.join(others[:3])}{more}." if others else ""
    raise DatasetFormatError(
        first.reason + more,
        source=path,
        line=first.line,
        row=first.row,
        parameter=first.parameter,
        culprits=culprits,
    )


def plain_column(
    path: FilePath, column: pd.Series, is_categorical: bool, first_row: int = 0
) -> Any:
    """Return float64 values, or strings and None; raise an error for other values.

    ``first_row`` is the position of the first value in a table that is read in blocks.
    """
    types = pd.api.types
    is_bool = types.is_bool_dtype(column)
    if types.is_numeric_dtype(column) and not is_bool and not is_categorical:
        return _finite(path, column, first_row)
    is_text = types.is_string_dtype(column) or types.is_object_dtype(column)
    if not (
        is_bool
        or is_text
        or isinstance(column.dtype, pd.CategoricalDtype)
        or (is_categorical and types.is_numeric_dtype(column))
    ):
        raise DatasetFormatError(
            f"expected numbers or strings in column {column.name!r}, got "
            f"{column.dtype}; convert it to numbers, or drop it.",
            source=path,
            parameter="drop",
            culprits={str(column.name): f"values of type {column.dtype}"},
        )
    strings = as_strings(path, column)
    if strings.isna().all():
        return np.full(len(column), np.nan)
    return strings.to_numpy(dtype=object)


def plain_ids(path: FilePath, column: pd.Series) -> list[str]:
    """Return the ids in a column as strings; a missing id becomes an empty string."""
    ids = []
    column = _text_of_bytes(path, column)
    for value, is_missing in zip(column, column.isna(), strict=True):
        if isinstance(value, list | dict | tuple | np.ndarray):
            raise DatasetFormatError(
                f"expected ids that are strings or numbers in column {column.name!r}, "
                f"got {value!r}; convert them, or choose another id column.",
                source=path,
                parameter="id_column",
            )
        ids.append("" if is_missing else _word(value))
    return ids


def as_strings(path: FilePath, column: pd.Series) -> pd.Series:
    """Convert values to strings (1.0 becomes ``1``); missing values become None."""
    words: list[str | None] = []
    column = _text_of_bytes(path, column)
    for value, is_missing in zip(column, column.isna(), strict=True):
        if not is_missing and not isinstance(value, _PLAIN):
            raise DatasetFormatError(
                f"expected numbers or strings in column {column.name!r}, got "
                f"{value!r} of type {type(value).__name__}; convert it to a string, "
                "or drop the column.",
                source=path,
                parameter="drop",
                culprits={str(column.name): f"values of type {type(value).__name__}"},
            )
        word = "" if is_missing else _word(value).strip()
        words.append(None if word in MISSING else word)
    return pd.Series(words, dtype=object, name=column.name)


def _word(value: Any) -> str:
    is_whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if is_whole else value)


def _text_of_bytes(path: FilePath, column: pd.Series) -> pd.Series:
    """Return a column of strings, which some programs store as bytes in Parquet."""
    may_be_bytes = column.dtype == object or isinstance(
        column.dtype, pd.CategoricalDtype
    )
    if not may_be_bytes or not any(isinstance(value, bytes) for value in column):
        return column
    # A long value that occurs often is stored once.
    text_of: dict[Any, Any] = {}
    for value in column:
        if isinstance(value, bytes) and value not in text_of:
            try:
                text_of[value] = value.decode("utf-8")
            except UnicodeDecodeError as error:
                raise DatasetFormatError(
                    f"expected UTF-8 text in column {column.name!r}, got the bytes "
                    f"{value[:20]!r}; convert them to strings, or drop the column.",
                    source=path,
                    parameter=("drop", "id_column"),
                    culprits={str(column.name): "bytes that are not UTF-8 text"},
                ) from error
    made = [text_of[v] if isinstance(v, bytes) else v for v in column]
    return pd.Series(made, index=column.index, dtype=object, name=column.name)


def _finite(path: FilePath, column: pd.Series, first_row: int) -> Any:
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    infinite = np.flatnonzero(np.isinf(values))
    if infinite.size:
        row = infinite[0]
        raise DatasetFormatError(
            f"expected finite numbers, got {values[row]} in column {column.name!r}, "
            f"row {first_row + row + 1}; leave the cell empty if the value is "
            "unknown, or drop the column.",
            source=path,
            parameter="drop",
            culprits={
                str(column.name): f"{infinite.size} infinite, row "
                f"{first_row + row + 1} first"
            },
        )
    return values
