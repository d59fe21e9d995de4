"""Read Parquet files as frames, without trusting their pandas metadata."""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import fspath
from typing import Any, Final

import pandas as pd

from hilabel._typing import FilePath
from hilabel._unpacking import UnpackLimit
from hilabel.exceptions import DatasetFormatError

# The name used by pandas for an unnamed index level.
_NAMELESS: Final = re.compile(r"__index_level_\d+__")
# Codes cannot stand for more bytes than this, with some room.
_MOST_CODED: Final = 2**30
# Errors that pyarrow raises in addition to its own.
_DAMAGED: Final = (OSError, ValueError, TypeError, KeyError, OverflowError, MemoryError)


@contextmanager
def damage_told(path: FilePath) -> Iterator[None]:
    """Convert pyarrow's errors about a damaged file to ``DatasetFormatError``."""
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(
            "Reading Parquet files needs pyarrow: pip install 'hilabel[parquet]'.",
            path=fspath(path),
        ) from error
    try:
        yield
    except DatasetFormatError:
        raise
    except (pyarrow.ArrowException, *_DAMAGED) as error:
        raise DatasetFormatError(
            f"expected a Parquet file, but it cannot be read ({error}).", source=path
        ) from error


def open_parquet(source: Any, limit: UnpackLimit, **options: Any) -> Any:
    """Open a Parquet file that declares no more than the limit.

    Columns of words are read as codes and words: a single long word in a small file may
    occur in millions of rows.

    Parameters
    ----------
    source : path-like or file
    limit : UnpackLimit
    **options
        As in :class:`pyarrow.parquet.ParquetFile`.
    """
    from pyarrow.parquet import ParquetFile

    with ParquetFile(source, **options) as file:
        metadata = file.metadata
        groups = [metadata.row_group(at) for at in range(metadata.num_row_groups)]
        chunks = [
            group.column(at) for group in groups for at in range(group.num_columns)
        ]
        # Each value takes at least 8 bytes in a frame, however few in the file.
        limit.check(
            8 * metadata.num_rows * metadata.num_columns
            + 8 * sum(chunk.num_values for chunk in chunks)
            + sum(chunk.total_uncompressed_size for chunk in chunks)
        )
        words = _columns_of_words(file, chunks)
    return ParquetFile(source, metadata=metadata, read_dictionary=words, **options)


def words_unpacked(table: Any, limit: UnpackLimit) -> Any:
    """Return a pyarrow table with words instead of codes, if they are within the limit.

    Parameters
    ----------
    table : pyarrow.Table
        From a file opened with :func:`open_parquet`.
    limit : UnpackLimit
    """
    import pyarrow

    for at, column in enumerate(table.columns):
        long = _long_type(column.type)
        if long is not None:
            limit.check(sum(map(_bytes_of_words, column.chunks)))
            words = [
                chunk.dictionary.cast(long).take(chunk.indices)
                for chunk in column.chunks
            ]
            name = table.schema.field(at).name
            table = table.set_column(at, name, pyarrow.chunked_array(words, long))
    return table


def _long_type(kind: Any) -> Any:
    """Return the type for any number of words, given that of codes; otherwise None."""
    import pyarrow
    from pyarrow import types

    if not types.is_dictionary(kind):
        return None
    if types.is_string(kind.value_type) or types.is_large_string(kind.value_type):
        return pyarrow.large_string()
    if types.is_binary(kind.value_type) or types.is_large_binary(kind.value_type):
        return pyarrow.large_binary()
    return None


def _columns_of_words(file: Any, chunks: Iterable[Any]) -> list[str]:
    """Return the columns of words that can be read as codes."""
    names = {*file.schema_arrow.names}
    long = {
        chunk.path_in_schema
        for chunk in chunks
        if chunk.total_uncompressed_size > _MOST_CODED
    }
    columns = (file.schema.column(at) for at in range(len(file.schema.names)))
    return [
        column.path
        for column in columns
        if column.physical_type == "BYTE_ARRAY"
        and column.path in names - long
        and column.max_repetition_level == 0
    ]


def _bytes_of_words(chunk: Any) -> int:
    from pyarrow import compute

    lengths = compute.binary_length(chunk.dictionary)
    found = compute.sum(compute.cast(lengths.take(chunk.indices), "int64")).as_py()
    return found or 0


def frame_of(path: FilePath, table: Any) -> pd.DataFrame:
    """Convert a pyarrow table to a frame; its index, if any, becomes columns."""
    frame = _index_first(table.to_pandas(ignore_metadata=True), index_names(table))
    if frame.columns.has_duplicates:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise DatasetFormatError(f"two columns are named {twice!r}.", source=path)
    return frame


def index_names(table: Any) -> list[str]:
    """Return the index columns according to the pandas metadata.

    The metadata is not trusted; only names of existing columns are used.
    """
    try:
        listed = json.loads(table.schema.metadata[b"pandas"])["index_columns"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []
    if not isinstance(listed, list):
        return []
    return [name for name in table.schema.names if name in listed]


def _index_first(frame: pd.DataFrame, of_index: list[str]) -> pd.DataFrame:
    """Move index columns to the front, with the names that pandas uses.

    A single unnamed index of integers is dropped: rows selected from a larger frame
    keep their old row numbers, which are not ids.
    """
    nameless = [name for name in of_index if _NAMELESS.fullmatch(name)]
    if len(of_index) == len(nameless) == 1:
        [name] = nameless
        if pd.api.types.is_integer_dtype(frame[name]):
            return frame.drop(columns=name)
        names = {name: "index" if "index" not in frame else "level_0"}
    else:
        names = {name: f"level_{of_index.index(name)}" for name in nameless}
    others = [name for name in frame.columns if name not in of_index]
    return frame[of_index + others].rename(columns=names)
