"""Read bytes or text from plain or compressed files, with helpful error messages."""

import bz2
import codecs
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from hilabel._typing import FilePath
from hilabel._unpacking import UnpackLimit
from hilabel._workbooks import is_workbook, workbook_text
from hilabel.exceptions import DatasetFormatError

# The first bytes of compressed files, which are recognised by content, not by name.
_OPENERS: Final[dict[bytes, Callable[..., Any]]] = {
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
    opener = _opener(start)
    if opener is None:
        return start
    try:
        with opener(path, "rb") as file:
            return bytes(file.read(n_bytes))
    except (ValueError, *_DAMAGE):
        return b""


def read_bytes(path: FilePath, most_unpacked: float | None = None) -> bytes:
    """Return the contents of a file, decompressing gzip, bzip2 and xz.

    Parameters
    ----------
    path : path-like
    most_unpacked : float, optional
        The most bytes that the file may unpack to; by default, a multiple of its size
        that fits into memory.

    Raises
    ------
    DatasetFormatError
        If the file is empty, its compression is damaged, or it unpacks to too much.
    """
    data = Path(path).read_bytes()
    opener = _opener(data)
    if opener is not None:
        limit = UnpackLimit.of(path, most_unpacked, in_blocks=False)
        try:
            with opener(io.BytesIO(data), "rb") as file:
                data = limit.whole(file)
        except DatasetFormatError:
            raise
        except (ValueError, *_DAMAGE) as error:
            raise _damaged(path, error) from error
    if not data.strip():
        raise DatasetFormatError("the file is empty.", source=path)
    return data


def read_text(path: FilePath, most_unpacked: float | None = None) -> str:
    r"""Return the text of a UTF-8 file, with ``\n`` as the line ending.

    For an Excel file, return the first sheet as tab-separated text.

    Parameters
    ----------
    path : path-like
    most_unpacked : float, optional
        As in :func:`read_bytes`.

    Raises
    ------
    DatasetFormatError
        If the file is empty, binary or not UTF-8, or unpacks to too much. If it is not
        UTF-8, the message names the line.
    """
    data = read_bytes(path, most_unpacked)
    if is_workbook(data):
        limit = UnpackLimit.of(path, most_unpacked, in_blocks=False)
        return workbook_text(path, data, limit)
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


def text_lines(path: FilePath, most_unpacked: float | None = None) -> Iterator[str]:
    r"""Yield the lines of a UTF-8 file of any size, each ending with ``\n``.

    Lines and errors are the same as those of :func:`read_text`, except that a
    compressed file may be larger than memory.
    """
    try:
        with (
            _opened(path, most_unpacked) as file,
            io.TextIOWrapper(file, encoding="utf-8-sig") as lines,
        ):
            for line in lines:
                if "\x00" in line:
                    read_text(path, most_unpacked)  # this raises the error
                yield line
    except (UnicodeDecodeError, *_DAMAGE):
        read_text(path, most_unpacked)
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
        with _opened(path, None) as file:
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


def _opener(start: bytes) -> Callable[..., Any] | None:
    """Return a function that opens compressed files with these first bytes, if any."""
    found = (opener for magic, opener in _OPENERS.items() if start.startswith(magic))
    return next(found, None)


@contextmanager
def _opened(path: FilePath, most_unpacked: float | None) -> Iterator[Any]:
    """Open a file for reading bytes, decompressing it within the limit."""
    with open(path, "rb") as file:
        opener = _opener(file.read(max(map(len, _OPENERS))))
        file.seek(0)
        if opener is None:
            yield file
            return
    limit = UnpackLimit.of(path, most_unpacked, in_blocks=True)
    with opener(path, "rb") as packed:
        yield limit.opened(packed)


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
