"""The common representation of files that contain a matrix of numbers."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import scipy.sparse as sp

from hilabel._text_files import read_text
from hilabel._typing import FilePath
from hilabel.datasets._tables.delimited import (
    content_suffix,
    find_delimiter,
    read_rows,
)
from hilabel.exceptions import DatasetFormatError

_ID_HEADINGS: Final = {"accession", "gene", "id", "ids", "protein", "query", "sample"}

Hit = tuple[str, str, str]
"""An id, a column, and the source of the column."""


@dataclass(frozen=True, eq=False)
class MatrixFile:
    """A matrix of numbers with row ids and column names.

    Attributes
    ----------
    ids, names : tuple of str
    values : ndarray or csr_array of shape (n_rows, n_columns)
    id_name : str
        The name of the ids.
    sources : tuple of str
        The source of each column, such as ``Pfam``; empty if there are none.
    is_open : bool
        Whether a column missing from the file is all zeros, because there was no hit.
    is_named : bool
        Whether the names come from the file rather than being numbered here.
    keeps_ids : bool
        Whether ids of UniProt stay as written; otherwise, they become accessions.
    notes : tuple of str
        Information for the user.
    """

    ids: tuple[str, ...]
    names: tuple[str, ...]
    values: Any
    id_name: str = "id"
    sources: tuple[str, ...] = ()
    is_open: bool = False
    is_named: bool = True
    keeps_ids: bool = False
    notes: tuple[str, ...] = ()


def read_ids(
    path: FilePath, n_rows: int | None = None, most_unpacked: float | None = None
) -> tuple[str, ...]:
    """Return the ids in a file with one id per line and an optional header.

    If ``n_rows`` is given, the file has a header if it has ``n_rows + 1`` lines;
    otherwise, it has a header if the first line is a word such as ``id``.
    """
    text = read_text(path, most_unpacked)
    is_table = content_suffix(path) == ".csv"  # elsewhere a comma may be part of an id
    rows = read_rows(path, text, find_delimiter(path, text) if is_table else "\t")
    for line, cells in rows:
        if len(cells) != 1:
            raise DatasetFormatError(
                f"expected one id per line, got {len(cells)} columns; keep that of "
                "the ids.",
                source=path,
                line=line,
                parameter="ids",
            )
    ids = [cells[0] for _, cells in rows]
    if n_rows is None:
        return tuple(ids[ids[0].lower() in _ID_HEADINGS :])
    if len(ids) == n_rows + 1:
        ids = ids[1:]
    if len(ids) != n_rows:
        raise DatasetFormatError(
            f"expected an id for each of the {n_rows} rows, got {len(ids)}.",
            source=path,
            parameter="ids",
        )
    return tuple(ids)


def matrix_of_hits(
    path: FilePath,
    ids: Sequence[str],
    hits: Iterable[Hit],
    *,
    id_name: str,
    notes: tuple[str, ...],
) -> MatrixFile:
    """Return a matrix with 1 where an id has a hit; columns are sorted by name.

    An id without a hit has a row of zeros; hits for ids that are not listed are
    ignored.
    """
    row_of = {row_id: row for row, row_id in enumerate(ids)}
    rows, found, source_of = [], [], {}
    for row_id, name, source in hits:
        if row_id in row_of:
            rows.append(row_of[row_id])
            found.append(name)
            source_of[name] = source
    if not found:
        raise DatasetFormatError(
            f"expected signatures of the {len(ids)} ids, got none; ids look like "
            f"{ids[0]!r}.",
            source=path,
        )
    names = sorted(source_of)
    column_of = {name: column for column, name in enumerate(names)}
    columns = [column_of[name] for name in found]
    values = sp.csr_array(
        (np.ones(len(rows)), (rows, columns)), shape=(len(ids), len(names))
    )
    values.data[:] = 1.0  # duplicate hits were summed
    return MatrixFile(
        tuple(ids),
        tuple(names),
        values,
        id_name,
        sources=tuple(source_of[name] for name in names),
        is_open=True,
        notes=notes,
    )


def tab_rows(
    path: FilePath, text: str, fewest: int, kind: str
) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and cells of all lines except blank lines and comments."""
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        if len(cells) < fewest or not cells[0]:
            got = f"{len(cells)} columns" if cells[0] else "an empty id"
            raise DatasetFormatError(
                f"expected at least {fewest} tab-separated columns of {kind}, got "
                f"{got}.",
                source=path,
                line=number,
            )
        yield number, cells
