"""Read the first sheet of an Excel workbook as tab-separated text."""

import csv
import io
import zipfile
from os import fspath
from typing import Any

from hilabel._typing import FilePath
from hilabel._unpacking import UnpackLimit, stored
from hilabel.exceptions import DatasetFormatError

# The old binary format, which openpyxl cannot read.
_OLD_MAGIC = b"\xd0\xcf\x11\xe0"
# Maximum number of non-empty cells per compressed byte.
_CELLS_PER_BYTE = 100


def may_be_workbook(start: bytes) -> bool:
    """Return whether a file with these first bytes may be an Excel file."""
    return start.startswith((_OLD_MAGIC, b"PK\x03\x04"))


def is_workbook(data: bytes) -> bool:
    """Return whether these bytes are an Excel file in the old or new format."""
    if data.startswith(_OLD_MAGIC):
        return True
    if not data.startswith(b"PK"):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except Exception:  # zipfile raises many kinds of errors for a damaged directory
        return False


def workbook_text(path: FilePath, data: bytes, limit: UnpackLimit) -> str:
    """Return the first sheet of a workbook as text, with one line per row.

    Parameters
    ----------
    path : path-like
    data : bytes
        The contents of the file.
    limit : UnpackLimit

    Raises
    ------
    DatasetFormatError
        If the file has the old format, is damaged, unpacks to too much, or its first
        sheet is empty.
    ImportError
        If openpyxl is not installed.
    """
    if data.startswith(_OLD_MAGIC):
        raise DatasetFormatError(
            "expected an Excel file in .xlsx, got the old binary format; save it as "
            ".xlsx or CSV.",
            source=path,
        )
    try:
        import openpyxl
    except ImportError as error:
        raise ImportError(
            f"{path}: reading Excel files needs openpyxl: pip install "
            "'hilabel[excel]'.",
            path=fspath(path),
        ) from error
    try:
        # openpyxl would unpack all that a file contains.
        unpacked = stored(limit.members(data).items())
        book = openpyxl.load_workbook(unpacked, read_only=True, data_only=True)
        # Formatted cells below and next to the table are included, but empty.
        rows, n_cells = [], 0
        for row in book.worksheets[0].iter_rows(values_only=True):
            rows.append([*row])
            n_cells += 1 + len(row)
            if n_cells > _CELLS_PER_BYTE * len(data):
                raise ValueError(f"its first {n_cells} cells are mostly empty")
        book.close()
    except DatasetFormatError:
        raise
    except Exception as error:  # openpyxl raises many kinds of errors
        raise DatasetFormatError(
            f"expected an Excel file, but it cannot be read ({error}).", source=path
        ) from error
    width = max((_width(row) for row in rows), default=0)
    if not width:
        raise DatasetFormatError("the first sheet is empty.", source=path)
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t", lineterminator="\n")
    for row in rows:
        if _width(row):
            padded = row[:width] + [None] * (width - len(row))
            writer.writerow([_shown(value) for value in padded])
        else:
            text.write("\n")
    return text.getvalue()


def _width(row: list[Any]) -> int:
    """Return the number of cells in a row, up to the last non-empty cell."""
    filled = [at for at, value in enumerate(row, start=1) if value not in (None, "")]
    return filled[-1] if filled else 0


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()  # as Excel shows it, and writes it to CSV files
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
