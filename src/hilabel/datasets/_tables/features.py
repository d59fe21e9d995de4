"""Read feature tables, which have an id per row and columns of numbers or strings."""

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
import scipy.sparse as sp

from hilabel._accessions import accession_of
from hilabel._text_files import read_bytes, read_text
from hilabel._typing import FilePath, IntArray
from hilabel._unpacking import UnpackLimit
from hilabel.datasets._exact_numbers import EXACT_NUMBERS
from hilabel.datasets._tables.column_choice import Choice
from hilabel.datasets._tables.columns import (
    MISSING,
    as_strings,
    plain_column,
    plain_columns,
    plain_ids,
)
from hilabel.datasets._tables.delimited import content_suffix, find_delimiter, iter_rows
from hilabel.datasets._tables.id_list import NO_COLUMNS, is_id_list, read_id_list
from hilabel.datasets._tables.matrix_file import MatrixFile
from hilabel.datasets._tables.matrix_kinds import matrix_reader
from hilabel.datasets._tables.parquet import (
    damage_told,
    frame_of,
    open_parquet,
    words_unpacked,
)
from hilabel.datasets._tables.places import Places
from hilabel.datasets._tables.sparse_columns import SparseColumns
from hilabel.datasets._tables.truth import lost_spelling
from hilabel.datasets._tables.words import varied_columns
from hilabel.exceptions import DatasetFormatError

