"""Read Parquet files as frames, without trusting their pandas metadata."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from os import fspath
from typing import Any, Final

import pandas as pd

from hilabel._typing import FilePath
from hilabel.exceptions import DatasetFormatError

# The name used by pandas for an unnamed index level.
_NAMELESS: Final = re.compile(r"__index_level_\d+__")
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
