"""Recognise the format of a file of links by its first lines."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hilabel._typing import FilePath
from hilabel.datasets._links.biogrid import biogrid_layout, is_biogrid
from hilabel.datasets._links.cells import is_number, split_line
from hilabel.datasets._links.layout import BLANKS, TABLE, Layout, LinkColumns
from hilabel.datasets._links.named_columns import named_places, roles_of
from hilabel.datasets._tables.delimited import content_suffix, find_delimiter
from hilabel.exceptions import DatasetFormatError

_OUTFMT_6: Final = {"source": 0, "target": 1, "identity": 2, "weight": 11}
_N_OUTFMT_6: Final = 12
_MOST_COLUMNS: Final = 4
"""Number of columns of a table whose columns need no names."""


@dataclass(frozen=True)
class _Start:
    """The cells of the first lines of a file, without comments and blank lines."""

    path: FilePath
    delimiter: str
    n_before: int
    lines: list[list[str]]

    @property
    def first(self) -> list[str]:
        return self.lines[0]

    @property
    def below(self) -> list[list[str]]:
        """The lines below the first that have as many cells."""
        return [line for line in self.lines[1:] if len(line) == len(self.first)]

    def are_mostly_numbers(self, place: int) -> bool:
        """Return whether a column, perhaps below a header, is one of numbers.

        As in tables of features, a few words among numbers are errors.
        """
        cells = [line[place] for line in self.below or [self.first]]
        return 2 * sum(map(is_number, cells)) >= len(cells)


def find_layout(
    path: FilePath,
    text: str,
    *,
    ids: Collection[str] = (),
    columns: Mapping[str, str] | None = None,
) -> Layout:
    """Return how to read a file that starts with a text.

    Parameters
    ----------
    path : path-like
    text : str
        The first lines.
    ids : collection of str
        The ids of rows, to choose between several columns of ids.
    columns : mapping of str to str, optional
        The names of the columns of sources, targets, weights and kinds.

    Raises
    ------
    DatasetFormatError
        If the file has another format.
    """
    if text.startswith(">"):
        raise DatasetFormatError(
            "expected links, got sequences (FASTA); search them against each other "
            "first, as 'hilabel link' does.",
            source=path,
        )
    lines = text.split("\n")
    if is_biogrid(lines[0]):
        return biogrid_layout(path, lines, ids, columns)
    start = _start(path, lines)
    if columns is not None:
        return _of_named_columns(start, columns)
    for layout_of in (_string, _hits, _named_hits, _sif, _table):
        layout = layout_of(start)
        if layout is not None:
            return layout
    raise DatasetFormatError(
        "expected links: hits of BLAST, DIAMOND or MMseqs2 (outfmt 6), STRING's "
        "protein.links, BioGRID's tab2 or tab3, SIF, or CSV or TSV with columns "
        "source, target and, optionally, weight and kind; got "
        f"{len(start.first)} column{'' if len(start.first) == 1 else 's'}, such as "
        f"{start.first[0][:40]!r}.",
        source=path,
        line=start.n_before + 1,
    )


def _start(path: FilePath, lines: Sequence[str]) -> _Start:
    n_before = 0
    for line in lines:
        if line.strip() and not line.startswith("#"):
            break
        n_before += 1
    kept = [line for line in lines[n_before:] if line.strip() and line[0] != "#"]
    if not kept:
        raise DatasetFormatError(
            "expected links, got only comments or blank lines.", source=path
        )
    delimiter = find_delimiter(path, kept[0]) or BLANKS
    return _Start(
        path, delimiter, n_before, [split_line(line, delimiter) for line in kept]
    )


# Formats ----------------------------------------------------------------------------


def _string(start: _Start) -> Layout | None:
    """STRING: space-separated, with a header; the last column is the score."""
    if start.first[0] != "protein1" or "combined_score" not in start.first:
        return None
    return Layout(
        "STRING's protein.links",
        start.delimiter,
        {"source": 0, "target": 1, "weight": start.first.index("combined_score")},
        len(start.first),
        start.n_before + 1,
        kind="interactions",
        divisor=1000.0,
        is_undirected=True,
    )


def _hits(start: _Start) -> Layout | None:
    """Hits of BLAST, DIAMOND and MMseqs2, with or without a header."""
    row = start.below[0] if start.below else start.first
    numbers = row[2:_N_OUTFMT_6]
    if start.delimiter != "\t" or len(row) < _N_OUTFMT_6:
        return None
    if not (all(map(is_number, numbers)) and all(_is_whole(n) for n in numbers[1:8])):
        return None
    has_header = not is_number(start.first[2])
    if has_header and len(row) > _N_OUTFMT_6:
        return None  # the header says where the columns are
    return Layout(
        "hits (outfmt 6)",
        "\t",
        dict(_OUTFMT_6),
        len(row),
        start.n_before + has_header,
        kind="hits",
    )


def _named_hits(start: _Start) -> Layout | None:
    """Hits with columns of the user's choice, whose header names them."""
    named = roles_of(start.first)
    if not {"source", "target", "weight", "identity"} <= set(named):
        return None
    return Layout(
        "hits with a header",
        start.delimiter,
        {role: place for role, place in named.items() if role != "kind"},
        len(start.first),
        start.n_before + 1,
        kind="hits",
    )


