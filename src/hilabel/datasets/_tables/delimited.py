"""Read rows of comma-, tab- or semicolon-separated text, with line numbers."""

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path

from hilabel._typing import FilePath
from hilabel.exceptions import DatasetFormatError

# The file name determines which delimiter to try first: a tab in a .csv, or a comma in
# a .tsv, is more likely part of a name.
_LOOK_FIRST = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".xlsx": "\t"}
_COMPRESSED = {".gz", ".bz2", ".xz"}


def content_suffix(path: FilePath) -> str:
    """Return the suffix of a file in lower case, ignoring suffixes such as ``.gz``."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    while suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def find_delimiter(path: FilePath, text: str) -> str | None:
    """Return the column delimiter, based on the file name and the first line.

    If there is no comma, tab or semicolon, the text has one column, and the result is
    None.
    """
    first_line = next((line for line in text.split("\n") if line.strip()), "")
    first = _LOOK_FIRST.get(content_suffix(path), "\t")
    for delimiter in dict.fromkeys([first, "\t", ",", ";"]):
        if delimiter in first_line:
            return delimiter
    return None


def read_rows(
    path: FilePath, text: str, delimiter: str | None
) -> list[tuple[int, list[str]]]:
    """Return (line number, stripped cells) for each line that is not blank."""
    return [
        (line, [cell.strip() for cell in cells])
        for line, cells in iter_rows(path, io.StringIO(text), delimiter)
    ]


def iter_rows(
    path: FilePath, lines: Iterable[str], delimiter: str | None
) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, cells) for each line that is not blank.

    Trailing spaces are kept, because stripping a large table takes longer than reading
    it. A quoted cell may contain delimiters and line ends; the line number is that of
    the first line of the row.
    """
    reader = csv.reader(
        # A line of spaces is blank too; csv would make it a row with one empty cell.
        (line if line.strip(" \n") else "\n" for line in lines),
        delimiter=delimiter or "\t",
        skipinitialspace=True,
        strict=True,
    )
    line = 1
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise DatasetFormatError(
                f"the row cannot be read ({error}); look for an unmatched quotation "
                "mark.",
                source=path,
                line=line,
            ) from error
        if cells is None:
            return
        if cells:
            yield line, cells
        line = reader.line_num + 1
