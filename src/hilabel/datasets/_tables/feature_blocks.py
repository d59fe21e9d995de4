"""Read feature tables in blocks of rows, for tables larger than memory."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import Any

import pandas as pd
from sklearn.utils import gen_batches

from hilabel._text_files import read_start, text_lines
from hilabel._typing import FilePath
from hilabel._unpacking import UnpackLimit
from hilabel._workbooks import may_be_workbook
from hilabel.datasets._tables.column_choice import Choice
from hilabel.datasets._tables.columns import plain_column, plain_columns, plain_ids
from hilabel.datasets._tables.delimited import find_delimiter, iter_rows
from hilabel.datasets._tables.features import (
    PARQUET_MAGIC,
    FeatureTable,
    check_header,
    is_parquet,
    parse_rows,
    read_features,
    wrong_width,
)
from hilabel.datasets._tables.matrix_kinds import matrix_reader
from hilabel.datasets._tables.parquet import (
    damage_told,
    frame_of,
    index_names,
    open_parquet,
    words_unpacked,
)
from hilabel.datasets._tables.places import Places
from hilabel.exceptions import DatasetFormatError


@dataclass(frozen=True, eq=False)
class FeatureBlocks:
    """The rows of a feature table, in blocks.

    It can be iterated over any number of times; each iteration reads the blocks again.

    Attributes
    ----------
    ids : tuple of str
        The validated ids of all rows.
    source : str
        The file, for messages.
    read : callable
        Returns an iterator of :class:`FeatureTable`, in the order of the file.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import open_features, write_example
    >>> with TemporaryDirectory() as folder:
    ...     path = write_example(folder, "shop")["features"]
    ...     blocks = open_features(path, 100, columns=["price"])
    ...     print(len(blocks.ids), [len(block.ids) for block in blocks])
    240 [100, 100, 40]
    """

    ids: tuple[str, ...]
    source: str
    read: Callable[[], Iterator[FeatureTable]]

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[FeatureTable]:
        return self.read()

    @classmethod
    def of_table(cls, table: FeatureTable, rows_at_once: int) -> "FeatureBlocks":
        """Split an in-memory table into blocks."""

        def read() -> Iterator[FeatureTable]:
            for rows in gen_batches(len(table), rows_at_once):
                yield table.rows(range(rows.start, rows.stop))

        return cls(table.ids, table.source, read)


def open_features(
    path: FilePath,
    rows_at_once: int,
    *,
    columns: Iterable[str],
    ids: FilePath | None = None,
    **options: Any,
) -> FeatureBlocks:
    r"""Open a table of features for reading in blocks of rows.

    Ids are checked immediately, as is the number of cells per line in text files.
    Parquet files and delimited text are then read block by block. Compressed Parquet
    files, files of other kinds, and files with duplicates to be merged are read as a
    whole.

    Parameters
    ----------
    path : path-like
    rows_at_once : int
        Number of rows per block.
    columns : iterable of str
        The columns to read, in the desired order.
    ids : path-like, optional
    **options
        As in :func:`read_features`. List all non-numeric columns in ``categorical`` or
        ``text``, because the detected type of a column may differ between blocks.

    Returns
    -------
    FeatureBlocks

    Raises
    ------
    DatasetFormatError, ImportError
        As in :func:`read_features`.

    Examples
    --------
    >>> import tempfile
    >>> from hilabel.datasets import open_features
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("gene,length\ng1,100\ng2,?\ng3,80\n")
    ...     file.flush()
    ...     blocks = open_features(file.name, 2, columns=["length"])
    ...     [table.ids for table in blocks]
    [('g1', 'g2'), ('g3',)]
    """
    how = {
        "id_column": None,
        "usual_id_column": None,
        "categorical": (),
        "text": (),
        "drop": (),
        "strip_version": False,
        "merge_duplicates": None,
        **options,
        "columns": columns,
    }
    ids_alone = bool(how.pop("ids_alone", False))
    open_blocks = None if ids is not None or ids_alone else _way_to_open(path)
    if open_blocks is None or how["merge_duplicates"] is not None:
        table = read_features(path, ids=ids, ids_alone=ids_alone, **how)
        return FeatureBlocks.of_table(table, rows_at_once)
    return open_blocks(path, rows_at_once, Choice.of(**how))


def _way_to_open(path: FilePath) -> Callable[..., FeatureBlocks] | None:
    """Return a function that reads blocks, or None if the file must be read whole."""
    if is_parquet(path):
        return _open_parquet if _starts_as_parquet(path) else None
    if matrix_reader(path) is not None or may_be_workbook(read_start(path, 4)):
        return None
    return _open_delimited


def _block(
    path: FilePath, choice: Choice, ids: tuple[str, ...], name: str, frame: pd.DataFrame
) -> FeatureTable:
    index = pd.Index(ids, dtype=object, name=name)
    return FeatureTable(
        ids, frame.set_axis(index, axis=0), str(path), tuple(choice.text)
    )


# Delimited text ---------------------------------------------------------------------


def _open_delimited(path: FilePath, rows_at_once: int, choice: Choice) -> FeatureBlocks:
    delimiter, lines = _lines(path, choice.most_unpacked)
    rows = iter_rows(path, lines, delimiter)
    heading_line, header = next(rows)
    header = [name.strip() for name in header]
    check_header(path, heading_line, header)
    id_column = choice.id_of(path, header)
    id_at = header.index(id_column)
    found, numbers, wrong = [], [], {}
    for line, cells in rows:
        if len(cells) != len(header):
            wrong[line] = len(cells)
            continue
        found.append(cells[id_at].strip())
        numbers.append(line)
    if wrong:
        raise wrong_width(path, wrong, len(header))
    if not found:
        raise DatasetFormatError(
            "expected rows below the header, got none.", source=path
        )
    where = Places("line", numbers)
    ids = tuple(choice.ids(path, found, where, id_column))
    wanted = choice.wanted(path, header, id_column)

    def read() -> Iterator[FeatureTable]:
        delimiter, lines = _lines(path, choice.most_unpacked)
        passed: list[str] = []
        rows = iter_rows(path, _remembered(lines, passed), delimiter)
        next(rows)
        for part in gen_batches(len(ids), rows_at_once):
            passed.clear()
            # A row with quoted cells may span several lines.
            for _ in islice(rows, part.stop - part.start):
                pass
            frame = parse_rows(
                path,
                choice,
                header,
                wanted,
                "".join(passed),
                delimiter,
                where.part(part),
                first_row=part.start,
            )
            yield _block(path, choice, ids[part], id_column, frame)

    return FeatureBlocks(ids, str(path), read)


def _lines(
    path: FilePath, most_unpacked: float | None
) -> tuple[str | None, Iterator[str]]:
    """Return the delimiter and all lines of a file."""
    lines = text_lines(path, most_unpacked)
    first = []
    for line in lines:
        first.append(line)
        if line.strip():
            break
    else:
        raise DatasetFormatError("the file is empty.", source=path)
    return find_delimiter(path, "".join(first)), chain(first, lines)


def _remembered(lines: Iterable[str], passed: list[str]) -> Iterator[str]:
    for line in lines:
        passed.append(line)
        yield line


# Parquet ----------------------------------------------------------------------------


def _starts_as_parquet(path: FilePath) -> bool:
    with open(path, "rb") as file:
        return file.read(len(PARQUET_MAGIC)) == PARQUET_MAGIC


def _open_parquet(path: FilePath, rows_at_once: int, choice: Choice) -> FeatureBlocks:
    limit = UnpackLimit.of(path, choice.most_unpacked, in_blocks=True)
    frames = partial(_parquet_frames, path, limit, rows_at_once)
    # Only the names are used; they may include an index that does not exist.
    shape, empty = _parquet_head(path, limit)
    if 0 in shape:
        raise DatasetFormatError(
            f"expected rows and columns, got a table of shape {shape}.", source=path
        )
    header = list(empty.columns)
    id_column = choice.id_of(path, header)
    found = [
        row_id
        for frame in frames([id_column])
        for row_id in plain_ids(path, frame[id_column])
    ]
    where = Places.of_rows(len(found))
    ids = tuple(choice.ids(path, found, where, id_column))
    wanted = choice.wanted(path, header, id_column)

    def read() -> Iterator[FeatureTable]:
        start = 0
        for frame in frames(wanted):
            part = slice(start, start + len(frame))
            columns = (
                (
                    name,
                    partial(
                        plain_column, path, frame[name], name in choice.words, start
                    ),
                )
                for name in wanted
            )
            made = plain_columns(path, columns)
            yield _block(path, choice, ids[part], id_column, made)
            start = part.stop

    return FeatureBlocks(ids, str(path), read)


def _parquet_head(
    path: FilePath, limit: UnpackLimit
) -> tuple[tuple[int, int], pd.DataFrame]:
    """Return the shape of a Parquet file, and an empty frame with its columns."""
    with damage_told(path), _parquet_file(path, limit) as file:
        empty = frame_of(path, file.schema_arrow.empty_table())
        return (file.metadata.num_rows, empty.shape[1]), empty


def _parquet_frames(
    path: FilePath, limit: UnpackLimit, rows_at_once: int, names: list[str]
) -> Iterator[pd.DataFrame]:
    """Yield the named columns and the index columns in blocks of rows."""
    with damage_told(path), _parquet_file(path, limit) as file:
        import pyarrow

        fields = file.schema_arrow.names
        wanted = {*names, *index_names(file.schema_arrow.empty_table())}
        chosen = [name for name in fields if name in wanted]
        # The last block of each row group has fewer rows.
        waiting: list[Any] = []
        n_waiting = 0
        for batch in file.iter_batches(rows_at_once, columns=chosen, use_threads=False):
            waiting.append(batch)
            n_waiting += len(batch)
            if n_waiting >= rows_at_once:
                joined = pyarrow.Table.from_batches(waiting)
                block = words_unpacked(joined.slice(0, rows_at_once), limit)
                yield frame_of(path, block)
                waiting = joined.slice(rows_at_once).to_batches()
                n_waiting -= rows_at_once
        if n_waiting:
            block = words_unpacked(pyarrow.Table.from_batches(waiting), limit)
            yield frame_of(path, block)


def _parquet_file(path: FilePath, limit: UnpackLimit) -> Any:
    # Read bytes as needed, since a row group may be as large as the file.
    return open_parquet(path, limit, pre_buffer=False, buffer_size=2**16)