def _is_whole(cell: str) -> bool:
    return cell.strip().isdigit()


def _sif(start: _Start) -> Layout | None:
    """A line of SIF has a source, a relation and targets; a node may be alone."""
    if content_suffix(start.path) != ".sif":
        if {len(line) for line in start.lines} != {3} or start.delimiter in ",;":
            return None
        if roles_of(start.first) or start.are_mostly_numbers(2):
            return None
        n_sources, n_middle, n_last = (
            len({line[place] for line in start.lines}) for place in range(3)
        )
        if n_middle >= n_last or n_middle >= n_sources:
            return None
    return Layout(
        "SIF",
        "\t" if start.delimiter == "\t" else BLANKS,
        {"source": 0, "kind": 1, "target": 2},
        3,
        start.n_before,
        kind="interactions",
        is_undirected=True,
        is_sif=True,
    )


def _table(start: _Start) -> Layout | None:
    """Two to four columns, or more whose header has the usual names."""
    n_columns = len(start.first)
    columns = roles_of(start.first)
    if not {"source", "target"} <= set(columns):
        if not 2 <= n_columns <= _MOST_COLUMNS:
            return None
        others = {role: at for role, at in columns.items() if at > 1}
        columns = {"source": 0, "target": 1, **others}
    if n_columns <= _MOST_COLUMNS:
        for place in set(range(n_columns)) - set(columns.values()):
            role = "weight" if start.are_mostly_numbers(place) else "kind"
            if role in columns:
                return None
            columns[role] = place
    has_header = _is_header(start, columns)
    return Layout(
        TABLE, start.delimiter, columns, n_columns, start.n_before + has_header
    )


def _is_header(start: _Start, columns: LinkColumns) -> bool:
    """Return whether the first line names the columns."""
    if not start.below:
        return len(roles_of(start.first)) >= 2
    if roles_of(start.first):
        return True
    if "weight" in columns and not is_number(start.first[columns["weight"]]):
        return True
    # Names of columns have no digits, and ids often have.
    ends = [columns["source"], columns["target"]]
    return not any(_has_digit(start.first[place]) for place in ends) and all(
        _has_digit(line[place]) for line in start.below for place in ends
    )


def _has_digit(cell: str) -> bool:
    return any(letter.isdigit() for letter in cell)


def _of_named_columns(start: _Start, columns: Mapping[str, str]) -> Layout:
    layout = Layout(TABLE, start.delimiter, {}, len(start.first), start.n_before + 1)
    return replace(layout, columns=named_places(start.path, start.first, columns))
