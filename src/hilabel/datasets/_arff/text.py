"""Split a file into the text of its ARFF header and the bytes of its data block."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from os import fspath
from typing import TypedDict

from hilabel._text_files import read_text
from hilabel._typing import FilePath
from hilabel.exceptions import DatasetFormatError

_DATA_LINE = re.compile(
    r"^[ \t]*@data[ \t]*(?:%[^\n]*)?$", re.IGNORECASE | re.MULTILINE
)
QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_FIELD = re.compile(rf"\s*({QUOTED}|[^,]*?)\s*(,|\Z)")


class Place(TypedDict):
    """A line of a file, as the fields of an error."""

    source: str
    line: int


@dataclass(frozen=True)
class ArffText:
    """An ARFF file split at its ``@DATA`` line."""

    path: str
    header: str  # everything above @DATA
    body: bytes  # everything below, valid UTF-8 with lines that end in a line feed
    first_line: int  # number, counted from 1, of the first line of the body

    def rows(self) -> Iterator[tuple[int, str]]:
        """Yield (line number, text) for all lines except blank lines and comments."""
        for offset, line in enumerate(self.body.decode().split("\n")):
            text = line.strip()
            if text and not text.startswith("%"):
                yield self.first_line + offset, text

    def place(self, line: int) -> Place:
        """Return the fields of an error that hold the file and the line."""
        return {"source": self.path, "line": line}

    def line_of_row(self, row: int) -> int:
        """Return the line number of a data row; data rows are counted from 0."""
        return next(line for i, (line, _) in enumerate(self.rows()) if i == row)


def read_arff_text(path: FilePath) -> ArffText:
    """Read a plain or compressed ARFF file.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    DatasetFormatError
        If the file is empty, binary, not UTF-8, cut short, or has no ``@DATA`` line.
    """
    name = fspath(path)
    content = read_text(path)
    found = _DATA_LINE.search(content)
    if found is None:
        raise DatasetFormatError(
            "expected a line '@DATA' between the attributes and the rows, found none; "
            "the file may be truncated, or not ARFF.",
            source=name,
        )
    header = content[: found.start()]
    return ArffText(
        path=name,
        header=header,
        body=content[found.end() + 1 :].encode(),
        first_line=header.count("\n") + 2,
    )


def split_fields(text: str) -> list[str]:
    """Split a line at commas outside quotes; strip and unquote the fields."""
    if "'" not in text and '"' not in text:
        return [field.strip() for field in text.split(",")]
    fields = []
    for found in _FIELD.finditer(text):
        fields.append(unquote(found.group(1)))
        if not found.group(2):  # the end: an empty match would follow
            break
    return fields


def unquote(text: str) -> str:
    """Return the text without its quotes and escape characters."""
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text