PARQUET_MAGIC = b"PAR1"


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """A table of features as read from a file, before it is encoded.

    Attributes
    ----------
    ids : tuple of str
        One unique id per row.
    frame : pandas.DataFrame of shape (n_samples, n_columns)
        Numeric columns are float64, the others contain strings; missing values are
        marked as in pandas. The index is ``ids``, with the name of their column.
    source : str
        The file, for messages.
    text : tuple of str
        The text columns, such as titles, whose words become features; other columns of
        strings contain categories.
    n_merged : int
        Number of rows that were merged into another with the same id.
    sparse : SparseColumns or None
        Columns that are mostly 0, such as one per signature; ``frame`` then has none.
    n_unknown : int
        Number of columns of the file that were not requested.
    notes : tuple of str
        Other information for the user.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import read_features, write_example
    >>> with TemporaryDirectory() as folder:
    ...     table = read_features(write_example(folder, "shop")["features"])
    >>> table.ids[:2], list(table.frame)
    (('P0001', 'P0002'), ['price', 'weight', 'width', 'height', 'brand'])
    """

    ids: tuple[str, ...]
    frame: pd.DataFrame
    source: str = ""
    text: tuple[str, ...] = ()
    n_merged: int = 0
    sparse: SparseColumns | None = None
    n_unknown: int = 0
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, which may be dense or sparse."""
        return tuple(self.frame) if self.sparse is None else self.sparse.names

    @property
    def has_ids_alone(self) -> bool:
        """Whether the rows have no columns, and are known by their links."""
        return self.columns == (NO_COLUMNS,)

    @property
    def categorical(self) -> tuple[str, ...]:
        """The columns of categories."""
        words = self.frame.select_dtypes(exclude="number").columns
        return tuple(name for name in words if name not in self.text)

    def rows(self, rows: Sequence[int] | IntArray) -> "FeatureTable":
        """Return the rows with the given row numbers."""
        return replace(
            self,
            ids=tuple(self.ids[row] for row in rows),
            frame=self.frame.iloc[list(rows)],
            sparse=None if self.sparse is None else self.sparse.rows(list(rows)),
        )

    def refuse_rows_of(self, other: "FeatureTable", parameter: str) -> None:
        """Raise an error if another table, named by a parameter, has the same rows."""
        both = set(self.ids) & set(other.ids)
        if both:
            raise DatasetFormatError(
                f"expected other rows than in {self.source or 'the first table'}, got "
                f"{len(both)} of the same, such as {min(both)!r}; remove them from one "
                "of the tables.",
                source=other.source,
                parameter=parameter,
            )

    @property
    def wordy_columns(self) -> tuple[str, ...]:
        """Categorical columns that are uninformative: most values are distinct."""
        varied = varied_columns(self.frame)
        return tuple(name for name in varied if name not in self.text)

    def __repr__(self) -> str:
        size = f"{len(self)} rows, {len(self.columns)} columns"
        return f"FeatureTable({self.source}: {size})"


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
    ids: FilePath | None = None,
    most_unpacked: float | None = None,
    ids_alone: bool = False,
) -> FeatureTable:
    r"""Read a table of features from a plain or compressed file.

    The file format is detected from the content:

    - **CSV, TSV, Excel and Parquet**, with column names. For an Excel file, which needs
      the ``excel`` extra, the first sheet is read;
    - **arrays** in ``.npy`` and ``.npz`` files, dense or saved by SciPy's ``save_npz``.
      The ids are read from the file ``ids`` or, for an ``.npz`` file, from an array
      called ``ids``. The column names are read from an array called ``feature_names``;
      if there is none, they are ``x0``, ``x1`` and so on;
    - **AnnData** (``.h5ad``): ``X``, ``obs_names`` and ``var_names``. This needs the
      ``h5ad`` extra;
    - **InterProScan's TSV**: one column per signature and per InterPro accession;
    - **eggNOG-mapper's annotations**: one column per orthologous group, COG category,
      EC number, KEGG entry, CAZy entry and domain, such as ``PFAMs=Pkinase``;
    - **FASTA**: one column per run of one, two or three letters of the sequences that
      occurs, such as ``ACD``. The id is the first word of the header.

    Files in the last three formats become a sparse matrix; those of signatures contain
    zeros and ones, and sequences the logarithm of 1 plus the number of occurrences,
    divided by the norm of the row. GO terms are ignored, since they would leak the
    labels. Columns that are listed in ``columns`` but missing from the file are 0;
    other columns are dropped and counted.

    Ids from UniProt's FASTA files, ``sp|P12345|NAME_HUMAN``, become ``P12345``, except
    in FASTA and in tables with a header. Annotations and links match a row by its whole
    id or, if there is no such row, by its accession.

    The first line of a text file names the columns. Missing values are empty cells and
    the strings ``?``, ``NA``, ``N/A``, ``#N/A``, ``NaN``, ``nan``, ``null`` and
    ``NULL``. A column of a text file is numeric if all its values are numbers. If more
    than half of them are numbers, but not all, an error is raised, since a single typo
    would turn a column of measurements into categories; if the column really is
    categorical, list it in ``categorical``. A column without any value is kept as NaN.
    A column is text if it has many distinct values, most of them with two or more
    words. In a column of only true and false, these may be spelt in any way, such as
    ``TRUE``. Parquet files, which need the ``parquet`` extra, specify which columns are
    numeric; an index other than a simple range becomes the first column.

    Parameters
    ----------
    path : path-like
        The file.
    id_column : str, optional
        The column that identifies a row; by default, the first, which may have no name.
    categorical : iterable of str, default=()
        Columns to treat as categories even if they look like numbers or text.
    text : iterable of str, default=()
        Columns to treat as text.
    columns : iterable of str, optional
        The columns to read, in the desired order; by default, all.
    drop : iterable of str, default=()
        Columns to ignore. For signatures, the name of a source, such as ``Pfam`` or
        ``KEGG_ko``, drops all columns of that source; for FASTA, ``1-mers``, ``2-mers``
        and ``3-mers`` are sources.
    usual_id_column : str, optional
        Without ``id_column``, the column that identifies a row if the table has it,
        such as the id column of an earlier table.
    strip_version : bool, default=False
        Whether to strip the version at the end of an id: ``ENSG00000139618.5`` becomes
        ``ENSG00000139618``.
    merge_duplicates : {"mean", "first"}, optional
        How to merge rows with the same id: the mean of numbers and the first of other
        values, ignoring missing ones; or the first row unchanged.
    ids : path-like, optional
        For arrays, a file with the id of each row, one per line. For signatures, the
        ids to use as rows; an id without a signature gets a row of zeros.
    most_unpacked : float, optional
        The most bytes that a compressed file may unpack to. By default, these are 200
        times its size, or 512 MiB for small files, but at most half of the free memory.
    ids_alone : bool, default=False
        Whether the file may have ids alone, one per line, as for rows that are only
        known by their links. The table then has a single column of zeros.

    Raises
    ------
    DatasetFormatError
        If the file cannot be read, lacks a requested column, has no features, or has an
        empty id or a duplicate that is not merged, or unpacks to too much. The message
        names file and line.
    ImportError
        If a package that the file needs is not installed; the message names it.

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
        most_unpacked=most_unpacked,
    )
    read_matrix = matrix_reader(path)
    if read_matrix is None and ids_alone and not is_parquet(path) and is_id_list(path):
        read_matrix = read_id_list
    if read_matrix is not read_id_list and choice.columns == [NO_COLUMNS]:
        raise DatasetFormatError(
            "expected ids, one per line, since the model was trained on links alone, "
            "got a table; keep its ids.",
            source=path,
        )
    if read_matrix is not None:
        return _table_of_matrix(path, read_matrix(path, ids, most_unpacked), choice)
    if ids is not None:
        raise DatasetFormatError(
            "a file of ids is for arrays and signatures, but this is a table with an "
            "id column; omit the file.",
            source=path,
            parameter="ids",
        )
    read = _read_parquet if is_parquet(path) else _read_delimited
    found, frame, name = read(path, choice)
    index = pd.Index(found, dtype=object, name=name)
    merged = _merged(frame.set_axis(index, axis=0), merge_duplicates)
    return FeatureTable(
        tuple(merged.index),
        merged,
        str(path),
        choice.text_of(merged),
        n_merged=len(frame) - len(merged),
    )


