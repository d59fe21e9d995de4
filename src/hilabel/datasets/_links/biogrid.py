"""Recognise BioGRID's tab2 and tab3 files, and choose one of their columns of ids."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from hilabel._typing import FilePath
from hilabel.datasets._links.cells import split_line
from hilabel.datasets._links.layout import Layout
from hilabel.datasets._links.named_columns import named_places
from hilabel.exceptions import DatasetFormatError

# Columns of ids, those of most files of features first.
_IDS: Final = (
    "Official Symbol Interactor {}",
    "Systematic Name Interactor {}",
    "SWISS-PROT Accessions Interactor {}",
    "Entrez Gene Interactor {}",
    "BioGRID ID Interactor {}",
    "TREMBL Accessions Interactor {}",
    "REFSEQ Accessions Interactor {}",
)
_START: Final = "#BioGRID Interaction ID\t"


def is_biogrid(line: str) -> bool:
    """Return whether a line is the header of a file of BioGRID."""
    return line.startswith((_START, _START[1:]))


def biogrid_layout(
    path: FilePath,
    lines: Sequence[str],
    ids: Collection[str],
    columns: Mapping[str, str] | None,
) -> Layout:
    """Return how to read a file of BioGRID that starts with these lines.

    The ids are in the columns that have most of the given ids in these lines or, if
    there are none, official symbols.
    """
    header = [cell.lstrip("#") for cell in split_line(lines[0], "\t", is_quoted=False)]
    if columns is None:
        columns = _best_columns(path, header, lines[1:], ids)
    return Layout(
        "BioGRID",
        "\t",
        named_places(path, header, columns),
        len(header),
        1,
        kind="interactions",
        unweighted="-",
        separator="|",
        is_undirected=True,
    )


def _best_columns(
    path: FilePath, header: list[str], lines: Sequence[str], ids: Collection[str]
) -> dict[str, str]:
    places = {name.casefold(): place for place, name in enumerate(header)}
    pairs = [
        [places[name.format(end).casefold()] for end in "AB"]
        for name in _IDS
        if all(name.format(end).casefold() in places for end in "AB")
    ]
    if not pairs:
        raise DatasetFormatError(
            "expected the columns of BioGRID's tab2 or tab3, such as "
            f"{_IDS[0].format('A')!r}, but the header does not name them.",
            source=path,
            line=1,
        )
    wanted = frozenset(ids)
    rows = [split_line(line, "\t", is_quoted=False) for line in lines]
    known = [
        sum(_first(row[place]) in wanted for row in rows if len(row) == len(header))
        for place, _ in pairs
    ]
    first, second = pairs[known.index(max(known))]
    found = {"source": header[first], "target": header[second]}
    return {**found, "weight": "Score"} if "Score" in header else found


def _first(cell: str) -> str:
    return cell.partition("|")[0]
