"""Feature tables in files: rows with an identifier, columns of numbers or words."""

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import pandas as pd

from hilabel._suggestions import closest, did_you_mean
from hilabel._text_files import read_bytes, read_text
from hilabel._typing import FilePath
from hilabel.datasets._exact_numbers import EXACT_NUMBERS
from hilabel.datasets._tables.columns import MISSING, as_strings, plain_column
from hilabel.datasets._tables.delimited import content_suffix, find_delimiter, iter_rows
from hilabel.datasets._tables.gaf import without_version
from hilabel.datasets._tables.words import text_columns, varied_columns
from hilabel.exceptions import DatasetFormatError

PARQUET_MAGIC = b"PAR1"


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """A table of features, read but not yet encoded.

    Attributes
    ----------
    ids : tuple of str
        A unique identifier per row.
    frame : pandas.DataFrame of shape (n_samples, n_columns)
        Columns of numbers are float64, the others hold strings; missing values are
        marked as pandas does. The index is ``ids``, and named like their column.
    source : str
        The file, for messages.
    text : tuple of str
        The columns of text, such as titles, whose single words are features; the
        other columns of strings hold names.
    n_merged : int
        Rows of the file that were merged into another with the same id.
    """

    ids: tuple[str, ...]
    frame: pd.DataFrame
    source: str = ""
    text: tuple[str, ...] = ()
    n_merged: int = 0

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def wordy_columns(self) -> tuple[str, ...]:
        """The columns of names in which most rows differ: a name tells nothing."""
        varied = varied_columns(self.frame)
        return tuple(name for name in varied if name not in self.text)

    def __repr__(self) -> str:
        n_columns = self.frame.shape[1]
        return f"FeatureTable({self.source}: {len(self)} rows, {n_columns} columns)"


def read_features(
    path: FilePath,
    *,
    id_column: str | None = None,
    categorical: Iterable[str] = (),
    text: Iterable[str] = (),
    columns: Iterable[str] | None = None,
    drop: Iterable[str] = (),
    usual_id_column: str | None = None,
    strip_version: bool = False,
    merge_duplicates: Literal["mean", "first"] | None = None,
) -> FeatureTable:
    r"""Read a table of features from CSV, TSV or Parquet, plain or compressed.

    The first line of a text file names the columns. Missing values are empty cells
    and the words ``?``, ``NA``, ``N/A``, ``#N/A``, ``NaN``, ``nan``, ``null`` and
    ``NULL``. A column of a text file is
    numeric if all its values are numbers. If more than half are, but not all, the
    file is refused, since a slip of the pen would turn a measurement into words; name
    the column in ``categorical`` if it is meant so. A column without any value is
    kept, as NaN. A column is text if it has many different values, most of them with
    two words or more. Parquet files need the ``parquet`` extra and say themselves which
    columns are numbers; an index that is not a plain count is taken as first column.

    Parameters
    ----------
    path : path-like
        The file.
    id_column : str, optional
        The column that identifies a row; by default the first, which may be nameless.
    categorical : iterable of str, default=()
        Columns whose values are names even if they look like numbers or text.
    text : iterable of str, default=()
        Columns of text, whatever they look like.
    columns : iterable of str, optional
        The columns to read, in the order wanted; by default all.
    drop : iterable of str, default=()
        Columns to leave out.
    usual_id_column : str, optional
        Without ``id_column``, the column that identifies a row if the table has it,
        wherever it stands, such as that of an earlier table.
    strip_version : bool, default=False
        Whether a version at the end of an id is left out: ``ENSG00000139618.5`` is
        then ``ENSG00000139618``.
    merge_duplicates : {"mean", "first"}, optional
        How to make one row of those with the same id: the mean of numbers and the
        first of words, missing values aside, or the first row as it is.

    Raises
    ------
    DatasetFormatError
        If the file cannot be read, lacks a column asked for, has no features, or has
        an empty id, or a repeated one that is not to be merged. The message names file
        and line.
    ImportError
        If a Parquet file is given and pyarrow is not installed.

    Examples
    --------
    >>> import tempfile
    >>> from hilabel.datasets import read_features
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("gene,length,strand\ng1,100,+\ng2,?,-\n")
    ...     file.flush()
    ...     table = read_features(file.name)
    >>> table.ids
    ('g1', 'g2')
    >>> table.frame["length"].tolist()
    [100.0, nan]
    """
    choice = Choice.of(
        id_column=id_column,
        usual_id_column=usual_id_column,
        categorical=categorical,
        text=text,
        columns=columns,
        drop=drop,
        strip_version=strip_version,
        merge_duplicates=merge_duplicates,
    )
    read = _read_parquet if is_parquet(path) else _read_delimited
    ids, frame, name = read(path, choice)
    index = pd.Index(ids, dtype=object, name=name)
    merged = _merged(frame.set_axis(index, axis=0), merge_duplicates)
    return FeatureTable(
        tuple(merged.index),
        merged,
        str(path),
        choice.text_of(merged),
        n_merged=len(frame) - len(merged),
    )