def _merged(frame: pd.DataFrame, how: str | None) -> pd.DataFrame:
    """Return a frame with one row per id, in order of first appearance."""
    is_repeated = frame.index.duplicated()
    if not is_repeated.any():
        return frame
    if how == "first":
        return frame[~is_repeated]
    same = frame.groupby(level=0, sort=False)
    # For strings, the first that is not missing, as in pandas.
    words = frame.select_dtypes(exclude="number").columns
    numbers = frame.columns.difference(words, sort=False)
    parts = [same[list(numbers)].mean(), same[list(words)].first()]
    return pd.concat(parts, axis=1)[list(frame.columns)]


# Arrays and signatures ---------------------------------------------------------------


def _table_of_matrix(
    path: FilePath, matrix: MatrixFile, choice: Choice
) -> FeatureTable:
    if choice.id_column is not None or choice.words:
        raise DatasetFormatError(
            f"its columns are numbers and its ids are {matrix.id_name}; remove the "
            "options for columns and ids.",
            source=path,
            parameter=("id_column", "categorical", "text"),
        )
    where = Places.of_rows(len(matrix.ids))
    accessions = [*matrix.ids]
    if not matrix.keeps_ids:
        accessions = [accession_of(row_id) for row_id in matrix.ids]
    notes = matrix.notes
    if tuple(accessions) != matrix.ids:
        notes += ("ids such as sp|P12345|NAME_HUMAN are shortened to P12345",)
    ids = choice.ids(path, accessions, where, matrix.id_name)
    index = pd.Index(ids, dtype=object, name=matrix.id_name)
    wanted = _wanted_of_matrix(path, matrix, choice)
    _refuse_infinite(path, matrix)
    known = set(wanted)
    about: dict[str, Any] = {
        "source": str(path),
        "notes": notes,
        "n_unknown": sum(name not in known for name in matrix.names)
        if choice.columns is not None
        else 0,
    }
    if not sp.issparse(matrix.values):
        values = np.asarray(matrix.values, dtype=np.float64)
        if wanted != list(matrix.names):
            place = {name: at for at, name in enumerate(matrix.names)}
            values = values[:, [place[name] for name in wanted]]
        frame = pd.DataFrame(values, columns=pd.Index(wanted, dtype=object))
        merged = _merged(frame.set_axis(index, axis=0), choice.merge_duplicates)
        n_merged = len(frame) - len(merged)
        return FeatureTable(tuple(merged.index), merged, n_merged=n_merged, **about)
    values = sp.csr_array(matrix.values, dtype=np.float64)
    columns = SparseColumns(matrix.names, values, matrix.is_open).pick(wanted)
    unique = index.unique()
    if len(unique) < len(index):
        columns = columns.merged(index, choice.merge_duplicates)
    return FeatureTable(
        tuple(unique),
        pd.DataFrame(index=unique),
        n_merged=len(index) - len(unique),
        sparse=columns,
        **about,
    )


