"""Read bytes or text from plain or compressed files, with helpful error messages."""

import bz2
import codecs
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from hilabel._typing import FilePath
from hilabel._workbooks import is_workbook, workbook_text
from hilabel.exceptions import DatasetFormatError

# The first bytes of compressed files, which are recognised by content, not by name.
_DECOMPRESSORS: dict[bytes, Callable[[bytes], bytes]] = {
    b"\x1f\x8b": gzip.decompress,
    b"BZh": bz2.decompress,
    b"\xfd7zXZ\x00": lzma.decompress,
}
_OPENERS: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
}
# What the readers of compressed files raise if a file is damaged.
_DAMAGE: Final = (OSError, EOFError, zlib.error, lzma.LZMAError)


def read_start(path: FilePath, n_bytes: int) -> bytes:
    """Return the first decompressed bytes of a file; b"" if it cannot be read."""
    with open(path, "rb") as file:
        start = file.read(n_bytes)
    for magic, opener in _OPENERS.items():
        if start.startswith(magic):
            try:
                with opener(path, "rb") as file:
                    return bytes(file.read(n_bytes))
            except (ValueError, *_DAMAGE):
                return b""
    return start


def read_bytes(path: FilePath) -> bytes:
    """Return the contents of a file, decompressing gzip, bzip2 and xz.

    Raises
    ------
    DatasetFormatError
        If the file is empty or its compression is damaged.
    """
    data = Path(path).read_bytes()
    for magic, decompress in _DECOMPRESSORS.items():
        if data.startswith(magic):
            try:
                data = decompress(data)
            except (ValueError, *_DAMAGE) as error:
                raise _damaged(path, error) from error
            break
    if not data.strip():
        raise DatasetFormatError("the file is empty.", source=path)
    return data


def read_text(path: FilePath) -> str:
    r"""Return the text of a UTF-8 file, with ``\n`` as the line ending.

    For an Excel file, return the first sheet as tab-separated text.

    Raises
    ------
    DatasetFormatError
        If the file is empty, binary or not UTF-8. In the last case the message names
        the line.
    """
    data = read_bytes(path)
    if is_workbook(data):
        return workbook_text(path, data)
    if b"\x00" in data:
        raise _binary(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DatasetFormatError(
            f"expected UTF-8 text, got the byte 0x{data[error.start]:02x}; save the "
            "file as UTF-8 (in Excel, as 'CSV UTF-8' or .xlsx).",
            source=path,
            line=line,
        ) from error
    if not text.strip():  # only a byte order mark and blanks
        raise DatasetFormatError("the file is empty.", source=path)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def text_lines(path: FilePath) -> Iterator[str]:
    r"""Yield the lines of a UTF-8 file of any size, each ending with ``\n``.

    Lines and errors are the same as those of :func:`read_text`.
    """
    try:
        with _opened(path) as file:
            for line in file:
                if "\x00" in line:
                    read_text(path)  # this raises the error
                yield line
    except (UnicodeDecodeError, *_DAMAGE):
        read_text(path)
        raise


def byte_blocks(path: FilePath, n_bytes: int) -> Iterator[bytes]:
    r"""Yield the decompressed bytes of a text file in blocks of whole lines.

    Blocks have about ``n_bytes``, do not start with a byte order mark, and end with
    ``\n``, the only line ending, except perhaps the last.

    Raises
    ------
    DatasetFormatError
        If the file is empty or binary, or its compression is damaged.
    """
    is_empty = True
    try:
        with _opened(path, "rb") as file:
            while block := file.read(n_bytes):
                block += file.readline()
                if b"\x00" in block:
                    raise _binary(path)
                if is_empty:
                    block = block.removeprefix(codecs.BOM_UTF8)
                if b"\r" in block:
                    block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
                is_empty &= not block.strip()
                yield block
    except _DAMAGE as error:
        raise _damaged(path, error) from error
    if is_empty:
        raise DatasetFormatError("the file is empty.", source=path)


def _opened(path: FilePath, mode: str = "rt") -> Any:
    with open(path, "rb") as file:
        start = file.read(max(map(len, _OPENERS)))
    opened: Callable[..., Any] = open
    for magic, opener in _OPENERS.items():
        opened = opener if start.startswith(magic) else opened
    return opened(path, mode, encoding="utf-8-sig" if mode == "rt" else None)


def _damaged(path: FilePath, error: Exception) -> DatasetFormatError:
    return DatasetFormatError(
        f"the file is compressed but cannot be decompressed ({error}); "
        "fetch or compress it again.",
        source=path,
    )


def _binary(path: FilePath) -> DatasetFormatError:
    return DatasetFormatError(
        "expected UTF-8 text, but the file is binary (or UTF-16 text, which must "
        "be saved as UTF-8).",
        source=path,
    )
