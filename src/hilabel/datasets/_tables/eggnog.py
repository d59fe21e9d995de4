"""Read the output of eggNOG-mapper as columns of zeros and ones."""

from collections.abc import Callable, Iterator
from typing import Final

from hilabel._text_files import read_text
from hilabel._typing import FilePath
from hilabel.datasets._tables.interproscan import GO_NOTE
from hilabel.datasets._tables.matrix_file import (
    Hit,
    MatrixFile,
    matrix_of_hits,
    read_ids,
    tab_rows,
)
from hilabel.exceptions import DatasetFormatError

_HEADINGS: Final = ("#query\t", "#query_name\t")


def _listed(cell: str) -> list[str]:
    return [part.strip() for part in cell.split(",")]


def _groups(cell: str) -> list[str]:
    """Return the groups without their level names: COG0515@1 for COG0515@1|root."""
    return [part.partition("|")[0] for part in _listed(cell)]


def _pathways(cell: str) -> list[str]:
    """Return each pathway once, although it is listed as both ko04010 and map04010."""
    return [part for part in _listed(cell) if not part.startswith("map")]


# GOs would leak the labels. The others, such as KEGG_Reaction, follow from KEGG_ko.
_PARTS: Final[dict[str, Callable[[str], list[str]]]] = {
    "eggNOG_OGs": _groups,
    "COG_category": list,
    "EC": _listed,
    "KEGG_ko": _listed,
    "KEGG_Pathway": _pathways,
    "KEGG_Module": _listed,
    "CAZy": _listed,
    "PFAMs": _listed,
}
# Spellings of earlier versions.
_OLD_NAMES: Final = {
    "eggNOG OGs": "eggNOG_OGs",
    "COG Functional cat.": "COG_category",
    "COG Functional Category": "COG_category",
}


def is_eggnog(start: str) -> bool:
    """Return whether the start of a text looks like the output of eggNOG-mapper."""
    lines = (line for line in start.split("\n") if not line.startswith("##"))
    return next(lines, "").startswith(_HEADINGS)


def read_eggnog(
    path: FilePath, ids: FilePath | None, most_unpacked: float | None = None
) -> MatrixFile:
    """Return a matrix with one column per orthologous group, KEGG entry and so on.

    Columns have names such as ``PFAMs=Pkinase``.
    """
    text = read_text(path, most_unpacked)
    lines = (line for line in text.split("\n") if line.startswith(_HEADINGS))
    heading = [name.strip() for name in next(lines).lstrip("#").split("\t")]
    heading = [_OLD_NAMES.get(name, name) for name in heading]
    if not set(heading) & set(_PARTS):
        raise DatasetFormatError(
            f"expected columns of eggNOG-mapper, such as {', '.join(_PARTS)}, but the "
            "header names none of them.",
            source=path,
        )
    queries: dict[str, None] = {}
    hits: list[Hit] = []
    has_go = False
    for _, cells in tab_rows(path, text, len(heading), "eggNOG-mapper"):
        row = dict(zip(heading, cells, strict=False))
        queries[cells[0]] = None
        hits += [(cells[0], name, source) for name, source in _hits(row)]
        has_go |= row.get("GOs", "-") not in ("", "-")
    if not queries:
        raise DatasetFormatError(
            "expected rows below the header, got none.", source=path
        )
    return matrix_of_hits(
        path,
        list(queries) if ids is None else read_ids(ids),
        hits,
        id_name=heading[0],
        notes=(GO_NOTE,) if has_go else (),
    )


def _hits(row: dict[str, str]) -> Iterator[tuple[str, str]]:
    for source, parts in _PARTS.items():
        cell = row.get(source, "")
        if cell not in ("", "-"):
            yield from ((f"{source}={part}", source) for part in parts(cell) if part)