def _wanted_of_matrix(path: FilePath, matrix: MatrixFile, choice: Choice) -> list[str]:
    """Return the requested columns after validating the column names in the file."""
    if len(set(matrix.names)) < len(matrix.names):
        twice = next(name for name in matrix.names if matrix.names.count(name) > 1)
        raise DatasetFormatError(f"two columns are named {twice!r}.", source=path)
    dropped: list[str] = []
    for name in choice.drop:
        of_source = [
            column
            for column, source in zip(matrix.names, matrix.sources, strict=False)
            if source == name
        ]
        dropped += of_source or [name]
    if choice.columns is not None and matrix.is_open:
        if not set(choice.columns) & set(matrix.names):
            raise DatasetFormatError(
                f"expected some of the {len(choice.columns)} columns of the model, "
                f"such as {choice.columns[0]!r}, got none among {len(matrix.names)}, "
                f"such as {matrix.names[0]!r}.",
                source=path,
            )
        return choice.columns
    if choice.columns is not None and not matrix.is_named:
        n_known = 1 + max((_number(name) for name in choice.columns), default=0)
        if n_known < len(matrix.names):
            raise DatasetFormatError(
                f"expected {n_known} columns, as in training, got "
                f"{len(matrix.names)}; unnamed columns must be the same as in "
                "training.",
                source=path,
            )
    header = [matrix.id_name, *matrix.names]
    return replace(choice, drop=dropped).wanted(path, header, matrix.id_name)


def _number(name: str) -> int:
    """Return the position of an unnamed column, given its default name x0, x1, ..."""
    return int(name[1:]) if name[:1] == "x" and name[1:].isdigit() else 0


def _refuse_infinite(path: FilePath, matrix: MatrixFile) -> None:
    values = matrix.values
    cells = values.data if sp.issparse(values) else values
    if cells.dtype.kind == "f" and np.isinf(cells).any():
        cell = np.argwhere(np.isinf(cells))[0]
        where = "" if sp.issparse(values) else f" in row {cell[0] + 1}"
        raise DatasetFormatError(
            f"expected finite numbers, got an infinite one{where}.", source=path
        )


# Delimited text ---------------------------------------------------------------------


def _read_delimited(
    path: FilePath, choice: Choice
) -> tuple[list[str], pd.DataFrame, str]:
    """Check rows with the csv module, which counts lines; parse them with pandas."""
    text = read_text(path, choice.most_unpacked)
    delimiter = find_delimiter(path, text)
    rows = iter_rows(path, io.StringIO(text), delimiter)
    heading_line, header = next(rows)
    header = [name.strip() for name in header]
    check_header(path, heading_line, header)
    id_column = choice.id_of(path, header)
    id_at = header.index(id_column)
    ids, lines, wrong = [], [], {}
    for line, cells in rows:
        if len(cells) != len(header):
            wrong[line] = len(cells)
            continue
        ids.append(cells[id_at].strip())
        lines.append(line)
    if wrong:
        raise wrong_width(path, wrong, len(header))
    if not ids:
        raise DatasetFormatError(
            "expected rows below the header, got none.", source=path
        )
    where = Places("line", lines)
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
    where: Places,
    *,
    heading: int | None = None,
    first_row: int = 0,
) -> pd.DataFrame:
    """Parse the requested columns of delimited text, which may have a header."""

    def parsed(names: list[str], words: Iterable[str]) -> pd.DataFrame:
        return pd.read_csv(
            io.StringIO(text),
            sep=delimiter or "\t",
            header=heading,
            names=header,
            usecols=names,
            index_col=False,
            dtype=dict.fromkeys(words, str),
            na_values=list(MISSING),
            keep_default_na=False,
            skipinitialspace=True,
            low_memory=False,
            **EXACT_NUMBERS,
        )

    frame = parsed(wanted, choice.words & set(wanted))
    # Keep TRUE as it is spelt, as in a column that is declared as categorical.
    truth = [name for name in wanted if lost_spelling(frame[name])]
    if truth:
        frame = frame.assign(**parsed(truth, truth))
    # If columns are separated by semicolons, the comma may be a decimal separator.
    decimal = "," if delimiter == ";" else "."

    def made(name: str) -> Any:
        column = frame[name]
        if name not in choice.words:
            column = _numbers_if_numbers(path, column, where, decimal)
        return plain_column(path, column, name in choice.words, first_row)

    columns = ((name, partial(made, name)) for name in wanted)
    return plain_columns(path, columns)