def _merged(frame: pd.DataFrame, how: str | None) -> pd.DataFrame:
    """Return one row per id, in the order in which they first come."""
    is_repeated = frame.index.duplicated()
    if not is_repeated.any():
        return frame
    if how == "first":
        return frame[~is_repeated]
    same = frame.groupby(level=0, sort=False)
    # Of words the first that is there, as pandas has it.
    words = frame.select_dtypes(exclude="number").columns
    numbers = frame.columns.difference(words, sort=False)
    parts = [same[list(numbers)].mean(), same[list(words)].first()]
    return pd.concat(parts, axis=1)[list(frame.columns)]


@dataclass(frozen=True)
class Choice:
    """Which columns to read, and how."""

    id_column: str | None
    usual_id_column: str | None
    categorical: list[str]
    text: list[str]
    columns: list[str] | None
    drop: list[str]
    strip_version: bool
    merge_duplicates: str | None

    @classmethod
    def of(cls, **options: Any) -> Self:
        """Return the choice that the options of :func:`read_features` make."""
        if options["merge_duplicates"] not in (None, "mean", "first"):
            raise DatasetFormatError(
                "Expected 'mean', 'first' or None, got "
                f"{options['merge_duplicates']!r}.",
                parameter="merge_duplicates",
            )
        for name in ("categorical", "text", "columns", "drop"):
            if options[name] is not None:
                options[name] = _as_names(options[name])
        return cls(**options)

    def ids(
        self, path: FilePath, found: list[str], where: Sequence[str], id_column: str
    ) -> list[str]:
        """Return the identifiers, each only once unless they are to be merged."""
        if self.strip_version:
            found = [without_version(row_id) for row_id in found]
        _check_ids(path, found, where, id_column, self.merge_duplicates is not None)
        return found

    @property
    def words(self) -> set[str]:
        """The columns that are not numbers, whatever they look like."""
        return {*self.categorical, *self.text}

    def text_of(self, frame: pd.DataFrame) -> tuple[str, ...]:
        """Return the columns of text: those said to be, and those that look so."""
        likely = {*text_columns(frame)} - {*self.categorical} | {*self.text}
        return tuple(name for name in frame.columns if name in likely)

    def id_of(self, path: FilePath, header: list[str]) -> str:
        """Return the name of the column with the identifiers."""
        if self.id_column is not None:
            _check_present(path, [self.id_column], header)
            return self.id_column
        usual = self.usual_id_column
        return usual if usual is not None and usual in header else header[0]

    def wanted(self, path: FilePath, header: list[str], id_column: str) -> list[str]:
        """Return the columns that are wanted, beside that of the identifiers."""
        available = [name for name in header if name != id_column]
        listed = [*self.categorical, *self.text, *(self.columns or ()), *self.drop]
        _check_present(path, listed, available, id_column)
        dropped = set(self.drop)
        wanted = available if self.columns is None else self.columns
        wanted = [name for name in wanted if name not in dropped]
        if not wanted:
            raise DatasetFormatError(
                f"{path}: expected at least one feature beside the id column "
                f"{id_column!r}, got none."
            )
        if "" in wanted:
            raise DatasetFormatError(
                f"{path}: column 1 has no name, as the row numbers that pandas writes; "
                f"leave it out (index=False) or name it. The id column is "
                f"{id_column!r}."
            )
        return wanted


