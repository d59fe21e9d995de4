"""Excel workbooks: the first sheet, as a text with tabs between its cells."""

import csv
import io
import zipfile
from typing import Any

from hilabel._typing import FilePath
from hilabel.exceptions import DatasetFormatError

# Of the old binary format, which openpyxl cannot read.
_OLD_MAGIC = b"\xd0\xcf\x11\xe0"
# No cell that holds anything takes less, however well it is packed.
_CELLS_PER_BYTE = 100


def may_be_workbook(start: bytes) -> bool:
    """Say whether a file that begins like this is an Excel file, or another archive."""
    return start.startswith((_OLD_MAGIC, b"PK\x03\x04"))


def is_workbook(data: bytes) -> bool:
    """Say whether these bytes are an Excel file, old or new."""
    if data.startswith(_OLD_MAGIC):
        return True
    if not data.startswith(b"PK"):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except Exception:  # whatever a damaged directory makes zipfile stumble over
        return False


def workbook_text(path: FilePath, data: bytes) -> str:
    """Return the values of the first sheet; a row of the sheet is a line.

    Raises
    ------
    DatasetFormatError
        If the file has the old format, is damaged, or its first sheet is empty.
    ImportError
        If openpyxl is not installed.
    """
    if data.startswith(_OLD_MAGIC):
        raise DatasetFormatError(
            f"{path}: expected an Excel file in .xlsx, got the old binary form; save "
            "it as .xlsx or CSV."
        )
    try:
        import openpyxl
    except ImportError as error:
        raise ImportError(
            f"{path}: reading Excel files needs openpyxl: pip install 'hilabel[excel]'."
        ) from error
    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        # Formatted cells below and beside the table are there too, and empty.
        rows, n_cells = [], 0
        for row in book.worksheets[0].iter_rows(values_only=True):
            rows.append([*row])
            n_cells += 1 + len(row)
            if n_cells > _CELLS_PER_BYTE * len(data):
                raise ValueError(f"its first {n_cells} cells are mostly empty")
        book.close()
    except Exception as error:  # whatever openpyxl stumbled over
        raise DatasetFormatError(
            f"{path}: expected an Excel file, but it cannot be read ({error})."
        ) from error
    width = max((_width(row) for row in rows), default=0)
    if not width:
        raise DatasetFormatError(f"{path}: the first sheet is empty.")
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
    """Return how many cells there are up to the last that is filled."""
    filled = [at for at, value in enumerate(row, start=1) if value not in (None, "")]
    return filled[-1] if filled else 0


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