def check_header(path: FilePath, line: int, header: list[str]) -> None:
    # Only the first may have no name, as data frames are often written.
    seen: set[str] = set()
    for position, name in enumerate(header):
        if position and not name:
            raise DatasetFormatError(
                f"column {position + 1} has no name.", source=path, line=line
            )
        if name in seen:
            raise DatasetFormatError(
                f"two columns are named {name!r}; expected distinct names in the "
                "first line.",
                source=path,
                line=line,
            )
        seen.add(name)
    values = pd.to_numeric(pd.Series(header[1:], dtype=object), errors="coerce")
    if len(values) and values.notna().all() and (values % 1 != 0).any():
        raise DatasetFormatError(
            "expected the names of the columns, got only numbers; add a first line "
            "with names.",
            source=path,
            line=line,
        )


def wrong_width(
    path: FilePath, wrong: dict[int, int], expected: int
) -> DatasetFormatError:
    line, got = next(iter(wrong.items()))
    hint = ""
    if got == expected + 1:
        hint = (
            " If the header has no name for the first column, as when R writes row "
            "names, add one (col.names=NA)."
        )
    return DatasetFormatError(
        f"expected {expected} columns, as in the header, got {got}.{hint}",
        source=path,
        line=line,
        culprits={f"line {at}": f"{n} columns" for at, n in wrong.items()},
    )


def _numbers_if_numbers(
    path: FilePath, column: pd.Series, where: Places, decimal: str
) -> pd.Series:
    """Convert a column of numbers; raise an error if only most cells are numbers."""
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
            f"expected a number in column {column.name!r}, as in most rows, got "
            f"{column.iloc[row]!r}. Fix it, declare the column as categorical or "
            "text, or drop it.",
            source=path,
            **where.field(row),
            parameter=("categorical", "text", "drop"),
            culprits={str(column.name): _words_found(column[words], where)},
        )
    return column


def _words_found(words: pd.Series, where: Places) -> str:
    """Describe the cells that are not numbers, with the position of the first one."""
    values = words.unique()
    shown = ", ".join(map(repr, values[:3])) + (", ..." if len(values) > 3 else "")
    n_cells = f"{len(words)} cell{'' if len(words) == 1 else 's'}"
    return f"{n_cells} among numbers: {shown}, first in {where.name(words.index[0])}"


# Parquet ----------------------------------------------------------------------------


def is_parquet(path: FilePath) -> bool:
    """Return whether a file is Parquet, based on its name and first bytes."""
    if content_suffix(path) in (".parquet", ".pq"):
        return True
    with open(path, "rb") as file:
        return file.read(len(PARQUET_MAGIC)) == PARQUET_MAGIC


def _read_parquet(
    path: FilePath, choice: Choice
) -> tuple[list[str], pd.DataFrame, str]:
    with damage_told(path):
        data = io.BytesIO(read_bytes(path, choice.most_unpacked))
        limit = UnpackLimit.of(path, choice.most_unpacked, in_blocks=False)
        with open_parquet(data, limit) as file:
            frame = frame_of(path, words_unpacked(file.read(), limit))
    if frame.empty:
        raise DatasetFormatError(
            f"expected rows and columns, got a table of shape {frame.shape}.",
            source=path,
        )
    id_column = choice.id_of(path, list(frame.columns))
    ids = plain_ids(path, frame[id_column])
    where = Places.of_rows(len(ids))
    ids = choice.ids(path, ids, where, id_column)
    wanted = choice.wanted(path, list(frame.columns), id_column)
    columns = (
        (name, partial(plain_column, path, frame[name], name in choice.words))
        for name in wanted
    )
    return ids, plain_columns(path, columns), id_column
