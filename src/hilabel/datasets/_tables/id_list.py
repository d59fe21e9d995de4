"""Read files of ids alone, for rows that are only known by their links."""

from typing import Final

import numpy as np

from hilabel._text_files import read_start
from hilabel._typing import FilePath
from hilabel.datasets._tables.delimited import find_delimiter
from hilabel.datasets._tables.matrix_file import MatrixFile, read_ids
from hilabel.exceptions import DatasetFormatError

NO_COLUMNS: Final = "no columns"
"""The name of the column of zeros that stands for columns of rows without any."""

_LOOKED_AT: Final = 8192


def is_id_list(path: FilePath) -> bool:
    """Return whether a file is a text with one id per line."""
    text = read_start(path, _LOOKED_AT).decode("utf-8-sig", errors="replace")
    if not text.strip() or "\x00" in text or "\ufffd" in text[:-4]:
        return False
    return find_delimiter(path, text) is None


def read_id_list(
    path: FilePath, ids: FilePath | None = None, most_unpacked: float | None = None
) -> MatrixFile:
    """Return a row for each id of a file, with a single column of zeros.

    The first line is left out if it is a word such as ``id``.
    """
    if ids is not None:
        raise DatasetFormatError(
            "a file of ids is for arrays and signatures, but this is one itself; omit "
            "the other.",
            source=path,
            parameter="ids",
        )
    found = read_ids(path, most_unpacked=most_unpacked)
    if not found:
        raise DatasetFormatError("expected ids, got none.", source=path)
    values = np.zeros((len(found), 1))
    return MatrixFile(found, (NO_COLUMNS,), values, keeps_ids=True)
