"""GAF 2.x, in which the Gene Ontology gives out annotations, line by line."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from hilabel._typing import FilePath
from hilabel.datasets._tables.delimited import content_suffix
from hilabel.exceptions import DatasetFormatError

# Columns of GAF 2.x, counted from 0. The last two of the 17 may be left out.
GAF_COLUMNS: Final = {"object_id": 1, "symbol": 2, "synonym": 10}
_QUALIFIER, _TERM, _EVIDENCE, _ASPECT, _MIN_COLUMNS = 3, 4, 6, 8, 15


class GafRow(NamedTuple):
    """A line that says that a gene has a term."""

    line: int
    object_id: str
    symbol: str
    synonym: str
    term: str

    @property
    def synonyms(self) -> list[str]:
        """The names in the cell of synonyms."""
        return [name.strip() for name in self.synonym.split("|") if name.strip()]


class NamedRow(NamedTuple):
    """An id of a row, and the column that it was found in; "" if it is not wanted."""

    row: GafRow
    row_id: str
    found_in: str


@dataclass
class GafFile:
    """The rows of a file that are left, and how many were dropped for what."""

    path: FilePath
    rows: list[GafRow] = field(default_factory=list)
    n_rows: int = 0
    n_not: int = 0
    n_filtered: int = 0
    # Accessions and symbols of all rows, dropped ones too: whose names they are.
    own_names: set[str] = field(default_factory=set)

    def by_column(self, id_column: str) -> Iterator[NamedRow]:
        """Yield the rows with the ids of one column; only synonyms may be lacking."""
        for row in self.rows:
            if id_column == "synonym":
                names = row.synonyms
            else:
                names = [row.object_id if id_column == "object_id" else row.symbol]
                if not names[0]:
                    raise _no_identifier(self.path, row.line, GAF_COLUMNS[id_column])
            for name in names:
                yield NamedRow(row, name, id_column)

    def by_match(self, wanted: Collection[str]) -> Iterator[NamedRow]:
        """Yield each row with the first of its names that is wanted.

        That is its accession, else its symbol, else those of its synonyms that are no
        other gene's accession or symbol. A row of which nothing is wanted keeps its
        accession, so that it can be counted.
        """
        for row in self.rows:
            if row.object_id in wanted:
                yield NamedRow(row, row.object_id, "accession")
            elif row.symbol in wanted:
                yield NamedRow(row, row.symbol, "symbol")
            else:
                found = [
                    name
                    for name in dict.fromkeys(row.synonyms)
                    if name in wanted and name not in self.own_names
                ]
                for name in found:
                    yield NamedRow(row, name, "synonym")
                if not found:
                    yield NamedRow(row, self._any_name(row), "")

    def _any_name(self, row: GafRow) -> str:
        names = filter(None, (row.object_id, row.symbol, *row.synonyms))
        name = next(names, None)
        if name is None:
            raise _no_identifier(self.path, row.line, *GAF_COLUMNS.values())
        return name


def is_gaf(path: FilePath, text: str) -> bool:
    """Say whether a file is GAF, judged by name and first line."""
    first_line = text.lstrip("\n").partition("\n")[0]
    if content_suffix(path) == ".gaf" or first_line.startswith("!"):
        return True
    # Wide tables of features are there too; theirs is no aspect.
    cells = first_line.split("\t")
    return len(cells) >= _MIN_COLUMNS and cells[_ASPECT].strip() in ("P", "F", "C")


def read_gaf(
    path: FilePath, text: str, evidence: frozenset[str], excluded: frozenset[str]
) -> GafFile:
    """Read the rows that do not say NOT and have the evidence codes asked for."""
    file = GafFile(path)
    for line, content in enumerate(text.split("\n"), start=1):
        if content.startswith("!"):
            _check_version(path, line, content)
            continue
        if not content.strip():
            continue
        cells = _cells(path, line, content)
        object_id, symbol, synonym = (cells[at].strip() for at in GAF_COLUMNS.values())
        row = GafRow(line, object_id, symbol, synonym, cells[_TERM].strip())
        file.own_names.update((row.object_id, row.symbol))
        file.n_rows += 1
        code = cells[_EVIDENCE].strip().upper()
        if "NOT" in cells[_QUALIFIER].upper().split("|"):
            file.n_not += 1
        elif code in excluded or (evidence and code not in evidence):
            file.n_filtered += 1
        else:
            file.rows.append(row)
    return file


def _check_version(path: FilePath, line: int, comment: str) -> None:
    version = re.match(r"!\s*(ga\w|gp\w+)-version:\s*(\S+)", comment)
    if version and not (version[1] == "gaf" and version[2].startswith("2")):
        raise DatasetFormatError(
            f"{path}, line {line}: expected GAF 2.0 to 2.2, got "
            f"{version[1].upper()} {version[2]}; fetch the GAF file instead."
        )


def _cells(path: FilePath, line: int, row: str) -> list[str]:
    cells = row.split("\t")
    if len(cells) < _MIN_COLUMNS:
        raise DatasetFormatError(
            f"{path}, line {line}: expected the 17 tab-separated columns of GAF 2 (the "
            f"last two may be missing), got {len(cells)}."
        )
    if not cells[_TERM].strip():
        raise _no_identifier(path, line, _TERM)
    return cells


def _no_identifier(path: FilePath, line: int, *positions: int) -> DatasetFormatError:
    columns = " or ".join(str(position + 1) for position in positions)
    return DatasetFormatError(
        f"{path}, line {line}: expected an identifier in column {columns} of a GAF "
        "file, got an empty cell."
    )
