"""Split lines of a file of links into cells."""

import csv
from contextlib import suppress

from hilabel.datasets._links.layout import BLANKS


def split_line(line: str, delimiter: str, *, is_quoted: bool = True) -> list[str]:
    """Return the stripped cells of a line."""
    line = line.rstrip("\r\n")
    if delimiter == BLANKS:
        return line.split()
    if is_quoted:
        rows = csv.reader([line], delimiter=delimiter, skipinitialspace=True)
        # No cell of links is too long for csv, nor has it a line end within.
        with suppress(csv.Error):
            return [cell.strip() for cell in next(rows, [])]
    return [cell.strip() for cell in line.split(delimiter)]


def is_number(cell: str) -> bool:
    """Return whether a cell is a number, which may be infinite or NaN."""
    try:
        float(cell)
    except ValueError:
        return False
    return True
