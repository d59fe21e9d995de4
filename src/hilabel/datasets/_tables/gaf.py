"""Read GAF 2.x, the annotation format of the Gene Ontology."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from hilabel._suggestions import closest, did_you_mean
from hilabel._typing import FilePath
from hilabel.datasets._tables.delimited import content_suffix
from hilabel.exceptions import DatasetFormatError, LabelError

# Columns of GAF 2.x, counted from 0. The last two of the 17 may be missing.
GAF_COLUMNS: Final = {"object_id": 1, "symbol": 2, "synonym": 10}
_QUALIFIER, _TERM, _EVIDENCE, _ASPECT, _MIN_COLUMNS = 3, 4, 6, 8, 15

EVIDENCE_GROUPS: Final = {
    "experimental": "EXP IDA IPI IMP IGI IEP",
    "high-throughput": "HTP HDA HMP HGI HEP",
    "phylogenetic": "IBA IBD IKR IRD",
    "computational": "ISS ISO ISA ISM IGC RCA",
    "author": "TAS NAS",
    "curator": "IC ND",
    "electronic": "IEA",
}
"""The evidence codes of the Gene Ontology, by group."""

_KNOWN_CODES: Final = frozenset(" ".join(EVIDENCE_GROUPS.values()).split())

# No biological data available: the line provides no information about the gene.
_NO_DATA = "ND"
_VERSION = re.compile(r"\.\d+(?=\s*(?:\||$))")


class GafRow(NamedTuple):
    """An annotation of a gene with a term."""

    line: int
    object_id: str
    symbol: str
    synonym: str
    term: str

    @property
    def synonyms(self) -> list[str]:
        """The names in the synonym column."""
        return [name.strip() for name in self.synonym.split("|") if name.strip()]


class NamedRow(NamedTuple):
    """A row, one of its ids, and the column of that id ("" if it is not requested)."""

    row: GafRow
    row_id: str
    found_in: str


@dataclass
class GafFile:
    """The rows kept from a file, and the number of rows dropped for each reason."""

    path: FilePath
    rows: list[GafRow] = field(default_factory=list)
    denied: list[GafRow] = field(default_factory=list)
    no_data: list[GafRow] = field(default_factory=list)
    n_rows: int = 0
    n_not: int = 0
    n_filtered: int = 0
    # Accessions and symbols of all rows, including dropped ones, with their owners.
    own_names: set[str] = field(default_factory=set)
    unknown_codes: tuple[str, ...] = ()

    def by_column(self, rows: list[GafRow], id_column: str) -> Iterator[NamedRow]:
        """Yield each row with its ids from one column; only synonyms may be missing."""
        for row in rows:
            if id_column == "synonym":
                names = row.synonyms
            else:
                names = [row.object_id if id_column == "object_id" else row.symbol]
                if not names[0]:
                    raise _no_identifier(self.path, row.line, GAF_COLUMNS[id_column])
            for name in names:
                yield NamedRow(row, name, id_column)

    def by_match(
        self, rows: list[GafRow], wanted: Collection[str]
    ) -> Iterator[NamedRow]:
        """Yield each row with the requested ids that match it.

        The id is the accession or, if that is not requested, the symbol. If neither is
        requested, the row is yielded with each requested synonym that is not the
        accession or symbol of another gene. A row without a match keeps its accession,
        so that it can be counted.
        """
        for row in rows:
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
    """Return whether a file is GAF, based on its name and first line."""
    first_line = text.lstrip("\n").partition("\n")[0]
    if content_suffix(path) == ".gaf" or first_line.startswith("!"):
        return True
    # A wide feature table has no aspect in this column.
    cells = first_line.split("\t")
    return len(cells) >= _MIN_COLUMNS and cells[_ASPECT].strip() in ("P", "F", "C")


def without_version(names: str) -> str:
    """Return an id, or several ids separated by ``|``, without version suffixes.

    >>> without_version("ENSG00000139618.5|P1")
    'ENSG00000139618|P1'
    """
    return _VERSION.sub("", names)


def read_gaf(
    path: FilePath,
    text: str,
    evidence: Iterable[str],
    excluded: Iterable[str],
    *,
    strip_version: bool = False,
) -> GafFile:
    """Read the rows with the requested evidence; rows with NOT are kept separately."""
    file = GafFile(path)
    wanted, unwanted = _codes(evidence), _codes(excluded)
    seen: set[str] = set()
    for line, content in enumerate(text.split("\n"), start=1):
        if content.startswith("!"):
            _check_version(path, line, content)
            continue
        if not content.strip():
            continue
        cells = _cells(path, line, content)
        names = [cells[at].strip() for at in GAF_COLUMNS.values()]
        if strip_version:
            names = [without_version(name) for name in names]
        object_id, symbol, synonym = names
        row = GafRow(line, object_id, symbol, synonym, cells[_TERM].strip())
        file.own_names.update((row.object_id, row.symbol))
        file.n_rows += 1
        code = cells[_EVIDENCE].strip().upper()
        seen.add(code)
        is_filtered = code in unwanted or bool(wanted and code not in wanted)
        if "NOT" in cells[_QUALIFIER].upper().split("|"):
            file.n_not += 1
            if not is_filtered:
                file.denied.append(row)
        elif code == _NO_DATA:
            file.no_data.append(row)
        elif is_filtered:
            file.n_filtered += 1
        else:
            file.rows.append(row)
    _check_codes(path, {"evidence": wanted, "exclude_evidence": unwanted}, seen)
    file.unknown_codes = tuple(sorted(seen - _KNOWN_CODES))
    return file


def _codes(given: Iterable[str]) -> frozenset[str]:
    """Expand values such as ``"IEA,TAS"`` or ``"experimental"`` into evidence codes."""
    codes: set[str] = set()
    for words in [given] if isinstance(given, str) else given:
        for word in filter(None, map(str.strip, words.split(","))):
            group = EVIDENCE_GROUPS.get(word.lower().replace("_", "-"), word.upper())
            codes.update(group.split())
    return frozenset(codes)


def _check_codes(
    path: FilePath, asked: dict[str, frozenset[str]], seen: set[str]
) -> None:
    for parameter, codes in asked.items():
        for code in sorted(codes - _KNOWN_CODES - seen):
            names = {name.upper(): name for name in EVIDENCE_GROUPS}
            names |= {known: known for known in _KNOWN_CODES | seen}
            meant = did_you_mean(closest(code, names))
            raise LabelError(
                "expected evidence codes such as IDA and IEA, or the groups "
                f"{', '.join(EVIDENCE_GROUPS)}; got {code!r}, which no line "
                f"has.{meant}",
                source=path,
                parameter=parameter,
            )


def _check_version(path: FilePath, line: int, comment: str) -> None:
    version = re.match(r"!\s*(ga\w|gp\w+)-version:\s*(\S+)", comment)
    if version and not (version[1] == "gaf" and version[2].startswith("2")):
        raise DatasetFormatError(
            f"expected GAF 2.0 to 2.2, got {version[1].upper()} {version[2]}; fetch "
            "the GAF file instead.",
            source=path,
            line=line,
        )


def _cells(path: FilePath, line: int, row: str) -> list[str]:
    cells = row.split("\t")
    if len(cells) < _MIN_COLUMNS:
        raise DatasetFormatError(
            "expected the 17 tab-separated columns of GAF 2 (the last two may be "
            f"missing), got {len(cells)}.",
            source=path,
            line=line,
        )
    if not cells[_TERM].strip():
        raise _no_identifier(path, line, _TERM)
    return cells


def _no_identifier(path: FilePath, line: int, *positions: int) -> DatasetFormatError:
    columns = " or ".join(str(position + 1) for position in positions)
    return DatasetFormatError(
        f"expected an identifier in column {columns} of a GAF file, got an empty cell.",
        source=path,
        line=line,
    )
