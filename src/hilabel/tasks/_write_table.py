"""Write tables to files atomically, in blocks of rows."""

import contextlib
import gzip
import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import pandas as pd

from hilabel._matrices import row_blocks
from hilabel._typing import FilePath
from hilabel._writing import written_aside

STANDARD_OUTPUT: Final = "-"
# Lines per Parquet row group, independent of the blocks.
_LINES_OF_A_GROUP: Final = 2**17

Write: TypeAlias = Callable[[pd.DataFrame], None]


def write_table(
    frame: pd.DataFrame,
    path: FilePath,
    *,
    header: bool = True,
    digits: int | None = None,
    separator: str | None = None,
) -> Path:
    r"""Write a table atomically, as CSV, TSV or Parquet depending on the suffix.

    Text is compressed if the name ends in ``.gz``; ``"-"`` means standard output.

    Parameters
    ----------
    frame : DataFrame
    path : path-like
    header : bool, default=True
        Whether to write the column names.
    digits : int, optional
        Significant digits in CSV and TSV; by default, all.
    separator : str, optional
        Column separator; by default, it depends on the suffix, and is a comma on
        standard output.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from hilabel.tasks import write_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_table(pd.DataFrame({"a": [1]}), f"{folder}/a.tsv")
    ...     path.read_text()
    'a\n1\n'
    """
    with table_writer(path, header=header, digits=digits, separator=separator) as write:
        write(frame)
    return Path(path)


@contextmanager
def table_writer(
    path: FilePath,
    *,
    header: bool = True,
    digits: int | None = None,
    separator: str | None = None,
) -> Iterator[Write]:
    """Yield a function that appends rows; the file appears only once it is complete.

    The content of the file does not depend on the size of the blocks. Parameters are
    those of :func:`write_table`.
    """
    path = Path(path)
    name = path.name.lower()
    has_commas = name.removesuffix(".gz").endswith((".csv", STANDARD_OUTPUT))
    text: dict[str, Any] = {
        "sep": separator or ("," if has_commas else "\t"),
        "index": False,
        "lineterminator": "\n",
    }
    if name == STANDARD_OUTPUT:
        yield _text_writer(sys.stdout, header, digits, text)
        return
    with written_aside(path) as aside:
        if path.suffix.lower() == ".parquet":
            with _parquet_writer(aside) as write:
                yield write
            return
        with contextlib.closing(_opened(aside)) as file:
            yield _text_writer(file, header, digits, text)


def _opened(path: Path) -> Any:
    if path.suffix.lower() != ".gz":
        return path.open("w", encoding="utf-8", newline="")

    # Omit the date, so that the same table always results in the same bytes.
    compressed = gzip.GzipFile(path, "wb", mtime=0)
    return io.TextIOWrapper(compressed, encoding="utf-8", newline="")


def _text_writer(
    file: Any, header: bool, digits: int | None, how: dict[str, Any]
) -> Write:
    is_first = True

    def write(frame: pd.DataFrame) -> None:
        nonlocal is_first
        # In blocks, because text takes ten times the memory of numbers.
        for rows in [*row_blocks(frame.shape)] or [slice(0)]:
            part = frame.iloc[rows]
            if digits is not None:
                part = _with_digits(part, digits)
            part.to_csv(file, header=header and is_first, **how)
            is_first = False

    return write


def _with_digits(frame: pd.DataFrame, digits: int) -> pd.DataFrame:
    columns = [_as_text(column, digits) for _, column in frame.items()]
    return pd.DataFrame(dict(enumerate(columns))).set_axis(frame.columns, axis=1)


def _as_text(column: pd.Series, digits: int) -> pd.Series:
    """Format the numbers of a column, each distinct number only once.

    Most columns of predictions repeat the numbers of a few thousand terms, and
    formatting takes longer than predicting.
    """
    if not pd.api.types.is_float_dtype(column):
        return column
    codes, numbers = pd.factorize(column)
    words = [f"%.{digits}g" % number for number in numbers.tolist()]
    # Missing numbers have the code -1, and are written as empty cells.
    text = np.array([*words, ""], dtype=object)[codes]
    # As objects, since pandas would convert strings to Arrow's, and back for writing.
    return pd.Series(text, column.index, dtype=object)


@contextmanager
def _parquet_writer(path: Path) -> Iterator[Write]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(
            "Writing Parquet files needs pyarrow: pip install 'hilabel[parquet]'."
        ) from error
    writer: Any = None
    waiting: Any = None

    def write(frame: pd.DataFrame) -> None:
        nonlocal writer, waiting
        if writer is None:
            # From all columns: the first block may have no rows, or empty columns.
            schema = _schema(frame)
            writer = pyarrow.parquet.ParquetWriter(path, schema)
            waiting = schema.empty_table()
        table = pyarrow.Table.from_pandas(
            frame, schema=waiting.schema, preserve_index=False
        )
        waiting = pyarrow.concat_tables([waiting, table])
        while len(waiting) >= _LINES_OF_A_GROUP:
            writer.write_table(waiting.slice(0, _LINES_OF_A_GROUP).combine_chunks())
            waiting = waiting.slice(_LINES_OF_A_GROUP)

    yield write
    if writer is not None:
        if len(waiting):
            writer.write_table(waiting.combine_chunks())
        writer.close()


def _schema(frame: pd.DataFrame) -> Any:
    """Return the Parquet schema; object columns are stored as text."""
    import pyarrow

    schema = pyarrow.Schema.from_pandas(frame.head(0), preserve_index=False)
    for at, field in enumerate(schema):
        if pyarrow.types.is_null(field.type):
            schema = schema.set(at, pyarrow.field(field.name, pyarrow.string()))
    return schema