def _as_names(given: Iterable[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _check_present(
    path: FilePath,
    wanted: Sequence[str],
    columns: list[str],
    id_column: str | None = None,
) -> None:
    present = set(columns)
    for name in wanted:
        if name in present:
            continue
        if name == id_column:
            raise DatasetFormatError(
                f"{path}: expected a column {name!r} of features, but it is the id "
                "column; choose another id column, or do not name it as a feature.",
                parameter="id_column",
            )
        meant = did_you_mean(closest(name, columns))
        some = ", ".join(repr(column) for column in columns[:5])
        more = ", ..." if len(columns) > 5 else ""
        beside = "" if id_column is None else f" beside the id column {id_column!r}"
        raise DatasetFormatError(
            f"{path}: expected a column {name!r}, got {len(columns)} columns{beside}"
            + (f".{meant}" if meant else f": {some}{more}.")
        )


def _check_ids(
    path: FilePath,
    ids: list[str],
    where: Sequence[str],
    id_column: str,
    may_repeat: bool,
) -> None:
    seen: dict[str, int] = {}
    for row, row_id in enumerate(ids):
        if not row_id:
            raise DatasetFormatError(
                f"{path}, {where[row]}: the id is empty (column {id_column!r}); choose "
                "another id column, or fill it in.",
                parameter="id_column",
            )
        if row_id in seen and not may_repeat:
            raise DatasetFormatError(
                f"{path}, {where[row]}: id {row_id!r} is already in "
                f"{where[seen[row_id]]}; each id may have one row, unless duplicates "
                "are to be merged.",
                parameter="merge_duplicates",
            )
        seen[row_id] = row


# Delimited text ---------------------------------------------------------------------


def _read_delimited(
    path: FilePath, choice: Choice
) -> tuple[list[str], pd.DataFrame, str]:
    """Check the rows with the csv module, which counts lines, and parse with pandas."""
    text = read_text(path)
    delimiter = find_delimiter(path, text)
    rows = iter_rows(path, io.StringIO(text), delimiter)
    heading_line, header = next(rows)
    header = [name.strip() for name in header]
    check_header(path, heading_line, header)
    id_column = choice.id_of(path, header)
    id_at = header.index(id_column)
    ids, where = [], []
    for line, cells in rows:
        if len(cells) != len(header):
            raise wrong_width(path, line, len(cells), len(header))
        ids.append(cells[id_at].strip())
        where.append(f"line {line}")
    if not ids:
        raise DatasetFormatError(f"{path}: expected rows below the heading, got none.")
    ids = choice.ids(path, ids, where, id_column)
    wanted = choice.wanted(path, header, id_column)
    frame = parse_rows(path, choice, header, wanted, text, delimiter, where, heading=0)
    return ids, frame, id_column


def parse_rows(
    path: FilePath,
    choice: Choice,
    header: list[str],
    wanted: list[str],
    text: str,
    delimiter: str | None,
    where: Sequence[str],
    *,
    heading: int | None = None,
    first_row: int = 0,
) -> pd.DataFrame:
    """Return the columns wanted of rows of text, which ``heading`` may precede."""
    frame = pd.read_csv(
        io.StringIO(text),
        sep=delimiter or "\t",
        header=heading,
        names=header,
        usecols=wanted,
        index_col=False,
        dtype=dict.fromkeys(choice.words & set(wanted), str),
        na_values=list(MISSING),
        keep_default_na=False,
        skipinitialspace=True,
        low_memory=False,
        **EXACT_NUMBERS,
    )
    # Where a semicolon separates the columns, a comma may separate the decimals.
    decimal = "," if delimiter == ";" else "."
    columns = {}
    for name in wanted:
        column = frame[name]
        if name not in choice.words:
            column = _numbers_if_numbers(path, column, where, decimal)
        is_word = name in choice.words
        columns[name] = plain_column(path, column, is_word, first_row)
    return pd.DataFrame(columns)


def check_header(path: FilePath, line: int, header: list[str]) -> None:
    # Only the first may be nameless, as data frames are often written.
    seen: set[str] = set()
    for position, name in enumerate(header):
        if position and not name:
            raise DatasetFormatError(
                f"{path}, line {line}: column {position + 1} has no name."
            )
        if name in seen:
            raise DatasetFormatError(
                f"{path}, line {line}: two columns are named {name!r}; expected "
                "different names in the first line."
            )
        seen.add(name)
    values = pd.to_numeric(pd.Series(header[1:], dtype=object), errors="coerce")
    if len(values) and values.notna().all() and (values % 1 != 0).any():
        raise DatasetFormatError(
            f"{path}, line {line}: expected the names of the columns, got only "
            "numbers; add a first line with names."
        )


def wrong_width(
    path: FilePath, line: int, got: int, expected: int
) -> DatasetFormatError:
    hint = ""
    if got == expected + 1:
        hint = (
            " If the heading lacks a name for the first column, as R writes row names, "
            "add one (col.names=NA)."
        )
    return DatasetFormatError(
        f"{path}, line {line}: expected {expected} columns, as in the heading, got "
        f"{got}.{hint}"
    )


def _numbers_if_numbers(
    path: FilePath, column: pd.Series, where: Sequence[str], decimal: str
) -> pd.Series:
    """Return the column as numbers if all are; refuse it if most, but not all, are."""
    if pd.api.types.is_numeric_dtype(column):
        return column
    column = as_strings(path, column)
    numbers = pd.to_numeric(column.str.replace(decimal, "."), errors="coerce")
    present = column.notna().to_numpy()
    words = present & numbers.isna().to_numpy()
    if not words.any():
        return numbers.astype(np.float64)
    if words.sum() < present.sum() / 2:
        row = int(np.flatnonzero(words)[0])
        raise DatasetFormatError(
            f"{path}, {where[row]}: expected a number in column {column.name!r}, as in "
            f"most rows, got {column.iloc[row]!r}. Mend it, or say that the column "
            "holds names or text, or leave it out.",
            parameter=("categorical", "text", "drop"),
        )
    return column


# Parquet ----------------------------------------------------------------------------


def is_parquet(path: FilePath) -> bool:
    """Say whether a file is Parquet, judged by name and first bytes."""
    if content_suffix(path) in (".parquet", ".pq"):
        return True
    with open(path, "rb") as file:
        return file.read(len(PARQUET_MAGIC)) == PARQUET_MAGIC


def _read_parquet(
    path: FilePath, choice: Choice
) -> tuple[list[str], pd.DataFrame, str]:
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(
            "Reading Parquet files needs pyarrow: pip install 'hilabel[parquet]'."
        ) from error
    try:
        frame = pd.read_parquet(io.BytesIO(read_bytes(path)), engine="pyarrow")
    except (pyarrow.ArrowException, OSError) as error:
        raise DatasetFormatError(
            f"{path}: expected a Parquet file, but it cannot be read ({error})."
        ) from error
    frame = with_named_index(frame)
    if frame.empty:
        raise DatasetFormatError(
            f"{path}: expected rows and columns, got a table of shape {frame.shape}."
        )
    id_column = choice.id_of(path, list(frame.columns))
    ids = ids_in(frame[id_column])
    where = [f"row {row + 1}" for row in range(len(ids))]
    ids = choice.ids(path, ids, where, id_column)
    wanted = choice.wanted(path, list(frame.columns), id_column)
    columns = {
        name: plain_column(path, frame[name], name in choice.words) for name in wanted
    }
    return ids, pd.DataFrame(columns), id_column


def with_named_index(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame of a Parquet file with its index, if it is one, in columns."""
    # Rows picked from a larger frame keep their old numbers: no identifiers.
    index = frame.index
    if index.names != [None] or not pd.api.types.is_integer_dtype(index):
        frame = frame.reset_index()
    frame.columns = pd.Index([str(name) for name in frame.columns], dtype=object)
    return frame


def ids_in(column: pd.Series) -> list[str]:
    """Return the identifiers of a column as text, empty where one is missing."""
    gone = column.isna()
    return ["" if none else str(v) for v, none in zip(column, gone, strict=True)]
