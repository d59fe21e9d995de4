"""From a file to the text of an ARFF header and the bytes of its data block."""

import gzip
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path

from hilabel.exceptions import DatasetFormatError

__all__ = [
    "QUOTED",
    "ArffText",
    "format_error",
    "read_arff_text",
    "split_fields",
    "unquote",
]

_GZIP_MAGIC = b"\x1f\x8b"
_UTF8_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_DATA_LINE = re.compile(
    rb"^[ \t]*@data[ \t]*(?:%[^\n]*)?$", re.IGNORECASE | re.MULTILINE
)
QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_FIELD = re.compile(rf"\s*({QUOTED}|[^,]*?)\s*(,|\Z)")


@dataclass(frozen=True)
class ArffText:
    """An ARFF file cut at its ``@DATA`` line.

    Attributes
    ----------
    path : str
    header : str
        Everything above ``@DATA``.
    body : bytes
        Everything below, valid UTF-8 with lines that end in a line feed.
    first_line : int
        Number, counted from 1, of the first line of ``body``.
    """

    path: str
    header: str
    body: bytes
    first_line: int

    def rows(self) -> Iterator[tuple[int, str]]:
        """Yield (line number, text) of the data rows: no comments, no blank lines."""
        for offset, line in enumerate(self.body.decode().split("\n")):
            text = line.strip()
            if text and not text.startswith("%"):
                yield self.first_line + offset, text

    def line_of_row(self, row: int) -> int:
        """Return the line number of a data row counted from 0."""
        return next(line for i, (line, _) in enumerate(self.rows()) if i == row)


def format_error(path: str, line: int | None, message: str) -> DatasetFormatError:
    """Make the error for a fault in a file; ``line`` counts from 1."""
    where = path if line is None else f"{path}, line {line}"
    return DatasetFormatError(f"{where}: {message}")


def read_arff_text(path: str | PathLike[str]) -> ArffText:
    """Read a plain or gzip-compressed ARFF file.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    DatasetFormatError
        If the file is empty, binary, not UTF-8, cut short, or has no ``@DATA`` line.
    """
    name = fspath(path)
    content = _unpacked(Path(path).read_bytes(), name)
    content = content.removeprefix(_UTF8_BYTE_ORDER_MARK)
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    _check_text(content, name)
    found = _DATA_LINE.search(content)
    if found is None:
        raise format_error(
            name,
            None,
            "expected a line '@DATA' between the attributes and the rows, found none; "
            "the file may be cut short, or not be ARFF.",
        )
    header = content[: found.start()].decode()
    return ArffText(
        path=name,
        header=header,
        body=content[found.end() + 1 :],
        first_line=header.count("\n") + 2,
    )


def split_fields(text: str) -> list[str]:
    """Split at the commas outside quotes; fields come stripped and unquoted."""
    if "'" not in text and '"' not in text:
        return [field.strip() for field in text.split(",")]
    fields = []
    for found in _FIELD.finditer(text):
        fields.append(unquote(found.group(1)))
        if not found.group(2):  # the end: an empty match would follow
            break
    return fields


def unquote(text: str) -> str:
    """Return the text without its quotes and the backslashes that escape."""
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text


def _unpacked(content: bytes, path: str) -> bytes:
    if content.startswith(_GZIP_MAGIC):
        try:
            content = gzip.decompress(content)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise format_error(
                path,
                None,
                f"the gzip data is cut short or damaged ({error}); "
                "expected a whole file, so get it again.",
            ) from error
    if not content.strip():
        raise format_error(path, None, "expected an ARFF file, got an empty one.")
    return content


def _check_text(content: bytes, path: str) -> None:
    if b"\0" in content:
        raise format_error(
            path,
            None,
            "expected an ARFF text file, plain or gzip-compressed, got a binary file.",
        )
    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise format_error(
            path,
            line,
            f"expected UTF-8 text, got the byte 0x{content[error.start]:02x}; "
            "save the file as UTF-8.",
        ) from None
